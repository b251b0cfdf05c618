import { asReported, parseErrorBody } from '../core/errorResponses';
import { ServiceError } from '../core/errors';
import { isPlainObject } from '../core/json';
import { MAX_SEGMENT_LENGTH } from '../core/urls';
import type { Paths } from './dialect';
import { holds, textAt, valueAt } from './paths';
import type { AgentServer } from './server';
import type { Waiting } from './waiting';
import { MAX_OPEN } from './waits';

/** The IDs with which a conversation continues. */
export interface ServerIds {
	/** The server's own ID of the conversation. */
	chat?: string;
	/** What waits for the next message. */
	task?: string;
	/** For what it waits, where the state of a task says it. */
	kind?: Waiting['kind'];
	/** What the agent works on. */
	running?: string;
	/** Its message. */
	message?: string;
}

/** Finds the IDs in what arrives of an answer. The last ones count. */
export function createIdReader(server: AgentServer) {
	const { chatAt = [], tasks, approvals, decides, history } = server;
	const waitAt = (approvals ?? decides)?.askedAt;
	const ids: ServerIds = {};
	/** More than can be decided at once are not kept. */
	const asked = new Set<string>();
	let isFirst = true;
	return {
		ids,
		/**
		 * @param given An event, or a list of them.
		 * @throws ServiceError for a refusal, and for what is no answer.
		 */
		read(given: unknown): void {
			for (const value of [given].flat()) {
				rejectNoAnswer(server, value, isFirst);
				isFirst = false;
				const chat = idAt(value, chatAt);
				if (chat) ids.chat = chat;
				const message = history && idAt(value, history.idAt);
				if (message) ids.message = message;
				if (tasks) readTasks(tasks, value, ids);
				if (!waitAt) continue;
				if (decides?.begins?.some((one) => holds({ name: '', value }, one))) asked.clear();
				for (const path of waitAt)
					for (const id of idsIn(value, path)) if (asked.size < MAX_OPEN) asked.add(plainId(id));
				const task = taskOf([...asked]);
				if (task) ids.task = task;
				else delete ids.task;
			}
		},
	};
}

/** @param isFirst Whether nothing has come before. */
function rejectNoAnswer(
	{ refusal, unreadable = [] }: AgentServer,
	value: unknown,
	isFirst: boolean,
): void {
	const event = { name: '', value };
	if (isFirst && refusal && holds(event, refusal))
		throw asReported(new ServiceError('refused', ''), {
			...parseErrorBody(value),
			outcome: 'not_started',
		});
	for (const { if: condition, says, advice } of unreadable)
		if (holds(event, condition))
			throw new ServiceError('malformed', says, { outcome: 'started', advice });
}

/** The last state of a task counts. */
function readTasks(
	{ at, over, waits }: NonNullable<AgentServer['tasks']>,
	value: unknown,
	ids: ServerIds,
): void {
	for (const { state, id } of at) {
		const now = textAt(value, state);
		if (!now) continue;
		delete ids.task;
		delete ids.kind;
		delete ids.running;
		const task = over.includes(now) ? '' : idAt(value, id);
		const kind = KINDS.find((each) => waits[each]?.includes(now));
		if (task && kind) Object.assign(ids, { task, kind });
		else if (task) ids.running = task;
	}
}

const KINDS = ['input', 'approval'] as const;

/** Empty for what has no ID: what was asked is not decided without it. */
const idsIn = (value: unknown, paths: Paths): string[] => {
	const found = [paths].flat().map((path) =>
		[valueAt(value, path)]
			.flat()
			.filter(isPlainObject)
			.map(({ id }) => (typeof id === 'string' ? id : '')),
	);
	return found.find((ids) => ids.some(Boolean)) ?? found.flat();
};

export const SEPARATOR = ',';

/** One ID for several questions that wait for the same decision. */
export const taskOf = (ids: readonly string[]): string => {
	const known = [...new Set(ids.map(plainId))].sort();
	const isUsable = known.length < MAX_OPEN && known.every((id) => id && !id.includes(SEPARATOR));
	return isUsable ? known.join(SEPARATOR) : '';
};

export const idAt = (value: unknown, path: Paths): string => plainId(textAt(value, path));

const plainId = (id: string) => (id.length <= MAX_SEGMENT_LENGTH && !/\p{Cc}/u.test(id) ? id : '');

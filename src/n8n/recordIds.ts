import type {
	IExecuteFunctions,
	IDataObject,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';

import { cutText } from '../core/errors';

/** Characters of a custom data value. n8n keeps 512, and logs a warning above 255. */
const MAX_LENGTH = 255;
/** Custom data values per kind of work. n8n keeps ten per execution. */
const MAX_KEYS = 3;

/**
 * Writes the ID of work at the service to the log and to the execution's custom data at once: after Stop, n8n keeps no output of the
 * node.
 *
 * @param startedIds The ID is added to them.
 */
export function recordWorkId(
	n8n: IExecuteFunctions,
	startedIds: StartedIds,
	name: keyof typeof WORK_NAMES,
	id: string,
): void {
	if (!id) return;
	startedIds.set(name, (startedIds.get(name) ?? new Set()).add(id));
	const executionId = n8n.getExecutionId();
	// n8n's log shows the message only, unless it is written as JSON. In queue mode, Stop may leave nothing else.
	n8n.logger.info(toLogLine(`execution ${executionId}, ${name} ${id}`), {
		node: n8n.getNode().name,
		executionId,
	});
	try {
		for (let number = 1; number <= MAX_KEYS; number++) {
			const key = number === 1 ? name : `${name}${number}`;
			const noted = n8n.customData.get(key);
			if (noted?.split(', ').includes(id)) return;
			const value = noted ? `${noted}, ${id}` : id;
			if (value.length <= MAX_LENGTH) return n8n.customData.set(key, value);
		}
	} catch (cause) {
		// the work has started, and the log has its ID
		n8n.logger.debug('The id could not be kept in the custom data', { id, cause });
	}
}

/** Keeps an ID of a service, or the name of a node, from adding lines to n8n's log. */
export const toLogLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

/**
 * Changes a value in the execution's custom data, where a workflow can read it: `$execution.customData.get(name)`.
 *
 * @param update Makes the new value of the old one, which is undefined if there was none.
 */
export function updateCustomData(
	n8n: Pick<IExecuteFunctions, 'customData' | 'logger'>,
	name: string,
	update: (before: string | undefined) => string,
): void {
	try {
		n8n.customData.set(name, update(n8n.customData.get(name)));
	} catch (cause) {
		n8n.logger.debug('A value could not be kept in the custom data', { name, cause });
	}
}

/** How far a conversation has come. */
interface Progress {
	progress: string;
	/** The speakers with their own sessions. */
	sessions: string;
	/** To filter executions by, each by itself; also for the log. */
	facts: Readonly<Record<string, string | number>>;
	/** For the log. */
	details: object;
	/** For the log: why a speaker failed. */
	failure?: string | undefined;
}

/** Writes how far a conversation has come to the log, and to the execution's custom data in place of what was there. */
export function recordConversation(
	n8n: IExecuteFunctions,
	itemIndex: number,
	{ progress, sessions, facts, details, failure }: Progress,
): void {
	const executionId = n8n.getExecutionId();
	const begun = [progress, sessions].filter(Boolean).join(', sessions: ');
	const summary = failure ? `${begun}, failure: ${failure}` : begun;
	// as above: if a worker is killed, nothing else is left of its execution
	n8n.logger.info(toLogLine(`execution ${executionId}, conversation ${summary}`), {
		node: n8n.getNode().name,
		executionId,
		itemIndex,
		...facts,
		...details,
	});
	if (itemIndex >= MAX_KEYS) return;
	// ten values are kept: those of further conversations must leave room for what other nodes record
	const values = itemIndex
		? { [`conversation${itemIndex + 1}`]: progress }
		: { conversation: progress, speakers: sessions, ...facts };
	for (const [name, value] of Object.entries(values))
		updateCustomData(n8n, name, () => cutText(String(value), MAX_LENGTH));
}

/** IDs per kind of work that an error keeps. The log has all of them. */
const MAX_IDS = 500;

const WORK_NAMES = { mediaJob: 'media job', chat: 'chat', session: 'session' };

/**
 * The IDs of all work that one run of a node has started. When a failure or Stop ends the run, n8n keeps none of its items, so the
 * error and the log have to contain the IDs.
 */
export type StartedIds = Map<keyof typeof WORK_NAMES, Set<string>>;

/** Adds the IDs that the error does not name to it, and to the log, since n8n does not keep the error after Stop. */
export function attachStartedIds<E extends NodeApiError | NodeOperationError>(
	n8n: IExecuteFunctions,
	ids: StartedIds,
	error: E,
): E {
	const metadata = error.context['metadata'] as IDataObject | undefined;
	const named = new Set(Object.values(metadata?.['ids'] ?? {}));
	if ([...ids.values()].every((some) => [...some].every((id) => named.has(id)))) return error;
	const all = Object.fromEntries([...ids].map(([name, some]) => [name, [...some]]));
	n8n.logger.warn('A run that ended early had started work at the service', {
		node: n8n.getNode().name,
		executionId: n8n.getExecutionId(),
		...all,
	});
	const kept = Object.entries(all).map(([name, some]) => [name, some.slice(0, MAX_IDS)]);
	error.context['metadata'] = { ...metadata, started: Object.fromEntries(kept) as IDataObject };
	const counts = [...ids].map(
		([name, { size }]) => `${size} ${WORK_NAMES[name]}${size === 1 ? '' : 's'}`,
	);
	const sentence = `Before this run ended, the service had started: ${counts.join(', ')}. The IDs are in the error's data, under "started", and in n8n's log.`;
	error.description = [error.description, sentence].filter(Boolean).join('\n');
	return error;
}

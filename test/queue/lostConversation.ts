import { routerChatModel } from '../n8n/agent.ts';
import { openBridge, type Bridge } from '../n8n/bridge.ts';
import {
	conversationFile,
	outcomeOf,
	sessionsAt,
	speakersOf,
} from '../n8n/conversationWorkflow.ts';
import { until } from '../n8n/editor.ts';
import type { Execution } from '../n8n/execution.ts';
import type { Queue } from './queue.ts';

const parameters = { turnLimit: 4 };

/** A conversation of two agents at a service of its own, which has received the third turn and does not answer it. */
export interface LostConversation {
	bridge: Bridge;
	id: string;
}

export async function startLostConversation({ editor }: Queue): Promise<LostConversation> {
	const bridge = await openBridge({}, editor);
	bridge.service.fault({
		match: { method: 'POST' },
		skip: 2,
		times: 1,
		do: { type: 'timeout', effect: true },
	});
	const id = await editor.start(await editor.importWorkflow(fileOf(bridge, parameters)));
	await until('the third turn is sent', () => sessionsAt(bridge).length === 3);
	return { bridge, id };
}

function fileOf({ accounts }: Bridge, settings: Record<string, unknown>) {
	const { agent, secondAgent } = speakersOf(accounts);
	return conversationFile({ parameters: settings, speakers: [agent('Ann'), secondAgent('Bob')] });
}

/** What is lost beside a turn of a conversation in turn: the requests that are sent, the last of which is not answered. */
export const LOST = {
	'the second turn of a second round': {
		posts: 4,
		progress: 'turns: 3, asked: Bob',
		parameters: { turnOrder: 'sameMessage', turnLimit: 6 },
	},
	'the request for a result': {
		posts: 3,
		progress: 'turns: 2, ended: turnLimit',
		parameters: { turnLimit: 2, options: { resultSchema: { type: 'object' } } },
	},
} as const;

export type Lost = keyof typeof LOST;

/** A conversation of two agents with a model, at a service of its own, which does not answer the last request. */
export async function startLost({ editor }: Queue, what: Lost): Promise<LostConversation> {
	const bridge = await openBridge({}, editor);
	const { posts, parameters: given } = LOST[what];
	bridge.service.fault({
		...{ match: { method: 'POST' }, skip: posts - 1, times: 1 },
		do: { type: 'timeout', effect: true },
	});
	const { agent, secondAgent } = speakersOf(bridge.accounts);
	const file = conversationFile({
		parameters: given,
		speakers: [agent('Ann'), secondAgent('Bob')],
		moderator: routerChatModel(bridge),
		settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
	});
	const id = await editor.start(await editor.importWorkflow(file));
	await until('the last request is sent', () => countPosts(bridge) === posts);
	return { bridge, id };
}

const countPosts = ({ service }: Bridge) =>
	service.requests.filter(({ method }) => method === 'POST').length;

/** Checks that nothing is sent again after its worker was killed, and that the worker's log has all but what was under way. */
export async function checkLost(
	queue: Queue,
	{ bridge, id }: LostConversation,
	what: Lost,
): Promise<void> {
	const { editor, workers } = queue;
	const { posts, progress } = LOST[what];
	expect(await editor.finished(id, 150)).toMatchObject({ status: 'error', runData: {} });
	expect(await editor.retryExecution(id)).toMatchObject({ status: 'error', runData: {} });
	expect(countPosts(bridge)).toBe(posts);
	const [ofAnn, ofBob] = sessionsAt(bridge);
	const line = new RegExp(
		`^execution ${id}, conversation \\S+, ${progress}, sessions: Ann ${ofAnn}, Bob ${ofBob}$`,
		'm',
	);
	const told = workers.filter((worker) => line.test(worker.wholeLog()));
	expect(told).toEqual(queue.workersOf(id));
}

/** Checks that nothing is sent again after its worker was killed, and that what the worker's log has continues it. */
export async function checkLostConversation(
	queue: Queue,
	{ bridge, id }: LostConversation,
): Promise<void> {
	const { editor } = queue;
	const asKept = ({ status, runData, customData, error }: Execution) => ({
		status,
		runData,
		customData,
		message: error?.message,
	});
	const nothing = {
		...{ status: 'error', runData: {}, customData: {} },
		message: expect.stringContaining('failed to be processed too many times'),
	};
	expect(asKept(await editor.finished(id, 150))).toEqual(nothing);
	expect(asKept(await editor.retryExecution(id))).toEqual(nothing);
	expect(sessionsAt(bridge)).toHaveLength(3);

	const [ofAnn, ofBob] = sessionsAt(bridge);
	const line = new RegExp(
		`^execution ${id}, conversation (\\S+), turns: 2, asked: Ann, sessions: Ann ${ofAnn}, Bob ${ofBob}$`,
		'm',
	);
	const told = queue.workers.filter((worker) => line.test(worker.wholeLog()));
	expect(told).toEqual(queue.workersOf(id));
	const conversationId = line.exec(told[0]!.wholeLog())?.[1];
	const again = { ...parameters, sessionMode: 'id', conversationId };
	const next = outcomeOf(await editor.runOnce(fileOf(bridge, again)));
	expect(next).toMatchObject({
		conversationId,
		// the third turn was received, with effect, and is not lost at the service
		transcript: [
			{ speaker: 'Ann', sessionId: ofAnn, text: expect.stringContaining('message 3 of this') },
			{ speaker: 'Bob', sessionId: ofBob, text: expect.stringContaining('message 2 of this') },
			{ speaker: 'Ann' },
			{ speaker: 'Bob' },
		],
	});
	expect(sessionsAt(bridge)).toEqual([ofAnn, ofBob, ofAnn, ofAnn, ofBob, ofAnn, ofBob]);
}

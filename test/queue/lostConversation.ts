import { routerChatModel } from '../n8n/agent.ts';
import { openBridge, type Bridge } from '../n8n/bridge.ts';
import {
	conversationFile,
	outcomeOf,
	retryOnFail,
	sessionsAt,
	speakersOf,
} from '../n8n/conversationWorkflow.ts';
import { until } from '../n8n/editor.ts';
import type { Queue } from './queue.ts';

/** A conversation of two agents with a model, at a service of its own, which has received the last request and does not answer it. */
export interface LostConversation {
	bridge: Bridge;
	id: string;
}

/** What is lost: the requests that are sent, the last of which is not answered, and what the log says then. */
export const LOST = {
	'its third turn': { posts: 3, progress: 'turns: 2, asked: Ann', parameters: { turnLimit: 4 } },
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

export async function startLost({ editor }: Queue, what: Lost): Promise<LostConversation> {
	const bridge = await openBridge({}, editor);
	const { posts, parameters } = LOST[what];
	bridge.service.fault({
		match: { method: 'POST' },
		skip: posts - 1,
		times: 1,
		do: { type: 'timeout', effect: true },
	});
	const id = await editor.start(await editor.importWorkflow(fileOf(bridge, parameters)));
	await until('the last request is sent', () => countPosts(bridge) === posts);
	return { bridge, id };
}

function fileOf(bridge: Bridge, parameters: Record<string, unknown>) {
	const { agent, secondAgent } = speakersOf(bridge.accounts);
	return conversationFile({
		parameters,
		speakers: [agent('Ann'), secondAgent('Bob')],
		moderator: routerChatModel(bridge),
		settings: retryOnFail,
	});
}

const countPosts = ({ service }: Bridge) =>
	service.requests.filter(({ method }) => method === 'POST').length;

/**
 * Checks that nothing is sent again after its worker was killed, and that the worker's log has all but what was under way.
 *
 * @returns the ID of the conversation
 */
export async function checkLost(
	queue: Queue,
	{ bridge, id }: LostConversation,
	what: Lost,
): Promise<string> {
	const { editor, workers } = queue;
	const { posts, progress } = LOST[what];
	for (const execution of [await editor.finished(id, 150), await editor.retryExecution(id)]) {
		const { status, runData, customData, error } = execution;
		expect({ status, runData, customData, message: error?.message }).toEqual({
			status: 'error',
			runData: {},
			customData: {},
			message: expect.stringContaining('failed to be processed too many times'),
		});
	}
	expect(countPosts(bridge)).toBe(posts);
	const [ofAnn, ofBob] = sessionsAt(bridge);
	const line = new RegExp(
		`^execution ${id}, conversation (\\S+), ${progress}, sessions: Ann ${ofAnn}, Bob ${ofBob}$`,
		'm',
	);
	const told = workers.filter((worker) => line.test(worker.wholeLog()));
	expect(told).toEqual(queue.workersOf(id));
	return line.exec(told[0]!.wholeLog())![1]!;
}

/** Checks that what the worker's log has continues it after its third turn was lost. */
export async function checkContinued(
	{ editor }: Queue,
	{ bridge }: LostConversation,
	conversationId: string,
) {
	const [ofAnn, ofBob] = sessionsAt(bridge);
	const again = { turnLimit: 4, sessionMode: 'id', conversationId };
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

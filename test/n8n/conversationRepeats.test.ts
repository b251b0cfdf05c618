import { openBridge, type Bridge } from './bridge.ts';
import {
	fourTurns,
	httpSpeaker,
	messagesTo,
	resultsOf,
	retryOnFail,
	sessionsAt,
	speakersWith,
	namesIn,
} from './conversationTurns.ts';
import { type Talk } from './conversationWorkflow.ts';
import { until } from './editor.ts';
import { json } from '../service/answer.ts';
import { onWorkers, sharedLog } from './shared.ts';

// What is sent when n8n runs an execution again, and what remains of one that was stopped.
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge({
		further: ({ path, bodyText }) =>
			path === '/other' ? json({ output: `Heard ${bodyText.length} characters` }) : undefined,
	});
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const failThirdTurn = (status: number) =>
	bridge.service.fault({
		match: { method: 'POST' },
		skip: 2,
		times: 1,
		do: { type: 'status', status },
	});
const stops = { onError: 'stopWorkflow' };
const build = (options: Partial<Talk> = {}) => {
	const { agent, secondAgent } = speakersWith(bridge.accounts);
	return fourTurns({
		speakers: [agent('Ada', stops), secondAgent('Bob', stops)],
		settings: retryOnFail,
		...options,
	});
};
const retries = [
	['the original workflow', false],
	['the currently saved workflow', true],
] as const;

describe.each(retries)(
	'Retry of an execution that a speaker has stopped, with %s',
	(_how, current) => {
		it('sends a turn that was refused once more, and then those that are missing', async () => {
			failThirdTurn(400);
			const failed = await bridge.editor.runOnce(build());
			expect(failed).toMatchObject({ status: 'error', lastNode: 'Ada' });
			expect(messagesTo(bridge)).toHaveLength(3);

			const retried = await bridge.editor.retryExecution(failed.id, current);
			expect(retried.error?.message).toBeUndefined();
			expect(retried).toMatchObject({ status: 'success', retryOf: failed.id });
			const [result] = resultsOf(retried);
			expect(result).toMatchObject({ ended: 'turnLimit', turns: 4 });
			expect(namesIn(result!)).toEqual(['Ada', 'Bob', 'Ada', 'Bob']);
			const messages = messagesTo(bridge);
			expect(messages).toHaveLength(5);
			expect(messages[3]).toBe(messages[2]);
			expect(new Set(sessionsAt(bridge)).size).toBe(2);
		});

		it('never sends a turn again that may have been received', async () => {
			failThirdTurn(500);
			const failed = await bridge.editor.runOnce(build());
			expect(failed).toMatchObject({ status: 'error', lastNode: 'Ada' });
			const retried = await bridge.editor.retryExecution(failed.id, current);
			expect(retried).toMatchObject({
				status: 'error',
				lastNode: 'Ada',
				error: { description: expect.stringContaining('It was not sent again') },
			});
			expect(messagesTo(bridge)).toHaveLength(3);
		});

		it('takes the answer of a node of n8n, wherever it is filed', async () => {
			const { agent } = speakersWith(bridge.accounts);
			const bob = httpSpeaker('Bob', `${bridge.service.url}/other`, stops);
			bridge.service.fault({
				match: { path: '/other' },
				times: 1,
				do: { type: 'status', status: 500 },
			});
			const failed = await bridge.editor.runOnce(build({ speakers: [agent('Ada', stops), bob] }));
			expect(failed).toMatchObject({ status: 'error', lastNode: 'Bob' });
			const retried = await bridge.editor.retryExecution(failed.id, current);
			const [result] = resultsOf(retried);
			expect(result).toMatchObject({ ended: 'turnLimit', turns: 4 });
			expect(namesIn(result!)).toEqual(['Ada', 'Bob', 'Ada', 'Bob']);
			expect(result!.transcript[1]!.text).toMatch(/^Heard \d+ characters$/);
			expect(messagesTo(bridge)).toHaveLength(5);
		});
	},
);

describe.each(retries)(
	'Retry of an execution in which the conversation failed, with %s',
	(_how, current) => {
		it('sends what was not sent', async () => {
			// the first item could begin, and nothing is sent before all can
			const file = build({ items: [{ chatInput: 'Hello', limit: 2 }, { limit: 2 }] });
			const failed = await bridge.editor.runOnce(file);
			expect(failed).toMatchObject({ status: 'error', lastNode: 'Conversation' });
			expect(messagesTo(bridge)).toEqual([]);
			const retried = await bridge.editor.retryExecution(failed.id, current);
			expect(retried).toMatchObject({ status: 'error', lastNode: 'Conversation' });
			expect(messagesTo(bridge)).toEqual([]);
		});
	},
);

it('trap 6: a speaker that is gone from the currently saved workflow ends it, with all turns so far', async () => {
	failThirdTurn(400);
	const saved = await bridge.editor.importWorkflow(build());
	const failed = await bridge.editor.run(saved);
	const file = build();
	await bridge.editor.updateWorkflow(saved.id, {
		...file,
		nodes: file.nodes.map((node) => (node.name === 'Bob' ? { ...node, disabled: true } : node)),
	});
	const retried = await bridge.editor.retryExecution(failed.id, true);
	expect(retried.error?.message).toBeUndefined();
	expect(resultsOf(retried)).toMatchObject([
		{ ended: 'speakerFailed', reason: 'Bob is no longer connected', turns: 3 },
	]);
	expect(messagesTo(bridge)).toHaveLength(4);
});

describe('Stop in the third turn', () => {
	it('leaves conversation, sessions and the number of turns; a new execution goes on in them', async () => {
		const file = build({ items: [{ chatInput: 'Hello' }] });
		bridge.service.fault({
			match: { method: 'POST' },
			skip: 2,
			times: 1,
			do: { type: 'timeout' },
		});
		const saved = await bridge.editor.importWorkflow(file);
		const id = await bridge.editor.start(saved);
		await until('the third turn is under way', () => messagesTo(bridge).length === 3);
		await bridge.editor.stopExecution(id);
		expect((await bridge.editor.finished(id)).status).toBe('canceled');
		await until('the request is given up', () => bridge.service.requests[2]?.abandoned === true);
		const [ada, bob] = sessionsAt(bridge);
		const speakers = `Ada ${ada}, Bob ${bob}`;
		const said = new RegExp(
			`execution ${id}, conversation (\\S{36}), turns: 2, asked: Ada, sessions: ${speakers}\n`,
		).exec(sharedLog());
		expect(said).not.toBeNull();
		const conversationId = said![1]!;
		expect((await bridge.editor.execution(id)).runData['Conversation'] ?? []).toEqual([]);
		// n8n says that it has ended before it has stored what it knows
		if (!onWorkers())
			await until('the conversation is stored', async () => {
				const { customData = {} } = await bridge.editor.execution(id);
				return (
					customData['conversation'] === `${conversationId}, turns: 2, asked: Ada` &&
					customData['speakers'] === speakers
				);
			});

		await bridge.editor.updateWorkflow(
			saved.id,
			build({ parameters: { sessionMode: 'id', conversationId } }),
		);
		const next = await bridge.editor.run(saved);
		expect(resultsOf(next)).toMatchObject([{ conversationId, turns: 4 }]);
		expect(sessionsAt(bridge)).toEqual([ada, bob, ada, ada, bob, ada, bob]);
	});
});

import { freePort } from './freePort.ts';
import { openBridge, type Bridge } from './bridge.ts';
import {
	fourTurns,
	httpSpeaker,
	messagesTo,
	resultsOf,
	retryOnFail,
	speakersWith,
	namesIn,
} from './conversationTurns.ts';
import { CONVERSATION, type Talk } from './conversationWorkflow.ts';
import { json } from '../service/answer.ts';
import type { Fault } from '../service/service.ts';
import type { WorkflowNode } from './workflow.ts';

// A speaker fails in the second turn of four, in every way that n8n knows. Every turn before is in the output.
let bridge: Bridge;
/** What the node of n8n's own gets for its message. */
let other: unknown;
beforeAll(async () => {
	bridge = await openBridge({
		further: ({ path }) => (path === '/other' ? json(other) : undefined),
	});
});
beforeEach(() => {
	bridge.service.reset();
	other = { output: 'Good morning' };
});
afterAll(async () => await bridge.service.stop());

const run = async (bob: WorkflowNode, options: Partial<Talk> = {}) => {
	const { agent } = speakersWith(bridge.accounts);
	return await bridge.editor.runOnce(fourTurns({ speakers: [agent('Ada'), bob], ...options }));
};
const failSecondTurn = (fault: Fault, times = 1) =>
	bridge.service.fault({ match: { method: 'POST' }, skip: 1, times, do: fault });
const serverError: Fault = { type: 'status', status: 500 };
const refusal: Fault = { type: 'status', status: 400 };

const ownAgent = (settings = {}) => speakersWith(bridge.accounts).secondAgent('Bob', settings);
const ofN8n = (settings = {}) => httpSpeaker('Bob', `${bridge.service.url}/other`, settings);

describe.each([
	['a node of this package', ownAgent],
	['a node of n8n', ofN8n],
])('%s fails', (_kind, bob) => {
	it.each([
		['as set by default', {}],
		['with Continue', { onError: 'continueRegularOutput' }],
	])('%s: the conversation ends with the turns so far', async (_name, settings) => {
		failSecondTurn(serverError);
		const execution = await run(bob(settings));
		expect(execution.error?.message).toBeUndefined();
		const [result] = resultsOf(execution);
		expect(result).toMatchObject({
			ended: 'speakerFailed',
			reason: 'Bob failed',
			turns: 2,
			failure: { turn: 2, speaker: 'Bob', error: expect.stringMatching(/\S/) },
		});
		expect(result!.failure!.message).toBe(result!.transcript[0]!.text);
		expect(result!.output).toBe(result!.transcript[0]!.text);
		expect(namesIn(result!)).toEqual(['Ada', '(Bob)']);
		expect(messagesTo(bridge)).toHaveLength(2);
	});

	it('with Continue (using error output): refused before anything is sent', async () => {
		const execution = await run(bob({ onError: 'continueErrorOutput' }));
		expect(execution.error).toMatchObject({
			message: 'Bob: "Continue (using error output)" is not possible for a speaker',
			description: expect.stringContaining('choose Continue in On Error'),
		});
		expect(messagesTo(bridge)).toEqual([]);
	});

	it('with Stop Workflow: the execution fails at the speaker, and nothing more is sent', async () => {
		failSecondTurn(serverError);
		const execution = await run(bob({ onError: 'stopWorkflow' }));
		expect(execution).toMatchObject({ status: 'error', lastNode: 'Bob' });
		expect(execution.customData).toMatchObject({
			conversation: expect.stringMatching(/^\S{36}, turns: 1, asked: Bob$/),
		});
		expect(messagesTo(bridge)).toHaveLength(2);
	});

	it('skipped: the next speaker is asked', async () => {
		failSecondTurn(serverError);
		const execution = await run(bob(), { parameters: { options: { onFailure: 'skip' } } });
		const [result] = resultsOf(execution);
		expect(result).toMatchObject({ ended: 'turnLimit', turns: 4 });
		expect(namesIn(result!)).toEqual(['Ada', '(Bob)', 'Ada', 'Bob']);
		expect(messagesTo(bridge)).toHaveLength(4);
	});

	it.each([
		['a failure of the service', serverError],
		['a connection that breaks', { type: 'reset_peer', effect: true }],
	] satisfies Array<[string, Fault]>)(
		'is not asked once more after %s: it may have received the message',
		async (_name, fault) => {
			failSecondTurn(fault);
			const execution = await run(bob(), { parameters: { options: { onFailure: 'askAgain' } } });
			const [result] = resultsOf(execution);
			expect(result).toMatchObject({
				ended: 'speakerFailed',
				reason: 'Bob failed, and was not asked again: it may have received the message',
				turns: 2,
			});
			expect(messagesTo(bridge)).toHaveLength(2);
		},
	);
});

describe('asked once more, if the message certainly was not received', () => {
	const askAgain = { parameters: { options: { onFailure: 'askAgain' } } };

	it('a refusal: the turn is spoken after it', async () => {
		failSecondTurn(refusal);
		const [result] = resultsOf(await run(ownAgent(), askAgain));
		expect(result).toMatchObject({ ended: 'turnLimit', turns: 4 });
		expect(namesIn(result!)).toEqual(['Ada', 'Bob', 'Ada', 'Bob']);
		expect(result!.transcript[1]!.note).toMatch(/^Asked once more after a failure: \S/);
		const messages = messagesTo(bridge);
		expect(messages).toHaveLength(5);
		expect(messages[2]).toBe(messages[1]);
	});

	it('a second refusal ends it', async () => {
		failSecondTurn(refusal, 2);
		const [result] = resultsOf(await run(ownAgent(), askAgain));
		expect(result).toMatchObject({ ended: 'speakerFailed', reason: 'Bob failed twice', turns: 2 });
		expect(messagesTo(bridge)).toHaveLength(3);
	});

	it('a service that cannot be reached', async () => {
		const nobody = await bridge.editor.createCredential({
			...bridge.accounts.agent,
			name: 'Nobody listens',
			data: {
				baseUrl: `http://127.0.0.1:${await freePort()}/api/v1/workspaces/ws-1`,
				apiKey: bridge.service.agent.key('ws-1'),
			},
		});
		const bob = speakersWith({ ...bridge.accounts, secondAgent: nobody }).secondAgent('Bob');
		const [result] = resultsOf(await run(bob, askAgain));
		expect(result).toMatchObject({ ended: 'speakerFailed', reason: 'Bob failed twice', turns: 2 });
		expect(messagesTo(bridge)).toHaveLength(1);
	});

	it.each([
		['truncated', { type: 'limit_data', bytes: 20 }],
		['malformed', { type: 'malformed_json' }],
		['empty', { type: 'empty' }],
	] satisfies Array<[string, Fault]>)('but not after a %s answer', async (_name, fault) => {
		failSecondTurn(fault);
		const [result] = resultsOf(await run(ownAgent(), askAgain));
		expect(result).toMatchObject({ ended: 'speakerFailed', turns: 2 });
		expect(messagesTo(bridge)).toHaveLength(2);
	});
});

describe('Retry On Fail on the speaker', () => {
	it('sends nothing again that may have been received, with a node of this package', async () => {
		failSecondTurn(serverError);
		const [result] = resultsOf(await run(ownAgent({ ...retryOnFail })));
		expect(result).toMatchObject({ ended: 'speakerFailed', turns: 2 });
		expect(messagesTo(bridge)).toHaveLength(2);
	});

	it('sends a refused message again, with a node of this package', async () => {
		failSecondTurn(refusal);
		const [result] = resultsOf(await run(ownAgent({ ...retryOnFail })));
		expect(result).toMatchObject({ ended: 'turnLimit', turns: 4 });
		expect(messagesTo(bridge)).toHaveLength(5);
	});

	it('counts the last try of a node of n8n, which sends with each', async () => {
		failSecondTurn(serverError, 2);
		const [result] = resultsOf(await run(ofN8n({ ...retryOnFail })));
		expect(result).toMatchObject({ ended: 'turnLimit', turns: 4 });
		expect(namesIn(result!)).toEqual(['Ada', 'Bob', 'Ada', 'Bob']);
		expect(messagesTo(bridge)).toHaveLength(6);
	});
});

describe('what a speaker may return in place of an answer', () => {
	it.each([
		['no item', [], ['Ada', '(Bob)', 'Ada', '(Bob)']],
		['an empty item', {}, ['Ada', '(Bob)', 'Ada', '(Bob)']],
		['two items', [{ output: 'One' }, { output: 'Two' }], ['Ada', 'Bob', 'Ada', 'Bob']],
		['an empty error', { error: '', output: 'Fine' }, ['Ada', 'Bob', 'Ada', 'Bob']],
	])('%s', async (_name, returned, speakers) => {
		other = returned;
		const execution = await run(ofN8n());
		const [result] = resultsOf(execution);
		expect(result).toMatchObject({ ended: 'turnLimit', turns: 4 });
		expect(namesIn(result!)).toEqual(speakers);
		expect(messagesTo(bridge)).toHaveLength(4);
	});

	it('the texts of two items are one turn', async () => {
		other = [{ output: 'One' }, { output: 'Two' }];
		const [result] = resultsOf(await run(ofN8n()));
		expect(result!.transcript[1]).toMatchObject({ speaker: 'Bob', text: 'One\n\nTwo' });
	});

	it('nothing by all of them, for a round, ends it', async () => {
		other = {};
		const silent = (name: string) => httpSpeaker(name, `${bridge.service.url}/other`);
		const execution = await bridge.editor.runOnce(
			fourTurns({ speakers: [silent('Ada'), silent('Bob')] }),
		);
		expect(resultsOf(execution)).toMatchObject([{ ended: 'emptyRound', turns: 2, output: '' }]);
		expect(execution.runData[CONVERSATION]).toHaveLength(1);
		expect(messagesTo(bridge)).toHaveLength(2);
	});
});

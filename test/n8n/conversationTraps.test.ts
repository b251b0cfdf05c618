import { chatModel } from './chatModel.ts';
import { openBridge, type Bridge } from './bridge.ts';
import {
	fourTurns,
	messagesTo,
	resultsOf,
	retryOnFail,
	rewire,
	sessionsAt,
	speakersWith,
	namesIn,
} from './conversationTurns.ts';
import { CONVERSATION, type Talk } from './conversationWorkflow.ts';
import { itemsOf } from './execution.ts';
import { node, start } from './workflow.ts';

// What n8n's engine does with a node that has other nodes run for it, and how the conversation copes with it.
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const twoAgents = () => {
	const { agent, secondAgent } = speakersWith(bridge.accounts);
	return [agent('Ada'), secondAgent('Bob')];
};
const build = (options: Partial<Talk> = {}) => fourTurns({ speakers: twoAgents(), ...options });
const run = async (options: Partial<Talk> = {}) => await bridge.editor.runOnce(build(options));
/** The third message of the workspace agents is answered with an error of the service, once. */
const failThirdTurn = (status = 500) =>
	bridge.service.fault({
		match: { path: '/session/' },
		skip: 2,
		times: 1,
		do: { type: 'status', status },
	});

describe('trap 1: with Retry On Fail, an item with an error would have all turns sent again', () => {
	it.each([
		['stop', {}],
		['continue', { onError: 'continueRegularOutput' }],
		['error output', { onError: 'continueErrorOutput' }],
	])('no turn is sent again after a speaker that failed (%s)', async (_name, settings) => {
		failThirdTurn();
		const execution = await run({ settings: { ...retryOnFail, ...settings } });
		expect(execution.error?.message).toBeUndefined();
		const [result] = resultsOf(execution);
		expect(result).toMatchObject({ ended: 'speakerFailed', turns: 3 });
		expect(result).not.toHaveProperty('error');
		expect(namesIn(result!)).toEqual(['Ada', 'Bob', '(Ada)']);
		expect(messagesTo(bridge)).toHaveLength(3);
		expect(itemsOf(execution, CONVERSATION, 1)).toEqual([]);
	});

	it('no turn is sent again for an item that cannot begin (error output)', async () => {
		const execution = await run({
			items: [{}, { chatInput: 'Good morning' }],
			settings: { ...retryOnFail, onError: 'continueErrorOutput' },
		});
		expect(resultsOf(execution)).toMatchObject([{ ended: 'turnLimit', turns: 4 }]);
		expect(itemsOf(execution, CONVERSATION, 1)).toMatchObject([
			{ json: { error: expect.stringContaining('Opening Message') }, pairedItem: { item: 0 } },
		]);
		expect(messagesTo(bridge)).toHaveLength(4);
	});

	it('no turn is sent again for an item that cannot begin (continue)', async () => {
		const execution = await run({
			items: [{}, { chatInput: 'Good morning' }],
			settings: { ...retryOnFail, onError: 'continueRegularOutput' },
		});
		expect(itemsOf(execution, CONVERSATION).map(({ json }) => json)).toMatchObject([
			{ error: expect.stringContaining('Opening Message') },
			{ ended: 'turnLimit', turns: 4 },
		]);
		expect(messagesTo(bridge)).toHaveLength(4);
	});

	it('nothing is sent if an item cannot begin, and the node stops', async () => {
		const execution = await run({
			items: [{ chatInput: 'Good morning' }, {}],
			settings: retryOnFail,
		});
		expect(execution.error).toMatchObject({
			message: expect.stringContaining('Opening Message'),
			context: { itemIndex: 1 },
		});
		expect(messagesTo(bridge)).toEqual([]);
	});
});

it('trap 2: with Retry On Fail, a moderator that fails neither repeats a turn nor counts one twice', async () => {
	const chair = await chatModel(bridge, 'Chair');
	chair.parameters = { ...chair.parameters, options: { maxRetries: 0 } };
	bridge.service.fault({
		match: { path: 'chat/completions' },
		do: { type: 'status', status: 500 },
	});
	const execution = await run({
		moderator: chair,
		parameters: { turnOrder: 'moderator' },
		settings: retryOnFail,
	});
	expect(execution.error?.message).toBeUndefined();
	const [result] = resultsOf(execution);
	expect(result).toMatchObject({ ended: 'turnLimit', turns: 4 });
	expect(namesIn(result!)).toEqual(['Ada', 'Bob', 'Ada', 'Bob']);
	expect(sessionsAt(bridge)).toHaveLength(4);
	expect(execution.runData['Chair']).toHaveLength(4);
});

it('trap 4: the legacy execution order is refused before anything is sent', async () => {
	for (const settings of [{ executionOrder: 'v0' }, {}]) {
		const execution = await bridge.editor.runOnce({ ...build(), settings });
		expect(execution.error).toMatchObject({
			message: expect.stringContaining('legacy execution order (v0)'),
			description: expect.stringContaining('set Execution Order to v1'),
		});
	}
	expect(messagesTo(bridge)).toEqual([]);
});

/** Passes on the ID of the item at the start. */
const linkedTo = (name: string) =>
	node(
		'After',
		'n8n-nodes-base.set',
		{
			assignments: {
				assignments: [
					{ id: '1', name: 'id', type: 'number', value: `={{ $('${name}').item.json.id }}` },
					{ id: '2', name: 'turns', type: 'number', value: '={{ $json.turns }}' },
				],
			},
			options: {},
		},
		{ typeVersion: 3.4 },
	);
const threeItems = [1, 2, 3].map((id) => ({
	id,
	limit: [2, 4, 3][id - 1],
	chatInput: `Item ${id}`,
}));
const ownLimit = { turnLimit: '={{ $json.limit }}' };

describe('trap 5: behind a second output, links to earlier items would be lost', () => {
	it('items behind the false branch of an IF are linked to those at the start', async () => {
		const never = {
			conditions: {
				combinator: 'and',
				options: { version: 2, caseSensitive: true, typeValidation: 'strict', leftValue: '' },
				conditions: [
					{
						id: '1',
						leftValue: '={{ $json.id }}',
						rightValue: 0,
						operator: { type: 'number', operation: 'lt' },
					},
				],
			},
		};
		const file = build({
			items: threeItems,
			parameters: ownLimit,
			before: [node('If', 'n8n-nodes-base.if', never, { typeVersion: 2.2 })],
			after: [linkedTo(start)],
		});
		const execution = await bridge.editor.runOnce(rewire(file, { If: [[], [CONVERSATION]] }));
		expect(execution.error?.message).toBeUndefined();
		expect(itemsOf(execution, 'After').map(({ json }) => json)).toEqual([
			{ id: 1, turns: 2 },
			{ id: 2, turns: 4 },
			{ id: 3, turns: 3 },
		]);
		expect(messagesTo(bridge)).toHaveLength(9);
	});

	it('items inside Loop Over Items are linked to those at the start', async () => {
		const file = build({
			items: threeItems,
			parameters: ownLimit,
			before: [node('Loop', 'n8n-nodes-base.splitInBatches', { options: {} }, { typeVersion: 3 })],
			after: [linkedTo(start)],
		});
		const execution = await bridge.editor.runOnce(
			rewire(file, { Loop: [[], [CONVERSATION]], After: [['Loop']] }),
		);
		expect(execution.error?.message).toBeUndefined();
		const done = (execution.runData['After'] ?? []).flatMap(({ data }) => data?.main?.[0] ?? []);
		expect(done.map(({ json }) => json)).toEqual([
			{ id: 1, turns: 2 },
			{ id: 2, turns: 4 },
			{ id: 3, turns: 3 },
		]);
		expect(messagesTo(bridge)).toHaveLength(9);
		// each round is a conversation of its own
		expect(new Set(sessionsAt(bridge)).size).toBe(6);
	});
});

it('several items have their own limits and sessions, and each answer goes to its item', async () => {
	const execution = await run({
		items: threeItems,
		parameters: ownLimit,
		after: [linkedTo(start)],
	});
	const results = resultsOf(execution);
	expect(results.map(({ turns }) => turns)).toEqual([2, 4, 3]);
	for (const [index, { transcript }] of results.entries())
		for (const { text } of transcript) expect(text).toContain(`Item ${index + 1}`);
	expect(new Set(sessionsAt(bridge)).size).toBe(6);
	expect(itemsOf(execution, 'After').map(({ json }) => json['id'])).toEqual([1, 2, 3]);
});

describe('trap 7: without a trigger, n8n would ignore what the node asks for, and succeed', () => {
	it('"Execute step" is refused before anything is sent', async () => {
		const file = build();
		const saved = await bridge.editor.importWorkflow({
			...file,
			nodes: file.nodes.filter(({ name }) => name !== start),
			connections: Object.fromEntries(
				Object.entries(file.connections).filter(([from]) => from !== start),
			),
			pinData: {},
		});
		const { executionId } = await bridge.editor.call<{ executionId: string }>(
			'POST',
			`/rest/workflows/${saved.id}/run`,
			{ destinationNode: { nodeName: CONVERSATION, mode: 'inclusive' } },
		);
		const execution = await bridge.editor.finished(executionId);
		expect(execution).toMatchObject({
			status: 'error',
			error: {
				message: 'Nothing is connected before this node',
				description: expect.stringContaining('Connect a trigger'),
			},
		});
		expect(messagesTo(bridge)).toEqual([]);
	});
});

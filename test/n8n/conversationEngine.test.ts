import { randomUUID } from 'node:crypto';

import { bridgeOfFile } from './bridge.ts';
import {
	CONVERSATION,
	fourTurns,
	httpSpeaker,
	messagesTo,
	namesIn,
	outcomeOf,
	resultsOf,
	retryOnFail,
	sessionsAt,
	speakersOf,
	type Row,
	type Talk,
} from './conversationWorkflow.ts';
import { until } from './editor.ts';
import { itemsOf, type Execution } from './execution.ts';
import { dataTableScopes, PublicApi } from './publicApi.ts';
import { onWorkers, sharedLog } from './shared.ts';
import { node, start, type WorkflowFile, type WorkflowNode } from './workflow.ts';
import { json } from '../service/answer.ts';
import type { Fault } from '../service/service.ts';

// what n8n does with a node that has other nodes run for it: repeats, links between items, what is continued later
const bridge = bridgeOfFile({
	further: ({ path }) => (path === '/other' ? json({ output: 'Good morning' }) : undefined),
});

const speakers = () => speakersOf(bridge.accounts);
const twoAgents = () => [speakers().agent('Ada'), speakers().secondAgent('Bob')];
const ofN8n = (settings: Record<string, unknown>) =>
	httpSpeaker('Bob', `${bridge.service.url}/other`, settings);
const run = async (talk: Partial<Talk> = {}) =>
	await bridge.editor.runOnce(fourTurns({ speakers: twoAgents(), ...talk }));
const failTurn = (turn: number, fault: Fault) =>
	bridge.service.fault({ match: { method: 'POST' }, skip: turn - 1, times: 1, do: fault });

describe('when n8n runs it again', () => {
	const stops = { onError: 'stopWorkflow' };

	it('"Retry" with the currently saved workflow sends what was refused once more, and then the turns that are missing', async () => {
		failTurn(3, { type: 'status', status: 400 });
		const failed = await run({
			// n8n files the answer of the other one elsewhere
			speakers: [speakers().agent('Ada', stops), ofN8n(stops)],
			settings: retryOnFail,
		});
		expect(failed).toMatchObject({ status: 'error', lastNode: 'Ada' });
		expect(messagesTo(bridge)).toHaveLength(3);

		const retried = await bridge.editor.retryExecution(failed.id, true);
		expect(retried.error?.message).toBeUndefined();
		expect(retried).toMatchObject({ status: 'success', retryOf: failed.id });
		const outcome = outcomeOf(retried);
		expect(outcome).toMatchObject({ ended: 'turnLimit', turns: 4 });
		expect(namesIn(outcome)).toEqual(['Ada', 'Bob', 'Ada', 'Bob']);
		expect(outcome.transcript[1]?.text).toBe('Good morning');
		const messages = messagesTo(bridge);
		expect(messages).toHaveLength(5);
		expect(messages[3]).toBe(messages[2]);
		expect(new Set(sessionsAt(bridge)).size).toBe(1);
	});

	it('Stop in the third turn leaves conversation, sessions and the number of turns; a new execution goes on in them', async () => {
		failTurn(3, { type: 'timeout' });
		const { editor } = bridge;
		const file = (parameters = {}) => fourTurns({ speakers: twoAgents(), parameters });
		const saved = await editor.importWorkflow(file());
		const id = await editor.start(saved);
		await until('the third turn is under way', () => messagesTo(bridge).length === 3);
		await editor.stopExecution(id);
		expect((await editor.finished(id)).status).toBe('canceled');
		await until('the request is given up', () => bridge.service.requests[2]?.abandoned === true);
		const [ada, bob] = sessionsAt(bridge);
		const told = `Ada ${ada}, Bob ${bob}`;
		const line = `execution ${id}, conversation (\\S{36}), turns: 2, asked: Ada, sessions: ${told}\n`;
		const conversationId = new RegExp(line).exec(sharedLog())?.[1];
		expect(conversationId).toBeDefined();
		expect((await editor.execution(id)).runData[CONVERSATION] ?? []).toEqual([]);
		// n8n says that it has ended before it has stored what it knows
		if (!onWorkers())
			await until('the conversation is stored', async () => {
				const { customData = {} } = await editor.execution(id);
				const conversation = `${conversationId}, turns: 2, asked: Ada`;
				return customData['conversation'] === conversation && customData['speakers'] === told;
			});

		await editor.updateWorkflow(saved.id, file({ sessionMode: 'id', conversationId }));
		expect(resultsOf(await editor.run(saved))).toMatchObject([{ conversationId, turns: 4 }]);
		expect(sessionsAt(bridge)).toEqual([ada, bob, ada, ada, bob, ada, bob]);
	});
});

describe('links to earlier items', () => {
	/** Passes on the ID of the item at the start. */
	const after = node(
		'After',
		'n8n-nodes-base.set',
		{
			mode: 'raw',
			options: {},
			jsonOutput: `={{ JSON.stringify({ id: $('${start}').item.json.id, turns: $json.turns }) }}`,
		},
		{ typeVersion: 3.4 },
	);
	const items = [2, 4, 3].map((limit, at) => ({ id: at + 1, limit, chatInput: `Item ${at + 1}` }));
	const file = (...before: WorkflowNode[]) =>
		fourTurns({
			items,
			before,
			after: [after],
			speakers: twoAgents(),
			parameters: { turnLimit: '={{ $json.limit }}' },
		});
	/** The same with other connections of these nodes. */
	const rewired = ({ connections, ...rest }: WorkflowFile, to: Record<string, string[][]>) => ({
		...rest,
		connections: {
			...connections,
			...Object.fromEntries(
				Object.entries(to).map(([from, outputs]) => [
					from,
					{ main: outputs.map((names) => names.map((name) => ({ node: name, ...MAIN }))) },
				]),
			),
		},
	});
	const MAIN = { type: 'main', index: 0 };
	const linked = ({ runData }: Execution) =>
		(runData['After'] ?? []).flatMap(({ data }) => data?.main?.[0] ?? []).map((item) => item.json);
	const expected = items.map(({ id, limit }) => ({ id, turns: limit }));

	it('hold behind the false branch of an IF, where n8n would lose them', async () => {
		const condition = {
			id: '1',
			leftValue: '={{ $json.id }}',
			rightValue: 0,
			operator: { type: 'number', operation: 'lt' },
		};
		const options = { version: 2, caseSensitive: true, typeValidation: 'strict', leftValue: '' };
		const conditions = { combinator: 'and', options, conditions: [condition] };
		const never = node('If', 'n8n-nodes-base.if', { conditions }, { typeVersion: 2.2 });
		const behind = rewired(file(never), { If: [[], [CONVERSATION]] });
		const execution = await bridge.editor.runOnce(behind);
		expect(linked(execution)).toEqual(expected);
		for (const [index, { transcript }] of resultsOf(execution).entries())
			for (const { text } of transcript) expect(text).toContain(`Item ${index + 1}`);
	});

	it('hold inside Loop Over Items, where each round is a conversation of its own', async () => {
		const type = 'n8n-nodes-base.splitInBatches';
		const loop = node('Loop', type, { options: {} }, { typeVersion: 3 });
		const inside = rewired(file(loop), { Loop: [[], [CONVERSATION]], After: [['Loop']] });
		expect(linked(await bridge.editor.runOnce(inside))).toEqual(expected);
		expect(new Set(sessionsAt(bridge)).size).toBe(6);
	});
});

it('"Execute step" without a trigger is refused before anything is sent: n8n would ignore what the node asks for, and succeed', async () => {
	const { editor } = bridge;
	const { nodes, connections, ...file } = fourTurns({ speakers: twoAgents() });
	const others = Object.entries(connections).filter(([from]) => from !== start);
	const saved = await editor.importWorkflow({
		...file,
		connections: Object.fromEntries(others),
		pinData: {},
		nodes: nodes.filter(({ name }) => name !== start),
	});
	const { executionId } = await editor.call<{ executionId: string }>(
		...(['POST', `/rest/workflows/${saved.id}/run`] as const),
		{ destinationNode: { nodeName: CONVERSATION, mode: 'inclusive' } },
	);
	expect(await editor.finished(executionId)).toMatchObject({
		status: 'error',
		error: {
			message: 'Nothing is connected before this node',
			description: expect.stringContaining('Connect a trigger'),
		},
	});
	expect(messagesTo(bridge)).toEqual([]);
});

/** As the specification of the rows has them. */
const columns = {
	conversationId: 'string',
	turn: 'number',
	speaker: 'string',
	text: 'string',
	sessionId: 'string',
	model: 'string',
	costUsd: 'number',
	inputTokens: 'number',
	outputTokens: 'number',
	requestId: 'string',
	durationMs: 'number',
	approvedBy: 'string',
	at: 'date',
	note: 'string',
};

it('rows that were written to and read from a Data Table are continued, in the same session and chat', async () => {
	const { editor, service } = bridge;
	const both = [speakers().agent('Agent'), speakers().assistant('Market')];
	const chats = () =>
		service.requests
			.filter(({ path }) => path.includes('/ai-assistant/'))
			.map(({ body }) => (body as { chat_id?: string }).chat_id);
	const api = new PublicApi(editor.url, await editor.createApiKey(dataTableScopes));
	const { id } = await api.call<{ id: string }>('POST', '/data-tables', {
		name: `Turns ${randomUUID()}`,
		columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
	});
	const table = (name: string, parameters: Record<string, unknown>) =>
		node(
			name,
			'n8n-nodes-base.dataTable',
			{ dataTableId: { __rl: true, mode: 'id', value: id }, ...parameters },
			{ typeVersion: 1.1 },
		);
	const insert = table('Insert', {
		operation: 'insert',
		options: {},
		columns: { mappingMode: 'autoMapInputData', value: null },
	});
	const written = await run({
		speakers: both,
		parameters: { outputMode: 'turns' },
		after: [insert],
	});
	expect(written.error?.message).toBeUndefined();
	const rows = itemsOf(written, CONVERSATION).map(({ json: row }) => row as Row);
	expect(rows).toHaveLength(4);
	const [session] = sessionsAt(bridge);
	const [, chat] = chats();

	const read = { operation: 'get', matchType: 'allConditions', filters: {}, returnAll: true };
	const collect = { aggregate: 'aggregateAllItemData', destinationFieldName: 'rows' };
	const next = await run({
		speakers: both,
		items: [{}],
		before: [table('Read', read), node('Collect', 'n8n-nodes-base.aggregate', collect)],
		parameters: { turnLimit: 2, options: { transcript: '={{ $json.rows }}' } },
	});
	expect(next.error?.message).toBeUndefined();
	const outcome = outcomeOf(next);
	const { conversationId, text } = rows.at(-1)!;
	expect(outcome).toMatchObject({ ended: 'turnLimit', turns: 6, conversationId });
	expect(outcome.transcript.slice(0, 4)).toEqual(rows);
	expect(messagesTo(bridge)).toHaveLength(6);
	// the first message is what was said last
	expect(messagesTo(bridge)[4]).toBe(text);
	expect(sessionsAt(bridge)).toEqual([session, session, session]);
	expect(chats()).toEqual([undefined, chat, chat]);
});

import { openBridge, type Bridge } from './bridge.ts';
import {
	fourTurns,
	messagesTo,
	resultsOf,
	sessionsAt,
	speakersWith,
	namesIn,
	type ConversationResult,
	type Row,
} from './conversationTurns.ts';
import { CONVERSATION } from './conversationWorkflow.ts';
import { itemsOf } from './execution.ts';
import { dataTableScopes } from './instanceOn.ts';
import { PublicApi } from './publicApi.ts';
import { node } from './workflow.ts';

// "Transcript to Continue": what was said before, in an output or in a table, is continued in the same sessions.
let bridge: Bridge;
beforeAll(async () => {
	bridge = await openBridge();
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

/** A workspace agent continues by its session, the market assistant by the chat that its service gave out. */
const speakers = () => {
	const { agent, assistant } = speakersWith(bridge.accounts);
	return [agent('Agent'), assistant('Market')];
};
const chatsAsked = () =>
	bridge.service.requests
		.filter(({ path }) => path.includes('/ai-assistant/'))
		.map(({ body }) => (body as { chat_id?: string }).chat_id);
const converse = async (item: Record<string, unknown>, parameters: Record<string, unknown>) => {
	const file = fourTurns({
		speakers: speakers(),
		items: [item],
		parameters,
	});
	return await bridge.editor.runOnce(file);
};

/** Four turns, and what the services know of them. */
async function firstPart(parameters: Record<string, unknown> = {}) {
	const execution = await converse({ chatInput: 'Good morning' }, parameters);
	expect(execution.error?.message).toBeUndefined();
	const [session] = sessionsAt(bridge);
	const [, chat] = chatsAsked();
	expect(session).toBeDefined();
	expect(chat).toBeDefined();
	return { execution, session, chat };
}

function expectContinued(
	result: ConversationResult | undefined,
	earlier: readonly Row[],
	{ session, chat }: { session: string | undefined; chat: string | undefined },
) {
	expect(result).toMatchObject({
		ended: 'turnLimit',
		turns: 6,
		conversationId: earlier[0]!.conversationId,
	});
	expect(namesIn(result!)).toEqual(['Agent', 'Market', 'Agent', 'Market', 'Agent', 'Market']);
	expect(result!.transcript.slice(0, 4)).toEqual(earlier);
	expect(messagesTo(bridge)).toHaveLength(6);
	expect(sessionsAt(bridge)).toEqual([session, session, session]);
	expect(chatsAsked()).toEqual([undefined, chat, chat]);
	// the first message is what was said last
	expect(messagesTo(bridge)[4]).toBe(earlier[3]!.text);
}

it('the transcript of an output is continued', async () => {
	const { execution, ...ids } = await firstPart();
	const [{ transcript }] = resultsOf(execution) as [ConversationResult];
	const next = await converse(
		{ transcript },
		{ turnLimit: 2, options: { transcript: '={{ $json.transcript }}' } },
	);
	expect(next.error?.message).toBeUndefined();
	expectContinued(resultsOf(next)[0], transcript, ids);
});

it('with another message, which is said after the earlier turns', async () => {
	const { execution } = await firstPart();
	const [{ transcript }] = resultsOf(execution) as [ConversationResult];
	const next = await converse(
		{ transcript, chatInput: 'And tomorrow?' },
		{ turnLimit: 1, options: { transcript: '={{ $json.transcript }}' } },
	);
	expect(resultsOf(next)[0]!.turns).toBe(5);
	expect(messagesTo(bridge)[4]).toContain('And tomorrow?');
});

it('rows that were written to and read from a Data Table are continued', async () => {
	const { editor } = bridge;
	const api = new PublicApi(editor.url, await editor.createApiKey(dataTableScopes));
	const { id: table } = await api.call<{ id: string }>('POST', '/data-tables', {
		name: `Turns ${Date.now()}`,
		columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
	});
	const dataTableId = { __rl: true, mode: 'id', value: table };
	const insert = node(
		'Insert',
		'n8n-nodes-base.dataTable',
		{
			operation: 'insert',
			dataTableId,
			columns: { mappingMode: 'autoMapInputData', value: null },
			options: {},
		},
		{ typeVersion: 1.1 },
	);
	const written = await editor.runOnce(
		fourTurns({
			speakers: speakers(),
			items: [{ chatInput: 'Good morning' }],
			parameters: { outputMode: 'turns' },
			after: [insert],
		}),
	);
	expect(written.error?.message).toBeUndefined();
	const rows = itemsOf(written, CONVERSATION).map(({ json }) => json as unknown as Row);
	expect(rows).toHaveLength(4);
	const ids = { session: sessionsAt(bridge)[0], chat: chatsAsked()[1] };

	const read = node(
		'Read',
		'n8n-nodes-base.dataTable',
		{ operation: 'get', dataTableId, matchType: 'allConditions', filters: {}, returnAll: true },
		{ typeVersion: 1.1 },
	);
	const collect = node('Collect', 'n8n-nodes-base.aggregate', {
		aggregate: 'aggregateAllItemData',
		destinationFieldName: 'rows',
	});
	const next = await editor.runOnce(
		fourTurns({
			speakers: speakers(),
			items: [{}],
			before: [read, collect],
			parameters: { turnLimit: 2, options: { transcript: '={{ $json.rows }}' } },
		}),
	);
	expect(next.error?.message).toBeUndefined();
	expectContinued(resultsOf(next)[0], rows, ids);
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
	approvedBy: 'string',
	at: 'date',
	note: 'string',
};

it('an expression that finds no turns begins a new conversation', async () => {
	const next = await converse(
		{ chatInput: 'Good morning' },
		{ turnLimit: 2, options: { transcript: '={{ $json.nothing }}' } },
	);
	expect(resultsOf(next)).toMatchObject([{ ended: 'turnLimit', turns: 2 }]);
});

it('turns of several conversations are refused before anything is sent', async () => {
	const transcript = ['one', 'two'].map((conversationId, index) => ({
		conversationId,
		turn: index + 1,
		speaker: 'Agent',
		text: 'Hello',
	}));
	const next = await converse(
		{ transcript },
		{ options: { transcript: '={{ $json.transcript }}' } },
	);
	expect(next.error?.message).toContain('turns of several conversations');
	expect(messagesTo(bridge)).toEqual([]);
});

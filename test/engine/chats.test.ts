import type { INodeParameters } from 'n8n-workflow';

import { assistant, CARRY_ON, posts, RETRIED } from './rig/calls';
import { type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// which chat a question belongs to, and what is kept of an answer that stops
const service = serviceForTests();
const chatId = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';

const ask = (
	operation: 'ask' | 'askStreaming',
	parameters: INodeParameters,
	options: Partial<RunOptions> = {},
) => service.run(assistant(operation, parameters), options);

const chatIdsSent = () => posts(service).map(({ body }) => (body as { chat_id?: string }).chat_id);

const byKey = { sessionMode: 'key', sessionKey: '={{ $json.key }}' };
const QUESTION = { question: '={{ $json.q }}', ...byKey };

describe.each(['ask', 'askStreaming'] as const)('%s: from a key', (operation) => {
	it('the first item is given a chat, which those with its key share', async () => {
		const items = ['a', 'b', 'a', ' a ', 'b'].map((key, index) => ({ key, q: `${key}${index}` }));
		const { items: given, error } = await ask(operation, QUESTION, { items });
		expect(error).toBeUndefined();
		const ids = given.map(({ json }) => json['chatId']);
		expect(new Set(ids).size).toBe(2);
		expect(ids).toEqual([ids[0], ids[1], ids[0], ids[0], ids[1]]);
		expect(chatIdsSent().filter((id) => id === undefined)).toHaveLength(2);
		expect(given.map(({ json }) => json['output'])).toEqual(
			[1, 1, 2, 3, 2].map((number) =>
				expect.stringContaining(`This is message ${number} of this chat`),
			),
		);
	});
});

it('a chat is continued by its ID, exactly as it is', async () => {
	service.forms.unknownChat = 'accepted';
	const { items } = await ask('ask', { question: 'x', sessionMode: 'id', chatId });
	expect(items[0]?.json).toMatchObject({ chatId, sessionSource: 'id' });
	const { error } = await ask('ask', { question: 'x', sessionMode: 'id', chatId: ' ' });
	expect(error?.message).toMatch(/^Chat ID is empty/);
	// of any form
	await ask('askStreaming', { question: 'x', sessionMode: 'id', chatId: ' Odd/Id 7 ' });
	expect(chatIdsSent()).toEqual([chatId, ' Odd/Id 7 ']);
});

describe('from the input', () => {
	it('continues the chat of an earlier answer', async () => {
		const { items: earlier } = await ask('ask', { question: 'one' });
		expect(earlier[0]?.json).toMatchObject({ sessionSource: 'new' });
		const outcome = await ask('askStreaming', { question: 'two' }, { items: [earlier[0]!.json] });
		expect(outcome.items[0]?.json).toMatchObject({
			chatId: earlier[0]?.json['chatId'],
			sessionSource: 'item',
			output: expect.stringContaining('message 2 of this chat'),
		});
		expect(outcome.hints).toEqual([]);
	});

	it('items of one session share a chat during the execution', async () => {
		const items = [{ sessionId: 'a' }, { sessionId: 4711 }, { sessionId: ' a' }];
		const { items: given } = await ask('ask', { question: 'x' }, { items });
		const ids = given.map(({ json }) => json['chatId']);
		expect([ids[2], new Set(ids).size]).toEqual([ids[0], 2]);
		expect(given.map(({ json }) => json['sessionSource'])).toEqual(['item', 'item', 'item']);
	});

	it('a session begins a new chat where nothing remembers it, and a hint says what to do', async () => {
		const outcome = await ask('ask', { question: 'x' }, { chatted: { sessionId: 'a' } });
		expect(outcome.items[0]?.json).toMatchObject({ sessionSource: 'chatTrigger' });
		expect(outcome.hints).toEqual([
			expect.stringMatching(
				/the chat of this session is not remembered\..*"Use a Job Ledger" in the Crypto Q&amp;A API credential/,
			),
		]);
		expect((await ask('ask', { question: 'x' })).hints).toEqual([]);
	});

	it('takes the question of the item', async () => {
		const items = [{ chatInput: 'of a chat' }, { message: 'of a conversation' }];
		await ask('ask', { questionSource: 'fromInput' }, { items });
		// two at once: either may arrive first
		const sent = ['of a chat', 'of a conversation'].map((message) => ({ message }));
		expect(posts(service).map(({ body }) => body)).toEqual(
			expect.arrayContaining(sent.map((body) => expect.objectContaining(body))),
		);
		const { error } = await ask('ask', { questionSource: 'fromInput' });
		expect(error?.message).toMatch(/^Question: the item has no text in 'chatInput'/);
	});
});

it.each(['partial', 'error'])(
	'an answer that stops before its end is kept with its chat (On Incomplete: %s)',
	async (onIncomplete) => {
		// the first pieces come alone: what has not been read when a connection breaks, n8n throws away
		service.fault({
			do: [
				{ type: 'slicer', bytes: 300, pause: 150 },
				{ type: 'limit_data', bytes: 900 },
			],
		});
		const { items, failed } = await ask(
			'askStreaming',
			{ question: '[[words:40]]', options: { onIncomplete } },
			{ settings: { ...RETRIED, ...CARRY_ON } },
		);
		const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
		if (onIncomplete === 'error')
			expect(failed[0]?.json['details']).toMatchObject({ kind: 'truncated', chatId: id });
		else
			expect(items[0]?.json).toMatchObject({
				output: expect.stringMatching(/^word1 /),
				chatId: id,
				toolCalls: [{ finished: true }],
				complete: false,
				notice: expect.stringMatching(/^The answer stopped before its end\. .*connection broke/),
			});
		expect(posts(service)).toHaveLength(1);
	},
);

describe('the id of a chat that is continued', () => {
	const more = { question: 'on', sessionMode: 'id', chatId };
	const answer = (contentType: string, body: string) => {
		service.forms.unknownChat = 'accepted';
		service.fault({ match: { path: '/invoke' }, do: { type: 'body', body, contentType } });
	};

	it.each(['ask', 'askStreaming'] as const)('is in the output of %s', async (operation) => {
		answer('application/json', '{"answer":"a"}');
		const { items } = await ask(operation, more);
		expect(items[0]?.json).toMatchObject({ output: 'a', chatId });
	});

	it('and so is what came of an answer without a text', async () => {
		answer('text/event-stream', 'event: price\ndata: {"usd":1}\n\nevent: finish\n\n');
		const { items } = await ask('askStreaming', more);
		expect(items[0]?.json).toMatchObject({
			output: '',
			chatId,
			events: [{ event: 'price', data: { usd: 1 } }],
			notice: expect.stringContaining('No text was found'),
		});
	});
});

it('Instructions come at the end of a question, and Model beside it', async () => {
	const options = { instructions: ' In two sentences.\n', model: 'svc_v1.3' };
	await ask('ask', { question: 'Why?', options });
	expect(posts(service)[0]?.body).toEqual({
		message: 'Why?\n\nIn two sentences.',
		model: 'svc_v1.3',
	});
});

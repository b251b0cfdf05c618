import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { assistant, posts, secretsOf } from './rig/calls';
import { run, type RunOptions } from './rig/run';

// which chat a question belongs to, and what is kept of an answer that stops
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const ask = (
	operation: 'ask' | 'askStreaming',
	parameters: INodeParameters,
	options: Partial<RunOptions> = {},
) => run({ ...assistant(operation, parameters), secrets: secretsOf(service), ...options });

const chatIdsSent = () => posts(service).map(({ body }) => (body as { chat_id?: string }).chat_id);

const QUESTION = {
	question: '={{ $json.q }}',
	sessionMode: 'key',
	sessionKey: '={{ $json.key }}',
};

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

	it('nothing is asked twice when the node runs again for a failed item', async () => {
		service.fault({
			match: { bodyIncludes: 'second' },
			do: { type: 'status', status: 400 },
			times: 1,
		});
		const { items, error } = await ask(operation, QUESTION, {
			items: [
				{ key: 'a', q: 'first' },
				{ key: 'a', q: 'second' },
			],
			settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		});
		expect(error).toBeUndefined();
		expect([service.received('first'), service.received('second')]).toEqual([1, 2]);
		expect(items[0]?.json['chatId']).toBe(items[1]?.json['chatId']);
	});

	it.each([' ', '={{ undefined }}'])('refuses "%s" before any request', async (sessionKey) => {
		const { error } = await ask(operation, { question: 'x', sessionMode: 'key', sessionKey });
		expect(error?.message).toMatch(/^Session Key is empty/);
		expect(service.requests).toEqual([]);
	});
});

it('a chat is continued by its ID, exactly as it is', async () => {
	const chatId = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
	service.forms.unknownChat = 'accepted';
	const { items } = await ask('ask', { question: 'x', sessionMode: 'id', chatId });
	expect(items[0]?.json).toMatchObject({ chatId, sessionSource: 'id' });
	for (const missing of [' ', '={{ $json.missing }}']) {
		const { error } = await ask('ask', { question: 'x', sessionMode: 'id', chatId: missing });
		expect(error?.message).toMatch(/^Chat ID is empty/);
	}
	expect(chatIdsSent()).toEqual([chatId]);
});

describe('from the input', () => {
	const hintsOf = ({ run: { data } }: Awaited<ReturnType<typeof ask>>) =>
		(data.resultData.runData['Node'] ?? []).flatMap(({ hints = [] }) =>
			hints.map(({ message }) => message),
		);

	it('continues the chat of an earlier answer', async () => {
		const { items: earlier } = await ask('ask', { question: 'one' });
		expect(earlier[0]?.json).toMatchObject({ sessionSource: 'new' });
		const outcome = await ask('askStreaming', { question: 'two' }, { items: [earlier[0]!.json] });
		expect(outcome.items[0]?.json).toMatchObject({
			chatId: earlier[0]?.json['chatId'],
			sessionSource: 'item',
			output: expect.stringContaining('message 2 of this chat'),
		});
		expect(hintsOf(outcome)).toEqual([]);
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
		expect(hintsOf(outcome)).toEqual([
			expect.stringMatching(
				/the chat of this session is not remembered\..*"Use a Job Ledger" in the Market Assistant API credential/,
			),
		]);
		expect(hintsOf(await ask('ask', { question: 'x' }))).toEqual([]);
	});

	it('takes the question of the item', async () => {
		await ask(
			'ask',
			{ questionSource: 'fromInput' },
			{ items: [{ chatInput: 'of a chat' }, { message: 'of a conversation' }] },
		);
		expect(posts(service).map(({ body }) => (body as { message: string }).message)).toEqual([
			'of a chat',
			'of a conversation',
		]);
		const { error } = await ask('ask', { questionSource: 'fromInput' });
		expect(error?.message).toMatch(/^Question: the item has no text in 'chatInput'/);
	});
});

describe('an answer that stops before its end', () => {
	const parameters = (onIncomplete: string) => ({
		question: '[[words:40]]',
		options: { onIncomplete },
	});
	// the first pieces come alone: what has not been read when a connection breaks, n8n throws away
	beforeEach(() =>
		service.fault({
			do: [
				{ type: 'slicer', bytes: 300, pause: 150 },
				{ type: 'limit_data', bytes: 900 },
			],
		}),
	);

	it('is an item with its chat and its tools', async () => {
		const { items, error } = await ask('askStreaming', parameters('partial'), {
			settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		});
		expect(error).toBeUndefined();
		expect(items).toMatchObject([
			{
				json: {
					output: expect.stringMatching(/^word1 /),
					chatId: expect.stringMatching(/^[0-9a-f-]{36}$/),
					toolCalls: [{ finished: true }],
					complete: false,
					notice: expect.stringMatching(/^The answer stopped before its end\. .*connection broke/),
				},
			},
		]);
		expect(posts(service)).toHaveLength(1);
	});

	it('is an error otherwise', async () => {
		const { failed } = await ask('askStreaming', parameters('error'), {
			settings: { onError: 'continueErrorOutput' },
		});
		const details = failed[0]?.json['details'] as IDataObject;
		expect(details).toMatchObject({ kind: 'truncated', chatId: expect.any(String) });
	});
});

describe('the id of a chat that is continued', () => {
	const chatId = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
	const more = { question: 'on', sessionMode: 'id', chatId };
	beforeEach(() => (service.forms.unknownChat = 'accepted'));

	it('is in the output where the answer does not repeat it', async () => {
		service.fault({
			match: { path: '/invoke' },
			do: { type: 'body', body: '{"answer":"a"}', contentType: 'application/json' },
		});
		for (const operation of ['ask', 'askStreaming'] as const) {
			const { items } = await ask(operation, more);
			expect(items[0]?.json).toMatchObject({ output: 'a', chatId });
		}
	});

	it('and so is what came of an answer without a text', async () => {
		service.fault({
			match: { path: '/invoke' },
			do: {
				type: 'body',
				contentType: 'text/event-stream',
				body: 'event: price\ndata: {"usd":1}\n\nevent: finish\n\n',
			},
		});
		const { items } = await ask('askStreaming', more);
		expect(items[0]?.json).toMatchObject({
			output: '',
			chatId,
			events: [{ event: 'price', data: { usd: 1 } }],
			notice: expect.stringContaining('No text was found'),
		});
	});
});

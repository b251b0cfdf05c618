import type { INodeParameters } from 'n8n-workflow';

import { NAMESPACE_URL, uuidV5 } from '../../src/n8n/uuid';
import { startService, type Service } from '../service/service';
import { agent, posts, secretsOf } from './rig/calls';
import { run, type RunOptions, shownText } from './rig/run';

// which conversation a message to an agent belongs to, and what is kept of an answer that stops
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const send = (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	run({ ...agent({ message: 'hello', ...parameters }), secrets: secretsOf(service), ...options });

const idOf = (name: string, workspace = 'ws-1') =>
	uuidV5(uuidV5(NAMESPACE_URL, service.agent.baseUrl(workspace)), name);

const UUID = '6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90';
const HEX = UUID.replaceAll('-', '');

describe('from a key', () => {
	it.each(['1731924000.000100', '+49 170 1234567', 'Order #17 / Köln 👋', '7'])(
		'"%s" continues one conversation, in one run and the next',
		async (key) => {
			const parameters = { sessionMode: 'key', sessionKey: '={{ $json.key }}' };
			const first = await send(parameters, { items: [{ key }, { key: ` ${key}\n` }] });
			const second = await send(parameters, { items: [{ key }] });
			expect([...first.items, ...second.items].map(({ json }) => json)).toMatchObject(
				[1, 2, 3].map((number) => ({
					sessionId: idOf(`key ${key}`),
					sessionSource: 'key',
					sessionKey: key,
					output: expect.stringContaining(`message ${number} of this session`),
				})),
			);
		},
	);

	it('is another conversation for another key, and in another workspace', async () => {
		const secrets = {
			workspaceAgentApi: {
				baseUrl: `${service.agent.baseUrl('ws-2')}/`,
				apiKey: service.agent.key('ws-2'),
			},
		};
		const { items } = await send({ sessionMode: 'key', sessionKey: 'a' });
		const { items: others } = await send({ sessionMode: 'key', sessionKey: 'A' });
		const { items: elsewhere } = await send({ sessionMode: 'key', sessionKey: 'a' }, { secrets });
		expect([...items, ...others, ...elsewhere].map(({ json }) => json['sessionId'])).toEqual([
			idOf('key a'),
			idOf('key A'),
			idOf('key a', 'ws-2'),
		]);
		expect(new Set(items.concat(others, elsewhere).map(({ json }) => json['sessionId'])).size).toBe(
			3,
		);
	});

	it('is a text like any other where it is a UUID: nobody can name the session of another', async () => {
		const { items } = await send({ sessionMode: 'key', sessionKey: UUID });
		expect(items[0]?.json).toMatchObject({ sessionId: idOf(`key ${UUID}`), sessionKey: UUID });
	});

	it.each([' \n', '={{ $json.missing }}'])('refuses "%s" before any request', async (key) => {
		const { error } = await send({ sessionMode: 'key', sessionKey: key });
		expect(error?.message).toMatch(/^Session Key is empty/);
		expect(service.requests).toEqual([]);
	});
});

describe('from the input', () => {
	it.each([
		[UUID, UUID],
		[HEX, UUID],
	])('takes the id %s of the item as %s', async (sessionId, expected) => {
		const { items } = await send({}, { items: [{ sessionId }] });
		expect(items[0]?.json).toMatchObject({ sessionId: expected, sessionSource: 'item' });
		expect(items[0]?.json).not.toHaveProperty('sessionKey');
	});

	it.each(['telegram-4711', 4711])('makes an id of %s', async (sessionId) => {
		const { items } = await send({}, { items: [{ sessionId }] });
		expect(items[0]?.json).toMatchObject({
			sessionId: idOf(`input ${sessionId}`),
			sessionSource: 'item',
			sessionKey: String(sessionId),
		});
	});

	it('finds that of the Chat Trigger where the items come from another node', async () => {
		const chatted = { sessionId: HEX, chatInput: 'hello' };
		const { items } = await send({}, { chatted, items: [{}, { sessionId: '' }] });
		expect(
			items.map(({ json: { sessionId, sessionSource } }) => [sessionId, sessionSource]),
		).toEqual([
			[idOf(`chat ${HEX}`), 'chatTrigger'],
			[idOf(`chat ${HEX}`), 'chatTrigger'],
		]);
	});

	it('prefers that of the item', async () => {
		const chatted = { sessionId: 'of the chat' };
		const { items } = await send({}, { chatted, items: [{ sessionId: 'of the item' }] });
		expect(items[0]?.json).toMatchObject({
			sessionId: idOf('input of the item'),
			sessionSource: 'item',
		});
	});

	it.each<[string, Partial<RunOptions>]>([
		['there is none', {}],
		['the chat has no id', { chatted: { chatInput: 'hello' } }],
		['the id is none', { items: [{ sessionId: { a: 1 } }, { sessionId: ' ' }] }],
	])('starts a new session where %s', async (_what, options) => {
		const { items } = await send({}, options);
		for (const { json } of items)
			expect(json).toMatchObject({
				sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
				sessionSource: 'new',
			});
		expect(new Set(items.map(({ json }) => json['sessionId'])).size).toBe(items.length);
	});

	it('continues the session of an earlier answer', async () => {
		const { items: earlier } = await send({});
		const { items } = await send({}, { items: [earlier[0]!.json] });
		expect(items[0]?.json).toMatchObject({
			sessionId: earlier[0]?.json['sessionId'],
			output: expect.stringContaining('message 2 of this session'),
		});
	});

	it('is not asked for a new session', async () => {
		const { items } = await send({ sessionMode: 'new' }, { items: [{ sessionId: UUID }] });
		expect(items[0]?.json['sessionId']).not.toBe(UUID);
	});
});

describe('the message', () => {
	const fromInput = { messageSource: 'fromInput', message: 'not sent' };
	const sent = () => posts(service).map(({ body }) => (body as { content: string }).content);

	it.each([
		['chatInput', { chatInput: ' from a chat\n', message: 'other' }, ' from a chat\n'],
		['message, from a conversation', { message: 'from a conversation' }, 'from a conversation'],
		['message, where the chat input is blank', { chatInput: ' ', message: 'hello' }, 'hello'],
	])('is that of the item: %s', async (_what, item, text) => {
		await send(fromInput, { items: [item] });
		expect(sent()).toEqual([text]);
	});

	it.each([{}, { chatInput: '' }, { message: { text: 'hello' } }])(
		'is missing in %j, which is refused before any request',
		async (item) => {
			const { error } = await send(fromInput, { items: [{ chatInput: 'first' }, item] });
			expect(error?.message).toMatch(/^Message: the item has no text in 'chatInput'/);
			expect(shownText(error)).toMatch(
				/Connect a Chat Trigger \("On chat message"\), or choose Define Below in Source for Message\./,
			);
			expect(error?.context?.['itemIndex']).toBe(1);
			expect(service.requests).toEqual([]);
		},
	);

	it('may not have half of a character', async () => {
		const { error } = await send(fromInput, { items: [{ chatInput: 'a\ud83d' }] });
		expect(error?.message).toMatch(/^Message contains an incomplete character/);
	});

	it('is what is defined, whatever the item has', async () => {
		await send({ message: 'defined' }, { items: [{ chatInput: 'of a chat' }] });
		expect(sent()).toEqual(['defined']);
		const { error } = await send({ message: ' ' }, { items: [{ chatInput: 'of a chat' }] });
		expect(error?.message).toMatch(/^Message is empty/);
	});
});

it('the id of a session may come without dashes', async () => {
	const { items } = await send({ sessionMode: 'id', sessionId: ` ${HEX} ` });
	expect(items[0]?.json).toMatchObject({ sessionId: UUID, sessionSource: 'id' });
});

describe('an answer that stops before its end', () => {
	const broken = async (session: INodeParameters) => {
		service.fault({ match: { method: 'POST' }, do: { type: 'limit_data', bytes: 400 } });
		return await send(
			{ ...session, message: '[[words:40]]', options: { onIncomplete: 'partial' } },
			{ settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } },
		);
	};

	it.each<[string, INodeParameters]>([
		['new', { sessionMode: 'new' }],
		['key', { sessionMode: 'key', sessionKey: 'a' }],
	])('is an item, with its session (%s), and never asked for again', async (source, session) => {
		const { items, error } = await broken(session);
		expect(error).toBeUndefined();
		expect(items).toMatchObject([
			{
				json: {
					output: expect.stringMatching(/^word1 /),
					sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
					sessionSource: source,
					complete: false,
					format: 'sse',
					notice: expect.stringMatching(/^The answer stopped before its end\. .*connection broke/),
				},
			},
		]);
		const [sent, ...more] = posts(service);
		expect(sent?.path).toContain(String(items[0]?.json['sessionId']));
		expect(more).toEqual([]);
	});

	it('is an error where nobody asked for it, and any other failure always', async () => {
		service.fault({ do: { type: 'limit_data', bytes: 400 } });
		expect((await send({ message: '[[words:40]]' })).error).toBeDefined();
		service.reset();
		service.fault({ do: { type: 'empty' } });
		const { error } = await send({ options: { onIncomplete: 'partial' } });
		expect(error?.message).toMatch(/^The service answered in a form that cannot be read/);
	});
});

describe('Answer Field Path', () => {
	it.each([
		['content', /^You said: "hello"/],
		['type', /^delta(delta)+end$/],
	])('takes the text from "%s" alone', async (answerPath, text) => {
		const { items } = await send({ options: { answerPath } });
		expect(items[0]?.json['output']).toMatch(text);
	});

	it('says that nothing is there, and gives what came', async () => {
		const { items } = await send({ options: { answerPath: 'data.reply' } });
		expect(items[0]?.json).toMatchObject({
			output: '',
			complete: true,
			notice: 'No text was found in the field "data.reply".',
			events: expect.arrayContaining([expect.objectContaining({ event: 'message' })]),
		});
	});
});

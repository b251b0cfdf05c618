import { client, eventsIn } from './probe.ts';
import { startService, type Forms, type Service } from './service.ts';

let service: Service;
let clock = 0;
beforeAll(async () => (service = await startService({ now: () => clock })));
beforeEach(() => {
	clock = Date.UTC(2026, 0, 1);
	service.reset();
});
afterAll(() => service.stop());

const ask = (body: unknown, key = service.assistant.keys.enterprise, path = 'invoke_assistant') =>
	client(service.assistant.baseUrl, { 'x-api-key': key }).post(`/${path}`, body);
const stream = async (body: unknown) =>
	eventsIn((await ask(body, undefined, 'invoke_assistant_stream')).data as string);
const dataOf = (event: { data?: string } | undefined) => JSON.parse(event?.data ?? '') as object;

describe('B: the stream (6B)', () => {
	it('sends all six events in order, finish with null', async () => {
		const events = await stream({ message: 'hi' });
		const names = events.map(({ event }) => event);
		expect([...new Set(names)]).toEqual([
			'chat',
			'pending_tool_call',
			'finished_tool_call',
			'message_start',
			'message_end',
			'finish',
		]);
		expect(dataOf(events[0])).toEqual({ chat_id: expect.any(String), chat_title: 'hi' });
		expect(dataOf(events[1])).toEqual({
			call_id: expect.any(String),
			title: { en: expect.any(String), de: expect.any(String) },
		});
		expect(Object.keys(dataOf(events[2]))).toEqual(['call_id']);
		expect(dataOf(events[2])).toMatchObject({
			call_id: (dataOf(events[1]) as { call_id: string }).call_id,
		});
		expect(Object.keys(dataOf(events[3]))).toEqual(['t']);
		expect(Object.keys(dataOf(events.at(-2)))).toEqual(['message_id']);
		expect(events.at(-1)).toEqual({ event: 'finish', data: 'null' });
	});

	it('puts the message together from its fragments', async () => {
		const events = await stream({ message: 'hi' });
		const text = events
			.filter(({ event }) => event === 'message_start')
			.map((event) => (dataOf(event) as { t: string }).t)
			.join('');
		expect(text).toBe('You said: "hi". This is message 1 of this chat.');
	});

	it('finish without a data line, by form', async () => {
		service.forms.finish = 'empty';
		expect((await stream({ message: 'hi' })).at(-1)).not.toHaveProperty('data');
	});

	it.each([
		['form', 'hi', 2],
		['directive', 'hi [[messages:3]]', 3],
	])('several messages by %s', async (_by, message, count) => {
		service.forms.assistantMessages = 2;
		const events = await stream({ message });
		expect(events.filter(({ event }) => event === 'message_end')).toHaveLength(count);
	});

	it('several tool calls, or none', async () => {
		const count = async (message: string) =>
			(await stream({ message })).filter(({ event }) => event === 'pending_tool_call').length;
		expect(await count('[[tools:3]]')).toBe(3);
		expect(await count('[[tools:0]]')).toBe(0);
	});

	it('continues a chat (2B)', async () => {
		const [chat] = await stream({ message: 'one' });
		const { chat_id } = dataOf(chat) as { chat_id: string };
		const { data } = await ask({ message: 'two', chat_id });
		expect(data.answer).toBe(
			'You said: "two". This is message 2 of this chat; before it you said: "one".',
		);
		expect(data.chat_id).toBe(chat_id);
	});
});

describe('B: the complete answer (4B)', () => {
	const TEXT = 'You said: "hi". This is message 1 of this chat.';
	it.each<[Forms['assistantBody'], object | string]>([
		['answer', { answer: TEXT }],
		['message-text', { message: { text: TEXT } }],
		['content-parts', { content: [{ type: 'text', text: TEXT }] }],
		['data-analysis', { data: { analysis: TEXT } }],
		['messages', { messages: [{ t: TEXT }] }],
		['text', TEXT],
	])('body form %s', async (form, expected) => {
		service.forms.assistantBody = form;
		const { data } = await ask({ message: 'hi' });
		if (typeof expected === 'string') expect(data).toBe(expected);
		else expect(data).toMatchObject(expected);
	});

	it('uses svc_v1.2 when no model is named', async () => {
		expect((await ask({ message: 'hi' })).data.model).toBe('svc_v1.2');
		expect((await ask({ message: 'hi', model: 'svc_v9' })).data.model).toBe('svc_v9');
	});
});

describe('B: errors are {detail} (7B)', () => {
	it.each<[number, string, unknown, string]>([
		[400, 'no message', {}, 'enterprise'],
		[400, 'an empty message', { message: '' }, 'enterprise'],
		[400, 'a message that is no text', { message: 1 }, 'enterprise'],
		[400, 'a body that is no object', ['x'], 'enterprise'],
		[400, 'a chat id that is no uuid', { message: 'hi', chat_id: 'abc' }, 'enterprise'],
		[401, 'a wrong key, before the body is looked at', {}, 'nonsense'],
		[403, 'a key without permission', { message: 'hi' }, 'forbidden'],
		[500, 'a server error', { message: '[[status:500]]' }, 'enterprise'],
	])('%i for %s', async (status, _case, body, key) => {
		const keys: Record<string, string> = service.assistant.keys;
		for (const path of ['invoke_assistant', 'invoke_assistant_stream']) {
			const answer = await ask(body, keys[key] ?? key, path);
			expect(answer.status).toBe(status);
			expect(answer.data).toEqual({ detail: expect.any(String) });
		}
	});

	it('401 without a key; Authorization does not count (5)', async () => {
		const { status } = await client(service.assistant.baseUrl).post(
			'/invoke_assistant',
			{ message: 'hi' },
			{ headers: { authorization: `Bearer ${service.assistant.keys.pro}` } },
		);
		expect(status).toBe(401);
	});

	it('405 for GET', async () => {
		expect((await client(service.assistant.baseUrl).get('/invoke_assistant')).status).toBe(405);
	});

	it.each<[Forms['unknownChat'], number]>([
		['refused', 400],
		['accepted', 200],
	])('unknown chat %s: %i', async (form, status) => {
		service.forms.unknownChat = form;
		const chat_id = '3f0a8f9e-6f5d-4a53-9c39-5a1f0f2b7d11';
		expect((await ask({ message: 'hi', chat_id })).status).toBe(status);
	});
});

describe('B: requests per minute (8)', () => {
	const burst = async (count: number, key: string) => {
		const answers = await Promise.all(
			Array.from({ length: count }, () => ask({ message: 'x' }, key)),
		);
		return answers.filter(({ status }) => status === 200).length;
	};

	it.each<['free' | 'pro' | 'enterprise', number]>([
		['free', 60],
		['pro', 300],
		['enterprise', 40],
	])('%s: %i', async (tier, limit) => {
		service.forms.enterpriseLimit = 40;
		expect(await burst(limit + 5, service.assistant.keys[tier])).toBe(limit);
	});

	it.each<[Forms['rateWindow'], (wait: number) => void]>([
		['fixed', (wait) => expect(wait).toBe(30)],
		['sliding', (wait) => expect(wait).toBe(60)],
		['bucket', (wait) => expect(wait).toBe(1)],
	])('window %s lets in again after the time it told', async (window, check) => {
		service.forms.rateWindow = window;
		clock += 30_000;
		const { free } = service.assistant.keys;
		await burst(60, free);
		const refused = await ask({ message: 'x' }, free);
		expect(refused.status).toBe(429);
		const wait = Number(refused.headers['retry-after']);
		check(wait);
		clock += wait * 1000 - 1001;
		expect((await ask({ message: 'x' }, free)).status).toBe(429);
		clock += 1001;
		expect((await ask({ message: 'x' }, free)).status).toBe(200);
	});

	it.each<[Forms['retryAfter'], unknown]>([
		['seconds', '60'],
		['date', 'Thu, 01 Jan 2026 00:01:00 GMT'],
		['absent', undefined],
	])('Retry-After as %s', async (form, expected) => {
		service.forms.retryAfter = form;
		await burst(60, service.assistant.keys.free);
		const { headers } = await ask({ message: 'x' }, service.assistant.keys.free);
		expect(headers['retry-after']).toBe(expected);
	});

	it('a request with a wrong key is not counted', async () => {
		await ask({ message: 'x' }, 'nonsense');
		expect(service.world.calls.size).toBe(0);
	});
});

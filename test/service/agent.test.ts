import { client, eventsIn } from './probe.ts';
import { startService, type Forms, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const SESSION = '3f0a8f9e-6f5d-4a53-9c39-5a1f0f2b7d11';
const OTHER = 'b9a4c3c2-0d5e-4f7b-8a77-0c6f3f9e2a10';

const send = (content: unknown, session = SESSION, workspace = 'ws-1', key?: string) =>
	client(service.agent.baseUrl(workspace)).post(
		`/session/${session}/messages`,
		{ content },
		{ headers: { authorization: `Bearer ${key ?? service.agent.key(workspace)}` } },
	);

describe('A: memory of a session (2A)', () => {
	beforeEach(() => (service.forms.agent = 'json'));

	it('starts a session with an unused UUID and continues it with a used one', async () => {
		expect((await send('one')).data.content).toBe(
			'You said: "one". This is message 1 of this session.',
		);
		expect((await send('two')).data.content).toBe(
			'You said: "two". This is message 2 of this session; before it you said: "one".',
		);
		expect((await send('three', OTHER)).data.content).toMatch('message 1 of this session');
	});

	it('keeps the sessions of workspaces apart', async () => {
		await send('one');
		expect((await send('two', SESSION, 'ws-2')).data.content).toMatch('message 1');
	});
});

describe('A: refusals', () => {
	it.each([
		['no key', 'ws-1', ''],
		['a wrong key', 'ws-1', 'nonsense'],
		["another workspace's key", 'ws-2', 'ws-1'],
		['an unknown workspace', 'ws-9', 'ws-1'],
	])('%s: 401', async (_case, workspace, of) => {
		const key = service.agent.key(of) || of;
		expect((await send('hi', SESSION, workspace, key)).status).toBe(401);
		expect(service.world.sessions.size).toBe(0);
	});

	it.each([
		['a session that is no UUID', 'hi', 'abc'],
		['no content', undefined, SESSION],
		['empty content', '', SESSION],
		['content that is no text', 5, SESSION],
	])('%s: 400', async (_case, content, session) => {
		expect((await send(content, session)).status).toBe(400);
	});

	it('GET: 405 with a good key, 401 without', async () => {
		const get = (key: string) =>
			client(service.agent.baseUrl()).get(`/session/${SESSION}/messages`, {
				headers: { authorization: `Bearer ${key}` },
			});
		expect((await get(service.agent.key())).status).toBe(405);
		expect((await get('nonsense')).status).toBe(401);
	});

	it('does not take a key in X-API-Key (5)', async () => {
		const { status } = await client(service.agent.baseUrl()).post(
			`/session/${SESSION}/messages`,
			{ content: 'hi' },
			{ headers: { 'x-api-key': service.agent.key() } },
		);
		expect(status).toBe(401);
	});

	it.each<[Forms['agentError'], unknown]>([
		['error-object', { error: { code: 'bad_session', message: 'session id is no UUID' } }],
		['detail', { detail: 'session id is no UUID' }],
		['text', 'session id is no UUID'],
	])('error form %s', async (form, expected) => {
		service.forms.agentError = form;
		expect((await send('hi', 'abc')).data).toEqual(expected);
	});
});

describe('A: forms of the answer (4A: not shown)', () => {
	const TEXT = 'You said: "hé". This is message 1 of this session.';
	const read: Record<Forms['agent'], (body: string) => string> = {
		'sse-json': (body) =>
			eventsIn(body)
				.filter(({ data }) => data !== '[DONE]')
				.map(({ data }) => (JSON.parse(data ?? '') as { content?: string }).content ?? '')
				.join(''),
		'sse-text': (body) =>
			eventsIn(body)
				.map(({ data }) => data)
				.filter((data) => data !== '[DONE]')
				.join(''),
		ndjson: (body) =>
			body
				.trim()
				.split('\n')
				.map((line) => (JSON.parse(line) as { text?: string }).text ?? '')
				.join(''),
		text: (body) => body,
		json: (body) => (JSON.parse(body) as { content: string }).content,
	};

	it.each<[Forms['agent'], string]>([
		['sse-json', 'text/event-stream'],
		['sse-text', 'text/event-stream'],
		['ndjson', 'application/x-ndjson'],
		['text', 'text/plain; charset=utf-8'],
		['json', 'application/json'],
	])('%s', async (form, type) => {
		service.forms.agent = form;
		const { data, headers } = await client(service.agent.baseUrl()).post(
			`/session/${SESSION}/messages`,
			{ content: 'hé' },
			{
				headers: { authorization: `Bearer ${service.agent.key()}` },
				responseType: 'text',
				transformResponse: [],
			},
		);
		expect(headers['content-type']).toBe(type);
		expect(read[form](data as string)).toBe(TEXT);
	});

	it('a message may ask for its own form', async () => {
		expect((await send('hi [[form:json]]')).data).toHaveProperty('content');
	});
});

import { client } from './probe.ts';
import { askRouter, textOf, user } from './routerProbe.ts';
import { startService, type Forms, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const post = (body: object) => askRouter(service).chat(body);
const chunks = (body: object) => askRouter(service).chunks(body);

describe('C chat: refusals (7C)', () => {
	it.each<[string, object]>([
		['temperature 3', { temperature: 3 }],
		['temperature -1', { temperature: -1 }],
		['temperature as text', { temperature: '0.7' }],
		['max_tokens 0', { max_tokens: 0 }],
		['max_tokens 1.5', { max_tokens: 1.5 }],
		['an unknown effort', { reasoning_effort: 'extreme' }],
		['no messages', { messages: [] }],
		['messages that are no list', { messages: 'hi' }],
		['an unknown role', { messages: [{ role: 'king', content: 'x' }] }],
		['no content', { messages: [{ role: 'user' }] }],
		['no model', { model: '' }],
		['n 0', { n: 0 }],
		['tools that are no list', { tools: {} }],
		['stream as text', { stream: 'yes' }],
	])('%s is refused before anything is charged', async (_case, body) => {
		const account = service.world.accounts.get(service.router.keys.main);
		const before = account?.balance;
		const answer = await post({ messages: user('hi'), ...body });
		expect(answer.status).toBe(400);
		expect(answer.data.error.code).toBe('invalid_request');
		expect(answer.headers['x-request-id']).toBeDefined();
		expect(account?.balance).toBe(before);
	});

	it('takes the bounds 0 and 2 of the temperature', async () => {
		for (const temperature of [0, 2, null]) {
			expect((await post({ messages: user('hi'), temperature })).status).toBe(200);
		}
	});

	it.each(['canvas/sketch-1', 'reel/clip-3', 'tune/melody-1', 'voice/speaker-1'])(
		'%s: wrong_endpoint, the message names the right one',
		async (model) => {
			service.forms.wrongEndpointStatus = 422;
			const { status, data } = await post({ model, messages: user('hi') });
			expect(status).toBe(422);
			expect(data.error.code).toBe('wrong_endpoint');
			expect(data.error.message).toMatch(/\/v1\/(images|videos|music|audio)\/jobs/);
		},
	);

	it('unknown model', async () => {
		const { data } = await post({ model: 'no/such', messages: user('hi') });
		expect(data.error.code).toBe('model_not_found');
	});

	it('streaming_required for a long plain answer; streamed it works', async () => {
		service.forms.plainLimit = 100;
		service.forms.streamingRequiredStatus = 413;
		const body = { messages: user('[[words:101]]') };
		const { status, data } = await post(body);
		expect([status, data.error.code]).toEqual([413, 'streaming_required']);
		expect(textOf(await chunks(body))).toMatch(/word101$/);
	});

	it.each<[Forms['routerError'], object]>([
		['error-object', { error: { code: 'invalid_request', message: 'temperature is 0 to 2' } }],
		['flat', { code: 'invalid_request', message: 'temperature is 0 to 2' }],
		['error-string', { error: 'invalid_request', message: 'temperature is 0 to 2' }],
	])('error form %s', async (form, expected) => {
		service.forms.routerError = form;
		const { data } = await post({ messages: user('hi'), temperature: 3 });
		expect(data).toMatchObject(expected);
	});

	it.each([
		['no key', {}],
		['a wrong key', { 'x-api-key': 'nonsense' }],
		['the key in Authorization only', { authorization: 'Bearer router-main-d3a6f0b917' }],
	])('%s: 401 with a request id', async (_case, headers) => {
		const http = client(service.router.baseUrl, headers);
		for (const answer of [
			await http.get('/v1/models'),
			await http.post('/v1/chat/completions', {}),
		]) {
			expect(answer.status).toBe(401);
			expect(answer.headers['x-request-id']).toBeDefined();
		}
	});
});

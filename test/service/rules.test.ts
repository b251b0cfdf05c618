import { ROUTER_KEYS } from './keys.ts';
import { client } from './probe.ts';
import { startService, type FaultRule, type Fault, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const FAULT: Fault = { type: 'status', status: 503 };
const http = (key = service.router.keys.main) => client(service.url, { 'x-api-key': key });
const models = async (key?: string) => (await http(key).get('/v1/models')).status;

it.each<[string, FaultRule['match'], boolean]>([
	['nothing', undefined, true],
	['method', { method: 'get' }, true],
	['another method', { method: 'POST' }, false],
	['a part of the path', { path: '/models' }, true],
	['another path', { path: '/jobs' }, false],
	['a path by expression', { path: /^\/v1\/models$/ }, true],
	['another expression', { path: /^\/models/ }, false],
	['the key', { key: ROUTER_KEYS.main }, true],
	['another key', { key: ROUTER_KEYS.poor }, false],
	['a body that is not there', { bodyIncludes: 'x' }, false],
])('a rule matches by %s', async (_by, match, strikes) => {
	service.fault({ ...(match && { match }), do: FAULT });
	expect(await models()).toBe(strikes ? 503 : 200);
});

it('a rule matches by body', async () => {
	service.fault({ match: { bodyIncludes: 'item 7' }, do: FAULT });
	const post = async (message: string) =>
		(await http().post('/v1/responses', { model: 'tiny/plain-text-1', input: message })).status;
	expect([await post('item 6'), await post('item 7')]).toEqual([200, 503]);
});

it('times and skip', async () => {
	service.fault({ skip: 1, times: 2, do: FAULT });
	const seen = [];
	for (let count = 0; count < 5; count++) seen.push(await models());
	expect(seen).toEqual([200, 503, 503, 200, 200]);
});

it('skip counts for a reset before the body too', async () => {
	service.fault({ skip: 1, times: 1, do: { type: 'reset_unread' } });
	expect(await models()).toBe(200);
	await expect(models()).rejects.toMatchObject({ code: 'ECONNRESET' });
	expect(await models()).toBe(200);
});

it('the first match wins, the next comes when it is used up', async () => {
	service.fault({ times: 1, do: { type: 'status', status: 502 } });
	service.fault({ times: 1, do: { type: 'status', status: 504 } });
	expect([await models(), await models(), await models()]).toEqual([502, 504, 200]);
});

it('a function draws once for each request', async () => {
	const drawn: string[] = [];
	service.fault({
		do: ({ path }) => {
			drawn.push(path);
			return drawn.length % 2 ? FAULT : [];
		},
	});
	expect([await models(), await models(), await models()]).toEqual([503, 200, 503]);
	expect(drawn).toHaveLength(3);
});

it('a header brings a fault for one request', async () => {
	const { status } = await http().get('/v1/models', {
		headers: { 'x-fault': JSON.stringify(FAULT) },
	});
	expect([status, await models()]).toEqual([503, 200]);
});

it('a path prefix brings faults, so that a base URL can; the record has the path without', async () => {
	const prefix = `/fault/${encodeURIComponent(JSON.stringify([FAULT, { type: 'login_page' }]))}`;
	const { status, data } = await http().get(`${prefix}/v1/models?x=1`);
	expect(status).toBe(200);
	expect(data).toMatch('Sign in');
	expect(service.requests[0]?.path).toBe('/v1/models?x=1');
});

it.each(['agent', 'assistant'] as const)('a prefix works for %s', async (name) => {
	const prefix = `/fault/${encodeURIComponent(JSON.stringify(FAULT))}`;
	const base = name === 'agent' ? service.agent.baseUrl() : service.assistant.baseUrl;
	const answer = await client(base.replace(service.url, service.url + prefix)).post('/x', {});
	expect(answer.status).toBe(503);
});

it('a fault that is no JSON is told, and fails a strict stop', async () => {
	const { status } = await http().get('/fault/nonsense/v1/models');
	expect(status).toBe(500);
	expect(service.unexpected).toHaveLength(1);
});

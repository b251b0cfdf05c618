import { ROUTER_KEYS } from './keys.ts';
import { client } from './probe.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const http = () => client(service.url, { 'x-api-key': service.router.keys.main });
const startJob = async () =>
	(await http().post('/v1/images/jobs', { model: 'canvas/sketch-1', prompt: 'a cat' })).data
		.id as string;

it('the record has what was received', async () => {
	await http().post('/v1/responses?a=b', { model: 'tiny/plain-text-1', input: 'hi' });
	// a client may have read all of an answer before the service is done with it
	await service.settled();
	expect(service.requests).toEqual([
		{
			method: 'POST',
			path: '/v1/responses?a=b',
			headers: expect.objectContaining({ 'x-api-key': service.router.keys.main }),
			body: { model: 'tiny/plain-text-1', input: 'hi' },
			bodyText: '{"model":"tiny/plain-text-1","input":"hi"}',
			abandoned: false,
			status: 200,
			at: expect.any(Number),
			connection: expect.any(Number),
		},
	]);
});

it('a body that is no JSON is kept as text, and refused', async () => {
	const { status } = await http().post('/v1/responses', 'nonsense', {
		headers: { 'content-type': 'application/json' },
	});
	expect([status, service.requests[0]?.body]).toEqual([400, 'nonsense']);
});

it('connections are numbered', async () => {
	await http().get('/v1/models', { headers: { connection: 'close' } });
	await http().get('/v1/models', { headers: { connection: 'close' } });
	const [one, two] = service.requests;
	expect((two?.connection ?? 0) - (one?.connection ?? 0)).toBe(1);
});

it('mostInFlight, settled', async () => {
	service.forms.gate = true;
	const body = { model: 'tiny/plain-text-1', input: 'hi', stream: true };
	const both = [1, 2].map(() => http().post('/v1/responses', body));
	await service.gated(2);
	expect(service.mostInFlight).toBe(2);
	service.step(100);
	await service.settled();
	expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
});

it('control routes are not in the record', async () => {
	await http().get('/_control/state');
	expect(service.requests).toEqual([]);
	expect(service.mostInFlight).toBe(0);
});

it('POST fault, a path as expression', async () => {
	const rule = {
		match: { path: { regex: 'models$' } },
		times: 1,
		do: { type: 'status', status: 503 },
	};
	await http().post('/_control/fault', rule);
	expect((await http().get('/v1/models')).status).toBe(503);
	expect((await http().get('/v1/models')).status).toBe(200);
});

it('GET requests and POST reset', async () => {
	await http().get('/v1/models');
	service.fault({ do: { type: 'status', status: 503 } });
	service.forms.list = 'array';
	expect((await http().get('/_control/requests')).data).toHaveLength(1);
	await http().post('/_control/reset');
	expect(service.requests).toEqual([]);
	expect((await http().get('/v1/models')).data).toHaveProperty('data');
});

it('GET and POST forms', async () => {
	expect((await http().get('/_control/forms')).data.list).toBe('data');
	expect((await http().post('/_control/forms', { list: 'array' })).data.list).toBe('array');
	expect(Array.isArray((await http().get('/v1/models')).data)).toBe(true);
});

it('GET state shows jobs, starts and balances', async () => {
	const id = await startJob();
	const { data } = await http().get('/_control/state');
	expect(data.jobs).toMatchObject([{ id, state: 'pending', prompt: 'a cat' }]);
	expect(data.starts).toMatchObject([
		{ key: service.router.keys.main, prompt: 'a cat', jobId: id },
	]);
	expect(data.accounts[service.router.keys.main].held).toBe(50_000);
});

it.each([
	['completed', 'completed', 200],
	['failed', 'failed', 409],
	['expired', 'completed', 410],
])('POST jobs: %s', async (state, status, content) => {
	const id = await startJob();
	await http().post(`/_control/jobs/${id}`, { state });
	expect((await http().get(`/v1/images/jobs/${id}`)).data.status).toBe(status);
	expect((await http().get(`/v1/images/jobs/${id}/content`)).status).toBe(content);
});

it.each([
	[{ micro_usd: 5 }, ROUTER_KEYS.main],
	[{ micro_usd: 0, key: ROUTER_KEYS.poor }, ROUTER_KEYS.poor],
	[{ micro_usd: -3, key: 'router-own' }, 'router-own'],
])('POST balance: %j', async (body, key) => {
	expect((await http().post('/_control/balance', body)).data).toEqual({ ...body, key });
	const { data } = await http().get('/_control/state');
	expect(data.accounts[key]).toEqual({ balance: body.micro_usd, held: 0 });
});

it.each([{}, { micro_usd: '5' }, { micro_usd: 1.5 }, { micro_usd: 5, key: 7 }])(
	'POST balance refuses %j',
	async (body) => {
		expect((await http().post('/_control/balance', body)).status).toBe(400);
		const { data } = await http().get('/_control/state');
		expect(Object.keys(data.accounts)).toEqual([ROUTER_KEYS.main, ROUTER_KEYS.poor]);
		expect(data.accounts[ROUTER_KEYS.main].balance).toBe(100_000_000);
	},
);

it('refuses what it does not know', async () => {
	expect((await http().get('/_control/nonsense')).status).toBe(404);
	expect((await http().post('/_control/jobs/none', { state: 'failed' })).status).toBe(404);
	expect((await http().post(`/_control/jobs/${await startJob()}`, { state: 'x' })).status).toBe(
		400,
	);
});

it('a path outside the specification is told; a strict service does not stop in silence', async () => {
	const strict = await startService({ strict: true });
	expect((await client(strict.url).get('/nonsense')).status).toBe(404);
	expect(strict.unexpected).toEqual(['GET /nonsense']);
	await expect(strict.stop()).rejects.toThrow('Not in the specification: GET /nonsense');
});

it('two services know nothing of each other', async () => {
	const other = await startService();
	await startJob();
	expect([other.requests, other.world.starts]).toEqual([[], []]);
	await other.stop();
});

import type { RecordedRequest } from '../service/service';
import { chat, job, models, paying, PICTURE, secretsWithLedger } from './rig/calls';
import { testCredential } from './rig/credentialTest';
import type { Secrets } from './rig/credentials';
import { startLedgerRig } from './rig/ledger';
import { activated, executed } from './rig/poll';
import { run, type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// which key went where: a recording of all that a service, an n8n and a stranger were asked
const rig = startLedgerRig();
const stranger = serviceForTests();

/** What a gateway in front of the service asks for. */
const HEADER = 'secret-of-the-gateway-7d21';

/** Each credential has an additional header, which is for the service only, like its key. */
const secrets = (): Secrets =>
	Object.fromEntries(
		Object.entries(secretsWithLedger(rig.service, rig.n8n)).map(([type, data]) => [
			type,
			{ ...data, additionalHeader2Name: 'x-gateway', additionalHeader2Value: HEADER },
		]),
	);
const execute = async (options: Omit<RunOptions, 'secrets'>) =>
	await run({ ...options, secrets: secrets() });

/** All keys that there are, by where they belong. */
const keys = () => ({
	service: [HEADER, ...Object.values(secrets()).map(({ apiKey }) => String(apiKey))],
	n8n: [rig.n8n.ledgerFields.n8nApiKey],
});

/** Everything of a request that could hold a key. */
const told = ({ path, headers, bodyText }: RecordedRequest) =>
	decodeURIComponent(JSON.stringify([path, headers, bodyText]).replaceAll('%', '%25'));

function expectKeysAtHome() {
	const asked = {
		service: rig.service.requests,
		n8n: rig.n8n.service.requests,
		stranger: stranger.requests,
	};
	const { service, n8n } = keys();
	const foreign = { service: n8n, n8n: service, stranger: [...service, ...n8n] };
	for (const place of ['service', 'n8n', 'stranger'] as const)
		for (const key of foreign[place])
			expect(asked[place].filter((request) => told(request).includes(key))).toEqual([]);
	for (const request of asked.service) {
		expect(request.headers).not.toHaveProperty('x-n8n-api-key');
		expect(request.headers).toHaveProperty('x-gateway', HEADER);
	}
	for (const request of asked.n8n) {
		expect(request.headers).toHaveProperty('x-n8n-api-key', rig.n8n.ledgerFields.n8nApiKey);
		expect(request.headers).not.toHaveProperty('x-api-key');
		expect(request.headers).not.toHaveProperty('authorization');
	}
	const { length } = asked.service;
	return { service: length, n8n: asked.n8n.length, stranger: asked.stranger.length };
}

it.each(paying)('%s', async (_name, call) => {
	await execute(call('x'));
	expect(expectKeysAtHome().service).toBeGreaterThan(0);
});

const image = { ...PICTURE, useLedger: true };

it('jobs and their files, with the ledger', async () => {
	const { items } = await execute(job('start', { ...image, uniqueKey: 'k' }));
	const jobId = String(items[0]?.json['jobId']);
	await execute(job('generate', image));
	const to = `${rig.service.url}/v1/image/jobs/${jobId}/content`;
	const onward = { type: 'redirect', status: 302, to } as const;
	rig.service.fault({ match: { path: `images/jobs/${jobId}/content` }, do: onward });
	for (const operation of ['getJob', 'wait', 'download'])
		await execute(job(operation, { mediaType: 'images', jobId }));
	await execute(job('track', { mediaType: 'images', jobId }));
	await execute(models('getModels', {}));
	const asked = expectKeysAtHome();
	expect([asked.service > 6, asked.n8n > 6]).toEqual([true, true]);
});

it.each([
	['getEntries', { returnAll: true }],
	['deleteMany', {}],
	['markStarted', { uniqueKey: 'k', jobId: 'j' }],
	['markNotStarted', { uniqueKey: 'k' }],
])('Job Ledger: %s %j', async (operation, parameters) => {
	await rig.ledger(operation, parameters);
	expect(expectKeysAtHome()).toMatchObject({ service: 0, n8n: expect.any(Number) });
	expect(rig.n8n.service.requests.length).toBeGreaterThan(0);
});

it('the trigger', async () => {
	await execute(job('start', image));
	const { items } = await activated({ parameters: {}, secrets: secrets() }).poll();
	const done = await executed({ parameters: {}, secrets: secrets(), items: items ?? [] });
	expect(done.items[0]?.binary?.['data']).toBeDefined();
	const manual = { parameters: {}, secrets: secrets(), items: [{ json: {} }] };
	await executed({ ...manual, mode: 'manual' }).catch(() => undefined);
	const asked = expectKeysAtHome();
	expect([asked.service > 3, asked.n8n > 5]).toEqual([true, true]);
});

// a catalog may be public: it is asked for once more, without the key
it.each([
	['modelRouterApi', 2],
	['marketAssistantApi', 1],
] as const)('the test of %s', async (type, service) => {
	expect(await testCredential(type, secrets()[type]!)).toMatchObject({ status: 'OK' });
	expect(expectKeysAtHome()).toMatchObject({ service, n8n: 4 });
});

describe('a redirect', () => {
	const elsewhere = {
		n8n: () => rig.n8n.service,
		service: () => rig.service,
		stranger: () => stranger,
	};

	it.each(['n8n', 'stranger'] as const)('of the service to %s is not followed', async (place) => {
		const to = `${elsewhere[place]().url}/api/v1/data-tables`;
		rig.service.fault({ do: { type: 'redirect', status: 307, to } });
		await execute(chat('x'));
		await execute(job('start', { ...image, useLedger: false }));
		const off = { ...secrets()['modelRouterApi']!, useJobLedger: false };
		await testCredential('modelRouterApi', off);
		expect(expectKeysAtHome()).toMatchObject({ [place]: 0 });
	});

	it.each(['service', 'stranger'] as const)('of n8n to the %s is not followed', async (place) => {
		const to = `${elsewhere[place]().url}/v1/models`;
		rig.n8n.service.fault({ do: { type: 'redirect', status: 307, to } });
		await rig.ledger('getEntries');
		const before = rig.service.requests.length;
		await testCredential('modelRouterApi', secrets()['modelRouterApi']!);
		const asked = expectKeysAtHome();
		// the service itself is tested as well
		expect([asked.stranger, asked.service - before]).toEqual([0, 2]);
		expect(asked.n8n).toBe(2);
	});
});

it('neither key is in an output or an error, also while the job ledger is turned off', async () => {
	for (const useJobLedger of [true, false]) {
		const { apiKey, ...rest } = secrets()['modelRouterApi']!;
		const body = { error: { message: `no: ${String(apiKey)} ${keys().n8n.join()}` } };
		rig.service.fault({ times: 1, do: { type: 'status', status: 400, body } });
		const modelRouterApi = { ...rest, apiKey: apiKey!, useJobLedger };
		const { run: whole } = await run({ ...models('getModels', {}), secrets: { modelRouterApi } });
		expect(JSON.stringify(whole)).toContain('no: *** ***');
		for (const key of [String(apiKey), ...keys().n8n])
			expect(JSON.stringify(whole)).not.toContain(key);
	}
});

it('Allowed HTTP Request Domains apply to both addresses', async () => {
	const ledgerFields = {
		...rig.n8n.ledgerFields,
		n8nUrl: rig.n8n.ledgerFields.n8nUrl.replace('127.0.0.1', 'localhost'),
	};
	const allowed = { allowedHttpRequestDomains: 'domains', allowedDomains: '127.0.0.1' };
	const both = secretsWithLedger(rig.service, { ledgerFields });
	both['modelRouterApi'] = { ...both['modelRouterApi'], ...allowed };
	const { error } = await rig.ledger('getEntries', {}, { secrets: both });
	expect(error?.message).toMatch(/Domain not allowed/);
	const list = async () => (await run({ ...models('getModels', {}), secrets: both })).error;
	expect(await list()).toBeUndefined();
	both['modelRouterApi']['allowedDomains'] = 'localhost';
	expect((await list())?.message).toMatch(/Domain not allowed/);
	expect([rig.service.requests.length, rig.n8n.service.requests]).toEqual([1, []]);
});

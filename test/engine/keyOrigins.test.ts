import { CredentialTestContext } from 'n8n-core';
import type { ICredentialTestFunctions } from 'n8n-workflow';

import { MarketAssistant } from '../../nodes/MarketAssistant/MarketAssistant.node';
import { ModelRouter } from '../../nodes/ModelRouter/ModelRouter.node';
import { startService, type RecordedRequest, type Service } from '../service/service';
import { chat, job, models, paying, secretsWithLedger } from './rig/calls';
import { sketch, startLedgerRig } from './rig/ledger';
import { activated, executed } from './rig/poll';
import { run, type RunOptions } from './rig/run';

// which key went where: a recording of all that a service, an n8n and a stranger were asked
const rig = startLedgerRig();
let stranger: Service;
beforeAll(async () => (stranger = await startService()));
beforeEach(() => stranger.reset());
afterAll(async () => await stranger.stop());

const secrets = () => secretsWithLedger(rig.service, rig.n8n);
const execute = async (options: Omit<RunOptions, 'secrets'>) =>
	await run({ ...options, secrets: secrets() });

/** All keys that there are, by where they belong. */
const keys = () => ({
	service: Object.values(secrets()).map(({ apiKey }) => String(apiKey)),
	n8n: [rig.n8n.ledgerFields.n8nApiKey],
});

/** Everything of a request that could hold a key. */
const told = ({ path, headers, bodyText }: RecordedRequest) =>
	decodeURIComponent(JSON.stringify([path, headers, bodyText]).replaceAll('%', '%25'));

function expectKeysAtHome(): { service: number; n8n: number; stranger: number } {
	const asked = {
		service: rig.service.requests,
		n8n: rig.n8n.service.requests,
		stranger: stranger.requests,
	};
	const { service, n8n } = keys();
	const foreign = { service: n8n, n8n: service, stranger: [...service, ...n8n] };
	for (const place of ['service', 'n8n', 'stranger'] as const) {
		for (const request of asked[place])
			for (const key of foreign[place])
				expect([place, told(request).includes(key)]).toEqual([place, false]);
	}
	for (const request of asked.service) expect(request.headers).not.toHaveProperty('x-n8n-api-key');
	for (const request of asked.n8n) {
		expect(request.headers).toHaveProperty('x-n8n-api-key', rig.n8n.ledgerFields.n8nApiKey);
		expect(request.headers).not.toHaveProperty('x-api-key');
		expect(request.headers).not.toHaveProperty('authorization');
	}
	return {
		service: asked.service.length,
		n8n: asked.n8n.length,
		stranger: asked.stranger.length,
	};
}

it.each(paying)('%s', async (_name, call) => {
	await execute(call('x'));
	expect(expectKeysAtHome().service).toBeGreaterThan(0);
});

const image = { segment: 'images', model: sketch, prompt: 'one', useLedger: true };

it('jobs and their files, with the ledger', async () => {
	const { items } = await execute(job('start', { ...image, options: { startKey: 'k' } }));
	const jobId = String(items[0]?.json['jobId']);
	await execute(job('generate', image));
	for (const operation of ['get', 'wait', 'download'])
		await execute(job(operation, { segment: 'images', jobId }));
	await execute(job('enterInLedger', { segment: 'images', jobId }));
	await execute(models('getMany', {}));
	const asked = expectKeysAtHome();
	expect(asked.service).toBeGreaterThan(6);
	expect(asked.n8n).toBeGreaterThan(6);
});

it.each([
	['getMany', {}],
	['getMany', { returnAll: true }],
	['deleteMany', {}],
	['markStarted', { idempotencyKey: 'k', jobId: 'j' }],
	['markNotStarted', { idempotencyKey: 'k' }],
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
	await executed({
		parameters: {},
		secrets: secrets(),
		items: [{ json: {} }],
		mode: 'manual',
	}).catch(() => undefined);
	const asked = expectKeysAtHome();
	expect([asked.service > 3, asked.n8n > 5]).toEqual([true, true]);
});

it.each([
	['modelRouterApi', new ModelRouter().methods.credentialTest.testModelRouterApi],
	['marketAssistantApi', new MarketAssistant().methods.credentialTest.testMarketAssistantApi],
])('the test of %s', async (type, test) => {
	const context = new CredentialTestContext() as unknown as ICredentialTestFunctions;
	const data = secrets()[type]!;
	expect((await test.call(context, { id: 'c', name: 'c', type, data })).status).toBe('OK');
	const asked = expectKeysAtHome();
	expect([asked.service, asked.n8n]).toEqual([1, 4]);
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
		const context = new CredentialTestContext() as unknown as ICredentialTestFunctions;
		const off = { ...secrets()['modelRouterApi']!, useJobLedger: false };
		const { testModelRouterApi } = new ModelRouter().methods.credentialTest;
		await testModelRouterApi.call(context, { id: 'c', name: 'c', type: 'c', data: off });
		expect(expectKeysAtHome()).toMatchObject({ [place]: 0 });
	});

	it.each(['service', 'stranger'] as const)('of n8n to the %s is not followed', async (place) => {
		const to = `${elsewhere[place]().url}/v1/models`;
		rig.n8n.service.fault({ do: { type: 'redirect', status: 307, to } });
		await rig.ledger('getMany');
		const before = rig.service.requests.length;
		const context = new CredentialTestContext() as unknown as ICredentialTestFunctions;
		const { testModelRouterApi } = new ModelRouter().methods.credentialTest;
		const data = secrets()['modelRouterApi']!;
		await testModelRouterApi.call(context, { id: 'c', name: 'c', type: 'c', data });
		const asked = expectKeysAtHome();
		// the service itself is tested as well
		expect([asked.stranger, asked.service - before]).toEqual([0, 1]);
		expect(asked.n8n).toBe(2);
	});

	it.each(['n8n', 'stranger'] as const)(
		'for the file of a job leads to %s, where no key comes along',
		async (place) => {
			const { items } = await execute(job('start', { ...image, useLedger: false }));
			const to = `${elsewhere[place]().url}/files/1`;
			rig.service.fault({
				match: { path: '/content' },
				do: { type: 'redirect', status: 302, to },
			});
			const jobId = String(items[0]?.json['jobId']);
			await execute(job('download', { segment: 'images', jobId }));
			const { requests } = elsewhere[place]();
			expect(requests.map(({ path }) => path)).toEqual(['/files/1']);
			for (const { headers } of requests)
				expect(Object.keys(headers)).not.toEqual(
					expect.arrayContaining([expect.stringMatching(/key|authorization/i)]),
				);
		},
	);
});

it('a service and an n8n with one origin get nothing', async () => {
	const both = secrets();
	both['modelRouterApi']!['n8nUrl'] = rig.service.url;
	for (const options of [chat('x'), job('start', image)]) {
		const { error } = await run({ ...options, secrets: both });
		expect(error?.message).toMatch(/^Base URL and n8n URL of the credential/);
	}
	expect(expectKeysAtHome()).toMatchObject({ service: 0, n8n: 0 });
});

it('neither key is in an output or an error, also while the job ledger is turned off', async () => {
	for (const useJobLedger of [true, false]) {
		const { apiKey, ...rest } = secrets()['modelRouterApi']!;
		const body = { error: { message: `no: ${String(apiKey)} ${keys().n8n.join()}` } };
		rig.service.fault({ times: 1, do: { type: 'status', status: 400, body } });
		const modelRouterApi = { ...rest, apiKey: apiKey!, useJobLedger };
		const { run: whole } = await run({ ...models('getMany', {}), secrets: { modelRouterApi } });
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
	const { error } = await rig.ledger('getMany', {}, { secrets: both });
	expect(error?.message).toMatch(/Domain not allowed/);
	expect((await run({ ...models('getMany', {}), secrets: both })).error).toBeUndefined();
	expect(rig.n8n.service.requests).toEqual([]);
});

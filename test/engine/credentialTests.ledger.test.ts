import { CredentialTestContext } from 'n8n-core';
import type { ICredentialTestFunctions, INodeCredentialTestResult } from 'n8n-workflow';

import { MarketAssistant } from '../../nodes/MarketAssistant/MarketAssistant.node';
import { ModelRouter } from '../../nodes/ModelRouter/ModelRouter.node';
import { ModelRouterTrigger } from '../../nodes/ModelRouter/ModelRouterTrigger.node';
import { secretsWithLedger } from './rig/calls';
import { startLedgerRig } from './rig/ledger';

// what the test of a credential says of a job ledger, and of the service beside it
const rig = startLedgerRig();
beforeEach(() => {
	rig.n8n.missingScopes.clear();
	rig.n8n.tables.splice(1);
	expect(rig.n8n.tables).toMatchObject([{ name: 'Media Jobs' }]);
});
afterEach(() => {
	// a test changes nothing
	expect(rig.n8n.tables).toHaveLength(1);
	expect(rig.n8n.rows).toEqual([]);
});

const tests = {
	modelRouterApi: new ModelRouter().methods.credentialTest.testModelRouterApi,
	marketAssistantApi: new MarketAssistant().methods.credentialTest.testMarketAssistantApi,
};

async function tested(
	changes: object = {},
	type: keyof typeof tests = 'modelRouterApi',
): Promise<INodeCredentialTestResult> {
	const data = { ...secretsWithLedger(rig.service, rig.n8n)[type], ...changes };
	const context = new CredentialTestContext() as unknown as ICredentialTestFunctions;
	return await tests[type].call(context, { id: 'c', name: 'c', type, data });
}

const OK = 'The model router accepted the key. The job ledger: n8n accepted the key';

it.each([
	['modelRouterApi', 'The model router'],
	['marketAssistantApi', 'The market assistant'],
] as const)('%s: both parts are good', async (type, name) => {
	expect(await tested({}, type)).toEqual({
		status: 'OK',
		message: `${name} accepted the key. The job ledger: n8n accepted the key, and the table "Media Jobs" is there.`,
	});
});

it('turned off, only the service is tested', async () => {
	const off = { useJobLedger: false, n8nUrl: '', n8nApiKey: '', ledgerTable: '' };
	expect(await tested(off)).toEqual({ status: 'OK', message: 'The model router accepted the key' });
	expect(rig.n8n.service.requests).toEqual([]);
});

it('the trigger has the same test', async () => {
	const { testModelRouterApi } = new ModelRouterTrigger().methods.credentialTest;
	const data = secretsWithLedger(rig.service, rig.n8n)['modelRouterApi']!;
	const context = new CredentialTestContext() as unknown as ICredentialTestFunctions;
	const credential = { id: 'c', name: 'c', type: 'modelRouterApi', data };
	expect((await testModelRouterApi.call(context, credential)).message).toContain(OK);
});

it('a table that is not there yet is announced', async () => {
	expect(await tested({ ledgerTable: 'Media' })).toEqual({
		status: 'OK',
		message: `${OK}, and the table "Media" is created when it is first used.`,
	});
});

describe('says which part is wrong', () => {
	it.each<[string, object, RegExp]>([
		['the key of n8n', { n8nApiKey: 'wrong' }, /n8n refused the API key \(401\)\. Copy the n8n/],
		['no key of n8n', { n8nApiKey: '' }, /The n8n API key is empty/],
		['no n8n URL', { n8nUrl: ' ' }, /The n8n URL is empty/],
		['an n8n URL that is none', { n8nUrl: 'n8n:5678' }, /The n8n URL is not a web address/],
		['no table', { ledgerTable: ' ' }, /The job ledger table is empty/],
		['nobody there', { n8nUrl: 'http://127.0.0.1:9' }, /n8n could not be reached/],
		['an ID of no table', { ledgerTable: 'ABCDEFGHIJKLMNOP' }, /no Data Table with the name or ID/],
	])('%s', async (_name, changes, message) => {
		const result = await tested(changes);
		expect(result.status).toBe('Error');
		expect(result.message).toMatch(/^The model router accepted the key\. The job ledger: /);
		expect(result.message.slice(OK.length - 40)).toMatch(message);
	});

	it('the key of the service', async () => {
		expect(await tested({ apiKey: 'wrong' })).toEqual({
			status: 'Error',
			message: expect.stringMatching(
				/^The model router: The service refused the API key \(401\)\. .*\. The job ledger: n8n accepted/,
			),
		});
	});

	it('both', async () => {
		const { message } = await tested({ apiKey: 'wrong', n8nApiKey: 'wrong' });
		expect(message).toMatch(/^The model router: .*401.* The job ledger: n8n refused .*401/);
	});

	it('one address for both', async () => {
		expect(await tested({ n8nUrl: `${rig.service.url}/n8n` })).toEqual({
			status: 'Error',
			message: expect.stringMatching(/^Base URL and n8n URL of the credential/),
		});
		expect([rig.service.requests, rig.n8n.service.requests]).toEqual([[], []]);
	});

	it.each([
		[{ status: 200, body: { ok: true } }, /not with a list of Data Tables/],
		[
			{ status: 404, body: { message: 'not found' } },
			/2\.7 or newer with its public API switched on/,
		],
		[
			{ status: 502, body: {} },
			/internal error \(502\)\. If n8n is starting, test again in a minute\./,
		],
		[
			{ status: 503, body: {} },
			/internal error \(503\)\. If n8n is starting, test again in a minute\./,
		],
		[
			{ status: 200, body: 'n8n is starting up. Please wait' },
			/The job ledger: n8n is still starting\. Test again in a minute\.$/,
		],
		[
			{ status: 404, body: '<!DOCTYPE html><title>Error</title>' },
			/HTML page: "Error" \(404\)\. If n8n is starting, test again in a minute\. .*public API switched on/,
		],
		[{ status: 403, body: '<!doctype html><title>Sign in</title>' }, /HTML page: "Sign in"/],
	])('something else at the n8n URL: %j', async (answer, message) => {
		rig.n8n.service.fault({ do: { type: 'status', ...answer } });
		expect(await tested()).toEqual({ status: 'Error', message: expect.stringMatching(message) });
	});
});

describe('names the scopes that are missing', () => {
	it.each([
		[['dataTable:list'], {}],
		[['dataTableRow:read'], {}],
		[['dataTableRow:create'], {}],
		[['dataTableRow:update'], {}],
		[['dataTable:create'], { ledgerTable: 'Media' }],
		[['dataTable:list', 'dataTableRow:create', 'dataTableRow:update'], {}],
	])('%j', async (scopes, changes) => {
		for (const scope of scopes) rig.n8n.missingScopes.add(scope);
		const { status, message } = await tested(changes);
		expect(status).toBe('Error');
		expect(message.match(/dataTable\w*:\w+/g)).toEqual(scopes);
	});

	it('dataTableColumn:create, where columns are missing', async () => {
		rig.n8n.missingScopes.add('dataTableColumn:create');
		expect((await tested()).status).toBe('OK');
		const [column] = rig.n8n.tables[0]!.columns.splice(0, 1);
		const { status, message } = await tested();
		rig.n8n.tables[0]!.columns.unshift(column!);
		expect([status, message]).toEqual([
			'Error',
			expect.stringContaining('needs the scope dataTableColumn:create.'),
		]);
	});

	it('and does not insist on those that are not needed', async () => {
		rig.n8n.missingScopes.add('dataTable:create').add('dataTableRow:delete');
		expect(await tested()).toEqual({
			status: 'OK',
			message: expect.stringMatching(/cannot be deleted without the scope dataTableRow:delete\.$/),
		});
		rig.n8n.missingScopes.add('dataTable:list');
		expect(await tested({ ledgerTable: rig.n8n.tables[0]!.id })).toMatchObject({ status: 'OK' });
	});
});

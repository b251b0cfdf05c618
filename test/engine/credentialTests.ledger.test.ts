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
	return await tests[type].call(context, { id: 'c', name: 'Router', type, data });
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
		expect(result.message).toMatch(/^The model router accepted the key\. (The|n8n) /);
		expect(result.message).toMatch(message);
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
		expect(message).toMatch(
			/^The model router: .*401.* The job ledger could not be used: n8n refused .*401/,
		);
	});

	it('one address for both', async () => {
		expect(await tested({ n8nUrl: `${rig.service.url}/n8n` })).toEqual({
			status: 'Error',
			message: expect.stringMatching(/^Base URL and n8n URL of the credential/),
		});
		expect([rig.service.requests, rig.n8n.service.requests]).toEqual([[], []]);
	});

	it.each([
		[
			{ status: 200, body: { ok: true } },
			/answered in a form that cannot be read\. Check the n8n URL/,
		],
		[
			{ status: 404, body: { message: 'not found' } },
			/n8n 2\.7 or newer\. .*n8n URL .*public API is switched on/,
		],
		[{ status: 502, body: {} }, /internal error \(502\)\. Check the n8n URL/],
		[{ status: 503, body: {} }, /internal error \(503\)\. Check the n8n URL/],
		[
			{ status: 200, body: 'n8n is starting up. Please wait' },
			/n8n is still starting\. Run this again once n8n has started\.$/,
		],
		[
			{ status: 404, body: '<!DOCTYPE html><title>Error</title>' },
			/A web page came .*if it is starting, run this again in a minute\. .*public API is switched on/,
		],
		[{ status: 403, body: '<!doctype html><title>Sign in</title>' }, /\(403\)\. .*dataTable:list/],
		[
			{ status: 200, body: '<!doctype html><title>Sign in</title>' },
			/looks like a web page: a login/,
		],
		[{ status: 302, body: '' }, /redirect \(302\), which is not followed\. Check the n8n URL/],
	])('something else at the n8n URL: %j', async (answer, message) => {
		rig.n8n.service.fault({ do: { type: 'status', ...answer } });
		expect(await tested()).toEqual({ status: 'Error', message: expect.stringMatching(message) });
	});
});

it.each(['dataTable:list', 'dataTableRow:read', 'dataTableRow:create', 'dataTableRow:update'])(
	'names the scope %s, which every use needs',
	async (scope) => {
		rig.n8n.missingScopes.add(scope);
		for (const ledgerTable of ['Media Jobs', 'Media']) {
			const { status, message } = await tested({ ledgerTable });
			expect(status).toBe('Error');
			expect(message).toContain(
				`The n8n API key in the Router credential needs the scope ${scope},`,
			);
		}
	},
);

it('does not insist on scopes that are needed later or not at all', async () => {
	const { missingScopes, tables } = rig.n8n;
	missingScopes.add('dataTable:create').add('dataTableColumn:create').add('dataTableRow:delete');
	expect(await tested()).toMatchObject({ status: 'OK' });
	missingScopes.add('dataTable:list');
	expect(await tested({ ledgerTable: tables[0]!.id })).toMatchObject({ status: 'OK' });
});

it('an ID of no table is found without the scope to list tables', async () => {
	rig.n8n.missingScopes.add('dataTable:list');
	const { status, message } = await tested({ ledgerTable: 'ABCDEFGHIJKLMNOP' });
	expect(status).toBe('Error');
	expect(message).toMatch(/nothing under this address or ID \(404\)\. .*Check Job Ledger Table/);
});

import { ModelRouterTrigger } from '../../nodes/ModelRouter/ModelRouterTrigger.node';
import { testCredential } from './rig/credentialTest';
import { startLedgerRig } from './rig/ledger';

// what the test of a credential says of a job ledger, and of the service beside it
const rig = startLedgerRig();
beforeEach(() => {
	rig.n8n.tables.splice(1);
	expect(rig.n8n.tables).toMatchObject([{ name: 'Media Jobs' }]);
});
afterEach(() => {
	// a test changes nothing
	expect(rig.n8n.tables).toHaveLength(1);
	expect(rig.n8n.rows).toEqual([]);
});

const tested = async (
	changes: object = {},
	type: 'modelRouterApi' | 'marketAssistantApi' = 'modelRouterApi',
	test?: Parameters<typeof testCredential>[2],
) => await testCredential(type, { ...rig.secrets()[type], ...changes }, test);

const OK = 'accepted the key. The job ledger: n8n accepted the key, and the table';

it('both parts are good, and the trigger has the same test', async () => {
	const good = (name: string) => ({
		status: 'OK',
		message: `${name} ${OK} "Media Jobs" is there.`,
	});
	expect(await tested()).toEqual(good('The model router'));
	expect(await tested({}, 'marketAssistantApi')).toEqual(good('Crypto Q&A'));
	const { testModelRouterApi } = new ModelRouterTrigger().methods.credentialTest;
	expect(await tested({}, 'modelRouterApi', testModelRouterApi)).toEqual(good('The model router'));
});

it('turned off, only the service is tested', async () => {
	const off = { useJobLedger: false, n8nUrl: '', n8nApiKey: '', ledgerTable: '' };
	expect(await tested(off)).toEqual({ status: 'OK', message: 'The model router accepted the key' });
	expect(rig.n8n.service.requests).toEqual([]);
});

it('a table that is not there yet is announced', async () => {
	expect(await tested({ ledgerTable: 'Media' })).toEqual({
		status: 'OK',
		message: `The model router ${OK} "Media" is created when it is first used.`,
	});
});

it.each([
	[{ n8nApiKey: 'wrong' }, /n8n refused the API key \(401\)\. Copy the n8n/],
	[{ n8nApiKey: '' }, /The n8n API key is empty/],
	[{ n8nUrl: ' ' }, /The n8n URL is empty/],
	[{ n8nUrl: 'n8n:5678' }, /The n8n URL is not a web address/],
	[{ ledgerTable: ' ' }, /The job ledger table is empty/],
	[{ n8nUrl: 'http://127.0.0.1:9' }, /n8n could not be reached/],
	[{ ledgerTable: 'ABCDEFGHIJKLMNOP' }, /no Data Table with the name or ID/],
])('says which part is wrong: %j', async (changes, message) => {
	const result = await tested(changes);
	expect(result.status).toBe('Error');
	expect(result.message).toMatch(/^The model router accepted the key\. (The|n8n) /);
	expect(result.message).toMatch(message);
});

it.each([
	['all', 'Error', 'The budget of $50.00 a week can be bypassed'],
	['none', 'OK', OK],
	[undefined, 'Error', 'Set "Allowed HTTP Request Domains" to None'],
])('a budget, and the domains %s', async (allowedHttpRequestDomains, status, message) => {
	const budget = { budgetUsd: '50', budgetPeriod: 'week', allowedHttpRequestDomains };
	expect(await tested(budget)).toEqual({ status, message: expect.stringContaining(message) });
});

it('a budget without a job ledger is refused', async () => {
	expect(await tested({ useJobLedger: false, budgetUsd: '50' })).toEqual({
		status: 'Error',
		message: expect.stringMatching(
			/^"Budget \(USD\)" of the credential only works with "Use a Job Ledger"\. .*Turn on .*, or empty/,
		),
	});
});

it('says that the key of the service is wrong, or both', async () => {
	const refusal = '^The model router: The service refused the API key \\(401\\)\\. .*';
	expect(await tested({ apiKey: 'wrong' })).toEqual({
		status: 'Error',
		message: expect.stringMatching(`${refusal}\\. The job ledger: n8n accepted`),
	});
	expect((await tested({ apiKey: 'wrong', n8nApiKey: 'wrong' })).message).toMatch(
		new RegExp(`${refusal} The job ledger could not be used: n8n refused .*401`),
	);
});

it('one address for both is refused before anything is asked', async () => {
	expect(await tested({ n8nUrl: `${rig.service.url}/n8n` })).toEqual({
		status: 'Error',
		message: expect.stringMatching(/^Base URL and n8n URL of the credential/),
	});
	expect([rig.service.requests, rig.n8n.service.requests]).toEqual([[], []]);
});

const ERROR = '<!DOCTYPE html><title>Error</title>';
const CHECK = 'n8n 2\\.22\\.6 or newer\\. .*n8n URL .*public API is switched on';
it.each([
	[200, { ok: true }, /answered in a form that cannot be read\. Check the n8n URL/],
	[404, { message: 'not found' }, CHECK],
	[503, {}, /internal error \(503\)\. Check the n8n URL/],
	[
		200,
		'n8n is starting up. Please wait',
		/still starting\. Run this again once n8n has started\.$/,
	],
	[
		404,
		ERROR,
		/answered with a web page.*if it is starting, run this again .*public API is switched on/,
	],
	[302, '', /redirect \(302\), which is not followed\. Check the n8n URL/],
])('something else at the n8n URL: %d %j', async (status, body, message) => {
	rig.n8n.service.fault({ do: { type: 'status', status, body } });
	expect(await tested()).toEqual({ status: 'Error', message: expect.stringMatching(message) });
});

it.each(['dataTable:list', 'dataTableRow:read', 'dataTableRow:create', 'dataTableRow:update'])(
	'names the scope %s, which every use needs',
	async (scope) => {
		rig.n8n.missingScopes.add(scope);
		const message = `The n8n API key in the "Router" credential needs the scope ${scope},`;
		for (const ledgerTable of ['Media Jobs', 'Media'])
			expect(await tested({ ledgerTable })).toEqual({
				status: 'Error',
				message: expect.stringContaining(message),
			});
	},
);

it('does not insist on scopes that are needed later or not at all', async () => {
	const { missingScopes, tables } = rig.n8n;
	missingScopes.add('dataTable:create').add('dataTableColumn:create').add('dataTableRow:delete');
	expect(await tested()).toMatchObject({ status: 'OK' });
	missingScopes.add('dataTable:list');
	expect(await tested({ ledgerTable: tables[0]!.id })).toMatchObject({ status: 'OK' });
	const { status, message } = await tested({ ledgerTable: 'ABCDEFGHIJKLMNOP' });
	expect(status).toBe('Error');
	expect(message).toMatch(
		/nothing at this address or with this ID \(404\)\. .*Check Job Ledger Table/,
	);
});

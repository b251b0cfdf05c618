import type { IHttpRequestOptions } from 'n8n-workflow';

import { MarketAssistantApi } from '../../../credentials/MarketAssistantApi.credentials';
import { ModelRouterApi } from '../../../credentials/ModelRouterApi.credentials';
import { WorkspaceAgentApi } from '../../../credentials/WorkspaceAgentApi.credentials';
import { createHeaderAuth } from '../../../src/n8n/credential';
import { X_API_KEY } from '../../../src/core/keyPlace';

const OPTIONS: IHttpRequestOptions = { url: 'https://host.example/v1', headers: { accept: 'x' } };
const SERVICE = { baseUrl: 'https://host.example/api/', apiKey: 'secret' };
const LEDGER = {
	useJobLedger: true,
	n8nUrl: ' http://n8n:5678/ ',
	n8nApiKey: ' n8n-secret\n',
	ledgerTable: 'Media Jobs',
};

const headersFor = async (options: object, credentials: object = {}) =>
	(
		await createHeaderAuth(() => X_API_KEY)(
			{ ...SERVICE, ...LEDGER, ...credentials },
			options as IHttpRequestOptions,
		)
	).headers;

it.each([
	[new WorkspaceAgentApi(), 'Authorization', 'Bearer secret'],
	[new MarketAssistantApi(), 'X-API-Key', 'secret'],
	[new ModelRouterApi(), 'X-API-Key', 'secret'],
])('the key goes into its header', async (credential, header, value) => {
	const options = await credential.authenticate({ ...SERVICE, apiKey: ' secret\n' }, OPTIONS);
	// n8n's HTTP Request node would follow a redirect with the key
	const stays = { disableFollowRedirect: true, followRedirect: false, followAllRedirects: false };
	expect(options).toEqual({ ...OPTIONS, ...stays, headers: { accept: 'x', [header]: value } });
});

it('whoever asked never sees the key', async () => {
	await createHeaderAuth(() => X_API_KEY)(SERVICE, OPTIONS);
	expect(OPTIONS).toEqual({ url: 'https://host.example/v1', headers: { accept: 'x' } });
});

it('a header of the same name in any case gives way', async () => {
	const forged = { 'x-api-KEY': 'forged', 'X-Api-Key': 'forged' };
	expect(await headersFor({ ...OPTIONS, headers: forged })).toEqual({ 'X-API-Key': 'secret' });
	expect(await headersFor({ url: OPTIONS.url })).toEqual({ 'X-API-Key': 'secret' });
	const forN8n = {
		url: 'http://n8n:5678/api/v1/data-tables',
		headers: { 'x-n8n-api-key': 'forged' },
	};
	expect(await headersFor(forN8n)).toEqual({ 'X-N8N-API-KEY': 'n8n-secret' });
});

it.each([[''], ['a\r\nHost: x'], [undefined], [17]])('the key %j is not sent', async (apiKey) => {
	await expect(headersFor(OPTIONS, { apiKey })).rejects.toMatchObject({ kind: 'invalid' });
	await expect(
		headersFor({ url: 'http://n8n:5678/api/v1/data-tables' }, { n8nApiKey: apiKey }),
	).rejects.toMatchObject({ kind: 'invalid' });
});

describe('the target chooses the key', () => {
	const service = { 'X-API-Key': 'secret' };
	const n8n = { 'X-N8N-API-KEY': 'n8n-secret' };
	const tables = 'http://n8n:5678/api/v1/data-tables';
	const { baseUrl: baseURL } = SERVICE;

	it.each([
		['the service', { url: 'https://host.example/v1' }, service],
		['its default port', { url: 'https://HOST.example:443/v1' }, service],
		['n8n', { url: tables }, n8n],
		['the older form', { uri: 'https://host.example/v1' }, service],
		['a base address', { baseURL: 'https://host.example/', url: '/v1' }, service],
		['a base address alone', { baseURL: 'https://host.example', url: '' }, service],
		['an address in spite of a base address', { baseURL, url: `${tables}?filter=%7B%7D` }, n8n],
		['another host', { url: 'https://elsewhere.example/v1' }, undefined],
		['another host in spite of a base', { baseURL, url: 'https://e.example' }, undefined],
		['a host without a scheme', { baseURL, url: '//elsewhere.example/v1' }, undefined],
		['what is read in two ways', { baseURL, url: '\\\\elsewhere.example/v1' }, undefined],
		['the same below n8n', { baseURL: `${tables}/a/`, url: '/api/v1/users' }, undefined],
		['another scheme', { url: 'http://host.example/v1' }, undefined],
		['another port', { url: 'https://host.example:8443/v1' }, undefined],
		['another port of n8n', { url: 'http://n8n:5679/' }, undefined],
		['a host that begins alike', { url: 'https://host.example.com/' }, undefined],
		[
			'a host as the user of another',
			{ url: 'https://host.example@elsewhere.example/' },
			undefined,
		],
		['nothing', {}, undefined],
	])('%s', async (_name, options, expected) => {
		expect(await headersFor(options)).toEqual(expected);
	});

	it.each([
		['goes', tables, `${tables}/`, `${tables}?limit=250&filter=%7B%22name%22%3A%22a%2Fb%22%7D`],
		['goes', `${tables}/gFYx_J-8/rows/update`, `${tables}/x/../gFYxJ8/columns`],
		['does not go', 'http://n8n:5678/', 'http://n8n:5678/api/v1/users', `${tables}s`],
		['does not go', 'http://n8n:5678/webhook/api/v1/data-tables', 'http://n8n:5678/rest/settings'],
		['does not go', `${tables}/../users`, `${tables}/%2e%2e/users`, `${tables}/..%2fusers`],
		['does not go', `${tables}/..%5cusers`, `${tables}/a/..\\..\\users`],
		['does not go', `${tables}//users`, `${tables}/a;b`],
	])("n8n's key %s to %s, %s", async (goes, ...urls) => {
		const headers = await Promise.all(urls.map((url) => headersFor({ url })));
		expect(headers).toEqual(urls.map(() => (goes === 'goes' ? n8n : undefined)));
	});

	it('an n8n below a path', async () => {
		for (const n8nUrl of ['http://n8n:5678/tools/', 'http://n8n:5678/tools/api/v1']) {
			const url = 'http://n8n:5678/tools/api/v1/data-tables/a/rows';
			expect(await headersFor({ url }, { n8nUrl })).toEqual(n8n);
			expect(await headersFor({ url: tables }, { n8nUrl })).toBeUndefined();
		}
	});

	it('n8n gets no key while the job ledger is turned off', async () => {
		const off = { useJobLedger: false };
		expect(await headersFor({ url: tables }, off)).toBeUndefined();
		expect(await headersFor(OPTIONS, off)).toEqual({ accept: 'x', ...service });
	});

	it('a service and an n8n with one origin are refused, and both fields are named', async () => {
		const shared = { n8nUrl: 'https://host.example/n8n' };
		await expect(headersFor(OPTIONS, shared)).rejects.toMatchObject({
			message: expect.stringMatching(/Base URL and n8n URL/),
		});
		expect(await headersFor(OPTIONS, { ...shared, useJobLedger: false })).toMatchObject(service);
	});
});

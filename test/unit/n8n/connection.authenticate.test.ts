import type { IHttpRequestOptions } from 'n8n-workflow';

import { MarketAssistantApi } from '../../../credentials/MarketAssistantApi.credentials';
import { ModelRouterApi } from '../../../credentials/ModelRouterApi.credentials';
import { WorkspaceAgentApi } from '../../../credentials/WorkspaceAgentApi.credentials';
import { createHeaderAuth } from '../../../src/n8n/connection';

const OPTIONS: IHttpRequestOptions = { url: 'https://host.example', headers: { accept: 'x' } };

it.each([
	[new WorkspaceAgentApi(), 'Authorization', 'Bearer secret'],
	[new MarketAssistantApi(), 'X-API-Key', 'secret'],
	[new ModelRouterApi(), 'X-API-KEY', 'secret'],
])('the key goes into its header', async (credential, header, value) => {
	const options = await credential.authenticate({ apiKey: ' secret\n' }, OPTIONS);
	expect(options).toEqual({
		url: 'https://host.example',
		headers: { accept: 'x', [header]: value },
	});
});

it('whoever asked never sees the key', async () => {
	await createHeaderAuth('X-API-Key')({ apiKey: 'secret' }, OPTIONS);
	expect(OPTIONS).toEqual({ url: 'https://host.example', headers: { accept: 'x' } });
});

it('a header of the same name in any case gives way', async () => {
	const options = { url: 'x', headers: { 'x-api-KEY': 'forged', 'X-Api-Key': 'forged' } };
	expect((await createHeaderAuth('X-API-Key')({ apiKey: 'secret' }, options)).headers).toEqual({
		'X-API-Key': 'secret',
	});
	expect((await createHeaderAuth('X-API-Key')({ apiKey: 'secret' }, { url: 'x' })).headers).toEqual(
		{
			'X-API-Key': 'secret',
		},
	);
});

it.each([[''], ['a\r\nHost: x'], [undefined], [17]])('the key %j is not sent', async (apiKey) => {
	await expect(createHeaderAuth('X-API-Key')({ apiKey } as never, OPTIONS)).rejects.toMatchObject({
		kind: 'invalid',
	});
});

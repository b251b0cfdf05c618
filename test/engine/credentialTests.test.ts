import { CredentialTestContext } from 'n8n-core';
import type { ICredentialTestFunctions, INodeCredentialTestResult } from 'n8n-workflow';

import { MarketAssistant } from '../../nodes/MarketAssistant/MarketAssistant.node';
import { ModelRouter } from '../../nodes/ModelRouter/ModelRouter.node';
import { WorkspaceAgent } from '../../nodes/WorkspaceAgent/WorkspaceAgent.node';
import { startContrary, type Contrary, type Said } from './contrary';

// what a credential test makes of an answer that may not be the service's
let service: Contrary;
beforeAll(async () => (service = await startContrary()));
afterAll(() => service.stop());

const tests = {
	agent: new WorkspaceAgent().methods.credentialTest.testWorkspaceAgentApi,
	assistant: new MarketAssistant().methods.credentialTest.testMarketAssistantApi,
	router: new ModelRouter().methods.credentialTest.testModelRouterApi,
};
type Kind = keyof typeof tests;

async function tested(kind: Kind, answer: Said): Promise<INodeCredentialTestResult> {
	service.answer(() => answer);
	const { baseUrl = '', apiKey = '' } = service.secrets['modelRouterApi'] ?? {};
	const paths = {
		agent: '/api/v1/workspaces/w',
		assistant: '/api/ai-assistant/v1',
		router: '',
	};
	const data = { baseUrl: `${String(baseUrl)}${paths[kind]}`, apiKey };
	const context = new CredentialTestContext() as unknown as ICredentialTestFunctions;
	const result = await tests[kind].call(context, { id: 'c', name: 'c', type: 'c', data });
	expect(service.asked).toHaveLength(1);
	return result;
}

const PAGE =
	'<!doctype html><html><head><title>Sign in</title></head><body><p>Welcome</p></body></html>';
const page = (status = 200): Said => ({ status, type: 'text/html; charset=utf-8', body: PAGE });
const json = (value: unknown, status = 200): Said => ({
	status,
	type: 'application/json',
	body: JSON.stringify(value),
});

describe.each(['agent', 'assistant', 'router'] as const)('%s', (kind) => {
	it('a web page is no service, whatever its type is said to be', async () => {
		for (const type of ['text/html', 'application/json', 'text/plain']) {
			const result = await tested(kind, { type, body: PAGE });
			expect(result.status).toBe('Error');
			expect(result.message).toContain('an HTML page: "Sign in"');
			expect(result.message).toContain('base URL');
			expect(result.message).not.toMatch(/<|Welcome/);
		}
	});

	it('a refused key is a refused key', async () => {
		expect(await tested(kind, json({ detail: 'no' }, 401))).toMatchObject({
			status: 'Error',
			message: expect.stringContaining('key (401)'),
		});
		const { message } = await tested(kind, page(401));
		expect(message).toContain('It sent an HTML page: "Sign in"');
	});
});

it.each<[Kind, Said]>([
	['router', json({ data: [{ id: 'v/m', pricing: {} }] })],
	['router', json([])],
	['router', { type: 'text/plain', body: '{"models":[{"id":"v/m"}]}' }],
	['assistant', json({ detail: 'message required' }, 400)],
	['assistant', json({ detail: [] }, 422)],
	['assistant', json({ answer: 'hello' })],
	['agent', json({ detail: 'no such path' }, 404)],
	['agent', json({ data: [] })],
	[
		'agent',
		{ status: 404, type: 'text/html', body: '<!DOCTYPE html><pre>Cannot GET /session</pre>' },
	],
	['agent', { status: 405 }],
])('%s: %j is good', async (kind, answer) => {
	expect(await tested(kind, answer)).toMatchObject({ status: 'OK' });
});

it.each<[Kind, Said]>([
	['router', json({ ok: true })],
	['router', json({ status: 'healthy', data: 'x' })],
	['router', { type: 'text/plain', body: 'ok' }],
	['router', {}],
	['router', json('models')],
	['assistant', page(400)],
	['assistant', { type: 'text/plain', body: 'ok' }],
	['assistant', {}],
])('%s: %j is not the service', async (kind, answer) => {
	expect(await tested(kind, answer)).toMatchObject({ status: 'Error' });
});

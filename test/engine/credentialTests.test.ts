import { contraryForTests, type Said } from './contrary';
import { testCredential } from './rig/credentialTest';

// what a credential test makes of an answer that may not be the service's
const service = contraryForTests();

type Kind = Parameters<typeof testCredential>[0];
const AGENT = 'workspaceAgentApi';
const ASSISTANT = 'marketAssistantApi';
const ROUTER = 'modelRouterApi';

async function tested(kind: Kind, answer: Said) {
	service.answer(() => answer);
	const result = await testCredential(kind, service.secrets[kind]!);
	// a catalog that everybody gets proves nothing about the key
	const isPublic = kind === ROUTER && result.status === 'OK';
	expect(service.asked).toHaveLength(isPublic ? 2 : 1);
	expect(result.message.includes('list of models to everybody')).toBe(isPublic);
	return result;
}

const PAGE =
	'<!doctype html><html><head><title>Sign in</title></head><body><p>Welcome</p></body></html>';
const page = (status = 200): Said => ({ status, type: 'text/html; charset=utf-8', body: PAGE });
const CANNOT = '<!DOCTYPE html><pre>Cannot GET /session</pre>';
const text = (body: string): Said => ({ type: 'text/plain', body });
const json = (value: unknown, status = 200): Said => ({
	status,
	type: 'application/json',
	body: JSON.stringify(value),
});

describe.each([AGENT, ASSISTANT, ROUTER] as const)('%s', (kind) => {
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

it.each<[Kind, 'OK' | 'Error', Said]>([
	[ROUTER, 'OK', json({ data: [{ id: 'v/m', pricing: {} }] })],
	[ROUTER, 'OK', json([])],
	[ROUTER, 'OK', text('{"models":[{"id":"v/m"}]}')],
	[ASSISTANT, 'OK', json({ detail: 'message required' }, 400)],
	[ASSISTANT, 'OK', json({ detail: [] }, 422)],
	[ASSISTANT, 'Error', json({ answer: 'hello' })],
	[ASSISTANT, 'Error', json({})],
	[ASSISTANT, 'Error', { status: 204 }],
	[AGENT, 'OK', json({ detail: 'no such path' }, 404)],
	[AGENT, 'OK', json({ data: [] })],
	[AGENT, 'OK', { status: 404, type: 'text/html', body: CANNOT }],
	[AGENT, 'OK', { status: 405 }],
	[AGENT, 'OK', { status: 500 }],
	[AGENT, 'Error', page(502)],
	[AGENT, 'Error', { status: 503 }],
	[ROUTER, 'Error', json({ ok: true })],
	[ROUTER, 'Error', json({ status: 'healthy', data: 'x' })],
	[ROUTER, 'Error', text('ok')],
	[ROUTER, 'Error', {}],
	[ROUTER, 'Error', json('models')],
	[ASSISTANT, 'Error', json({ error: 'message required' })],
	[ASSISTANT, 'OK', json({ detail: 'Unexpected token in JSON' }, 400)],
	[ASSISTANT, 'Error', json({ error: 'Invalid API key' })],
	[ASSISTANT, 'Error', json({ detail: 'Invalid API key' }, 400)],
	[ASSISTANT, 'Error', { ...text('Invalid API key'), status: 400 }],
	[ASSISTANT, 'OK', json({ detail: 'Missing required key: message' }, 422)],
	[AGENT, 'Error', json({ error: { message: 'Authentication failed' } }, 400)],
	[ASSISTANT, 'Error', page(400)],
	[ASSISTANT, 'Error', text('ok')],
	[ASSISTANT, 'Error', {}],
])('%s: the test says %s to %j', async (kind, status, answer) => {
	expect(await tested(kind, answer)).toMatchObject({ status });
});

it('a key that a server takes elsewhere: the field is named', async () => {
	// of LangGraph's cloud: langchain-ai/chat-langchain#374
	service.answer(() => json({ detail: 'Missing authentication headers' }, 403));
	const data = { ...service.secrets[ROUTER], server: 'langGraph', keyIn: 'bearer' };
	expect(await testCredential('agentServerApi', data)).toEqual({
		status: 'Error',
		message:
			'The API key does not permit this request (403). Check where the service takes it, in "Key In"',
	});
});

describe('model lists', () => {
	const named = (name: string, models: string) => ({ name, models });
	it.each([
		['that the catalog has', [named('a', 'V/M')], 'OK', /./],
		[
			'that it does not have',
			[named('a', 'v/m\ngone/1')],
			'Error',
			/reached\. List "a": the catalog does not have the model gone\/1\. Such/,
		],
		['without models', [named('a', '')], 'Error', /"a" has no models/],
		['of one name', [named('a', 'v/m'), named('A', 'v/m')], 'Error', /two lists have the name "A"/],
	])('%s', async (_what, list, status, sentence) => {
		service.answer(() => json({ data: [{ id: 'v/m' }] }));
		const data = { ...service.secrets[ROUTER]!, modelLists: { list } };
		const result = await testCredential(ROUTER, data as never);
		expect(result).toMatchObject({ status, message: expect.stringMatching(sentence) });
	});
});

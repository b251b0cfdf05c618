import type { ICredentialType, IHttpRequestOptions } from 'n8n-workflow';

import { MarketAssistantApi } from '../../credentials/MarketAssistantApi.credentials';
import { ModelRouterApi } from '../../credentials/ModelRouterApi.credentials';
import { WorkspaceAgentApi } from '../../credentials/WorkspaceAgentApi.credentials';
import { findHeaderSecrets } from '../../src/n8n/headers';
import { agent, assistant, chat, secretsOf } from './rig/calls';
import { testCredential } from './rig/credentialTest';
import type { Secrets } from './rig/credentials';
import { run } from './rig/run';
import { secretsOfFreshAccount, serviceForTests } from './rig/service';

const service = serviceForTests();

const ID = 'id-of-the-entrance-5b1e';
const SECRET = 'Basic c2VjcmV0LW9mLXRoZS1lbnRyYW5jZQ==';
const HEADERS = {
	additionalHeader1Name: 'CF-Access-Client-Id',
	additionalHeader1Value: ID,
	// white space around it, as copying may add
	additionalHeader3Name: ' X-Entrance\n',
	additionalHeader3Value: `\u200b${SECRET}\n`,
};

const TYPES = {
	workspaceAgentApi: new WorkspaceAgentApi(),
	marketAssistantApi: new MarketAssistantApi(),
	modelRouterApi: new ModelRouterApi(),
} satisfies Record<string, ICredentialType>;
type Type = keyof typeof TYPES;
const types = Object.keys(TYPES) as Type[];
const saying = {
	workspaceAgentApi: (message: string) => agent({ message }),
	marketAssistantApi: (question: string) => assistant('ask', { question }),
	modelRouterApi: (content: string) => chat(content),
};

const withFields = (secrets: Secrets, fields: object): Secrets =>
	Object.fromEntries(Object.entries(secrets).map(([type, data]) => [type, { ...data, ...fields }]));

const one = (name: unknown, value: unknown = 'v') => ({
	additionalHeader1Name: name,
	additionalHeader1Value: value,
});
const BOTH = /^Additional Header 1 needs both a name and a value/;
const RESERVED = /^Additional Header 1 must not be "/;
const NAME = /^The name of Additional Header 1 contains a character that is not allowed/;
const VALUE = /^The value of Additional Header 1 is too long, or contains a character that is not/;
const refusals: Array<[string, object, RegExp]> = [
	...[
		'Host',
		'content-length',
		'Content-Type',
		'content-encoding',
		'Transfer-Encoding',
		'TE',
		'connection',
		'Keep-Alive',
		'trailer',
		'UPGRADE',
		'Accept',
		'accept-encoding',
		'Cookie',
		'proxy-authorization',
		'Proxy-Connection',
		'x-n8n-api-key',
		'__proto__',
		'get',
		'common',
	].map((name): [string, object, RegExp] => [name, one(name), RESERVED]),
	...['X Y', 'X-Y:', 'X/Y', '(x)', 'ä', 'x\r\ny', '"x"', 'x\u0000'].map(
		(name): [string, object, RegExp] => [JSON.stringify(name), one(name), NAME],
	),
	...['a\nb', 'a\r\nX: y', 'a\u0000b', 'a\u007fb', 'a\u0085b', '€', '密', 'v'.repeat(4097)].map(
		(value): [string, object, RegExp] => [JSON.stringify(value), one('x-y', value), VALUE],
	),
	['a name without a value', one('x-y', ' '), BOTH],
	['a value without a name', one('', 'v'), BOTH],
	['an expression that gives nothing', one('x-y', null), BOTH],
	[
		'a name twice',
		{ ...one('x-y'), additionalHeader2Name: 'X-Y', additionalHeader2Value: 'w' },
		/^Additional Header 2 has the same name as another one/,
	],
];

describe.each(types)('%s', (type) => {
	const keyHeader = type === 'workspaceAgentApi' ? 'authorization' : 'x-api-key';

	it.each([...refusals, ['the header of the key', one(keyHeader), RESERVED] as const])(
		'refuses %s in words before anything is sent: in the node, when saved, and for HTTP Request',
		async (_name, fields, sentence) => {
			const secrets = withFields(secretsOf(service), fields);
			const { error } = await run({ ...saying[type]('x'), secrets });
			expect(error?.message).toMatch(sentence);
			const tested = await testCredential(type, secrets[type]!);
			expect(tested).toEqual({ status: 'Error', message: expect.stringMatching(sentence) });
			await expect(
				TYPES[type].authenticate(secrets[type]!, { url: service.url }),
			).rejects.toMatchObject({ kind: 'invalid', message: expect.stringMatching(sentence) });
			expect(service.requests).toEqual([]);
		},
	);

	it('sends them in Latin-1, also a number and an object of an expression', async () => {
		const more = {
			...one('x-text', 'caf\u00e9\t\u00a3 5'),
			additionalHeader2Name: 'x-number',
			additionalHeader2Value: 7,
			additionalHeader3Name: 'x-object',
			additionalHeader3Value: { provider: 'openai' },
		};
		const secrets = withFields(secretsOf(service), more);
		const sent = {
			'x-text': 'caf\u00e9\t\u00a3 5',
			'x-number': '7',
			'x-object': '{"provider":"openai"}',
		};
		expect((await run({ ...saying[type]('x'), secrets })).error).toBeUndefined();
		await testCredential(type, secrets[type]!);
		expect(service.requests.length).toBeGreaterThan(1);
		for (const { headers } of service.requests) expect(headers).toMatchObject(sent);
	});

	it('HTTP Request: to the origin of the base URL only, and never along with a redirect', async () => {
		const { [type]: data } = withFields(secretsOf(service), HEADERS);
		const follows = { followRedirect: true, followAllRedirects: true, maxRedirects: 21 };
		const forged = { headers: { 'cf-access-client-id': 'forged', other: 'o' } };
		const asked = async (uri: string) =>
			await TYPES[type].authenticate(data!, {
				...({ uri, ...follows, ...forged } as object as IHttpRequestOptions),
			});
		expect(await asked(`${service.url}/anything`)).toMatchObject({
			followRedirect: false,
			followAllRedirects: false,
			disableFollowRedirect: true,
			headers: { other: 'o', 'CF-Access-Client-Id': ID, 'X-Entrance': SECRET },
		});
		for (const uri of ['http://127.0.0.1:9/', service.url.replace('127.0.0.1', 'localhost')])
			expect(await asked(uri)).toEqual({ uri, ...follows, ...forged });
	});

	it('a value that the service repeats is in no output and no error', async () => {
		const secrets = withFields(secretsOf(service), HEADERS);
		// the token is also repeated without what stands before it
		const said = `${ID} ${SECRET.toUpperCase()} ${SECRET.slice(6)} ${encodeURIComponent(SECRET)}`;
		const { items, error, run: stored } = await run({ ...saying[type](said), secrets });
		expect(error).toBeUndefined();
		expect(JSON.stringify(items)).toContain('*** *** *** ***');
		const body = { error: { message: `no: ${said}` } };
		service.fault({ do: { type: 'status', status: 400, body } });
		const failed = await run({ ...saying[type]('x'), secrets });
		expect(failed.error?.description).toContain('no: *** *** *** ***');
		expect((await testCredential(type, secrets[type]!)).message).not.toContain(ID);
		for (const text of [JSON.stringify(stored), JSON.stringify(failed.run)])
			expect([ID, SECRET.slice(6)].filter((secret) => text.includes(secret))).toEqual([]);
	});
});

it.each([
	['seven-1', []],
	['fourteen-words', []],
	['fifteen-letters', []],
	['sixteen-letters-', ['sixteen-letters-']],
	['s3cret-8', ['s3cret-8']],
	['pAssWord', ['pAssWord']],
	['azure-openai', []],
	['2023-06-01', []],
	['Bearer tok3n-of-mine', ['Bearer tok3n-of-mine', 'tok3n-of-mine']],
	['Token token=tok3n', ['Token token=tok3n', 'token=tok3n']],
	['id-4711:s3cret-of-mine', ['id-4711:s3cret-of-mine', 's3cret-of-mine']],
	['a=abc&b=s3cret-of-mine', ['a=abc&b=s3cret-of-mine', 's3cret-of-mine']],
	["{'key':'s3cret-of-mine'}", ["{'key':'s3cret-of-mine'}", 's3cret-of-mine']],
	[
		'Basic dXNlcjphLXBhc3N3MHJkOjE=',
		[
			'Basic dXNlcjphLXBhc3N3MHJkOjE=',
			'dXNlcjphLXBhc3N3MHJkOjE=',
			'dXNlcjphLXBhc3N3MHJkOjE',
			'a-passw0rd:1',
			'a-passw0rd',
		],
	],
	[
		'{"provider":"openai","api_key":"k3y-of-a-provider"}',
		['{"provider":"openai","api_key":"k3y-of-a-provider"}', 'k3y-of-a-provider'],
	],
])('of the value %j these are redacted: %j', (value, secrets) => {
	const all = findHeaderSecrets({ additionalHeader2Value: value });
	expect([...new Set(all)]).toEqual(secrets);
});

it('a catalog that was read for one set of headers is not that of another', async () => {
	const account = secretsOfFreshAccount(service);
	const asked = async (fields: object) => {
		const before = service.requests.length;
		await run({ ...chat('x'), secrets: withFields(account, fields) });
		return service.requests.slice(before).filter(({ method }) => method === 'GET').length;
	};
	expect([await asked(one('x-tenant', 'a')), await asked(one('x-tenant', 'a'))]).toEqual([1, 0]);
	expect([await asked(one('x-tenant', 'b')), await asked({})]).toEqual([1, 1]);
});

import { access as marketAssistant } from '../../../nodes/MarketAssistant/resources';
import { access as modelRouter } from '../../../nodes/ModelRouter/access';
import { access as workspaceAgent } from '../../../nodes/WorkspaceAgent/resources';
import {
	encodePathSegment,
	normalizeApiKey,
	normalizeBaseUrl,
	isBelow,
	joinUrl,
	type PlainHttp,
	readBaseUrl,
	resolveRedirect,
} from '../../../src/core/urls';
import fc, { character } from '../../support/fastCheck';
import { thrownBy } from '../inMemoryHttp';

const HOST = 'https://host.example';

it.each([
	[HOST, HOST, `${HOST}/`, `${HOST}/v1`, `${HOST}/v1/`, `${HOST}/v1/v1`, `${HOST}/v1//v1///`],
	[HOST, ` \t\u200b\ufeff${HOST}\u00a0\n`],
	[`${HOST}/api`, `${HOST}/api/v1/`],
	[`${HOST}/api/v1/workspaces/w-1`, `${HOST}/api/v1/workspaces/w-1`],
	[`${HOST}/rev1`, `${HOST}/rev1`],
	[`${HOST}:8443`, `${HOST}:8443/v1`],
	[`${HOST}/V`, 'HTTPS://HOST.Example/V'],
	['http://localhost:5678', 'http://localhost:5678/v1'],
	['http://127.0.0.1:1', 'http://127.0.0.1:1'],
	['http://127.1.2.3', 'http://127.1.2.3'],
	['http://[::1]', 'http://[::1]:80/v1'],
	['https://xn--bcher-kva.example', 'https://bücher.example/v1'],
	['https://10.0.0.1', 'https://10.0.0.1'],
])('%j is what becomes of %j', (expected, ...typed) => {
	expect(typed.map((one) => normalizeBaseUrl(one, 'v1'))).toEqual(typed.map(() => expected));
});

it('keeps a version that is not asked to be taken off', () => {
	expect(normalizeBaseUrl('https://host.example/v1/')).toBe('https://host.example/v1');
});

/** The messages of refusals. */
const refusals = <Typed>(typed: Typed[], read: (one: Typed) => unknown) =>
	typed.map((one) => {
		const refusal = thrownBy(() => read(one));
		expect(refusal.kind).toBe('invalid');
		return refusal.message;
	});

it.each([
	['is empty', '', ' \u200b\n'],
	['is not a web address', 'host.example', '//host.example', 'https:host.example', 'https://'],
	['is not a web address', 'ftp://host.example', 'data:application/json,{}'],
	['is not a web address', 'javascript:alert(1)', 'file:///etc/passwd'],
	['must begin with https://', 'http://host.example', 'http://localhost.example'],
	['must begin with https://', 'http://127.0.0.1.example'],
	['must not contain a user name or password', 'https://user@host.example'],
	['must not contain a user name or password', 'https://:secret@host.example'],
	['must not contain "?" or "#"', `${HOST}?a=b`, `${HOST}/?`, `${HOST}/#`],
])('a base URL %s: %j', (why, ...typed) => {
	expect(refusals(typed, (one) => normalizeBaseUrl(one, 'v1'))).toEqual(
		typed.map(() => `The base URL ${why}`),
	);
});

it.each([
	[modelRouter, '/v1/models', '/v1/models/v/m', '/v1/responses', '/responses'],
	[modelRouter, '/v1/messages', '/embeddings', '/v1/completions'],
	[modelRouter, '/v1/images/jobs', '/v1/audio/jobs/1/content'],
	[marketAssistant, '/v1/invoke_assistant', '/v1/invoke_assistant_stream'],
	[workspaceAgent, '/session/s-1/messages'],
])('a base URL that ends in an address of the service says so: %#', (access, ...ends) => {
	for (const end of ends)
		expect(thrownBy(() => readBaseUrl(`${HOST}/api${end}`, access))).toMatchObject({
			message: `The base URL ends in ${end}`,
			details: { advice: expect.stringMatching(/^Remove that part of it in the credential/) },
		});
});

it.each([
	[modelRouter, '/v1', '', '/models', '/v1/account/router', '/v1/modelsx', '/jobs'],
	[marketAssistant, '/v1', '', '/ai-assistant', '/invoke'],
	[workspaceAgent, '', '', '/api/v1/workspaces/w', '/session'],
])('any other base URL is taken, with the version: %#', (access, version, ...ends) => {
	for (const end of ends) expect(readBaseUrl(HOST + end, access)).toBe(HOST + end + version);
});

const AZURE = 'https://a.openai.azure.com/openai/deployments';
const GOOGLE = 'https://generativelanguage.googleapis.com';

it.each([
	[`${HOST}/v1`, HOST, `${HOST}/v1/`, `${HOST}/v1/v1`, `${HOST}/v1/chat/completions`],
	[HOST, `${HOST}/chat/completions/`],
	[`${HOST}/api/paas/v4`, `${HOST}/api/paas/v4`, `${HOST}/api/paas/v4/chat/completions`],
	[`${HOST}/v1/a/g/compat`, `${HOST}/v1/a/g/compat/`, `${HOST}/v1/a/g/compat/chat/completions`],
	[`${HOST}/v1/openai`, `${HOST}/v1/openai`],
	[`${HOST}/inference/v1`, `${HOST}/inference/v1`],
	// GitHub Models, Databricks, Vertex AI
	...['/inference', '/serving-endpoints', '/v1/projects/p/locations/l/endpoints/openapi'].map(
		(path) => [HOST + path, HOST + path, `${HOST}${path}/chat/completions`],
	),
	['https://openrouter.ai/api/v1', 'https://openrouter.ai', 'https://openrouter.ai/api/'],
	['https://openrouter.ai/api/v1', 'https://openrouter.ai/api/v1/chat/completions'],
	['https://api.groq.com/openai/v1', 'https://api.groq.com', 'https://api.groq.com/openai/v1'],
	['https://a.openai.azure.com/openai/v1', 'https://a.openai.azure.com'],
	// what its portal shows of a deployment, without the query, and of a project
	['https://a.openai.azure.com/openai/v1', `${AZURE}/gpt-4o`, `${AZURE}/gpt-4o/chat/completions`],
	['https://a.services.ai.azure.com/openai/v1', 'https://a.services.ai.azure.com/api/projects/p'],
	['https://ai-gateway.helicone.ai/v1', 'https://ai-gateway.helicone.ai/ai'],
	['https://router.huggingface.co/nebius/v1', 'https://router.huggingface.co/nebius/v1'],
	[`${GOOGLE}/v1beta/openai`, GOOGLE, `${GOOGLE}/v1beta`, `${GOOGLE}/v1beta/openai/`],
	// the rest of the address is the user's own
	['https://gateway.ai.cloudflare.com/v1', 'https://gateway.ai.cloudflare.com'],
	['https://openrouter.ai.evil.example/v1', 'https://openrouter.ai.evil.example'],
])('%s is the root of models at %j', (root, ...typed) => {
	expect(typed.map((one) => readBaseUrl(one, modelRouter))).toEqual(typed.map(() => root));
	expect(joinUrl(root, '/v1/chat/completions')).toBe(`${root}/chat/completions`);
});

it('says what to do about a query', () => {
	const { details } = thrownBy(() => readBaseUrl(`${AZURE}/a?api-version=1`, modelRouter));
	expect(details.advice).toBe('Remove it, and what comes after it, in the credential.');
});

describe('http://', () => {
	const read = (host: string, plainHttp?: PlainHttp) =>
		readBaseUrl(`http://${host}`, workspaceAgent, plainHttp);
	const OWN =
		`ollama:11434 litellm host.docker.internal nas.local box.lan pi.home.arpa 10.0.0.8 192.168.1.2:8080 172.16.0.1
		172.31.255.255 [fd00::1] [fc12:3::4]:80 [::ffff:10.1.2.3] 3232235777
		metadata-2 vm.c.project.internal metadata.lan [fd00:42::43]`.split(/\s+/);
	const OTHERS =
		`example.com evil.local.example 169.254.169.254 [fe80::1] 0.0.0.0 [::] 224.0.0.1 [ff02::1] 172.15.0.1 172.32.0.1
		192.169.0.1 11.0.0.1 [::ffff:169.254.169.254] [::ffff:8.8.8.8] [fec0::1] 8.8.8.8 ollama.
		metadata.google.internal METADATA metadata:80 instance-data instance-data.ec2.internal [fd20:ce::254]
		[fd00:ec2::254] [fd00:0ec2:0::23]:80 [fd00:c1::a9fe:a9fe] [fd00:42::42] [fd00:a9fe:a9fe::1] [fd00:100::100:200]`.split(
			/\s+/,
		);

	it.each(OWN)('is taken for %s in the own network, but not from an expression', (host) => {
		expect(read(host)).toMatch(/^http:/);
		expect(refusals([host], (one) => read(one, 'thisMachine'))).toEqual([
			'The base URL must begin with https://',
		]);
	});

	it.each(OTHERS)('is not taken for %s', (host) => {
		expect(refusals([host], (one) => read(one))).toEqual(['The base URL must begin with https://']);
	});

	it.each(['http://ollama:1/a', 'http://10.0.0.1/a'])('a redirect to %s is none', (location) => {
		expect(resolveRedirect('http://ollama:1/v1/x', location)).toBeUndefined();
	});
});

it.each([
	['abc-123', 'abc-123'],
	['  abc\n', 'abc'],
	['\u200babc\ufeff', 'abc'],
	['a"b\\c~!', 'a"b\\c~!'],
])('the key %j is taken as %j', (typed, expected) => {
	expect(normalizeApiKey(typed)).toBe(expected);
});

it.each([
	['is empty', '', ' \r\n', undefined, null],
	['is not a text', 42, {}, false],
	[
		'contains a space or another character that is not allowed in a key',
		'abc def',
		'abc\r\nX-Other: 1',
		'ключ',
		'ab\u200bcd',
	],
	['is longer than 4096 characters', 'a file'.repeat(1000)],
])('an API key %s: %j', (why, ...typed) => {
	expect(refusals(typed, normalizeApiKey)).toEqual(typed.map(() => `The API key ${why}`));
	for (const one of typed.filter((key) => typeof key === 'string' && key.trim())) {
		const { message, details } = thrownBy(() => normalizeApiKey(one));
		expect(JSON.stringify([message, details])).not.toContain(String(one).trim());
	}
});

describe('a redirect', () => {
	const HERE = 'https://router.example/v1/images/jobs/1/content';
	const LOCAL = 'http://127.0.0.1:8080/v1/images/jobs/1/content';

	it.each([
		[HERE, 'https://files.example/a.png?sig=x%2Fy', 'https://files.example/a.png?sig=x%2Fy', false],
		[HERE, '/files/a.png', 'https://router.example/files/a.png', true],
		[HERE, 'a.png#part', 'https://router.example/v1/images/jobs/1/a.png', true],
		[HERE, 'https://ROUTER.example:443/a', 'https://router.example/a', true],
		[HERE, 'https://router.example:444/a', 'https://router.example:444/a', false],
		[HERE, 'https://router.example.evil/a', 'https://router.example.evil/a', false],
		[HERE, '//files.example/a', 'https://files.example/a', false],
		[LOCAL, 'http://127.0.0.1:8080/a', 'http://127.0.0.1:8080/a', true],
		[LOCAL, 'http://127.0.0.1:9000/a', 'http://127.0.0.1:9000/a', false],
		[LOCAL, 'http://localhost:8080/a', 'http://localhost:8080/a', false],
		[LOCAL, 'https://files.example/a', 'https://files.example/a', false],
	])('from %s to %s', (from, location, url, sameOrigin) => {
		expect(resolveRedirect(from, location)).toEqual({ url, sameOrigin });
	});

	it.each([
		[HERE, 'http://router.example/a', 'http://127.0.0.1/a', 'https://'],
		[HERE, 'https://user@files.example/a', 'https://user:word@router.example/a'],
		[HERE, 'ftp://files.example/a', 'file:///etc/passwd', 'data:image/png;base64,AA'],
		[HERE, 'javascript:alert(1)'],
		[LOCAL, 'http://files.example/a', 'http://127.0.0.1.evil.example/a'],
	])('from %s to %j is not followed', (from, ...locations) => {
		const followed = locations.map((location) => resolveRedirect(from, location));
		expect(followed).toEqual(locations.map(() => undefined));
	});
});

describe('below the path of a job', () => {
	const JOB = 'https://host.example/base/v1/images/jobs/j%201';
	it.each([
		'',
		'/',
		'/content',
		'/content/',
		'/files/a-1_b.png',
		'/content?to=/v1/account',
		'/a#b',
		'/x/../content',
	])('is %j', (rest) => expect(isBelow(JOB + rest, JOB)).toBe(true));

	it.each([
		'1',
		'1/content',
		'/..',
		'/../2/content',
		'/%2e%2e/2',
		'/.%2E/2',
		'/..\\2',
		'\\..\\..',
		'/..%2f2',
		'/%2e%2e%2f2',
		'/..%5c2',
		'/a%2F..',
		'//content',
		'/content//',
		'/a;b',
		'/a:b',
		'/...',
		'/a..b',
		'/.a',
		'/a.',
		'/%00',
		'/a b',
		'/é',
		'/..;/2',
		'/@host',
		'/%252e%252e',
	])('is not %j', (rest) => expect(isBelow(JOB + rest, JOB)).toBe(false));

	it.each([
		'http://host.example',
		'https://host.example:8443',
		'https://host.example.',
		'https://host',
		'https://host.example@evil.example',
		'https://evil.example/https://host.example',
	])('is nothing at %s', (origin) => {
		expect(isBelow(`${origin}/base/v1/images/jobs/j%201/content`, JOB)).toBe(false);
	});

	it('is the same in another spelling of the origin', () => {
		expect(isBelow(`HTTPS://HOST.example:443${new URL(JOB).pathname}/content`, JOB)).toBe(true);
		expect(isBelow('https://host.example/V1/images/jobs/j', JOB)).toBe(false);
	});
});

const FOLDER = 'https://host.example/v1/images/jobs/';

it.each([
	['job_1', 'job_1'],
	['vendor/model', 'vendor%2Fmodel'],
	['a b', 'a%20b'],
	['a?b#c', 'a%3Fb%23c'],
	['..a', '..a'],
	['a..b', 'a..b'],
	['...', '...'],
	['100%', '100%25'],
	['é😀', '%C3%A9%F0%9F%98%80'],
	['7'.repeat(2000), '7'.repeat(2000)],
])('%j becomes %s', (id, segment) => {
	expect(encodePathSegment(id, 'Job ID')).toBe(segment);
});

it.each([
	['is empty', '', ' \t'],
	['must not point to another address', '.', '..', '../x', 'x/../../y', 'x\\..\\y'],
	['must not point to another address', '%2e%2e', '%2E.'],
	['contains a control character', 'a\r\nHost: x', 'a\0', 'a\u0085'],
	['contains an incomplete character, such as half of an emoji', 'a\ud800'],
	['is longer than 2000 characters', '7'.repeat(2001), 'x'.repeat(20_000)],
])('an ID %s: %j', (why, ...ids) => {
	expect(refusals(ids, (id) => encodePathSegment(id, 'Job ID'))).toEqual(
		ids.map(() => `Job ID ${why}`),
	);
});

it('never lets an id leave its folder', () => {
	const hostile = fc.array(
		fc.constantFrom(
			'.',
			'..',
			'/',
			'\\',
			'%2e',
			'%2f',
			'%',
			'?',
			'#',
			';',
			'\t',
			' ',
			'@',
			':',
			'a',
		),
		{ maxLength: 8 },
	);
	const ids = fc.oneof(
		fc.string({ unit: character }),
		hostile.map((parts) => parts.join('')),
	);
	fc.assert(
		fc.property(ids, (id) => {
			let segment: string;
			try {
				segment = encodePathSegment(id, 'Job ID');
			} catch (error) {
				expect(error).toMatchObject({ name: 'ServiceError', kind: 'invalid' });
				return;
			}
			const { href, pathname, search, hash } = new URL(`${FOLDER}${segment}/content`);
			expect([href.startsWith(FOLDER), search, hash]).toEqual([true, '', '']);
			expect(pathname.split('/')).toHaveLength(6);
			expect(decodeURIComponent(pathname.split('/')[4] ?? '')).toBe(id);
		}),
	);
});

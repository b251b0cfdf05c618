import { ServiceError } from '../../../src/core/errors';
import {
	encodePathSegment,
	normalizeApiKey,
	normalizeBaseUrl,
	resolveRedirect,
} from '../../../src/core/urls';
import fc, { character } from '../../support/fastCheck';

const refusalOf = (action: () => unknown): ServiceError => {
	try {
		action();
	} catch (error) {
		if (error instanceof ServiceError) return error;
		throw error;
	}
	throw new Error('nothing was thrown');
};

it.each([
	['https://host.example', 'https://host.example'],
	['https://host.example/', 'https://host.example'],
	['https://host.example/v1', 'https://host.example'],
	['https://host.example/v1/', 'https://host.example'],
	['https://host.example/v1/v1', 'https://host.example'],
	['https://host.example/v1//v1///', 'https://host.example'],
	['https://host.example/api/v1/', 'https://host.example/api'],
	['https://host.example/api/v1/workspaces/w-1', 'https://host.example/api/v1/workspaces/w-1'],
	['https://host.example/rev1', 'https://host.example/rev1'],
	['https://host.example:8443/v1', 'https://host.example:8443'],
	['HTTPS://HOST.Example/V', 'https://host.example/V'],
	[' \t\u200b\ufeffhttps://host.example\u00a0\n', 'https://host.example'],
	['http://localhost:5678/v1', 'http://localhost:5678'],
	['http://127.0.0.1:1', 'http://127.0.0.1:1'],
	['http://127.1.2.3', 'http://127.1.2.3'],
	['http://[::1]:80/v1', 'http://[::1]'],
	['https://bücher.example/v1', 'https://xn--bcher-kva.example'],
	['https://10.0.0.1', 'https://10.0.0.1'],
])('%j becomes %s', (typed, expected) => {
	expect(normalizeBaseUrl(typed, 'v1')).toBe(expected);
});

it('keeps a version that is not asked to be taken off', () => {
	expect(normalizeBaseUrl('https://host.example/v1/')).toBe('https://host.example/v1');
});

it.each([
	['', 'The base URL is empty'],
	[' \u200b\n', 'The base URL is empty'],
	['host.example', 'The base URL is not a web address'],
	['//host.example', 'The base URL is not a web address'],
	['https:host.example', 'The base URL is not a web address'],
	['ftp://host.example', 'The base URL is not a web address'],
	['data:application/json,{}', 'The base URL is not a web address'],
	['javascript:alert(1)', 'The base URL is not a web address'],
	['file:///etc/passwd', 'The base URL is not a web address'],
	['https://', 'The base URL is not a web address'],
	['http://host.example', 'The base URL must begin with https://'],
	['http://localhost.example', 'The base URL must begin with https://'],
	['http://127.0.0.1.example', 'The base URL must begin with https://'],
	['https://user@host.example', 'The base URL must not contain a user name or password'],
	['https://:secret@host.example', 'The base URL must not contain a user name or password'],
	['https://host.example?a=b', 'The base URL must not contain "?" or "#"'],
	['https://host.example/?', 'The base URL must not contain "?" or "#"'],
	['https://host.example/#', 'The base URL must not contain "?" or "#"'],
])('%j is refused: %s', (typed, message) => {
	const refusal = refusalOf(() => normalizeBaseUrl(typed, 'v1'));
	expect(refusal).toMatchObject({ kind: 'invalid', message });
});

it('says nothing but ServiceError of any text, and what it gives is a base to build on', () => {
	const urls = fc.oneof(
		fc.string({ unit: character }),
		fc.webUrl({ withQueryParameters: true, withFragments: true }),
		fc.string({ unit: character }).map((rest) => `https://host.example/${rest}`),
	);
	fc.assert(
		fc.property(urls, (typed) => {
			let base: string;
			try {
				base = normalizeBaseUrl(typed, 'v1');
			} catch (error) {
				expect(error).toMatchObject({ name: 'ServiceError', kind: 'invalid' });
				return;
			}
			expect(base).not.toMatch(/\/$|\/v1$|[?#]/);
			expect(normalizeBaseUrl(base, 'v1')).toBe(base);
			expect(new URL(`${base}/v1/models`).href).toBe(`${base}/v1/models`);
		}),
	);
});

it.each([
	['abc-123', 'abc-123'],
	['  abc\n', 'abc'],
	['\u200babc\ufeff', 'abc'],
	['a"b\\c~!', 'a"b\\c~!'],
])('the key %j is taken as %j', (typed, expected) => {
	expect(normalizeApiKey(typed)).toBe(expected);
});

const NOT_ALLOWED =
	'The API key contains a space or another character that is not allowed in a key';

it.each([
	['', 'The API key is empty'],
	[' \r\n', 'The API key is empty'],
	[undefined, 'The API key is empty'],
	[42, 'The API key is empty'],
	['abc def', NOT_ALLOWED],
	['abc\r\nX-Other: 1', NOT_ALLOWED],
	['ключ', NOT_ALLOWED],
	['ab\u200bcd', NOT_ALLOWED],
	['a file'.repeat(1000), 'The API key is longer than 4096 characters'],
])('the key %j is refused: %s', (typed, message) => {
	const refusal = refusalOf(() => normalizeApiKey(typed));
	expect(refusal).toMatchObject({ kind: 'invalid', message });
	if (typeof typed === 'string' && typed.trim())
		expect(JSON.stringify([refusal.message, refusal.details])).not.toContain(typed.trim());
});

describe('a redirect', () => {
	const HERE = 'https://router.example/v1/images/jobs/1/content';
	const LOCAL = 'http://127.0.0.1:8080/v1/images/jobs/1/content';

	it.each<[string, string, string, boolean]>([
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
		[HERE, 'http://router.example/a'],
		[HERE, 'http://127.0.0.1/a'],
		[LOCAL, 'http://files.example/a'],
		[LOCAL, 'http://127.0.0.1.evil.example/a'],
		[HERE, 'https://user@files.example/a'],
		[HERE, 'https://user:word@router.example/a'],
		[HERE, 'ftp://files.example/a'],
		[HERE, 'file:///etc/passwd'],
		[HERE, 'data:image/png;base64,AA'],
		[HERE, 'javascript:alert(1)'],
		[HERE, 'https://'],
	])('from %s to %s is not followed', (from, location) => {
		expect(resolveRedirect(from, location)).toBeUndefined();
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
	['7'.repeat(512), '7'.repeat(512)],
])('%j becomes %s', (id, segment) => {
	expect(encodePathSegment(id, 'Job ID')).toBe(segment);
});

it.each([
	['', 'Job ID is empty'],
	[' \t', 'Job ID is empty'],
	['.', 'Job ID must not point to another address'],
	['..', 'Job ID must not point to another address'],
	['../x', 'Job ID must not point to another address'],
	['x/../../y', 'Job ID must not point to another address'],
	['x\\..\\y', 'Job ID must not point to another address'],
	['%2e%2e', 'Job ID must not point to another address'],
	['%2E.', 'Job ID must not point to another address'],
	['a\r\nHost: x', 'Job ID contains a control character'],
	['a\0', 'Job ID contains a control character'],
	['a\u0085', 'Job ID contains a control character'],
	['a\ud800', 'Job ID contains an incomplete character, such as half of an emoji'],
	['7'.repeat(513), 'Job ID is longer than 512 characters'],
	['x'.repeat(20_000), 'Job ID is longer than 512 characters'],
])('%j is refused: %s', (id, message) => {
	const refusal = refusalOf(() => encodePathSegment(id, 'Job ID'));
	expect(refusal).toMatchObject({ kind: 'invalid', message });
});

it('never lets an id leave its folder', () => {
	const hostile = fc.array(
		fc.constantFrom(
			...['.', '..', '/', '\\', '%2e', '%2f', '%', '?', '#', ';', '\t', ' ', '@', ':', 'a'],
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

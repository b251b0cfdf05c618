import type { INodeParameters } from 'n8n-workflow';

import {
	refusedUrl,
	startBadTls,
	startProxy407,
	startResetting,
	startSilent,
} from '../service/below';
import { startService, type Fault, type Service } from '../service/service';
import { chat, models, posts, secretsOf } from './rig/calls';
import { run } from './rig/run';

// below HTTP, and at its edges: what is told, what is sent again, what is never sent again
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const impatient = { requestSettings: { idleTimeout: 1 } };
const at = (baseUrl: string) => ({ modelRouterApi: { baseUrl, apiKey: 'some-key-1234' } });
/** Faults of every path include the catalog. */
const unpriced = { options: { allowUnknownCost: true } };
const post = async (baseUrl: string, settings: INodeParameters = {}) => {
	const { failed } = await run({
		...chat('x', { ...unpriced, ...settings }),
		secrets: at(baseUrl),
		settings: { onError: 'continueErrorOutput' },
	});
	return failed[0]?.json as { error: string; details: { outcome: string; reason: string } };
};

it('nothing listens: tried again, and certainly not started', async () => {
	const { error, details } = await post(await refusedUrl());
	expect(error).toContain('could not be reached');
	expect(details).toMatchObject({
		outcome: 'not_started',
		reason: expect.stringContaining('Tried 4 times.'),
	});
});

it.each(['connected', 'first bytes'] as const)(
	'TLS is reset when %s: certainly not started',
	async (when) => {
		const below = await startResetting({ scheme: 'https', when });
		const { details } = await post(below.url);
		await below.stop();
		expect(details.outcome).toBe('not_started');
		// four attempts, and one to read the catalog before them
		expect(below.connections).toBe(4 + 1);
		expect(below.requests).toBe(0);
	},
);

it('no answer at all: given up after the idle timeout, outcome unknown, sent once', async () => {
	const below = await startSilent('http');
	const { error, details } = await post(below.url, impatient);
	await below.stop();
	expect(error).toContain('did not answer in time');
	expect(details.outcome).toBe('unknown');
	// and one to read the catalog before it
	expect(below.connections).toBe(1 + 1);
});

it.each(['self-signed', 'expired', 'wrong-host'] as const)(
	'a certificate that is %s is not tried again',
	async (kind) => {
		const below = await startBadTls(kind);
		const { error, details } = await post(below.url);
		await below.stop();
		expect(error).toContain('certificate');
		expect(details.outcome).toBe('not_started');
		expect(below.connections).toBe(1 + 1);
		expect(below.requests).toBe(0);
	},
);

it('https at an http port, and a hint about the base URL', async () => {
	const { details } = await post(service.url.replace('http:', 'https:'));
	expect(details).toMatchObject({
		outcome: 'not_started',
		advice: expect.stringContaining('base URL'),
	});
});

it('a proxy that wants a password is named', async () => {
	const proxy = await startProxy407();
	process.env['http_proxy'] = proxy.url;
	try {
		const { error } = await post('http://127.0.0.2:9');
		expect(error).toMatch(/proxy/i);
	} finally {
		delete process.env['http_proxy'];
		await proxy.stop();
	}
});

it.each<[string, Fault]>([
	['duplicate content-length', { type: 'malformed_http', kind: 'duplicate_content_length' }],
	['header overflow', { type: 'malformed_http', kind: 'header_overflow' }],
	['garbage', { type: 'malformed_http', kind: 'garbage' }],
	['a bad header', { type: 'malformed_http', kind: 'bad_header' }],
])('malformed HTTP (%s): the outcome of a POST is unknown', async (_kind, fault) => {
	service.fault({ do: fault });
	const { details } = await post(service.url);
	expect(details.outcome).toBe('unknown');
	expect(posts(service)).toHaveLength(1);
});

describe('reading', () => {
	const list = (requestSettings: INodeParameters = {}) =>
		run({
			...models('getMany', { requestSettings }),
			secrets: secretsOf(service),
		});

	it.each<[string, Fault]>([
		['a reset', { type: 'reset_peer' }],
		['no answer', { type: 'down' }],
		['500', { type: 'status', status: 500 }],
		['503 with Retry-After', { type: 'status', status: 503, headers: { 'retry-after': '0' } }],
		['429', { type: 'too_many_requests' }],
		['silence', { type: 'timeout' }],
	])('is tried again after %s', async (what, fault) => {
		service.fault({ times: 1, do: fault });
		const { error, items } = await list(what === 'silence' ? { idleTimeout: 3 } : {});
		expect(error).toBeUndefined();
		expect(items.length).toBeGreaterThan(5);
		expect(service.requests).toHaveLength(2);
	});

	it.each<[string, Fault]>([
		['early hints', { type: 'early_hints' }],
		['trailers', { type: 'trailers' }],
		['slices of one byte', { type: 'slicer', bytes: 400 }],
		['gzip that was not asked for', { type: 'gzip' }],
	])('takes %s as it comes', async (_what, fault) => {
		service.fault({ do: fault });
		expect((await list()).items.length).toBeGreaterThan(5);
	});

	it.each<[string, Fault | Fault[], RegExp]>([
		['a login page', { type: 'login_page' }, /cannot be read/],
		['cut JSON', { type: 'cut_json' }, /cannot be read/],
		['malformed JSON', { type: 'malformed_json' }, /cannot be read/],
		['an empty body', { type: 'empty' }, /cannot be read/],
		[
			'JSON nested a million levels deep',
			{ type: 'deep_json', depth: 1_000_000 },
			/cannot be read/,
		],
		['a body that is cut', { type: 'limit_data', bytes: 100 }, /stopped before its end/],
		['silence in mid-body', { type: 'timeout', bytes: 100 }, /stopped before its end/],
		['200 MB', { type: 'bomb', bytes: 200_000_000 }, /cannot be read/],
		['a gzip bomb', { type: 'bomb', bytes: 200_000_000, gzip: true }, /cannot be read/],
	])('%s is a clear error', async (what, fault, message) => {
		service.fault({ do: fault });
		const { error } = await list(what.startsWith('silence') ? { idleTimeout: 1 } : {});
		expect(error?.message).toMatch(message);
	});
});

describe('the words of a service', () => {
	it.each<[string, unknown, string]>([
		['{detail}', { detail: 'the words' }, 'the words'],
		['{detail: []}', { detail: [{ msg: 'the words' }] }, 'the words'],
		['{error: {message}}', { error: { code: 'bad_thing', message: 'the words' } }, 'the words'],
		['{message}', { code: 'bad_thing', message: 'the words' }, 'the words'],
		['{error: text}', { error: 'the words' }, 'the words'],
		['text', 'the words', 'the words'],
		['an error name', { message: 'preexisting ENOENT EPERM' }, 'preexisting ENOENT EPERM'],
		['HTML', { message: '<b>the</b> words & more' }, '&lt;b>the&lt;/b> words &amp; more'],
	])('%s stand in the description, ours in the message', async (_form, body, words) => {
		service.fault({ do: { type: 'status', status: 422, body } });
		const { error } = await run({ ...chat('x', unpriced), secrets: secretsOf(service) });
		expect(error?.message).toMatch(/^The service refused the request \(422\)/);
		expect(error?.description).toContain(words);
		expect(error?.description).toMatch(/Request ID: \S+/);
	});

	it('ten megabytes of them are cut short', async () => {
		service.fault({
			do: { type: 'status', status: 422, body: { message: 'x'.repeat(10_000_000) } },
		});
		const { error } = await run({ ...chat('x', unpriced), secrets: secretsOf(service) });
		expect(error?.description?.length).toBeLessThan(5000);
	});

	it('what is missing in the balance is told in dollars', async () => {
		const secrets = { modelRouterApi: { baseUrl: service.url, apiKey: service.router.keys.poor } };
		const { error } = await run({ ...chat('x', { options: { maxTokens: 10_000_000 } }), secrets });
		expect(error).toMatchObject({
			httpCode: '402',
			description: expect.stringMatching(/needed: \$\d+\.\d\d.*balance: \$/s),
		});
	});
});

import { gunzipSync } from 'node:zlib';

import { client, eventsIn, probe, type Seen } from './probe.ts';
import { startService, type Fault, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService({ now: () => Date.UTC(2026, 0, 1) })));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const headers = () => ({ 'x-api-key': service.router.keys.main });
/** A GET with a JSON answer of known length. */
const plain = (fault: Fault | Fault[], until?: string) => {
	service.fault({ do: fault });
	return probe(`${service.url}/v1/models/tune/melody-1`, {
		headers: headers(),
		...(until !== undefined && { until }),
	});
};
const STREAM = {
	model: 'northwind/quill-2.5',
	stream: true,
	messages: [{ role: 'user', content: 'héllo' }],
};
const streamed = (fault: Fault | Fault[], until?: string) => {
	service.fault({ do: fault });
	return probe(`${service.url}/v1/chat/completions`, {
		headers: headers(),
		body: STREAM,
		...(until !== undefined && { until }),
	});
};
const start = (fault: Fault | Fault[]) => {
	service.fault({ do: fault });
	return probe(`${service.url}/v1/images/jobs`, {
		headers: headers(),
		body: { model: 'canvas/sketch-1', prompt: 'a cat' },
	});
};
/** The bytes of a chunked body. */
function unchunked(body: string): string {
	let rest = body;
	let result = '';
	for (;;) {
		const found = /^([0-9a-f]+)\r\n/.exec(rest);
		const size = parseInt(found?.[1] ?? '0', 16);
		if (!found || size === 0) return result;
		result += rest.slice(found[0].length, found[0].length + size);
		rest = rest.slice(found[0].length + size + 2);
	}
}
const ENTRY = '{"id":"tune/melody-1"';
const statusOf = (seen: Seen) => Number(seen.head.split(' ')[1]);
const headerOf = (seen: Seen, name: string) =>
	new RegExp(`^${name}: (.*)$`, 'im').exec(seen.head)?.[1]?.trim();

describe('time', () => {
	it('hold: the answer waits for its release, and is the real one', async () => {
		const held = start({ type: 'hold' });
		let isAnswered = false;
		void held.then(() => (isAnswered = true));
		while (!service.starts('a cat')) await new Promise(setImmediate);
		for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
		expect(isAnswered).toBe(false);
		service.release();
		expect(statusOf(await held)).toBe(200);
	});

	it('latency: the answer is the real one', async () => {
		expect((await plain({ type: 'latency', ms: 5 })).body).toMatch(ENTRY);
	});

	it('timeout: not a byte; the client leaves', async () => {
		service.fault({ do: { type: 'timeout' } });
		const left = new AbortController();
		const answer = client(service.url, headers()).get('/v1/models', { signal: left.signal });
		while (!service.requests.length) await new Promise(setImmediate);
		left.abort();
		await expect(answer).rejects.toThrow('canceled');
		await service.settled();
		expect(service.requests[0]).toMatchObject({ abandoned: true });
		expect(service.requests[0]).not.toHaveProperty('status');
	});

	it('timeout after bytes: that many, then nothing', async () => {
		const seen = await plain({ type: 'timeout', bytes: 5 }, ENTRY.slice(0, 5));
		expect([seen.body, seen.end]).toEqual([ENTRY.slice(0, 5), 'open']);
		await service.settled();
		expect(service.requests[0]).toMatchObject({ abandoned: true, status: 200 });
	});

	it('slicer: each slice in a packet of its own', async () => {
		const seen = await plain({ type: 'slicer', bytes: 40 });
		const whole = await plain([]);
		expect(seen.body).toBe(whole.body);
		// how many the client reads at once is up to the kernel; all at once it is not
		expect(seen.packets.length).toBeGreaterThan(1);
	});

	it('slicer on a stream cuts inside of characters', async () => {
		const seen = await streamed({ type: 'slicer', bytes: 1, pause: 0 });
		expect(Buffer.from(unchunked(seen.body), 'latin1').toString()).toMatch('"h');
		expect(seen.body).toMatch(/\r\n1\r\n\xc3\r\n1\r\n\xa9\r\n/);
	});

	it('bandwidth', async () => {
		const seen = await plain({ type: 'bandwidth', bytes: 50, pause: 1 });
		expect(JSON.parse(seen.body)).toHaveProperty('id', 'tune/melody-1');
	});
});

describe('connection', () => {
	it.each<[string, Fault, Seen['end'], string]>([
		['reset before the body was read', { type: 'reset_unread' }, 'reset', ''],
		['reset without an answer', { type: 'reset_peer' }, 'reset', ''],
		['reset after 5 bytes', { type: 'reset_peer', bytes: 5 }, 'reset', ENTRY.slice(0, 5)],
		['FIN without an answer', { type: 'down' }, 'fin', ''],
		['FIN after 5 bytes', { type: 'limit_data', bytes: 5 }, 'fin', ENTRY.slice(0, 5)],
		['FIN after the head', { type: 'limit_data', bytes: 0 }, 'fin', ''],
	])('%s', async (_case, fault, end, body) => {
		const seen = await plain(fault);
		expect([seen.end, seen.body]).toEqual([end, body]);
		await service.settled();
		expect(service.requests[0]?.abandoned).toBe(false);
		if (fault.type === 'limit_data')
			expect(Number(headerOf(seen, 'content-length'))).toBeGreaterThan(5);
	});

	it('a cut stream has no end of body, for every length', async () => {
		const whole = unchunked((await streamed([])).body);
		for (let bytes = 0; bytes < whole.length; bytes += 97) {
			service.reset();
			const seen = await streamed({ type: 'limit_data', bytes });
			expect(unchunked(seen.body)).toHaveLength(bytes);
			expect(seen.body).not.toMatch(/\r\n0\r\n\r\n$/);
		}
	});

	it('content-length that is not reached (add)', async () => {
		const seen = await plain({ type: 'content_length', add: 10 });
		expect(Number(headerOf(seen, 'content-length'))).toBe(seen.body.length + 10);
		expect(seen.end).toBe('fin');
	});

	it.each<[string, Fault, string | RegExp]>([
		['raw', { type: 'raw', bytes: 'HTTP/1.1 200 OK\r\n\r\nx' }, 'HTTP/1.1 200 OK\r\n\r\nx'],
		[
			'two lengths',
			{ type: 'malformed_http', kind: 'duplicate_content_length' },
			/length: 2\r\ncontent-length: 3/,
		],
		['header overflow', { type: 'malformed_http', kind: 'header_overflow' }, /x-long: x{70000}/],
		['garbage', { type: 'malformed_http', kind: 'garbage' }, 'this is not HTTP'],
		['bad chunk', { type: 'malformed_http', kind: 'bad_chunk' }, '\r\n\r\nzz\r\n'],
		['bad header', { type: 'malformed_http', kind: 'bad_header' }, 'no colon here'],
	])('%s', async (_case, fault, expected) => {
		const seen = await plain(fault);
		expect(seen.text).toMatch(expected);
		expect(seen.end).toBe('fin');
	});

	it.each([
		'duplicate_content_length',
		'header_overflow',
		'garbage',
		'bad_chunk',
		'bad_header',
	] as const)('%s: an HTTP client gives up with HPE_*', async (kind) => {
		service.fault({ do: { type: 'malformed_http', kind } });
		await expect(client(service.url, headers()).get('/v1/models')).rejects.toMatchObject({
			code: expect.stringMatching(/^HPE_/),
		});
	});

	it('early hints and trailers do no harm', async () => {
		const seen = await plain([{ type: 'early_hints' }, { type: 'trailers' }]);
		expect(seen.text).toMatch(/^HTTP\/1.1 103 /);
		expect(seen.text).toMatch(/\r\n0\r\nx-trailer: late\r\n/i);
	});
});

describe('head', () => {
	it.each([500, 502, 503, 504, 418])('status %i', async (status) => {
		const seen = await plain({ type: 'status', status });
		expect(statusOf(seen)).toBe(status);
		// section 1: X-Request-ID on every response of the router
		expect(headerOf(seen, 'x-request-id')).toMatch(/^req-/);
	});

	it('status with a body and headers', async () => {
		const seen = await plain({
			type: 'status',
			status: 503,
			body: { detail: 'later' },
			headers: { 'retry-after': '7' },
		});
		expect([headerOf(seen, 'retry-after'), seen.body]).toEqual(['7', '{"detail":"later"}']);
	});

	it.each<[number | string | undefined, string | undefined]>([
		[7, '7'],
		[1e9, '1000000000'],
		[-1, '-1'],
		['soon', 'soon'],
		['+30', 'Thu, 01 Jan 2026 00:00:30 GMT'],
		[undefined, undefined],
	])('429 with Retry-After %s', async (retryAfter, expected) => {
		const fault: Fault = {
			type: 'too_many_requests',
			...(retryAfter !== undefined && { retryAfter }),
		};
		const seen = await plain(fault);
		expect([statusOf(seen), headerOf(seen, 'retry-after')]).toEqual([429, expected]);
	});

	it.each([301, 302, 303, 307, 308])('redirect %i', async (status) => {
		const seen = await plain({ type: 'redirect', status, to: 'http://elsewhere.example/x' });
		expect([statusOf(seen), headerOf(seen, 'location')]).toEqual([
			status,
			'http://elsewhere.example/x',
		]);
	});

	it('headers are set and taken away', async () => {
		const seen = await plain({ type: 'headers', headers: { 'X-Request-ID': null, 'x-new': '1' } });
		expect([headerOf(seen, 'x-request-id'), headerOf(seen, 'x-new')]).toEqual([undefined, '1']);
	});

	it.each(['text/html', null])('content type %s', async (value) => {
		const seen = await plain({ type: 'content_type', value });
		expect(headerOf(seen, 'content-type')).toBe(value ?? undefined);
		expect(seen.body).toMatch(ENTRY);
	});

	it.each([
		[204, undefined],
		[200, '0'],
	])('empty %i', async (status, length) => {
		const seen = await plain({ type: 'empty', status });
		expect([statusOf(seen), seen.body, headerOf(seen, 'content-length')]).toEqual([
			status,
			'',
			length,
		]);
	});
});

describe('body', () => {
	it.each<[string, Fault, string]>([
		['any body', { type: 'body', body: '{"__proto__":{"a":1}}' }, '{"__proto__":{"a":1}}'],
		['malformed JSON', { type: 'malformed_json' }, '{"id": nonsense, ]'],
		['cut JSON', { type: 'cut_json', bytes: 5 }, ENTRY.slice(0, 5)],
		['deep JSON', { type: 'deep_json', depth: 3 }, '[[[]]]'],
		['repeat', { type: 'repeat', text: 'data: x\n', times: 20_000 }, 'data: x\n'.repeat(20_000)],
		['bomb', { type: 'bomb', bytes: 100_000 }, ' '.repeat(100_000)],
	])('%s', async (_case, fault, expected) => {
		const seen = await plain(fault);
		expect(headerOf(seen, 'content-length') ? seen.body : unchunked(seen.body)).toBe(expected);
		expect(headerOf(seen, 'content-type')).toBe('application/json');
	});

	it('cut JSON without a number is half', async () => {
		const seen = await plain({ type: 'cut_json' });
		expect(seen.body).toMatch(ENTRY);
		expect(() => JSON.parse(seen.body) as unknown).toThrow();
	});

	it('login page', async () => {
		const seen = await plain({ type: 'login_page' });
		expect([statusOf(seen), headerOf(seen, 'content-type')]).toEqual([
			200,
			'text/html; charset=utf-8',
		]);
		expect(seen.body).toMatch('<title>Sign in</title>');
	});

	it('replace changes the real answer', async () => {
		const seen = await plain({
			type: 'replace',
			find: '"tune/melody-1"',
			with: '12345678901234567890',
		});
		expect(seen.body).toMatch('{"id":12345678901234567890');
	});

	it('gzip, plain and streamed; cut', async () => {
		const seen = await plain({ type: 'gzip' });
		expect(headerOf(seen, 'content-encoding')).toBe('gzip');
		expect(gunzipSync(Buffer.from(seen.body, 'latin1')).toString()).toMatch(ENTRY);
		service.reset();
		const list = await streamed({ type: 'gzip' });
		expect(list.body.match(/\r\n[0-9a-f]+\r\n/g)?.length).toBeGreaterThan(3);
		expect(gunzipSync(Buffer.from(unchunked(list.body), 'latin1')).toString()).toMatch('[DONE]');
		service.reset();
		const cut = await plain([{ type: 'gzip' }, { type: 'limit_data', bytes: 20 }]);
		expect(() => gunzipSync(Buffer.from(cut.body, 'latin1'))).toThrow('unexpected end of file');
	});

	it('gzip bomb', async () => {
		const seen = await plain({ type: 'bomb', bytes: 1_000_000, gzip: true });
		expect(seen.body.length).toBeLessThan(2000);
		expect(gunzipSync(Buffer.from(seen.body, 'latin1'))).toHaveLength(1_000_000);
	});
});

describe('event stream', () => {
	const dataOf = (seen: Seen) => eventsIn(unchunked(seen.body)).map(({ data }) => data);

	it('keep-alives only', async () => {
		const seen = await streamed({ type: 'keep_alives_only', every: 1 }, ': keep-alive\n\n\r\n');
		expect(unchunked(seen.body)).toMatch(/^(: keep-alive\n\n)+$/);
	});

	it('comments between the events', async () => {
		const text = unchunked((await streamed({ type: 'comments' })).body);
		expect(text).toMatch(/^: keep-alive\n\ndata: .*\n\n: keep-alive\n\n/);
	});

	it('events after the end', async () => {
		expect(dataOf(await streamed({ type: 'after_end', text: 'data: late\n\n' })).slice(-2)).toEqual(
			['[DONE]', 'late'],
		);
	});

	it('no end marker in C, B and A', async () => {
		expect(dataOf(await streamed({ type: 'no_end_marker' }))).not.toContain('[DONE]');
		const stream = await client(service.assistant.baseUrl, {
			'x-api-key': service.assistant.keys.pro,
		}).post('/invoke_assistant_stream', { message: 'x' });
		expect(eventsIn(stream.data as string).at(-1)?.event).toBe('message_end');
		const agent = client(service.agent.baseUrl(), {
			authorization: `Bearer ${service.agent.key()}`,
		});
		for (const form of ['sse-json', 'sse-text', 'ndjson'] as const) {
			service.forms.agent = form;
			const path = '/session/3f0a8f9e-6f5d-4a53-9c39-5a1f0f2b7d11/messages';
			const { data } = await agent.post(path, { content: 'x' }, { responseType: 'text' });
			expect(data).not.toMatch(/DONE|"end"/);
		}
	});

	it.each([
		[true, '[DONE]'],
		[false, '{"error":{"code":"x"}}'],
	])('error line, [DONE] after it: %s', async (done, last) => {
		const list = dataOf(
			await streamed({ type: 'stream_error', after: 2, done, error: { code: 'x' } }),
		);
		expect(list).toHaveLength(done ? 4 : 3);
		expect(list[2]).toBe('{"error":{"code":"x"}}');
		expect(list.at(-1)).toBe(last);
	});

	it('insert: text or bytes before an event', async () => {
		const seen = await streamed([
			{ type: 'insert', after: 1, text: 'data: {nonsense\n\n' },
			{ type: 'insert', after: 0, text: Buffer.from([0xff]).toString('base64'), base64: true },
		]);
		expect(unchunked(seen.body)).toMatch(/^\xff/);
		expect(dataOf(seen)[1]).toBe('{nonsense');
	});

	it('drop: events that include a text', async () => {
		expect(dataOf(await streamed({ type: 'drop', includes: '"usage"' })).join()).not.toMatch(
			'usage',
		);
	});

	it.each<['lf' | 'cr' | 'crlf', string]>([
		['lf', '\n\n'],
		['cr', '\r\r'],
		['crlf', '\r\n\r\n'],
	])('line ends %s', async (value, end) => {
		const seen = await streamed({ type: 'line_ends', value });
		expect(unchunked(seen.body).endsWith(`data: [DONE]${end}`)).toBe(true);
	});

	it('byte order marks', async () => {
		const seen = await streamed({ type: 'bom', count: 2 });
		expect(unchunked(seen.body)).toMatch(/^\xef\xbb\xbf\xef\xbb\xbfdata/);
	});
});

describe('work done or not (paid starts)', () => {
	it.each<[string, Fault, number]>([
		['reset before the body was read', { type: 'reset_unread' }, 0],
		['reset after it', { type: 'reset_peer' }, 1],
		['reset after it, no effect', { type: 'reset_peer', effect: false }, 0],
		['FIN without answer', { type: 'down' }, 1],
		['FIN without answer, no effect', { type: 'down', effect: false }, 0],
		['cut answer', { type: 'limit_data', bytes: 5 }, 1],
		['500', { type: 'status', status: 500 }, 0],
		['500 with effect', { type: 'status', status: 500, effect: true }, 1],
		['429', { type: 'too_many_requests' }, 0],
		['redirect', { type: 'redirect', status: 307, to: 'http://x.example' }, 0],
		['login page', { type: 'login_page' }, 1],
		['204', { type: 'empty' }, 1],
	])('%s', async (_case, fault, starts) => {
		await start(fault);
		expect(service.starts('a cat')).toBe(starts);
		expect(service.world.jobs.size).toBe(starts);
		const account = service.world.accounts.get(service.router.keys.main);
		expect(account?.held).toBe(starts * 50_000);
		expect(service.received('a cat')).toBe(fault.type === 'reset_unread' ? 0 : 1);
	});
});

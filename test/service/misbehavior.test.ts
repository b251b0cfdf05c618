import { client, probe, type Seen } from './probe.ts';
import { startService, type Fault, type Service } from './service.ts';

// what goes wrong on demand, as a bare socket sees it, where no test of the nodes would notice if it went well
let service: Service;
beforeAll(async () => (service = await startService({ now: () => Date.UTC(2026, 0, 1) })));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const CALLS = {
	/** A JSON answer of known length. */
	plain: { path: '/v1/models/tune/melody-1', body: undefined },
	stream: {
		path: '/v1/chat/completions',
		body: { model: 'tiny/plain-text-1', stream: true, messages: [{ role: 'user', content: 'hé' }] },
	},
	start: { path: '/v1/images/jobs', body: { model: 'canvas/sketch-1', prompt: 'a cat' } },
};

async function seenOf(call: keyof typeof CALLS, faults: Fault | Fault[]) {
	service.fault({ do: faults });
	const { path, body } = CALLS[call];
	const headers = { 'x-api-key': service.router.keys.main };
	return await probe(service.url + path, { headers, body });
}

/** The body without its chunk sizes. */
function bodyOf({ head, body }: Seen) {
	let whole = body;
	if (/transfer-encoding: chunked/i.test(head)) {
		whole = '';
		for (let rest = body; ; ) {
			const [line = '', digits = '0'] = /^([0-9a-f]+)\r\n/.exec(rest) ?? [];
			const size = parseInt(digits, 16);
			if (!size) break;
			whole += rest.slice(line.length, line.length + size);
			rest = rest.slice(line.length + size + 2);
		}
	}
	return Buffer.from(whole, 'latin1').toString();
}

const IS_ENTRY = /^\{"id":"tune\/melody-1".*\}$/;
type Row = [Fault | Fault[], { head?: RegExp; body?: RegExp | string; end?: Seen['end'] }];

const row = (...given: Row) => given;

it.each<Row>([
	[{ type: 'latency', ms: 5 }, { body: IS_ENTRY }],
	[{ type: 'slicer', bytes: 40 }, { body: IS_ENTRY }],
	[{ type: 'reset_unread' }, { body: '', end: 'reset' }],
	row({ type: 'limit_data', bytes: 0 }, { head: /content-length: \d\d/, body: '' }),
	[[{ type: 'early_hints' }, { type: 'trailers' }], { head: /^HTTP\/1.1 103 / }],
	row({ type: 'status', status: 418 }, { head: / 418 [^]*x-request-id: req-/, body: /status 418/ }),
	row(
		{ type: 'status', status: 503, body: { detail: 'later' }, headers: { 'retry-after': '7' } },
		{ head: /retry-after: 7/, body: '{"detail":"later"}' },
	),
	[{ type: 'too_many_requests' }, { head: / 429 (?![^]*retry-after)/ }],
	[{ type: 'too_many_requests', retryAfter: 1e9 }, { head: /retry-after: 1000000000/ }],
	row(
		{ type: 'headers', headers: { 'x-request-id': 'of the test', 'x-new': '1' } },
		{ head: /^(?![^]*req-)[^]*x-new: 1/, body: IS_ENTRY },
	),
	[{ type: 'empty' }, { head: / 204 /, body: '' }],
	row({ type: 'body', body: '{"a":1}', contentType: 'a/b' }, { head: /: a\/b/, body: '{"a":1}' }),
])('%j', async (fault, { head, body, end }) => {
	const seen = await seenOf('plain', fault);
	if (head) expect(seen.head).toMatch(head);
	if (body instanceof RegExp) expect(bodyOf(seen)).toMatch(body);
	else if (body !== undefined) expect(bodyOf(seen)).toBe(body);
	if (end) expect(seen.end).toBe(end);
});

const LAST = /data: \[DONE\]\n\n$/;
it.each<[Fault | Fault[], RegExp]>([
	[{ type: 'slicer', bytes: 1, pause: 0 }, LAST],
	[{ type: 'trailers' }, LAST],
	[{ type: 'drop', includes: '"usage"' }, /^(?![^]*usage)[^]*DONE/],
])('a stream with %j', async (fault, body) => {
	expect(bodyOf(await seenOf('stream', fault))).toMatch(body);
});

it('a stream is cut anywhere, and never has an end of its body', async () => {
	const whole = Buffer.byteLength(bodyOf(await seenOf('stream', [])));
	for (let bytes = 0; bytes < whole; bytes += 97) {
		service.reset();
		const seen = await seenOf('stream', { type: 'limit_data', bytes });
		expect(Buffer.byteLength(bodyOf(seen))).toBeGreaterThan(bytes - 3);
		expect(seen.body).not.toMatch(/\r\n0\r\n\r\n$/);
	}
});

it.each<[Fault, number]>([
	[{ type: 'reset_unread' }, 0],
	[{ type: 'reset_peer' }, 1],
	[{ type: 'reset_peer', effect: false }, 0],
	[{ type: 'down' }, 1],
	[{ type: 'limit_data', bytes: 5 }, 1],
	[{ type: 'status', status: 500 }, 0],
	[{ type: 'status', status: 500, effect: true }, 1],
	[{ type: 'too_many_requests' }, 0],
	[{ type: 'redirect', status: 307, to: 'http://x.example' }, 0],
	[{ type: 'login_page' }, 1],
	[{ type: 'empty' }, 1],
])('a paid start with %j: %i are started', async (fault, starts) => {
	await seenOf('start', fault);
	await service.settled();
	expect([service.starts('a cat'), service.world.jobs.size]).toEqual([starts, starts]);
	expect(service.world.accounts.get(service.router.keys.main)?.held).toBe(starts * 50_000);
	expect(service.received('a cat')).toBe(fault.type === 'reset_unread' ? 0 : 1);
	expect(service.requests).toMatchObject([{ abandoned: false }]);
});

const FAULT: Fault = { type: 'status', status: 503 };
it.each([
	[undefined, true],
	[{ method: 'post', path: '/jobs', bodyIncludes: 'a cat' }, true],
	[{ path: /^\/v1\/images\/jobs$/ }, true],
	[{ method: 'GET' }, false],
	[{ path: '/models' }, false],
	[{ path: /^\/images/ }, false],
	[{ bodyIncludes: 'a dog' }, false],
])('a rule for %j strikes: %s', async (match, strikes) => {
	service.fault({ ...(match && { match }), do: FAULT });
	expect((await seenOf('start', [])).head).toMatch(strikes ? / 503 / : / 200 /);
});

it('rules strike so many times, after some; the first that fits wins; a function draws once', async () => {
	const statuses = async (count: number) => {
		const seen: number[] = [];
		for (; count; count--) {
			const http = client(service.url, { 'x-api-key': service.router.keys.main });
			seen.push((await http.get('/v1/models').catch(() => ({ status: 0 }))).status);
		}
		return seen;
	};
	service.fault({ skip: 1, times: 2, do: FAULT });
	service.fault({ times: 1, do: { type: 'reset_unread' } });
	expect(await statuses(5)).toEqual([200, 503, 503, 0, 200]);
	let drawn = 0;
	service.fault({ do: () => (++drawn % 2 ? FAULT : []) });
	expect(await statuses(3)).toEqual([503, 200, 503]);
	expect(drawn).toBe(3);
});

import { Readable } from 'node:stream';

import { withTimeouts, createRequestTimeouts, hear } from '../../../src/n8n/timedBody';
import { bytes, failureOf } from '../inMemoryHttp';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const pause = async (milliseconds: number) =>
	await new Promise((resolve) => setTimeout(resolve, milliseconds));
const pass = async (milliseconds: number) => await jest.advanceTimersByTimeAsync(milliseconds);
const limits = { idleTimeout: 5000, totalTimeout: 60_000, stop: undefined };
const ENDED = { done: true, value: undefined };

describe('the timeouts of requests', () => {
	it('a request that nobody waits for is not silent, and is overdue all the same', async () => {
		const request = createRequestTimeouts(limits).begin();
		await pass(59_999);
		expect(request.end).toBeUndefined();
		await pass(1);
		expect([request.end, request.connection.signal.aborted]).toEqual(['overdue', true]);
	});

	it('each request has its own silence, to the millisecond', async () => {
		const requests = createRequestTimeouts(limits);
		const [first, second] = [requests.begin(), requests.begin()];
		const ends = () => [first.end, second.end];
		first.waitingSince = Date.now();
		await pass(1234);
		second.waitingSince = Date.now();
		await pass(3765);
		expect(ends()).toEqual([undefined, undefined]);
		await pass(1);
		expect(ends()).toEqual(['silent', undefined]);
		await pass(1233);
		expect(ends()).toEqual(['silent', undefined]);
		await pass(1);
		expect(ends()).toEqual(['silent', 'silent']);
	});

	it('a silence shorter than its usual round is noticed in time', async () => {
		const requests = createRequestTimeouts({ ...limits, idleTimeout: 10 });
		requests.begin();
		await pass(3);
		const second = requests.begin();
		second.waitingSince = Date.now();
		await pass(9);
		expect(second.end).toBeUndefined();
		await pass(1);
		expect(second.end).toBe('silent');
	});

	it('has one timer and one listener for all, and none a moment after the last', async () => {
		const stop = new AbortController();
		const add = jest.spyOn(stop.signal, 'addEventListener');
		const remove = jest.spyOn(stop.signal, 'removeEventListener');
		const requests = createRequestTimeouts({ ...limits, stop: stop.signal });
		const all = Array.from({ length: 50 }, () => requests.begin());
		expect([jest.getTimerCount(), add.mock.calls.length]).toEqual([1, 1]);
		for (const request of all) requests.end(request, 'done');
		await pass(1000);
		expect([jest.getTimerCount(), remove.mock.calls.length]).toEqual([0, 1]);
		expect(remove.mock.calls[0]?.[1]).toBe(add.mock.calls[0]?.[1]);

		const request = requests.begin();
		expect([jest.getTimerCount(), add.mock.calls.length]).toEqual([1, 2]);
		stop.abort();
		expect(request.end).toBe('stopped');
	});

	it('Stop ends all that is under way, and what begins later at once', () => {
		const stop = new AbortController();
		const requests = createRequestTimeouts({ ...limits, stop: stop.signal });
		const [done, ...open] = [requests.begin(), requests.begin(), requests.begin()];
		requests.end(done, 'done');
		stop.abort();
		const later = requests.begin();
		expect([...open, later].map(({ end }) => end)).toEqual(['stopped', 'stopped', 'stopped']);
		expect([done, later].map(({ connection }) => connection.signal.aborted)).toEqual([false, true]);
		// what has ended keeps the reason that it ended for
		requests.end(done, 'left');
		expect([done.end, done.connection.signal.aborted]).toEqual(['done', false]);
	});

	it('a request without a response head in time is ended, and one that has it is not', async () => {
		const requests = createRequestTimeouts(limits);
		const [late, inTime] = [requests.begin(Date.now() + 2000), requests.begin(Date.now() + 2000)];
		await pass(1999);
		expect([late.end, inTime.end]).toEqual([undefined, undefined]);
		inTime.headBy = Infinity;
		await pass(1);
		expect([late.end, inTime.end]).toEqual(['overdue', undefined]);
	});
});

describe('a body', () => {
	type Limits = Partial<Parameters<typeof createRequestTimeouts>[0]>;

	function watched(of: (closed: AbortSignal) => AsyncIterable<Uint8Array>, more: Limits = {}) {
		const requests = createRequestTimeouts({ ...limits, idleTimeout: 1000, ...more });
		const request = requests.begin();
		const { signal } = request.connection;
		const body = withTimeouts(of(signal), request, requests);
		return { body, isClosed: () => signal.aborted, hear: () => hear(request) };
	}

	/** A service that says something, and then nothing until its connection is closed. */
	const silentAfter = (...texts: string[]) =>
		async function* (signal: AbortSignal) {
			for (const text of texts) yield bytes(text);
			await new Promise((_resolve, reject) => {
				signal.addEventListener('abort', () => reject(new Error('aborted')));
			});
		};
	const of = (...texts: string[]) =>
		async function* () {
			for (const text of texts) yield bytes(text);
		};

	async function all(body: AsyncIterable<Uint8Array>, takes = 0) {
		let text = '';
		for await (const chunk of body) {
			if (takes) await pause(takes);
			text += new TextDecoder().decode(chunk);
		}
		return text;
	}

	it('is passed on, and its connection left to be used again', async () => {
		const { body, isClosed } = watched(of('a', 'b'));
		expect([await all(body), isClosed()]).toEqual(['ab', false]);
	});

	it('gives what had arrived when the connection broke, and then says so', async () => {
		const broken = new Readable({ read() {} });
		broken.push('a');
		broken.destroy(new Error('aborted'));
		const { body } = watched(() => broken);
		const { value } = (await body.next()) as { value: Uint8Array };
		expect(new TextDecoder().decode(value)).toBe('a');
		expect((await failureOf(body.next())).kind).toBe('truncated');
		expect(await body.next()).toEqual({ done: true, value: undefined });
	});

	it('gives all that arrived before a slow reader asked, and then that it broke', async () => {
		// n8n's own wrapper holds one piece, and what is behind it goes with the connection
		const connection = new Readable({ read() {} });
		const wrapper = () => Readable.from(connection, { objectMode: false, highWaterMark: 1 });
		const { body } = watched(wrapper);
		for (const text of ['a', 'b', 'c']) {
			connection.push(text);
			await pass(1);
		}
		connection.destroy(new Error('aborted'));
		await pass(1);
		let text = '';
		const reading = async () => {
			for await (const chunk of body) text += new TextDecoder().decode(chunk);
		};
		expect(await failureOf(reading())).toMatchObject({ kind: 'truncated' });
		expect(text).toBe('abc');
	});

	it('reads no more ahead than a file may keep in memory', async () => {
		let sent = 0;
		const { body } = watched(async function* () {
			for (; sent < 100; sent++) yield new Uint8Array(100_000);
		});
		await body.next();
		await pass(100);
		expect(sent).toBeLessThan(15);
		await all(body);
		expect(sent).toBe(100);
	});

	it.each([1, 0])('is closed when its reader leaves after %i chunks', async (chunks) => {
		const { body, isClosed } = watched(silentAfter('a', 'b'));
		if (chunks) await body.next();
		expect(isClosed()).toBe(false);
		await Promise.all([body.return?.(), pass(1000)]);
		expect(isClosed()).toBe(true);
	});

	it('of a silent service is closed when the reader leaves during a read', async () => {
		const { body, isClosed } = watched(silentAfter('a'));
		await body.next();
		const reading = failureOf(body.next());
		await Promise.all([body.return?.(), pass(200)]);
		expect([isClosed(), await reading]).toMatchObject([true, { kind: 'truncated' }]);
	});

	const endless = async function* (signal: AbortSignal) {
		for (;;) {
			if (signal.aborted) throw new Error('aborted');
			await pause(5);
			yield bytes('x');
		}
	};
	const breaking = (reason: unknown) =>
		async function* () {
			yield bytes('a');
			throw reason;
		};

	it.each<[string, Parameters<typeof watched>, string]>([
		['in silence', [silentAfter('a'), { idleTimeout: 60 }], 'Nothing arrived for 0.06 s.'],
		[
			'after the total timeout, however much arrives',
			[endless, { totalTimeout: 60 }],
			'The answer took longer than the total timeout.',
		],
		['broken', [breaking(new Error('aborted'))], 'The connection broke (aborted).'],
		['broken by what is no error', [breaking('gone')], 'The connection broke (gone).'],
	])('ends %s', async (_how, given, reason) => {
		const { body, isClosed } = watched(...given);
		const failure = failureOf(all(body));
		await pass(1000);
		expect(await failure).toMatchObject({ kind: 'truncated', details: { reason } });
		expect([isClosed(), await body.next()]).toEqual([true, ENDED]);
	});

	it('ends at once with Stop', async () => {
		const stop = new AbortController();
		const { body, isClosed } = watched(silentAfter('a', 'b', 'c'), { stop: stop.signal });
		let taken = '';
		const reading = async () => {
			for await (const chunk of body) {
				taken += new TextDecoder().decode(chunk);
				await pause(2 * taken.length);
			}
		};
		const failure = failureOf(reading());
		await pass(5);
		stop.abort();
		await pass(5);
		expect(taken).toBe('ab');
		expect(isClosed()).toBe(true);
		const message = 'The execution was stopped';
		expect(await failure).toMatchObject({ kind: 'cancelled', message });
	});

	const slow = async function* () {
		for (let count = 0; count < 24; count++) {
			await pause(30);
			yield bytes('x');
		}
	};

	it.each<[string, Parameters<typeof watched>, number, string]>([
		['time that the reader takes', [of('a', 'b', 'c'), { idleTimeout: 60 }], 100, 'abc'],
		['bytes that come slowly', [slow, { idleTimeout: 40 }], 0, 'x'.repeat(24)],
	])('%s is no silence', async (_what, given, takes, expected) => {
		const { body, isClosed } = watched(...given);
		const [text] = await Promise.all([all(body, takes), pass(1000)]);
		expect([text, isClosed()]).toEqual([expected, false]);
	});

	it('that carries nothing is silent, whatever bytes come', async () => {
		const { body, isClosed, hear } = watched(endless, { idleTimeout: 100 });
		hear();
		const failure = failureOf(all(body));
		await pass(99);
		expect(isClosed()).toBe(false);
		await pass(10);
		const reason = 'Only keep-alive messages came for 0.1 s.';
		expect([isClosed(), await failure]).toMatchObject([true, { details: { reason } }]);
	});

	it('is silent only while its reader waits, and until it carries something', async () => {
		let arrived = 0;
		const { body, isClosed, hear } = watched(
			async function* (signal) {
				for await (const chunk of endless(signal)) {
					arrived++;
					yield chunk;
				}
			},
			{ idleTimeout: 100 },
		);
		const read = async (chunks: number) => {
			for (let count = 0; count < chunks; count++) await Promise.all([body.next(), pass(5)]);
			return isClosed();
		};
		hear();
		const beforePause = await read(10);
		await pass(500);
		for (let left = arrived - 10; left > 0; left--) await body.next();
		expect([beforePause, await read(9)]).toEqual([false, false]);
		hear();
		expect(await read(19)).toBe(false);
		await expect(read(2)).rejects.toMatchObject({ kind: 'truncated' });
	});

	it('that ends within a moment of its last word is not cut off', async () => {
		const { body, isClosed } = watched(async function* () {
			yield bytes('a');
			await pause(40);
		});
		await body.next();
		await Promise.all([body.return?.(), pass(1000)]);
		expect([isClosed(), await body.next()]).toEqual([false, ENDED]);
	});
});

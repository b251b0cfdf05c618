import { withTimeouts, createRequestTimeouts } from '../../../src/n8n/timedBody';
import { bytes, failureOf } from '../inMemoryHttp';

const pause = async (milliseconds: number) =>
	await new Promise((resolve) => setTimeout(resolve, milliseconds));

function watched(
	body: AsyncIterable<Uint8Array>,
	more: { idleTimeout?: number; totalTimeout?: number; stop?: AbortSignal } = {},
) {
	const requests = createRequestTimeouts({
		idleTimeout: 1000,
		totalTimeout: 60_000,
		stop: undefined,
		...more,
	});
	const request = requests.begin();
	return { connection: request.connection, body: withTimeouts(body, request, requests) };
}

/** A service that says something and then nothing, until its connection is closed. */
async function* silentAfter(closed: () => AbortSignal, ...texts: string[]) {
	for (const text of texts) yield bytes(text);
	const signal = closed();
	if (signal.aborted) throw new Error('aborted');
	await new Promise((_resolve, reject) => {
		signal.addEventListener('abort', () => reject(new Error('aborted')));
	});
}

async function* of(...texts: string[]) {
	for (const text of texts) yield bytes(text);
}

async function all(body: AsyncIterable<Uint8Array>) {
	let text = '';
	for await (const chunk of body) text += new TextDecoder().decode(chunk);
	return text;
}

it('passes a body on, and leaves its connection to be used again', async () => {
	const { body, connection } = watched(of('a', 'b'));
	expect([await all(body), connection.signal.aborted]).toEqual(['ab', false]);
});

it('closes the connection when the reader leaves', async () => {
	const { body, connection } = watched(of('a', 'b'));
	await body.next();
	expect(connection.signal.aborted).toBe(false);
	await body.return?.();
	expect(connection.signal.aborted).toBe(true);
});

it('closes the connection when the reader never came', async () => {
	const { body, connection } = watched(of('a'));
	await body.return?.();
	expect(connection.signal.aborted).toBe(true);
});

it('closes the connection of a silent service when the reader leaves during a read', async () => {
	const { body, connection } = watched(silentAfter(() => connection.signal, 'a'));
	await body.next();
	const reading = failureOf(body.next());
	await body.return?.();
	expect(connection.signal.aborted).toBe(true);
	expect(await reading).toMatchObject({ kind: 'truncated' });
});

it('ends a silence', async () => {
	const { body, connection } = watched(
		silentAfter(() => connection.signal, 'a'),
		{ idleTimeout: 60 },
	);
	expect(await failureOf(all(body))).toMatchObject({
		kind: 'truncated',
		details: { reason: 'Nothing arrived for 0.06 s.' },
	});
	expect(connection.signal.aborted).toBe(true);
});

describe('on a clock that the test moves', () => {
	beforeEach(() => void jest.useFakeTimers());
	afterEach(() => void jest.useRealTimers());

	it('time that the reader takes is no silence', async () => {
		const { body, connection } = watched(of('a', 'b', 'c'), { idleTimeout: 60 });
		const read = async () => {
			let text = '';
			for await (const chunk of body) {
				await pause(100);
				text += new TextDecoder().decode(chunk);
			}
			return text;
		};
		const [text] = await Promise.all([read(), jest.advanceTimersByTimeAsync(1000)]);
		expect([text, connection.signal.aborted]).toEqual(['abc', false]);
	});

	it('bytes that come slowly are no silence', async () => {
		async function* slow() {
			for (let count = 0; count < 24; count++) {
				await pause(30);
				yield bytes('x');
			}
		}
		const read = all(watched(slow(), { idleTimeout: 40 }).body);
		const [text] = await Promise.all([read, jest.advanceTimersByTimeAsync(1000)]);
		expect(text).toBe('x'.repeat(24));
	});

	it('a service that ends within a moment of its last word is not cut off', async () => {
		async function* slowEnd() {
			yield bytes('a');
			await pause(40);
		}
		const { body, connection } = watched(slowEnd());
		await body.next();
		await Promise.all([body.return?.(), jest.advanceTimersByTimeAsync(1000)]);
		expect(connection.signal.aborted).toBe(false);
		expect(await body.next()).toEqual({ done: true, value: undefined });
	});
});

it('ends an answer that takes too long, however much arrives', async () => {
	async function* endless() {
		for (;;) {
			if (connection.signal.aborted) throw new Error('aborted');
			await pause(5);
			yield bytes('x');
		}
	}
	const { body, connection } = watched(endless(), { totalTimeout: 60 });
	expect(await failureOf(all(body))).toMatchObject({
		kind: 'truncated',
		details: { reason: 'The answer took longer than the total timeout.' },
	});
});

it('Stop ends it at once', async () => {
	const stop = new AbortController();
	const { body, connection } = watched(
		silentAfter(() => connection.signal, 'a'),
		{ stop: stop.signal },
	);
	const failure = failureOf(all(body));
	await pause(5);
	stop.abort();
	expect(connection.signal.aborted).toBe(true);
	expect(await failure).toMatchObject({ kind: 'cancelled', message: 'The execution was stopped' });
});

async function* breaking(reason: unknown) {
	yield bytes('a');
	throw reason;
}

it.each<[string, unknown, string]>([
	['a broken connection', new Error('aborted'), 'The connection broke (aborted).'],
	['a break that is no error', 'gone', 'The connection broke (gone).'],
])('%s', async (_name, cause, reason) => {
	const { body, connection } = watched(breaking(cause));
	expect(await failureOf(all(body))).toMatchObject({ kind: 'truncated', details: { reason } });
	expect(connection.signal.aborted).toBe(true);
	expect(await body.next()).toEqual({ done: true, value: undefined });
});

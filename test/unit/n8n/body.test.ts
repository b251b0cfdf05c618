import { watchedBody } from '../../../src/n8n/body';
import { bytes, failureOf } from '../inMemoryHttp';

const pause = async (milliseconds: number) =>
	await new Promise((resolve) => setTimeout(resolve, milliseconds));

function watched(
	body: AsyncIterable<Uint8Array>,
	more: { silenceLimit?: number; total?: AbortSignal; stop?: AbortSignal } = {},
) {
	const connection = new AbortController();
	const limits = {
		connection,
		silenceLimit: 1000,
		total: new AbortController().signal,
		stop: undefined,
		...more,
	};
	return { connection, body: watchedBody(body, limits) };
}

/** A service that says something and then nothing, until its connection is closed. */
async function* silentAfter(closed: () => AbortSignal, ...texts: string[]) {
	for (const text of texts) yield bytes(text);
	const signal = closed();
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

it('ends a silence', async () => {
	const { body, connection } = watched(
		silentAfter(() => connection.signal, 'a'),
		{ silenceLimit: 60 },
	);
	expect(await failureOf(all(body))).toMatchObject({
		kind: 'cut',
		details: { reason: 'Nothing arrived for 0.06 s.' },
	});
	expect(connection.signal.aborted).toBe(true);
});

describe('on a clock that the test moves', () => {
	beforeEach(() => void jest.useFakeTimers());
	afterEach(() => void jest.useRealTimers());

	it('time that the reader takes is no silence', async () => {
		const { body, connection } = watched(of('a', 'b', 'c'), { silenceLimit: 60 });
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
		const read = all(watched(slow(), { silenceLimit: 40 }).body);
		const [text] = await Promise.all([read, jest.advanceTimersByTimeAsync(1000)]);
		expect(text).toBe('x'.repeat(24));
	});
});

async function* breaking(reason: unknown) {
	yield bytes('a');
	throw reason;
}

it.each<[string, object, unknown, object]>([
	[
		'a broken connection',
		{},
		new Error('aborted'),
		{ kind: 'cut', details: { reason: 'The connection broke (aborted).' } },
	],
	[
		'a break that is no error',
		{},
		'gone',
		{ kind: 'cut', details: { reason: 'The connection broke (gone).' } },
	],
	[
		'the total limit',
		{ total: AbortSignal.abort() },
		new Error('x'),
		{ kind: 'cut', details: { reason: 'The answer took longer than the total limit.' } },
	],
	[
		'Stop',
		{ stop: AbortSignal.abort(), total: AbortSignal.abort() },
		new Error('x'),
		{ kind: 'stopped', message: 'The execution was stopped' },
	],
])('%s', async (_name, limits, reason, expected) => {
	const { body, connection } = watched(breaking(reason), limits);
	expect(await failureOf(all(body))).toMatchObject(expected);
	expect(connection.signal.aborted).toBe(true);
});

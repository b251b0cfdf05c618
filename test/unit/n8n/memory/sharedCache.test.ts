import { truncatedAnswerError, ServiceError } from '../../../../src/core/errors';
import type { Lookup } from '../../../../src/core/lookup';
import { lookUp } from '../../../../src/n8n/memory/sharedCache';

const MINUTE = 60_000;
const LATE = { missing: 'it did not arrive in time' };
const STOPPED = new ServiceError('cancelled', 'The execution was stopped');

let names = 0;
/** The memory is that of the process: each test has a key of its own. */
const newKey = () => `key ${names++}`;
/** Asks for one thing, which is read so if nobody reads it otherwise. */
const asking = (read: () => Promise<unknown>) => {
	const key = newKey();
	return async (as = read, signal?: AbortSignal) => await lookUp(key, as, signal);
};

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());
const pass = async (milliseconds: number) => await jest.advanceTimersByTimeAsync(milliseconds);

const never = async () => await new Promise<never>(() => {});

/** Something that is read, and changes: a failure, or what it gives. */
const reading = (...answers: unknown[]) => {
	const read = jest.fn<Promise<unknown>, []>(never);
	for (const answer of answers)
		if (answer instanceof Error) read.mockRejectedValueOnce(answer);
		else read.mockResolvedValueOnce(answer);
	return read;
};

/** Reads that are answered by the test. */
function readings() {
	const answers: Array<{ resolve(value: unknown): void; reject(cause: unknown): void }> = [];
	const read = jest.fn(
		async () => await new Promise((resolve, reject) => answers.push({ resolve, reject })),
	);
	return { read, answers };
}

/** What came of a question so far. */
function watched(question: Promise<Lookup<unknown>>) {
	const state: { answer?: Lookup<unknown> } = {};
	void question.then((answer) => (state.answer = answer));
	return state;
}

it('reads once for all who ask, now and for five minutes', async () => {
	const { read, answers } = readings();
	const ask = asking(read);
	const early = [ask(), ask()];
	await pass(1000);
	answers[0]?.resolve({ a: 1 });
	expect(await Promise.all(early)).toEqual([{ value: { a: 1 } }, { value: { a: 1 } }]);
	expect(jest.getTimerCount()).toBe(0);
	await pass(5 * MINUTE - 1001);
	expect(await ask()).toEqual({ value: { a: 1 } });
	expect(read).toHaveBeenCalledTimes(1);
	await pass(1);
	const again = ask();
	answers[1]?.resolve('b');
	expect(await again).toEqual({ value: 'b' });
	expect(await lookUp(newKey(), async () => 2)).toEqual({ value: 2 });
});

it.each([[undefined], [null], [0], [''], [false]])('%j is an answer too', async (value) => {
	const ask = asking(async () => value);
	expect(await ask()).toEqual({ value });
	expect(await ask(async () => 'other')).toEqual({ value });
});

it.each([
	['of the service', truncatedAnswerError('x'), 'The answer stopped before its end'],
	['of any kind', new TypeError('x'), 'TypeError: x'],
	['that is no error', 'gone', 'gone'],
])('a failure %s counts for half a minute', async (_name, cause, missing) => {
	const read = jest.fn<Promise<number>, []>().mockRejectedValueOnce(cause).mockResolvedValue(1);
	const ask = asking(read);
	const failure = { missing, ...(cause instanceof ServiceError && { error: cause }) };
	expect(await ask()).toEqual(failure);
	await pass(29_999);
	expect(await ask()).toEqual(failure);
	expect(read).toHaveBeenCalledTimes(1);
	await pass(1);
	expect(await ask()).toEqual({ value: 1 });
});

it('is waited for five seconds, by the first who asks; the others do not wait', async () => {
	const { read, answers } = readings();
	const ask = asking(read);
	const [first, second] = [watched(ask()), watched(ask())];
	await pass(4999);
	expect([first.answer, second.answer]).toEqual([undefined, undefined]);
	await pass(1);
	expect([first.answer, second.answer]).toEqual([LATE, LATE]);
	expect(await ask()).toEqual(LATE);
	answers[0]?.resolve(1);
	await pass(0);
	expect(await ask()).toEqual({ value: 1 });
	expect(read).toHaveBeenCalledTimes(1);
});

it('is waited for as long as anything else by whoever cannot do without it', async () => {
	const key = newKey();
	const { read, answers } = readings();
	const needed = watched(lookUp(key, read, undefined, LATE, MINUTE));
	const other = watched(lookUp(key, read));
	await pass(MINUTE - 1);
	expect([needed.answer, other.answer]).toEqual([undefined, LATE]);
	answers[0]?.resolve('a');
	await pass(0);
	expect(needed.answer).toEqual({ value: 'a' });
	expect(read).toHaveBeenCalledTimes(1);
});

it('a failure that comes late counts from then on', async () => {
	const { read, answers } = readings();
	const ask = asking(read);
	const first = ask();
	await pass(10_000);
	expect(await first).toEqual(LATE);
	answers[0]?.reject(truncatedAnswerError('x'));
	await pass(29_999);
	expect(await ask()).toMatchObject({ missing: 'The answer stopped before its end' });
	await pass(1);
	void ask();
	expect(read).toHaveBeenCalledTimes(2);
});

it('is read again after the clock was set back: nobody knows how old it is', async () => {
	const read = reading('old', 'new');
	const ask = asking(read);
	expect(await ask()).toEqual({ value: 'old' });
	jest.setSystemTime(Date.now() - 60 * MINUTE);
	expect(await ask()).toEqual({ value: 'new' });
});

it('what never comes is asked for again after five minutes', async () => {
	const read = reading();
	const ask = asking(read);
	void ask();
	await pass(5 * MINUTE - 1);
	expect(await ask()).toEqual(LATE);
	await pass(1);
	const again = watched(ask());
	await pass(0);
	expect([read.mock.calls.length, again.answer]).toEqual([2, undefined]);
	await pass(5000);
});

it('an execution that was stopped says nothing of the service', async () => {
	const read = reading(STOPPED, 1);
	const ask = asking(read);
	expect(await ask()).toEqual({ missing: 'The execution was stopped', error: STOPPED });
	expect(await ask()).toEqual({ value: 1 });
});

it('who waits for the reading of another execution reads for itself when that one is stopped', async () => {
	const { read, answers } = readings();
	const ask = asking(read);
	const own = jest.fn(async () => 'mine');
	const [first, second, third] = [ask(), ask(own), ask(own)];
	answers[0]?.reject(STOPPED);
	expect(await Promise.all([first, second, third])).toEqual([
		{ missing: 'The execution was stopped', error: STOPPED },
		{ value: 'mine' },
		{ value: 'mine' },
	]);
	expect(own).toHaveBeenCalledTimes(1);
});

it('forgets the oldest when there are too many, and what was read again is not the oldest', async () => {
	const read = jest.fn(async () => 1);
	const keys = Array.from({ length: 201 }, newKey);
	for (const key of keys) await lookUp(key, read);
	await lookUp(keys[1]!, read);
	expect(read).toHaveBeenCalledTimes(201);
	await lookUp(keys[0]!, read);
	expect(read).toHaveBeenCalledTimes(202);
	await pass(5 * MINUTE);
	for (const key of [keys[2]!, newKey(), keys[2]!]) await lookUp(key, read);
	expect(read).toHaveBeenCalledTimes(204);
});

it('who is stopped does not wait for what another reads, and takes it from nobody', async () => {
	const { read, answers } = readings();
	const ask = asking(read);
	const other = watched(ask());
	const stop = new AbortController();
	const mine = watched(ask(read, stop.signal));
	await pass(1000);
	expect(mine.answer).toBeUndefined();
	stop.abort();
	await pass(0);
	expect(mine.answer).toEqual({ missing: 'the execution was stopped', error: STOPPED });
	expect(await ask(read, stop.signal)).toEqual(mine.answer);
	answers[0]?.resolve('a');
	await pass(0);
	expect([other.answer, read.mock.calls.length]).toEqual([{ value: 'a' }, 1]);
});

describe('what is not enough', () => {
	/** Asks for what has this letter in it, or for anything. */
	const asking = (read: () => Promise<unknown>) => {
		const key = newKey();
		return async (letter = '') => {
			const known = await lookUp(key, read);
			if (!letter || ('value' in known && `${known.value}`.includes(letter))) return known;
			return await lookUp(key, read, undefined, known);
		};
	};

	it('is read again, once, and counts for everybody', async () => {
		const read = reading('a', 'ab');
		const ask = asking(read);
		expect(await ask()).toEqual({ value: 'a' });
		await pass(MINUTE);
		const asked = await Promise.all(Array.from({ length: 20 }, () => ask('b')));
		expect(asked).toEqual(Array(20).fill({ value: 'ab' }));
		expect(read).toHaveBeenCalledTimes(2);
		expect(await ask()).toEqual({ value: 'ab' });
	});

	it('is not read again if it was read just now', async () => {
		const read = reading('a', 'a');
		const ask = asking(read);
		for (let item = 0; item < 50; item++) await ask('b');
		expect(read).toHaveBeenCalledTimes(1);
		await pass(10_000);
		for (let item = 0; item < 50; item++) await ask('b');
		expect(read).toHaveBeenCalledTimes(2);
	});

	it('holds up nobody who finds enough', async () => {
		const { read, answers } = readings();
		const ask = asking(read);
		const first = ask();
		answers[0]?.resolve('a');
		await first;
		await pass(MINUTE);
		const waits = ask('b');
		await pass(0);
		expect(await ask('a')).toEqual({ value: 'a' });
		answers[1]?.resolve('b');
		expect(await waits).toEqual({ value: 'b' });
	});

	it.each([
		['fails', new Error('x')],
		['does not come', never],
	])('stays when the second reading %s', async (_how, second) => {
		const read = reading('a', ...(second instanceof Error ? [second] : []));
		const ask = asking(read);
		await ask();
		await pass(MINUTE);
		const again = ask('b');
		await pass(5000);
		expect([await again, await ask()]).toEqual([{ value: 'a' }, { value: 'a' }]);
		await ask('b');
		expect([read.mock.calls.length, jest.getTimerCount()]).toEqual([2, 0]);
	});

	it('is given itself if there is nothing newer: nobody has to judge it twice', async () => {
		const [key, read] = [newKey(), reading('a', new Error('x'))];
		const known = await lookUp(key, read);
		for (const wait of [0, MINUTE]) {
			await pass(wait);
			expect(await lookUp(key, read, undefined, known)).toBe(known);
		}
		expect(read).toHaveBeenCalledTimes(2);
	});

	it('may also be a failure', async () => {
		const read = reading(new Error('x'), 'b');
		const ask = asking(read);
		expect(await ask('b')).toEqual({ missing: 'Error: x' });
		await pass(15_000);
		expect(await ask()).toEqual({ missing: 'Error: x' });
		expect(await ask('b')).toEqual({ value: 'b' });
	});
});

describe('a value of the last hour', () => {
	const failed = (status: number) => new ServiceError('refused', `It says ${status}`, { status });
	/** When the value is read again, and what is given then. */
	const askLater = async (minutes: number, again?: Error, wait = 0) => {
		const key = newKey();
		const read = reading('a', ...(again ? [again] : []));
		const readAt = Date.now();
		await lookUp(key, read);
		await pass(minutes * MINUTE);
		const asked = watched(lookUp(key, read));
		await pass(wait);
		expect(read).toHaveBeenCalledTimes(2);
		return { ...asked, readAt };
	};

	it.each([
		['fails', failed(503), 'It says 503', 5],
		['is refused for any reason but the key', failed(404), 'It says 404', 5],
		['does not reach the service', new ServiceError('unreachable', 'Gone'), 'Gone', 60],
		['fails for any reason', new TypeError('x'), 'TypeError: x', 30],
	])('counts if the next read %s', async (_how, again, reason, minutes) => {
		const { answer, readAt } = await askLater(minutes, again);
		expect(answer).toEqual({ value: 'a', old: { readAt, reason } });
	});

	it('counts after five seconds if the next read takes longer', async () => {
		expect((await askLater(5, undefined, 4999)).answer).toBeUndefined();
		const { answer, readAt } = await askLater(5, undefined, 5000);
		expect(answer).toEqual({ value: 'a', old: { readAt, reason: LATE.missing } });
	});

	it.each([401, 403])('does not count if the key is refused (%i)', async (status) => {
		const { answer } = await askLater(5, failed(status));
		expect(answer).toEqual({ missing: `It says ${status}`, error: failed(status) });
	});

	it('does not count if whoever asks is stopped', async () => {
		expect((await askLater(5, STOPPED)).answer).toMatchObject({ error: STOPPED });
	});

	it('does not count a minute later', async () => {
		expect((await askLater(61, failed(503))).answer).toMatchObject({ missing: 'It says 503' });
	});

	it('does not count after the clock was set back: nobody knows how old it is', async () => {
		const [key, read] = [newKey(), reading('a', failed(503))];
		await lookUp(key, read);
		jest.setSystemTime(Date.now() - MINUTE * 10);
		expect(await lookUp(key, read)).toMatchObject({ missing: 'It says 503' });
	});

	it('counts as long as reads fail, and no longer than the hour', async () => {
		const [key, read] = [newKey(), reading('a', ...Array<Error>(58).fill(failed(503)), 'b')];
		const readAt = Date.now();
		const given: string[] = [];
		for (let minute = 0; minute <= 62; minute++) {
			const known = await lookUp(key, read);
			const age = 'value' in known && known.old ? known.old.readAt - readAt : '';
			given.push('value' in known ? `${String(known.value)}${age}` : 'none');
			await pass(MINUTE);
		}
		expect(given.join(' ')).toBe(`${'a '.repeat(5)}${'a0 '.repeat(56)}none none`);
		expect(await lookUp(key, read)).toEqual({ value: 'b' });
	});
});

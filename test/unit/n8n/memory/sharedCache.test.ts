import { truncatedAnswerError, ServiceError } from '../../../../src/core/errors';
import { lookUp, type Lookup } from '../../../../src/n8n/memory/sharedCache';

const MINUTE = 60_000;
const LATE = { missing: 'it did not arrive in time' };
const STOPPED = new ServiceError('cancelled', 'The execution was stopped');

let names = 0;
/** The memory is that of the process: each test has a key of its own. */
const newKey = () => `key ${names++}`;

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
	const key = newKey();
	const { read, answers } = readings();
	const early = [lookUp(key, read), lookUp(key, read)];
	await pass(1000);
	answers[0]?.resolve({ a: 1 });
	expect(await Promise.all(early)).toEqual([{ value: { a: 1 } }, { value: { a: 1 } }]);
	expect(jest.getTimerCount()).toBe(0);
	await pass(5 * MINUTE - 1001);
	expect(await lookUp(key, read)).toEqual({ value: { a: 1 } });
	expect(read).toHaveBeenCalledTimes(1);
	await pass(1);
	const again = lookUp(key, read);
	answers[1]?.resolve('b');
	expect(await again).toEqual({ value: 'b' });
	expect(await lookUp(newKey(), async () => 2)).toEqual({ value: 2 });
});

it.each([[undefined], [null], [0], [''], [false]])('%j is an answer too', async (value) => {
	const key = newKey();
	expect(await lookUp(key, async () => value)).toEqual({ value });
	expect(await lookUp(key, async () => 'other')).toEqual({ value });
});

it.each([
	['of the service', truncatedAnswerError('x'), 'The answer stopped before its end'],
	['of any kind', new TypeError('x'), 'TypeError: x'],
	['that is no error', 'gone', 'gone'],
])('a failure %s counts for half a minute', async (_name, cause, missing) => {
	const key = newKey();
	const read = jest.fn<Promise<number>, []>().mockRejectedValueOnce(cause).mockResolvedValue(1);
	const failure = { missing, ...(cause instanceof ServiceError && { error: cause }) };
	expect(await lookUp(key, read)).toEqual(failure);
	await pass(29_999);
	expect(await lookUp(key, read)).toEqual(failure);
	expect(read).toHaveBeenCalledTimes(1);
	await pass(1);
	expect(await lookUp(key, read)).toEqual({ value: 1 });
});

it('is waited for five seconds, by the first who asks; the others do not wait', async () => {
	const key = newKey();
	const { read, answers } = readings();
	const [first, second] = [watched(lookUp(key, read)), watched(lookUp(key, read))];
	await pass(4999);
	expect([first.answer, second.answer]).toEqual([undefined, undefined]);
	await pass(1);
	expect([first.answer, second.answer]).toEqual([LATE, LATE]);
	expect(await lookUp(key, read)).toEqual(LATE);
	answers[0]?.resolve(1);
	await pass(0);
	expect(await lookUp(key, read)).toEqual({ value: 1 });
	expect(read).toHaveBeenCalledTimes(1);
});

it('is waited for as long as anything else by whoever cannot do without it', async () => {
	const key = newKey();
	const { read, answers } = readings();
	const isEnough = (known: Lookup<unknown>) => 'value' in known;
	const needed = watched(lookUp(key, read, undefined, isEnough, MINUTE));
	const other = watched(lookUp(key, read));
	await pass(MINUTE - 1);
	expect([needed.answer, other.answer]).toEqual([undefined, LATE]);
	answers[0]?.resolve('a');
	await pass(0);
	expect(needed.answer).toEqual({ value: 'a' });
	expect(read).toHaveBeenCalledTimes(1);
});

it('a failure that comes late counts from then on', async () => {
	const key = newKey();
	const { read, answers } = readings();
	const first = lookUp(key, read);
	await pass(10_000);
	expect(await first).toEqual(LATE);
	answers[0]?.reject(truncatedAnswerError('x'));
	await pass(29_999);
	expect(await lookUp(key, read)).toMatchObject({ missing: 'The answer stopped before its end' });
	await pass(1);
	void lookUp(key, read);
	expect(read).toHaveBeenCalledTimes(2);
});

it('is read again after the clock was set back: nobody knows how old it is', async () => {
	const key = newKey();
	const read = reading('old', 'new');
	expect(await lookUp(key, read)).toEqual({ value: 'old' });
	jest.setSystemTime(Date.now() - 60 * MINUTE);
	expect(await lookUp(key, read)).toEqual({ value: 'new' });
});

it('what never comes is asked for again after five minutes', async () => {
	const [key, read] = [newKey(), reading()];
	void lookUp(key, read);
	await pass(5 * MINUTE - 1);
	expect(await lookUp(key, read)).toEqual(LATE);
	await pass(1);
	const again = watched(lookUp(key, read));
	await pass(0);
	expect([read.mock.calls.length, again.answer]).toEqual([2, undefined]);
	await pass(5000);
});

it('an execution that was stopped says nothing of the service', async () => {
	const [key, read] = [newKey(), reading(STOPPED, 1)];
	expect(await lookUp(key, read)).toEqual({ missing: 'The execution was stopped', error: STOPPED });
	expect(await lookUp(key, read)).toEqual({ value: 1 });
});

it('who waits for the reading of another execution reads for itself when that one is stopped', async () => {
	const key = newKey();
	const { read, answers } = readings();
	const own = jest.fn(async () => 'mine');
	const [first, second, third] = [lookUp(key, read), lookUp(key, own), lookUp(key, own)];
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
	const key = newKey();
	const { read, answers } = readings();
	const other = watched(lookUp(key, read));
	const stop = new AbortController();
	const mine = watched(lookUp(key, read, stop.signal));
	await pass(1000);
	expect(mine.answer).toBeUndefined();
	stop.abort();
	await pass(0);
	expect(mine.answer).toEqual({ missing: 'the execution was stopped', error: STOPPED });
	expect(await lookUp(key, read, stop.signal)).toEqual(mine.answer);
	answers[0]?.resolve('a');
	await pass(0);
	expect([other.answer, read.mock.calls.length]).toEqual([{ value: 'a' }, 1]);
});

describe('what is not enough', () => {
	/** Asks for what has this letter in it. */
	const ask = (key: string, read: () => Promise<unknown>, letter: string) =>
		lookUp(key, read, undefined, (given) => 'value' in given && `${given.value}`.includes(letter));

	it('is read again, once, and counts for everybody', async () => {
		const [key, read] = [newKey(), reading('a', 'ab')];
		expect(await lookUp(key, read)).toEqual({ value: 'a' });
		await pass(MINUTE);
		const asked = await Promise.all(Array.from({ length: 20 }, () => ask(key, read, 'b')));
		expect(asked).toEqual(Array(20).fill({ value: 'ab' }));
		expect(read).toHaveBeenCalledTimes(2);
		expect(await lookUp(key, read)).toEqual({ value: 'ab' });
	});

	it('is not read again if it was read just now', async () => {
		const [key, read] = [newKey(), reading('a', 'a')];
		for (let item = 0; item < 50; item++) await ask(key, read, 'b');
		expect(read).toHaveBeenCalledTimes(1);
		await pass(10_000);
		for (let item = 0; item < 50; item++) await ask(key, read, 'b');
		expect(read).toHaveBeenCalledTimes(2);
	});

	it('holds up nobody who finds enough', async () => {
		const key = newKey();
		const { read, answers } = readings();
		const first = lookUp(key, read);
		answers[0]?.resolve('a');
		await first;
		await pass(MINUTE);
		const waits = ask(key, read, 'b');
		await pass(0);
		expect(await ask(key, read, 'a')).toEqual({ value: 'a' });
		answers[1]?.resolve('b');
		expect(await waits).toEqual({ value: 'b' });
	});

	it.each([
		['fails', new Error('x')],
		['does not come', never],
	])('stays when the second reading %s', async (_how, second) => {
		const key = newKey();
		const read = reading('a', ...(second instanceof Error ? [second] : []));
		await lookUp(key, read);
		await pass(MINUTE);
		const again = ask(key, read, 'b');
		await pass(5000);
		expect([await again, await lookUp(key, read)]).toEqual([{ value: 'a' }, { value: 'a' }]);
		await ask(key, read, 'b');
		expect([read.mock.calls.length, jest.getTimerCount()]).toEqual([2, 0]);
	});

	it('may also be a failure', async () => {
		const [key, read] = [newKey(), reading(new Error('x'), 'b')];
		expect(await ask(key, read, 'b')).toEqual({ missing: 'Error: x' });
		await pass(15_000);
		expect(await lookUp(key, read)).toEqual({ missing: 'Error: x' });
		expect(await ask(key, read, 'b')).toEqual({ value: 'b' });
	});
});

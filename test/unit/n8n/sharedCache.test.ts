import { truncatedAnswerError, ServiceError } from '../../../src/core/errors';
import { lookUp, type Lookup } from '../../../src/n8n/sharedCache';

const MINUTE = 60_000;
const LATE = { missing: 'it did not come in time' };
const STOPPED = new ServiceError('cancelled', 'The execution was stopped');

let names = 0;
/** The memory is that of the process: each test has a key of its own. */
const newKey = () => `key ${names++}`;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const pass = async (milliseconds: number) => await jest.advanceTimersByTimeAsync(milliseconds);

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
	await pass(5 * MINUTE - 1001);
	expect(await lookUp(key, read)).toEqual({ value: { a: 1 } });
	expect(read).toHaveBeenCalledTimes(1);
	await pass(1);
	const again = lookUp(key, read);
	answers[1]?.resolve('b');
	expect(await again).toEqual({ value: 'b' });
	expect(read).toHaveBeenCalledTimes(2);
});

it.each([[undefined], [null], [0], [''], [false]])('%j is an answer too', async (value) => {
	const key = newKey();
	expect(await lookUp(key, async () => value)).toEqual({ value });
	expect(await lookUp(key, async () => 'other')).toEqual({ value });
});

it('keys do not know of each other', async () => {
	const [one, other] = [newKey(), newKey()];
	expect(await lookUp(one, async () => 1)).toEqual({ value: 1 });
	expect(await lookUp(other, async () => 2)).toEqual({ value: 2 });
});

it.each<[string, unknown, string]>([
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

it('a failure that comes late counts from then on', async () => {
	const key = newKey();
	const { read, answers } = readings();
	const first = lookUp(key, read);
	await pass(10_000);
	expect(await first).toEqual(LATE);
	answers[0]?.reject(truncatedAnswerError('x'));
	await pass(29_999);
	expect(await lookUp(key, read)).toEqual({
		missing: 'The answer stopped before its end',
		error: expect.any(ServiceError),
	});
	await pass(1);
	void lookUp(key, read);
	expect(read).toHaveBeenCalledTimes(2);
});

it('what never comes is asked for again after five minutes', async () => {
	const key = newKey();
	const { read } = readings();
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
	const key = newKey();
	const read = jest.fn<Promise<number>, []>().mockRejectedValueOnce(STOPPED).mockResolvedValue(1);
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

it('leaves no timer behind', async () => {
	await lookUp(newKey(), async () => 1);
	expect(jest.getTimerCount()).toBe(0);
});

it('forgets the oldest when there are too many', async () => {
	const read = jest.fn(async () => 1);
	const keys = Array.from({ length: 201 }, newKey);
	for (const key of keys) await lookUp(key, read);
	await lookUp(keys.at(-200) ?? '', read);
	expect(read).toHaveBeenCalledTimes(201);
	await lookUp(keys[0] ?? '', read);
	expect(read).toHaveBeenCalledTimes(202);
});

it('what was read again is not the oldest', async () => {
	const read = jest.fn(async () => 1);
	const keys = Array.from({ length: 200 }, newKey);
	for (const key of keys) await lookUp(key, read);
	await pass(5 * MINUTE);
	await lookUp(keys[0] ?? '', read);
	await lookUp(newKey(), read);
	await lookUp(keys[0] ?? '', read);
	expect(read).toHaveBeenCalledTimes(202);
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

import { lookUp, type Lookup } from '../../../src/n8n/sharedCache';

const MINUTE = 60_000;
let names = 0;
const newKey = () => `again ${names++}`;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());
const pass = async (milliseconds: number) => await jest.advanceTimersByTimeAsync(milliseconds);

const has = (wanted: string) => (given: Lookup<string[]>) =>
	'value' in given && given.value.includes(wanted);

/** Something that is read, and changes. */
function changing(...answers: Array<string[] | Error>) {
	let next = 0;
	return jest.fn(async () => {
		const answer = answers[Math.min(next++, answers.length - 1)]!;
		if (answer instanceof Error) throw answer;
		return answer;
	});
}

it('what is not enough is read again, once, and counts for everybody', async () => {
	const key = newKey();
	const read = changing(['a'], ['a', 'b']);
	expect(await lookUp(key, read)).toEqual({ value: ['a'] });
	await pass(MINUTE);
	const asked = await Promise.all(
		Array.from({ length: 20 }, () => lookUp(key, read, undefined, has('b'))),
	);
	expect(asked).toEqual(Array(20).fill({ value: ['a', 'b'] }));
	expect(read).toHaveBeenCalledTimes(2);
	expect(await lookUp(key, read)).toEqual({ value: ['a', 'b'] });
});

it('what was read just now is not read again', async () => {
	const key = newKey();
	const read = changing(['a']);
	await lookUp(key, read, undefined, has('b'));
	for (let item = 0; item < 50; item++) await lookUp(key, read, undefined, has('b'));
	expect(read).toHaveBeenCalledTimes(1);
	await pass(10_000);
	for (let item = 0; item < 50; item++) await lookUp(key, read, undefined, has('b'));
	expect(read).toHaveBeenCalledTimes(2);
});

it('who finds enough does not wait for another who does not', async () => {
	const key = newKey();
	let answer: (value: string[]) => void = () => {};
	const read = jest
		.fn<Promise<string[]>, []>()
		.mockResolvedValueOnce(['a'])
		.mockImplementation(async () => await new Promise((resolve) => (answer = resolve)));
	await lookUp(key, read);
	await pass(MINUTE);
	const waits = lookUp(key, read, undefined, has('b'));
	await pass(0);
	expect(await lookUp(key, read, undefined, has('a'))).toEqual({ value: ['a'] });
	answer(['b']);
	expect(await waits).toEqual({ value: ['b'] });
});

it('a second reading that fails, or does not come, takes nothing away', async () => {
	const failing = newKey();
	const read = changing(['a'], new Error('x'));
	await lookUp(failing, read);
	await pass(MINUTE);
	expect(await lookUp(failing, read, undefined, has('b'))).toEqual({ value: ['a'] });
	expect(await lookUp(failing, read)).toEqual({ value: ['a'] });
	await lookUp(failing, read, undefined, has('b'));
	expect(read).toHaveBeenCalledTimes(2);

	const silent = newKey();
	const never = jest
		.fn<Promise<string[]>, []>()
		.mockResolvedValueOnce(['a'])
		.mockImplementation(async () => await new Promise(() => {}));
	await lookUp(silent, never);
	await pass(MINUTE);
	const waits = lookUp(silent, never, undefined, has('b'));
	await pass(5000);
	expect(await waits).toEqual({ value: ['a'] });
	expect(jest.getTimerCount()).toBe(0);
});

it('a failure is read again, too', async () => {
	const key = newKey();
	const read = changing(new Error('x'), ['b']);
	expect(await lookUp(key, read, undefined, has('b'))).toEqual({ missing: 'Error: x' });
	await pass(15_000);
	expect(await lookUp(key, read)).toEqual({ missing: 'Error: x' });
	expect(await lookUp(key, read, undefined, has('b'))).toEqual({ value: ['b'] });
});

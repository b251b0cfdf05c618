import { backOffWithJitter, retry } from '../../../src/core/retry';
import { virtualClock } from '../virtualClock';

it.each([
	[1, 0, 0],
	[1, 0.5, 250],
	[3, 0.5, 1000],
	[30, 0.999, 19_980],
])('after attempt %i, by chance %d, the pause is %i ms', (attempt, chance, pause) => {
	expect(backOffWithJitter(attempt, { random: () => chance })).toBe(pause);
});

it.each([
	['gives what it gives in the end, after pauses', 2, true, 'call 3', 1000],
	['is given up after its attempts', 9, true, 'failure 3', 1000],
	['is not repeated where that would not help', 9, false, 'failure 1', 0],
])('an action that is repeated %s', async (_what, failures, retryable, expected, least) => {
	const clock = virtualClock();
	let calls = 0;
	const action = async () => {
		if (++calls <= failures) throw new Error(`failure ${calls}`);
		return `call ${calls}`;
	};
	const options = { attempts: 3, isRetryable: () => retryable, clock, minimumPause: 500 };
	const came = await retry(action, options).catch(({ message }: Error) => message);
	expect([came, calls]).toEqual([expected, Number(expected.slice(-1))]);
	expect(clock.now()).toBeGreaterThanOrEqual(least);
});

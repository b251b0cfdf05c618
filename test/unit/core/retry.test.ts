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

describe('an action that is repeated', () => {
	const failing = (times: number) => {
		let calls = 0;
		const action = async () => {
			if (++calls <= times) throw new Error(`failure ${calls}`);
			return calls;
		};
		return { action, calls: () => calls };
	};

	it('gives what it gives in the end, after pauses', async () => {
		const clock = virtualClock();
		const before = clock.now();
		const options = { attempts: 3, isRetryable: () => true, clock, minimumPause: 500 };
		expect(await retry(failing(2).action, options)).toBe(3);
		expect(clock.now() - before).toBeGreaterThanOrEqual(1000);
	});

	it('is given up after its attempts', async () => {
		const { action, calls } = failing(9);
		const options = { attempts: 3, isRetryable: () => true, clock: virtualClock() };
		await expect(retry(action, options)).rejects.toThrow('failure 3');
		expect(calls()).toBe(3);
	});

	it('is not repeated where that would not help', async () => {
		const { action, calls } = failing(9);
		const options = { attempts: 3, isRetryable: () => false, clock: virtualClock() };
		await expect(retry(action, options)).rejects.toThrow('failure 1');
		expect(calls()).toBe(1);
	});
});

import { breather } from '../../../src/n8n/breathe';

it('lets others work once 50 ms are over, and only then', async () => {
	let time = 1000;
	const sleep = jest.fn(async () => void (time += 300));
	const breathe = breather({ now: () => time, sleep, random: () => 0 });
	time += 49;
	expect(breathe()).toBeUndefined();
	time += 1;
	await breathe();
	expect(sleep.mock.calls).toEqual([[0]]);
	// the time that others took is not its own
	expect(breathe()).toBeUndefined();
	time += 50;
	await breathe();
	expect(sleep).toHaveBeenCalledTimes(2);
});

it('ends with the execution', async () => {
	let time = 0;
	const stop = new Error('stopped');
	const breathe = breather({
		now: () => time,
		sleep: () => Promise.reject(stop),
		random: () => 0,
	});
	time = 50;
	await expect(breathe()).rejects.toBe(stop);
});

import type { Clock } from '../../src/core/retry.ts';
import { nobodyPauses, timeIsVirtual } from '../support/jitter/quiet.ts';

/** A clock that goes on as soon as everybody who runs on it sleeps, and remembers each sleep. */
export function virtualClock(chance = 0.5): Clock & { slept: number[] } {
	timeIsVirtual();
	let time = 0;
	const slept: number[] = [];
	const sleepers: Array<{ until: number; wake: () => void }> = [];

	const wakeNext = () => {
		sleepers.sort((one, other) => one.until - other.until);
		const next = sleepers.shift();
		if (!next) return;
		time = Math.max(time, next.until);
		next.wake();
	};

	return {
		slept,
		now: () => time,
		random: () => chance,
		async sleep(milliseconds) {
			slept.push(milliseconds);
			await new Promise<void>((wake) => {
				sleepers.push({ until: time + milliseconds, wake });
				void nobodyPauses().then(wakeNext);
			});
		},
	};
}

import type { Clock } from '../core/retry';

/** Milliseconds for which a request waits for what others have reserved. */
const MAX_WAIT = 30_000;
/** Milliseconds between two attempts. */
const WAIT_STEP = 1000;

/** The wait of all requests of a node run together: items in sequence do not each wait that long. */
export function createWaiting(clock: () => Pick<Clock, 'now' | 'sleep'>) {
	/** Undefined while none has to wait. */
	let until: number | undefined;
	return {
		/** @returns false once requests have waited for 30 s. */
		async wait(): Promise<boolean> {
			const { now, sleep } = clock();
			until ??= now() + MAX_WAIT;
			if (now() >= until) return false;
			await sleep(WAIT_STEP);
			return true;
		},
		/** A request fits, or something has changed. */
		reset: () => void (until = undefined),
	};
}

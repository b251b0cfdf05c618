import type { World } from '../world.ts';

const MINUTE = 60_000;

/**
 * Counts a request against the limit per minute of its tier (section 8).
 * How the minute is counted is not specified, so it is a form.
 *
 * @returns milliseconds until a request is let in again, or undefined when this one is
 */
export function overRate(world: World, key: string, tier: string): number | undefined {
	const limit = tier === 'free' ? 60 : tier === 'pro' ? 300 : world.forms.enterpriseLimit;
	const now = world.now();
	const times = world.calls.get(key) ?? [];
	world.calls.set(key, times);
	const wait = WAITS[world.forms.rateWindow](times, now, limit);
	if (wait > 0) return wait;
	times.push(now);
	return undefined;
}

/** Each gives the wait for one more request after those let in at `times`. */
const WAITS = {
	/** Each minute of the clock has its own count. */
	fixed(times: number[], now: number, limit: number): number {
		const start = Math.floor(now / MINUTE) * MINUTE;
		return countSince(times, start) < limit ? 0 : start + MINUTE - now;
	},
	/** The last sixty seconds count. */
	sliding(times: number[], now: number, limit: number): number {
		if (countSince(times, now - MINUTE + 1) < limit) return 0;
		return (times.at(-limit) ?? now) + MINUTE - now;
	},
	/** A bucket of `limit`, refilled evenly. */
	bucket(times: number[], now: number, limit: number): number {
		const each = MINUTE / limit;
		let level = limit;
		let at = times[0] ?? now;
		for (const time of times) {
			level = Math.min(limit, level + (time - at) / each) - 1;
			at = time;
		}
		level = Math.min(limit, level + (now - at) / each);
		// a rounding error must not make a client that waited as told wait again
		return level >= 1 - 1e-6 ? 0 : (1 - level) * each;
	},
};

const countSince = (times: number[], start: number) => times.filter((time) => time >= start).length;

const [MINUTE, HOUR] = [60_000, 3_600_000];

/** From which age a job is asked for how often, the oldest first; milliseconds. */
const INTERVALS = [
	[7 * 24 * HOUR, 6 * HOUR],
	[24 * HOUR, HOUR],
	[HOUR, 10 * MINUTE],
	[10 * MINUTE, 2 * MINUTE],
	[0, MINUTE],
] as const;

/** A poll that comes a little early must not leave out a job until the next one. */
const EARLY = 15_000;

/** After so many answers that told nothing, a job is asked for once an hour at most. */
const PATIENCE = 5;

/** Milliseconds until a job is asked for again. */
export function checkInterval(age: number, failures: number): number {
	const [, interval] = INTERVALS.find(([from]) => age >= from) ?? [0, MINUTE];
	return Math.max(interval, failures >= PATIENCE ? HOUR : 0) - EARLY;
}

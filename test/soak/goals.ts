import type { Soaked } from './soak';

export interface Goal {
	what: string;
	figure: string;
	goal: string;
	met: boolean;
	/** Which ones, when it is missed. */
	which: string[];
}

/** MiB that a process may have grown by. */
const GROWTH = 100;

/** What has to hold, whatever goes wrong. */
export function goalsOf(soaked: Soaked): Goal[] {
	const { unknown, memory } = soaked;
	const none = (what: string, which: string[]): Goal => ({
		what,
		figure: String(which.length),
		goal: '0',
		met: !which.length,
		which,
	});
	const growth = memory.after - memory.before;
	return [
		none('started twice', soaked.twice),
		none('sent again, though it may have arrived', soaked.sentAgain),
		none('lost: booked, no id told, not called unknown', soaked.lost),
		none('ids that the service never gave', soaked.phantom),
		none('items of which nothing was said', soaked.silent),
		none('files that are not the bytes of their job', soaked.wrongFiles),
		none('completed, known, and no file in the end', soaked.withoutFile),
		none('requests outside of the specification', soaked.unexpected),
		{
			what: 'places where the key came to light',
			figure: String(soaked.leaks),
			goal: '0',
			met: !soaked.leaks,
			which: [],
		},
		{
			what: 'called unknown, of them really started',
			figure: `${unknown.called}, ${unknown.started}`,
			goal: 'told',
			met: true,
			which: [],
		},
		{
			what: 'memory after the first tenth and at the end (MiB)',
			figure: `${memory.before.toFixed(0)}, ${memory.after.toFixed(0)}`,
			goal: `+${GROWTH}`,
			met: growth < GROWTH,
			which: [`the heap held ${memory.heapBefore.toFixed(0)}, then ${memory.heapAfter.toFixed(0)}`],
		},
	];
}

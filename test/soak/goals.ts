import type { Memory } from './memory';
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
			what: 'called unknown, really started, for nothing',
			figure: `${unknown.called}, ${unknown.started}, ${soaked.unknownForNothing.length}`,
			goal: 'told',
			met: true,
			which: [],
		},
		...(memory ? [growthOf(memory)] : []),
	];
}

/** A goal that nothing is on a list. */
export const none = (what: string, which: string[]): Goal => ({
	what,
	figure: String(which.length),
	goal: '0',
	met: !which.length,
	which,
});

function growthOf({ before, after, heapBefore, heapAfter }: Memory): Goal {
	return {
		what: 'memory after the first tenth and at the end (MiB)',
		figure: `${before.toFixed(0)}, ${after.toFixed(0)}`,
		goal: `+${GROWTH}`,
		met: after - before < GROWTH,
		which: [`the heap held ${heapBefore.toFixed(0)}, then ${heapAfter.toFixed(0)}`],
	};
}

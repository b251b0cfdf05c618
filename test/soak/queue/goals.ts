import { none, type Goal } from '../goals';
import type { QueueSoaked } from './soak';

/** What has to hold, whichever process is killed. */
export function goalsOf(soaked: QueueSoaked): Goal[] {
	const { delivery, leaks } = soaked;
	const lostItems = none('delivered, and never at the end of the workflow', soaked.lostItems);
	return [
		none('started twice', soaked.twice),
		none('sent again, though it may have arrived', soaked.sentAgain),
		none('lost: booked, no ID anywhere, not called unknown', soaked.lost),
		none('booked, and the ledger has neither job nor doubt', soaked.unsaid),
		none('IDs that the service never gave', soaked.phantom),
		none('unique keys of which nothing was said', soaked.silent),
		none('jobs in the ledger that were not delivered', soaked.undelivered),
		// handed over at most once is all that this mode promises
		delivery === 'confirmed' ? lostItems : { ...lostItems, goal: 'told', met: true },
		none('completed and delivered, and never with its file', soaked.withoutFile),
		none('files that are not the bytes of their job', soaked.wrongFiles),
		none('requests outside of the specification', soaked.unexpected),
		{
			what: 'places where a key came to light',
			figure: String(leaks),
			goal: '0',
			met: !leaks,
			which: [],
		},
	];
}

import { goalsOf } from '../../soak/queue/goals';
import type { QueueSoaked } from '../../soak/queue/soak';
import { tableOf } from '../../soak/queue/table';

const soaked = (more: Partial<QueueSoaked> = {}): QueueSoaked => ({
	...{ twice: [], sentAgain: [], lost: [], unsaid: [], phantom: [], silent: [] },
	...{ undelivered: [], lostItems: [], withoutFile: [], wrongFiles: [], unexpected: [] },
	...{ unknown: { called: 2, started: 1 }, notStarted: 3, neverReached: 4 },
	...{
		onlySaid: 0,
		onlyLogged: 0,
		arrivedAgain: 1,
		leaks: 0,
		leasesEnded: 5,
		hours: 0,
		seconds: 60,
	},
	...{ delivery: 'confirmed', booked: 90, arrivals: 88 },
	calls: { sent: 20, lost: 6, again: 7, refused: 8 },
	...{ ends: new Map([['main, kill -9', 2]]), statuses: new Map(), struck: new Map() },
	...more,
});
const missed = (more: Partial<QueueSoaked>) =>
	goalsOf(soaked(more))
		.filter(({ met }) => !met)
		.map(({ what }) => what);

it('all goals are met when nothing is on a list', () => {
	expect(missed({})).toEqual([]);
	expect(tableOf(soaked())).not.toContain('MISSED');
});

it.each([
	['twice', 'started twice'],
	['sentAgain', 'sent again, though it may have arrived'],
	['lost', 'lost: booked, no ID anywhere, not called unknown'],
	['unsaid', 'booked, and the ledger has neither job nor doubt'],
	['phantom', 'IDs that the service never gave'],
	['silent', 'unique keys of which nothing was said'],
	['undelivered', 'jobs in the ledger that were not delivered'],
	['lostItems', 'delivered, and never at the end of the workflow'],
	['withoutFile', 'completed and delivered, and never with its file'],
	['wrongFiles', 'files that are not the bytes of their job'],
	['unexpected', 'requests outside of the specification'],
])('one in the list %s is a missed goal, and is named', (list, goal) => {
	const more = { [list]: ['soak-7'] };
	expect(missed(more)).toEqual([goal]);
	expect(tableOf(soaked(more))).toMatch(/MISSED[^]*: soak-7$/);
});

it('a key that comes to light is a missed goal', () => {
	expect(missed({ leaks: 1 })).toEqual(['places where a key came to light']);
});

it('items that are lost behind a trigger that hands them over once are only counted', () => {
	const more: Partial<QueueSoaked> = { lostItems: ['job-1'], delivery: 'handedOver' };
	expect(missed(more)).toEqual([]);
	expect(tableOf(soaked(more))).toMatch(/never at the end of the workflow +1 +told/);
});

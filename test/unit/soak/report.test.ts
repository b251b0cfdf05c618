import { goalsOf, reportOf, type Soaked } from '../../soak/report';

const soaked = (more: Partial<Soaked> = {}): Soaked => ({
	...{ twice: [], sentAgain: [], lost: [], unsaid: [], phantom: [], silent: [] },
	...{ undelivered: [], lostItems: [], withoutFile: [], wrongFiles: [], unexpected: [] },
	...{ unknown: { called: 2, started: 1 }, notStarted: 3, neverReached: 4 },
	...{ onlySaid: 0, onlyLogged: 0, arrivedAgain: 1, leaks: 0, seconds: 60, booked: 90 },
	tables: { 'processes ended': new Map([['main, kill -9', 2]]) },
	facts: { 'executions called': 20 },
	...more,
});
const missed = (more: Partial<Soaked>) =>
	goalsOf(soaked(more))
		.filter(({ met }) => !met)
		.map(({ what }) => what);

it('all goals are met when nothing is on a list', () => {
	expect(missed({})).toEqual([]);
	expect(reportOf(soaked())).not.toContain('MISSED');
	expect(reportOf(soaked())).toMatch(/^main, kill -9 +2$/m);
	expect(reportOf(soaked())).toMatch(/^executions called +20$/m);
});

it.each([
	['twice', 'started twice'],
	['sentAgain', 'sent again, though it may have arrived'],
	['lost', 'lost: booked, no ID anywhere, not called unknown'],
	['unsaid', 'booked, and the ledger has neither job nor doubt'],
	['phantom', 'IDs that the service never gave'],
	['silent', 'items of which nothing was said'],
	['undelivered', 'jobs in the ledger that were not delivered'],
	['lostItems', 'delivered, and never at the end of the workflow'],
	['withoutFile', 'completed and known, and never with its file'],
	['wrongFiles', 'files that are not the bytes of their job'],
	['unexpected', 'requests outside of the specification'],
])('one in the list %s is a missed goal, and is named', (list, goal) => {
	const more = { [list]: ['soak-7'] };
	expect(missed(more)).toEqual([goal]);
	expect(reportOf(soaked(more))).toMatch(/MISSED[^]*: soak-7$/);
});

it('a key that comes to light is a missed goal', () => {
	expect(missed({ leaks: 1 })).toEqual(['places where a key came to light']);
});

it('a process that grows is a missed goal', () => {
	const memory = { before: 300, after: 450, heapBefore: 90, heapAfter: 91 };
	expect(missed({ memory })).toEqual(['memory after the first tenth and at the end (MiB)']);
	expect(missed({ memory: { ...memory, after: 399 } })).toEqual([]);
});

it('items that are lost behind a trigger that hands them over once are only counted', () => {
	const more: Partial<Soaked> = { lostItems: ['job-1'], handedOver: true };
	expect(missed(more)).toEqual([]);
	expect(reportOf(soaked(more))).toMatch(/never at the end of the workflow +1 +told/);
});

import { compare, type Evidence, type Findings } from '../../soak/book';
import type { Row } from '../../soak/queue/ledgerRows';

const now = 1_000_000;
const row = (label: string, state: string, more: Partial<Row> = {}): Row => ({
	...{ id: 1, label, state, jobId: '', leaseUntil: 0, checkAt: 0, failures: 0, note: '' },
	...more,
});
const booked = [{ key: 'soak-1', jobId: 'job-1' }];
const delivered = row('soak-1', 'delivered', { jobId: 'job-1' });
const arrival = { jobId: 'job-1', sha256: 'right' };

/** One key, whose job was started, delivered and written down. */
const evidence: Evidence = {
	wanted: [{ key: 'soak-1', hasKey: true }],
	...{ booked, completed: new Set(['job-1']), files: new Map([['job-1', 'right']]), sentAgain: [] },
	...{ rows: [delivered], said: [], arrivals: [arrival] },
};
const found = (more: Partial<Evidence> = {}): Findings => compare({ ...evidence, ...more }, now);

const good: Findings = {
	...{ twice: [], sentAgain: [], lost: [], unsaid: [], phantom: [], silent: [] },
	...{ undelivered: [], lostItems: [], withoutFile: [], wrongFiles: [] },
	...{ unknown: { called: 0, started: 0 }, notStarted: 0, neverReached: 0 },
	...{ onlySaid: 0, onlyLogged: 0, arrivedAgain: 0 },
};

it('finds nothing when the job was delivered and written down once', () => {
	expect(found()).toEqual(good);
});

it('finds a key that the service has booked twice, and the job that the ledger does not have', () => {
	const both = [...booked, { key: 'soak-1', jobId: 'job-2' }];
	expect(found({ booked: both })).toEqual({
		...good,
		...{ twice: ['soak-1'], lost: ['soak-1'], unsaid: ['soak-1'] },
	});
});

const missing = { ...good, lost: ['soak-1'], unsaid: ['soak-1'] };
const doubtful = { ...good, unknown: { called: 1, started: 1 } };

it.each<[string, Row[], Findings]>([
	['no row', [], missing],
	[
		'a row that says it was not started',
		[row('soak-1', 'notStarted')],
		{ ...missing, notStarted: 1 },
	],
	['a start that is called unknown', [row('soak-1', 'unknown')], doubtful],
	['a start whose lease has ended', [row('soak-1', 'sending', { leaseUntil: 1 })], doubtful],
	['a start whose lease goes on', [row('soak-1', 'sending', { leaseUntil: now + 1 })], missing],
	['the row of another key', [row('soak-2', 'unknown')], missing],
])('a job of which the ledger has %s', (_name, rows, expected) => {
	expect(found({ rows, arrivals: [] })).toEqual(expected);
});

it.each<[string, Partial<Evidence>, Partial<Findings>]>([
	['in an output', { said: [{ key: 'soak-1', jobId: 'job-1' }] }, { onlySaid: 1 }],
	['in a log', { logged: new Set(['job-1']) }, { onlyLogged: 1 }],
	[
		'in neither, but an error calls the start unknown',
		{ said: [{ key: 'soak-1', outcome: 'unknown' }] },
		{ unknown: { called: 1, started: 1 } },
	],
])('a job that is not in the ledger is not lost when its ID is %s', (_name, more, expected) => {
	expect(found({ rows: [], arrivals: [], ...more })).toEqual({
		...good,
		...{ unsaid: ['soak-1'] },
		...expected,
	});
});

it('finds IDs that the service never gave', () => {
	const said = [{ key: 'soak-1', jobId: 'job-7' }];
	expect(found({ said }).phantom).toEqual(['soak-1']);
	const rows = [delivered, row('soak-1', 'pending', { jobId: 'job-8' })];
	expect(found({ rows }).phantom).toEqual(['soak-1']);
});

it('finds unique keys of which nothing was said, and counts other starts that were killed', () => {
	const nothing = { booked: [], rows: [], arrivals: [], completed: new Set<string>() };
	expect(found(nothing)).toEqual({ ...good, silent: ['soak-1'] });
	const wanted = [{ key: 'soak-1', hasKey: false }];
	expect(found({ ...nothing, wanted })).toEqual({ ...good, neverReached: 1 });
});

it.each(['pending', 'emitting', 'delivering', 'unconfirmed'])(
	'a job in state %s at the end is not delivered',
	(state) => {
		const rows = [row('soak-1', state, { jobId: 'job-1', failures: 2, note: 'Cut.' })];
		const undelivered = [`job-1 (${state}, failures 2) Cut.`];
		expect(found({ rows })).toEqual({ ...good, undelivered });
	},
);

it.each<[string, Evidence['arrivals'], Partial<Findings>]>([
	['never', [], { lostItems: ['job-1'] }],
	['without its file', [{ jobId: 'job-1' }], { withoutFile: ['job-1'] }],
	['with other bytes', [{ jobId: 'job-1', sha256: 'wrong' }], { wrongFiles: ['job-1'] }],
	['twice, once without its file', [{ jobId: 'job-1' }, arrival], { arrivedAgain: 1 }],
])('a delivered job that the workflow had %s', (_name, arrivals, expected) => {
	expect(found({ arrivals })).toEqual({ ...good, ...expected });
});

it.each<[string, Evidence['said'], Partial<Findings>]>([
	['an ID', [{ key: 'soak-1', jobId: 'job-1' }], { onlySaid: 1 }],
	['nothing', [], { lost: ['soak-1'], silent: ['soak-1'] }],
	['that nothing is known', [{ key: 'soak-1', outcome: 'unknown' }], doubtful],
	[
		'that nothing was started',
		[{ key: 'soak-1', outcome: 'not_started' }],
		{ lost: ['soak-1'], notStarted: 1 },
	],
])('without a ledger it counts what was said: %s', (_what, said, expected) => {
	const told: Evidence = { ...evidence, said };
	delete told.rows;
	expect(compare(told, now)).toEqual({ ...good, ...expected });
});

it('a job that has failed has no file', () => {
	const arrivals = [{ jobId: 'job-1' }];
	expect(found({ arrivals, completed: new Set() })).toEqual(good);
});

import {
	compare,
	missed,
	reportOf,
	type Book,
	type Evidence,
	type Row,
} from '../../queue/soak/book';

const now = 1_000_000;
const row = (triggerGroup: string, state: Row['state'], more: Partial<Row> = {}): Row => ({
	triggerGroup,
	state,
	jobId: '',
	leaseUntil: 0,
	failures: 0,
	note: '',
	...more,
});
const booked = [{ key: 'soak-1', jobId: 'job-1' }];
const delivered = row('soak-1', 'delivered', { jobId: 'job-1' });
const arrival = { jobId: 'job-1', sha256: 'right' };

/** One key, whose job was started, delivered and written down. */
const evidence: Evidence = {
	wanted: [{ key: 'soak-1', hasKey: true }],
	sentAgain: [],
	rows: [delivered],
	said: [],
	logged: new Set(),
	arrivals: [arrival],
};
const book: Book = { booked, files: new Map([['job-1', 'right']]) };
/** The lists on which there is something, and the starts that are called unknown. */
const found = (more: Partial<Evidence & Book> = {}) => {
	const { lists, unknown } = compare({ ...evidence, ...more }, { ...book, ...more }, now);
	const some = Object.entries(lists).filter(([, list]) => list.length);
	return { ...Object.fromEntries(some), ...(unknown.called && { unknown }) };
};
const key = ['soak-1'];
const doubt = { unknown: { called: 1, started: 1 } };
const missing = { lost: key, unsaid: key };
const unseen = { rows: [], arrivals: [] };

it.each([
	['nothing when the job was delivered and written down once', {}, {}],
	[
		'a key that was booked twice',
		{ booked: [...booked, { key: 'soak-1', jobId: 'job-2' }] },
		{ twice: key, ...missing },
	],
	['a start that was sent again', { sentAgain: key }, { sentAgain: key }],
	['a job without a row', unseen, missing],
	['one that is called unknown', { ...unseen, rows: [row('soak-1', 'unknown')] }, doubt],
	[
		'a start whose lease has ended',
		{ ...unseen, rows: [row('soak-1', 'sending', { leaseUntil: 1 })] },
		doubt,
	],
	[
		'a start whose lease goes on',
		{ ...unseen, rows: [row('soak-1', 'sending', { leaseUntil: now + 1 })] },
		missing,
	],
	['an ID in an output', { ...unseen, said: [{ key: 'soak-1', jobId: 'job-1' }] }, { unsaid: key }],
	['an ID in a log', { ...unseen, logged: new Set(['job-1']) }, { unsaid: key }],
	[
		'an error that calls the start unknown',
		{ ...unseen, said: [{ key: 'soak-1', outcome: 'unknown' }] },
		{ unsaid: key, ...doubt },
	],
	['an ID that nobody gave', { said: [{ key: 'soak-1', jobId: 'job-7' }] }, { phantom: key }],
	[
		'one in the ledger',
		{ rows: [delivered, row('soak-1', 'pending', { jobId: 'job-8' })] },
		{ phantom: key, undelivered: ['job-8 (pending, failures 0)'] },
	],
	['a key of which nothing was said', { ...unseen, booked: [] }, { silent: key }],
	[
		'nothing of a start without a key that was killed',
		{ ...unseen, booked: [], wanted: [{ key: 'soak-1', hasKey: false }] },
		{},
	],
	[
		'a job that was not confirmed at the end',
		{ rows: [row('soak-1', 'unconfirmed', { jobId: 'job-1', failures: 2, note: 'Cut.' })] },
		{ undelivered: ['job-1 (unconfirmed, failures 2) Cut.'] },
	],
	['a job that never arrived', { arrivals: [] }, { lostItems: ['job-1'] }],
	['one without its file', { arrivals: [{ jobId: 'job-1' }] }, { withoutFile: ['job-1'] }],
	['a failed job has none', { arrivals: [{ jobId: 'job-1' }], files: new Map() }, {}],
	[
		'one with other bytes',
		{ arrivals: [{ jobId: 'job-1', sha256: 'wrong' }] },
		{ wrongFiles: ['job-1'] },
	],
	['nothing when it came twice', { arrivals: [{ jobId: 'job-1' }, arrival] }, {}],
])('finds %s', (_what, more, expected) => {
	expect(found(more)).toEqual(expected);
});

it('whatever is on a list is a missed goal, and is named', () => {
	const { lists, unknown } = compare(evidence, book, now);
	const soaked = {
		unknown,
		tables: { ended: new Map([['main', 2]]) },
		facts: { called: 20 },
		lists: { ...lists, unexpected: [], leaks: [] as string[] },
	};
	expect(missed(soaked)).toEqual([]);
	expect(reportOf(soaked)).toMatch(/^main +2$[^]*^called +20$/m);
	for (const list of Object.keys(soaked.lists)) {
		const worse = { ...soaked, lists: { ...soaked.lists, [list]: ['soak-7'] } };
		expect(missed(worse)).toHaveLength(1);
		expect(reportOf(worse)).toMatch(/MISSED[^]*: soak-7$/);
	}
});

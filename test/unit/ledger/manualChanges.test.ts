import type { Entry } from '../../../src/ledger/entry';
import type { Ledger } from '../../../src/ledger/ledger';
import {
	confirmDelivery,
	deliverAgain,
	registerJob,
	resolveStart,
} from '../../../src/ledger/manualChanges';
import { failureOf } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';
import { ledgerOn, Rows } from './simulatedTable';

const job = { jobId: '1', mediaType: 'images', credentialId: 'a', triggerGroup: '' };

function openLedger() {
	const clock = virtualClock();
	return ledgerOn(new Rows().client(clock, { latency: () => 1 }), clock);
}

it('knows a job that was entered before', async () => {
	const ledger = openLedger();
	expect(await registerJob(ledger, job)).toMatchObject({ known: false, entry: { id: 1 } });
	expect(await registerJob(ledger, job)).toMatchObject({ known: true, entry: { id: 1 } });
});

it('a job is due by the clock of n8n, whatever that of the process says', async () => {
	const rows = new Rows();
	rows.rows.push(rows.made({ ...job, state: 'delivered' }));
	const clock = virtualClock();
	const now = 1_800_000;
	const ledger = ledgerOn(rows.client(clock, { latency: () => 1 }), clock);
	ledger.n8nTime = () => now;
	await registerJob(ledger, { ...job, jobId: '2' });
	await deliverAgain(ledger, { id: 1 }, () => true);
	expect(rows.rows).toMatchObject([{ checkAt: now }, { checkAt: now, startedAt: now }]);
	rows.rows.push(rows.made({ ...job, jobId: '3', state: 'delivering', leaseUntil: now + 1 }));
	expect((await failureOf(deliverAgain(ledger, { id: 3 }, () => true))).message).toContain(
		'right now',
	);
	ledger.n8nTime = () => now + 1;
	expect(await deliverAgain(ledger, { id: 3 }, () => true)).toMatchObject([
		{ alreadyWaiting: true },
	]);
});

it.each([
	['mediaType', { mediaType: 'videos' }],
	['credentialId', { credentialId: 'b' }],
])('a job of the same ID and another %s is another job', async (_what, other) => {
	const ledger = openLedger();
	await registerJob(ledger, job);
	expect(await registerJob(ledger, { ...job, ...other })).toMatchObject({
		known: false,
		entry: { id: 2, ...other },
	});
});

describe('jobs that are alike', () => {
	/** An image, and jobs that differ from it by one thing. */
	function openAlike(cells: Partial<Entry>) {
		const rows = new Rows();
		const clock = virtualClock();
		for (const other of [{}, { mediaType: 'videos' }, { jobId: '2' }, { credentialId: 'b' }])
			rows.rows.push(rows.made({ state: 'delivered', ...job, ...other, ...cells }));
		const table = rows.client(clock, { latency: () => 1 });
		const ledger = ledgerOn(table, clock);
		/** The first row changes once it has been read. */
		const meanwhile = (changes: Partial<Entry>) => {
			const { change } = table;
			ledger.table = {
				...table,
				async change(...given) {
					ledger.table = table;
					Object.assign(rows.rows[0]!, changes);
					return await change(...given);
				},
			};
		};
		return { rows: rows.rows, ledger, meanwhile };
	}

	it.each<[string, (ledger: Ledger) => Promise<object>]>([
		['started', async (ledger) => await resolveStart(ledger, { id: 1 }, 'a', '2')],
		['not started', async (ledger) => await resolveStart(ledger, { id: 1 }, 'a', undefined)],
	])('a start that reports its job while it is marked as %s keeps it', async (_what, mark) => {
		const { rows, ledger, meanwhile } = openAlike({ state: 'unknown', claim: 'x', jobId: '' });
		meanwhile({ state: 'pending', jobId: '1' });
		const { message } = await failureOf(mark(ledger));
		expect(message).toBe('The outcome of this start has just become known');
		expect(rows[0]).toMatchObject({ state: 'pending', jobId: '1', note: '' });
	});

	it('of them only the one that is meant is delivered again', async () => {
		const as = { claim: 'gone', leaseUntil: 5, failures: 3 };
		const { rows, ledger } = openAlike(as);
		await deliverAgain(ledger, { id: 1 }, () => true);
		expect(rows).toMatchObject([
			{ state: 'pending', claim: '', leaseUntil: 0, failures: 0 },
			...Array(3).fill({ state: 'delivered', ...as }),
		]);
	});

	it.each([
		[true, 'completed'],
		[false, ''],
	])('the service is asked again unless the record is whole: %s', async (isWhole, outcome) => {
		const { rows, ledger } = openAlike({ outcome: 'completed' });
		await deliverAgain(ledger, { id: 1 }, () => isWhole);
		expect(rows.map((row) => row.outcome)).toEqual([outcome, ...Array(3).fill('completed')]);
	});

	it('the files of the others stay expired', async () => {
		const { rows, ledger } = openAlike({ outcome: 'expired' });
		await deliverAgain(ledger, { id: 1 }, () => true);
		expect(rows.map(({ outcome }) => outcome)).toEqual(['completed', ...Array(3).fill('expired')]);
	});

	it.each(['pending', 'emitting', 'delivering', 'unconfirmed'] as const)(
		'a job in state %s is confirmed, and only that one',
		async (state) => {
			const { rows, ledger } = openAlike({ state, claim: 'x', deliveries: 1 });
			await confirmDelivery(ledger, { id: 1 });
			expect(rows.map((row) => row.state)).toEqual(['delivered', ...Array(3).fill(state)]);
		},
	);

	it('a job that changes while it is confirmed is read again', async () => {
		const { rows, ledger, meanwhile } = openAlike({
			state: 'unconfirmed',
			claim: 'x',
			deliveries: 1,
		});
		meanwhile({ state: 'pending', claim: '' });
		await confirmDelivery(ledger, { id: 1 });
		expect(rows[0]).toMatchObject({ state: 'delivered', note: 'Confirmed by execution e.' });
	});
});

const IN_PROGRESS = 'This start may still be in progress';
const NO_START = 'The ledger has no start in entry 1';
const KNOWN = 'The outcome of the start in entry 1 is known';

it.each<[string, Partial<Entry>, string]>([
	['a start that looks for its key', { state: 'intent', leaseUntil: 9e9 }, IN_PROGRESS],
	['one that has ended before it was sent', { state: 'intent', leaseUntil: 0 }, NO_START],
	['a start that has its job', { state: 'delivered' }, KNOWN],
	['a budget', { state: 'budget', mediaType: 'budget' }, NO_START],
	['an alarm', { state: 'pending', mediaType: 'alarm' }, NO_START],
	['a chat', { state: 'chat', mediaType: '' }, NO_START],
])('nothing is decided about %s', async (_what, cells, message) => {
	const rows = new Rows();
	const clock = virtualClock();
	rows.rows.push(rows.made({ ...job, state: 'pending', ...cells }));
	const ledger = ledgerOn(rows.client(clock, { latency: () => 1 }), clock);
	const failure = await failureOf(resolveStart(ledger, { id: 1 }, 'a', undefined));
	expect(failure.message).toBe(message);
});

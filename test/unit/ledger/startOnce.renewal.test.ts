import { ServiceError } from '../../../src/core/errors';
import type { Entry } from '../../../src/ledger/entry';
import { claimKey } from '../../../src/ledger/keyClaim';
import type { Ledger } from '../../../src/ledger/ledger';
import { markAsNotStarted } from '../../../src/ledger/manualChanges';
import { failureOf } from '../inMemoryHttp';
import { virtualClock } from '../virtualClock';
import { Rows } from './simulatedTable';
import { startThroughLedger } from './startThroughLedger';

const LEASE = 600_000;
const wanted = {
	...{ startKey: 'k', segment: 'videos', model: 'm', account: 'a', label: 'l' },
	...{ lease: LEASE, firstCheck: 0 },
};

function world() {
	const clock = virtualClock();
	const rows = new Rows();
	/** Jobs that the service has really started. */
	const book: string[] = [];
	let claims = 0;
	const ledgerOf = (execution: string, table?: Partial<Ledger['table']>): Ledger => ({
		table: { ...rows.client(clock, { latency: () => 10 }), ...table },
		clock,
		uncancellableClock: clock,
		newClaim: () => `claim-${++claims}`,
		execution,
	});
	/** A start that waits before its only attempt, as after a 429. */
	const start = (ledger: Ledger, waits: number) =>
		startThroughLedger(ledger, wanted, {
			async send(renew) {
				await clock.sleep(waits);
				await renew();
				book.push(`job-${book.length + 1}`);
				return book.at(-1)!;
			},
			toEntry: (jobId) => ({ jobId, requestId: '', record: '' }),
		});
	return { clock, rows, book, ledgerOf, start };
}

describe('a claim whose lease has ended before anything was sent', () => {
	it('sends nothing once a person has resolved it, and the key has started another job', async () => {
		const { clock, rows, book, ledgerOf, start } = world();
		const slow = failureOf(start(ledgerOf('slow'), 6 * LEASE));
		await clock.sleep(1.1 * LEASE);
		await markAsNotStarted(ledgerOf('person'), { startKey: 'k' });
		expect(await start(ledgerOf('second'), 0)).toMatchObject({ result: 'job-1' });
		expect(await slow).toMatchObject({
			message: 'This start took too long, and a person resolved it meanwhile',
			details: { outcome: 'not_started' },
		});
		expect(book).toEqual(['job-1']);
		expect(rows.rows.map(({ state }) => state)).toEqual(['notStarted', 'pending']);
	});

	it('is taken back where others have only called it unknown', async () => {
		const { clock, rows, book, ledgerOf, start } = world();
		const slow = start(ledgerOf('slow'), 2 * LEASE);
		await clock.sleep(1.1 * LEASE);
		expect(await failureOf(start(ledgerOf('second'), 0))).toMatchObject({
			details: { outcome: 'unknown' },
		});
		expect(rows.rows).toMatchObject([{ state: 'unknown' }]);
		expect(await slow).toMatchObject({ result: 'job-1' });
		expect(book).toEqual(['job-1']);
		expect(rows.rows).toMatchObject([{ state: 'pending', jobId: 'job-1', note: '' }]);
	});

	it('sends nothing while the ledger cannot be reached', async () => {
		const { book, ledgerOf, start } = world();
		const ledger = ledgerOf('1');
		const { change } = ledger.table;
		const cut: Ledger['table']['change'] = async (where, changes) => {
			if (changes.leaseUntil && changes.startedAt === undefined)
				throw new ServiceError('unreachable', 'n8n is gone', { sent: false });
			return await change(where, changes);
		};
		const failure = await failureOf(start(ledgerOf('1', { ...ledger.table, change: cut }), 0));
		expect(failure).toMatchObject({ message: 'n8n is gone', details: { outcome: 'not_started' } });
		expect(book).toEqual([]);
	});

	it('is renewed once more where the renewal itself took half of it', async () => {
		const { clock, rows, ledgerOf, start } = world();
		const ledger = ledgerOf('1');
		let renewals = 0;
		const slow: Ledger['table']['change'] = async (where, changes) => {
			const isRenewal = changes.leaseUntil && changes.startedAt === undefined && !changes.jobId;
			if (isRenewal && ++renewals === 1) await clock.sleep(0.6 * LEASE);
			return await ledger.table.change(where, changes);
		};
		await start(ledgerOf('1', { ...ledger.table, change: slow }), 0);
		expect(renewals).toBe(2);
		expect(rows.rows).toMatchObject([{ state: 'pending' }]);
	});
});

describe('a ledger that does not show added rows', () => {
	const claimed = async (table: (own: Ledger['table']) => Partial<Ledger['table']>) => {
		const { clock, ledgerOf } = world();
		const own = ledgerOf('1').table;
		const failure = await failureOf(claimKey(ledgerOf('1', table(own)), [], wanted));
		expect(failure.message).toBe('The job ledger does not show the row that was added');
		return clock;
	};

	it('is not written to without pause or end: rows', async () => {
		let added = 0;
		const clock = await claimed(() => ({
			find: async () => [],
			add: async () => void added++,
		}));
		expect(added).toBeLessThan(100);
		expect(clock.now()).toBeGreaterThan(55_000);
	});

	it('is not written to without pause or end: changes', async () => {
		let changed = 0;
		await claimed((own) => ({
			...own,
			change: async (): Promise<Entry[]> => {
				changed++;
				return [];
			},
		}));
		expect(changed).toBeLessThan(100);
	});
});

it('an intent of its own that shows late does not hide the claim', async () => {
	const { rows, ledgerOf } = world();
	const ledger = ledgerOf('1');
	const row = (state: 'intent' | 'sending', claim: string) =>
		rows.made({ state, startKey: 'k', claim, leaseUntil: LEASE });
	rows.rows.push(row('intent', 'late'), row('sending', 'mine'));
	expect(await claimKey(ledger, ['late', 'mine'], wanted)).toBe('mine');
});

it('a claim that a clock which runs ahead has called unknown is still its own', async () => {
	const { rows, ledgerOf } = world();
	rows.rows.push(rows.made({ state: 'unknown', startKey: 'k', claim: 'mine', leaseUntil: -LEASE }));
	expect(await claimKey(ledgerOf('1'), ['mine'], wanted)).toBe('mine');
});

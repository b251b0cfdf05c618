import { isPlainObject, tryParseJson } from '../core/json';
import type { Entry } from './entry';
import {
	applyUpdate,
	enterRow,
	type Ledger,
	retryTransient,
	SHORT_RETRY_ATTEMPTS,
	where,
} from './ledger';

/** What the trigger last reported, as plain data by ID. */
type Snapshot = Record<string, unknown>;

/** The result of comparing two snapshots. */
interface Difference<Change> {
	/** Changes to report. */
	changes: Change[];
	/** Whether anything differs, including what is not reported. */
	differs: boolean;
	/** Why the reading looks like a service failure; undefined when it does not. */
	suspicion: string | undefined;
}

interface BaselineOptions<Change> {
	/** Identifies the trigger. */
	startKey: string;
	account: string;
	/** Milliseconds after which unmarked changes are reported again. */
	lease: number;
	/** @throws ServiceError */
	read(): Promise<Snapshot>;
	compare(before: Snapshot, after: Snapshot): Difference<Change>;
}

/** Milliseconds between two readings, minus a tolerance for early polls. */
const READ_INTERVAL = 5 * 60_000 - 15_000;
/** Consecutive suspicious readings after which the reading is accepted. */
const MAX_SUSPICIOUS_READS = 12;

/**
 * Compares the current state with what was last reported, and claims the changes. The first reading is only recorded.
 *
 * Changes that `commitBaseline` does not mark within the lease are reported again: until then the row keeps the last reported
 * state.
 *
 * @returns the changes to report.
 * @throws ServiceError when the state cannot be read, or the ledger cannot be used.
 */
export async function claimChanges<Change>(
	{ table, clock }: Ledger,
	{ startKey, account, lease, read, compare }: BaselineOptions<Change>,
	claim: string,
): Promise<Change[]> {
	const isBaseline = where({ startKey, state: 'baseline', account });
	const [row] = await table.find(isBaseline, { limit: 1 });
	const now = clock.now();
	if (row && (row.leaseUntil > now || isSoon(row.checkAt, now))) return [];
	const after = await read();
	// a service never removes everything: an empty reading is an outage, however long it lasts
	if (!Object.keys(after).length) return [];
	const record = JSON.stringify({ told: after });
	const checkAt = now + READ_INTERVAL;
	if (!row) {
		// when two executions add the row concurrently, the first row counts
		await enterRow(table, 'enterBaseline', { startKey, account, record, checkAt, startedAt: now });
		return [];
	}
	const change = async (changes: Parameters<typeof applyUpdate<'changeBaseline'>>[3]) =>
		await applyUpdate(table, 'changeBaseline', row, { checkAt, failures: 0, note: '', ...changes });
	const before = readSnapshot(row, 'told');
	if (!before) {
		await change({
			record,
			note: 'The last reported state could not be read. The current state was recorded instead.',
		});
		return [];
	}
	const { changes, differs, suspicion } = compare(before, after);
	if (suspicion !== undefined && row.failures + 1 < MAX_SUSPICIOUS_READS) {
		await change({ failures: row.failures + 1, note: suspicion });
		return [];
	}
	if (!changes.length) {
		await change(differs ? { record } : {});
		return [];
	}
	const claimed = await change({
		claim,
		leaseUntil: now + lease,
		checkAt: now,
		record: JSON.stringify({ told: before, offered: after }),
	});
	return claimed.length ? changes : [];
}

/**
 * Records that the claimed changes were reported.
 *
 * @returns whether this execution still held the claim; if not, the changes are reported again.
 */
export async function commitBaseline(
	{ table, uncancellableClock, execution }: Ledger,
	claim: string,
): Promise<boolean> {
	return await retryTransient(uncancellableClock, SHORT_RETRY_ATTEMPTS, async () => {
		const [row] = await table.find(where({ claim, state: 'baseline' }), { limit: 1 });
		if (!row) return false;
		const offered = readSnapshot(row, 'offered');
		// an earlier run of the same execution has already marked it
		if (!offered) return true;
		const record = JSON.stringify({ told: offered });
		const changes = { record, leaseUntil: 0, execution };
		const marked = await applyUpdate(table, 'commitBaseline', { claim }, changes);
		return marked.length > 0;
	});
}

function readSnapshot({ record }: Entry, name: 'told' | 'offered'): Snapshot | undefined {
	const stored = tryParseJson(record);
	const snapshot = isPlainObject(stored) ? stored[name] : undefined;
	return isPlainObject(snapshot) ? snapshot : undefined;
}

/** A time further in the future was written by a clock that ran ahead. */
const isSoon = (checkAt: number, now: number) => checkAt > now && checkAt <= now + READ_INTERVAL;

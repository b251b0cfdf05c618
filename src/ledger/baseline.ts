import { isObject, tryParseJson } from '../service/json';
import type { Entry } from './entry';
import { insist } from './insist';
import type { Ledger } from './ledger';
import { ATTEMPTS } from './round';
import type { Clause } from './table';

/** What a trigger last told of something, as plain data by id. */
export type Snapshot = Record<string, unknown>;

/** What differs, and whether it can be true. */
export interface Difference<Change> {
	/** What the trigger wants to tell. */
	changes: Change[];
	/** Whether anything differs at all. */
	differs: boolean;
	/** Why it looks like trouble of the service; undefined when it does not. */
	suspicion: string | undefined;
}

export interface BaselineWatch<Change> {
	/** Tells one trigger from another. */
	startKey: string;
	account: string;
	/** Milliseconds after which changes are told again that were not marked. */
	lease: number;
	/** @throws ServiceError */
	read(): Promise<Snapshot>;
	compare(before: Snapshot, after: Snapshot): Difference<Change>;
}

/** Milliseconds between two readings, less what a poll may come early. */
const INTERVAL = 5 * 60_000 - 15_000;
/** Readings in a row that look like trouble, after which they are believed all the same. */
const MOST_DOUBTS = 12;

/**
 * Compares with what was last told, and claims what is new. The first time it is only recorded.
 *
 * What is not marked by `markBaseline` within the lease is told again: the row keeps what was told until then.
 *
 * @returns the changes to tell.
 * @throws ServiceError of the reading, or of the ledger.
 */
export async function claimChanges<Change>(
	{ table, clock }: Ledger,
	{ startKey, account, lease, read, compare }: BaselineWatch<Change>,
	claim: string,
): Promise<Change[]> {
	const clauses: Clause[] = [
		['startKey', 'eq', startKey],
		['state', 'eq', 'baseline'],
		['account', 'eq', account],
	];
	const [row] = await table.find({ all: clauses }, { limit: 1 });
	const now = clock.now();
	if (row && (row.leaseUntil > now || isSoon(row.checkAt, now))) return [];
	const after = await read();
	// nobody retires everything: it is an outage, however long it lasts
	if (!Object.keys(after).length) return [];
	const record = JSON.stringify({ told: after });
	const checkAt = now + INTERVAL;
	if (!row) {
		// of two that add it at once, the first row counts
		await table.add({ state: 'baseline', startKey, account, record, checkAt, startedAt: now });
		return [];
	}
	const change = async (changes: Partial<Entry>) =>
		await table.change(
			{
				all: [
					['id', 'eq', row.id],
					['claim', 'eq', row.claim],
					['leaseUntil', 'eq', row.leaseUntil],
				],
			},
			{ checkAt, failures: 0, note: '', ...changes },
		);
	const before = readSnapshot(row, 'told');
	if (!before) {
		await change({ record, note: 'What was last told could not be read, and was begun anew.' });
		return [];
	}
	const { changes, differs, suspicion } = compare(before, after);
	if (suspicion !== undefined && row.failures + 1 < MOST_DOUBTS) {
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
 * Writes down that what was claimed has been told.
 *
 * @returns whether it was this execution's to tell; otherwise it is told anew.
 */
export async function markBaseline(
	{ table, steadyClock, execution }: Ledger,
	claim: string,
): Promise<boolean> {
	const own: Clause[] = [
		['claim', 'eq', claim],
		['state', 'eq', 'baseline'],
	];
	return await insist(steadyClock, ATTEMPTS, async () => {
		const [row] = await table.find({ all: own }, { limit: 1 });
		if (!row) return false;
		const told = readSnapshot(row, 'offered');
		// an earlier run of the same execution has marked it
		if (!told) return true;
		const record = JSON.stringify({ told });
		const marked = await table.change({ all: own }, { record, leaseUntil: 0, execution });
		return marked.length > 0;
	});
}

function readSnapshot({ record }: Entry, name: 'told' | 'offered'): Snapshot | undefined {
	const kept = tryParseJson(record);
	const snapshot = isObject(kept) ? kept[name] : undefined;
	return isObject(snapshot) ? snapshot : undefined;
}

/** What is further away was written by a clock that ran ahead. */
const isSoon = (checkAt: number, now: number) => checkAt > now && checkAt <= now + INTERVAL;

import type { Entry } from './entry';
import { MOST_CLAUSES, MOST_ROWS, type Table } from './table';

/** Several rows may be of one job, since nothing keeps it from being entered twice. */
export function byJob(rows: readonly Entry[]): Entry[][] {
	return [...grouped(rows, jobOf).values()];
}

export function grouped<Value, Key>(
	values: readonly Value[],
	keyOf: (value: Value) => Key,
): Map<Key, Value[]> {
	const groups = new Map<Key, Value[]>();
	for (const value of values) {
		const key = keyOf(value);
		const group = groups.get(key);
		if (group) group.push(value);
		else groups.set(key, [value]);
	}
	return groups;
}

/** Ids may be numbers, which two accounts, or pictures and videos, may have in common. */
export const jobOf = ({ account, segment, jobId }: Pick<Entry, 'account' | 'segment' | 'jobId'>) =>
	JSON.stringify([account, segment, jobId]);

/** Changes rows whatever their state is: only for what means nothing to those who hold them. */
export async function changeRows(
	table: Table,
	rows: readonly Pick<Entry, 'id'>[],
	changes: Partial<Entry>,
): Promise<void> {
	for (const some of chunks(rows, MOST_CLAUSES))
		await table.change({ any: some.map(({ id }) => ['id', 'eq', id]) }, changes);
}

/** All rows with these job ids, those of other accounts and segments included. */
export async function rowsOfJobs(table: Table, jobIds: readonly string[]): Promise<Entry[]> {
	const found: Entry[] = [];
	for (const some of chunks([...new Set(jobIds)], MOST_CLAUSES / 2)) {
		const rows = await table.find({ any: some.map((id) => ['jobId', 'eq', id]) });
		if (rows.length < MOST_ROWS) found.push(...rows);
		// n8n cannot give the second page of "any"
		else for (const id of some) found.push(...(await rowsOfJob(table, id)));
	}
	return found;
}

async function rowsOfJob(table: Table, jobId: string): Promise<Entry[]> {
	const found: Entry[] = [];
	for (let last = 0; ; ) {
		const rows = await table.find({
			all: [
				['jobId', 'eq', jobId],
				['id', 'gt', last],
			],
		});
		found.push(...rows);
		if (rows.length < MOST_ROWS) return found;
		last = rows.at(-1)?.id ?? Infinity;
	}
}

function* chunks<Value>(values: readonly Value[], size: number): Generator<Value[]> {
	for (let at = 0; at < values.length; at += size) yield values.slice(at, at + size);
}

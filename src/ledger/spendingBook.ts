import type { Cost } from '../core/budget';
import { mapServiceError, ServiceError } from '../core/errors';
import { groupBy } from '../core/json';
import type { Clock } from '../core/retry';
import { above, chunks, where } from './ledger';
import { inBatches, repeatWrite } from './rowWrites';
import {
	keyOf,
	MAX_SPENDING_ROWS,
	newWrite,
	readBookkeeping,
	type SpendingRow,
	type SpendingTable,
	sumUp,
	toRecord,
	toUsdNumber,
} from './spendingTable';

/** What one row gets. */
export type SpendingEntry = Omit<SpendingRow, 'id' | 'record'> & {
	/** Jobs that were started; their costs are among the unknown ones. */
	jobs: string[];
};

/** What a node run writes down. */
export interface SpendingNews {
	open: OpenSpending;
	entries: SpendingEntry[];
	/** What jobs have cost that were started before. */
	ended: Map<string, Cost>;
}

/** Finds or makes the table. The sleep of the clock does not end with the execution. */
export type OpenSpending = () => Promise<{ table: SpendingTable; clock: Clock }>;

/** Milliseconds for which a write is tried: the node waits for it. */
const LIMITS = { maxTime: 20_000 };
/** How often others may be faster before a second row of the same key is added. */
const MAX_COLLISIONS = 4;
/** Most jobs under way that one row lists. */
const MAX_JOBS = 200;
/** Jobs in one filter, which is a part of an address. */
const JOBS_PER_FILTER = 20;

/** Writes down what the node runs of one process spend. */
export type WriteSpending = (news: SpendingNews) => Promise<void>;

/**
 * Makes the function for a process. What comes while it writes is written together.
 *
 * @throws ServiceError if something could not be written.
 */
export const createSpendingWriter = (): WriteSpending => inBatches(writeNews);

/** @throws the first failure, after everything was tried. */
async function writeNews(news: readonly SpendingNews[]): Promise<[]> {
	const { table, clock } = await news[0]!.open();
	const failures: unknown[] = [];
	const repeat = async (attempt: () => Promise<boolean>) =>
		await repeatWrite(clock, LIMITS, 'Too many processes write at once', attempt).catch(
			(cause: unknown) => failures.push(cause),
		);
	const entries = news.flatMap((each) => each.entries);
	for (const ofRow of groupBy(entries, (entry) => keyOf(entry.day, entry)).values()) {
		const jobs = ofRow.flatMap((entry) => entry.jobs);
		await repeat(savingEntry(table, clock, { ...ofRow.at(-1)!, ...sumUp(ofRow), jobs }));
	}
	const ended = new Map(news.flatMap((each) => [...each.ended]));
	for (const jobs of chunks([...ended], JOBS_PER_FILTER))
		await repeat(async () => await recordEnds(table, new Map(jobs)));
	if (failures.length) throw mapServiceError(failures[0]);
	return [];
}

/** Makes the attempt to write an entry; it returns whether that is done. */
function savingEntry(
	table: SpendingTable,
	{ random }: Clock,
	{ jobs, ...entry }: SpendingEntry,
): () => Promise<boolean> {
	const { day, workflowId, nodeId, model } = entry;
	const write = newWrite();
	let collisions = 0;
	return async () => {
		const rows = await table.find(where<SpendingRow>({ day, workflowId, nodeId, model }));
		const known = rows.map((row) => ({ row, kept: readBookkeeping(row) }));
		// n8n's answer to the last attempt was lost
		if (known.some(({ kept }) => kept.writes.includes(write))) return true;
		const usable = known.filter(({ kept }) => kept.jobs.length + jobs.length <= MAX_JOBS);
		const chosen = usable[Math.floor(random() * usable.length)];
		if (!chosen || collisions >= MAX_COLLISIONS) {
			await requireRoom(table);
			await table.add({ ...entry, record: toRecord({ jobs }, write) });
			return true;
		}
		collisions++;
		const { row, kept } = chosen;
		const record = toRecord({ ...kept, jobs: [...kept.jobs, ...jobs] }, write);
		return await changeRow(table, row, { ...entry, ...sumUp([row, entry]), record });
	};
}

/** Adds what jobs have cost to the rows that list them. A job that no row lists was counted before. @returns whether that is done. */
async function recordEnds(
	table: SpendingTable,
	ended: ReadonlyMap<string, Cost>,
): Promise<boolean> {
	const any = [...ended.keys()].map(
		(job) => ['record', 'like', `%${JSON.stringify(job)}%`] as const,
	);
	for (const row of await table.find({ any })) {
		const kept = readBookkeeping(row);
		const jobs = kept.jobs.filter((job) => !ended.has(job));
		if (jobs.length === kept.jobs.length) continue;
		// a job that ends without a cost stays among the unknown ones
		const costs = kept.jobs
			.flatMap((job) => ended.get(job) ?? [])
			.map((cost) => ({ ...sumUp([]), costUsd: toUsdNumber(cost), unknownCosts: -1 }));
		const changes = { ...sumUp([row, ...costs]), record: toRecord({ ...kept, jobs }) };
		if (!(await changeRow(table, row, changes))) return false;
	}
	return true;
}

/** @returns false if another process has changed the row since it was read: each change writes a new text into `record`. */
export async function changeRow(
	table: SpendingTable,
	{ id, record }: SpendingRow,
	changes: Partial<SpendingRow>,
): Promise<boolean> {
	return (await table.change(where<SpendingRow>({ id, record }), changes)).length > 0;
}

async function requireRoom(table: SpendingTable): Promise<void> {
	const offset = MAX_SPENDING_ROWS - 1;
	const [last] = await table.find(where<SpendingRow>({ id: above(0) }), { limit: 1, offset });
	if (!last) return;
	const rows = MAX_SPENDING_ROWS.toLocaleString('en-US');
	throw new ServiceError('failed', `The table has ${rows} rows, and takes no more`, {
		advice: 'Fold of the resource Spending sums up old rows.',
	});
}

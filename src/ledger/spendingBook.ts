import { randomUUID } from 'crypto';

import type { Cost } from '../core/budget';
import { mapServiceError, ServiceError } from '../core/errors';
import { groupBy } from '../core/json';
import type { Clock } from '../core/retry';
import { above, chunks, where } from './ledger';
import { inBatches, repeatWrite } from './rowWrites';
import {
	addSums,
	type Bookkeeping,
	MAX_SPENDING_ROWS,
	NO_SUMS,
	readBookkeeping,
	type SpendingRow,
	type SpendingTable,
	type Sums,
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
	ended: ReadonlyMap<string, Cost>;
}

/** Finds or makes the table. The sleep of the clock does not end with the execution. */
export type OpenSpending = () => Promise<{ table: SpendingTable; clock: Clock }>;

/** How often others may be faster before a second row of the same key is added. */
const MAX_COLLISIONS = 4;
/** Most jobs under way that one row lists, and changes that it remembers. */
const MAX_JOBS = 200;
const MAX_WRITES = 20;
/** Jobs in one filter, which is a part of an address. */
const JOBS_PER_FILTER = 20;

/** Writes down what the node runs of this process spend. Those that end while it writes are written together. */
export class SpendingBook {
	/** @throws ServiceError if something could not be written. */
	readonly write = inBatches<SpendingNews>(writeNews);
}

/** @throws the first failure, after everything was tried. */
async function writeNews(news: readonly SpendingNews[]): Promise<[]> {
	const { table, clock } = await news[0]!.open();
	const byRow = groupBy(
		news.flatMap(({ entries }) => entries),
		({ day, workflowId, nodeId, model }) => JSON.stringify([day, workflowId, nodeId, model]),
	);
	const ended = new Map(news.flatMap((each) => [...each.ended]));
	const work = [...byRow.values()].map(
		(entries) => async () => await saveEntry(table, clock, entries.reduce(joinEntries)),
	);
	for (const jobs of chunks([...ended], JOBS_PER_FILTER))
		work.push(async () => await recordEnds(table, clock, new Map(jobs)));
	const failures: unknown[] = [];
	for (const step of work) await step().catch((cause: unknown) => failures.push(cause));
	if (failures.length) throw mapServiceError(failures[0]);
	return [];
}

const joinEntries = (one: SpendingEntry, other: SpendingEntry): SpendingEntry => ({
	...other,
	...addSums(one, other),
	jobs: [...one.jobs, ...other.jobs],
});

async function saveEntry(
	table: SpendingTable,
	clock: Clock,
	{ jobs, ...entry }: SpendingEntry,
): Promise<void> {
	const { day, workflowId, nodeId, model } = entry;
	const write = newWrite();
	let collisions = 0;
	await repeat(clock, async () => {
		const rows = await table.find(where<SpendingRow>({ day, workflowId, nodeId, model }));
		const known = rows.map((row) => ({ row, kept: readBookkeeping(row) }));
		// n8n's answer to the last attempt was lost
		if (known.some(({ kept }) => kept.writes.includes(write))) return true;
		const usable = known.filter(({ kept }) => kept.jobs.length + jobs.length <= MAX_JOBS);
		const chosen = usable[Math.floor(clock.random() * usable.length)];
		if (!chosen || collisions >= MAX_COLLISIONS) {
			await requireRoom(table);
			await table.add({ ...entry, record: toRecord({ jobs }, write) });
			return true;
		}
		collisions++;
		const { row, kept } = chosen;
		const record = toRecord({ ...kept, jobs: [...kept.jobs, ...jobs] }, write);
		return await changeRow(table, row, { ...entry, ...addSums(row, entry), record });
	});
}

/** Adds what jobs have cost to the rows that list them. A job that no row lists was counted before. */
async function recordEnds(
	table: SpendingTable,
	clock: Clock,
	ended: ReadonlyMap<string, Cost>,
): Promise<void> {
	const any = [...ended.keys()].map(
		(job) => ['record', 'like', `%${JSON.stringify(job)}%`] as const,
	);
	await repeat(clock, async () => {
		let isDone = true;
		for (const row of await table.find({ any })) {
			const kept = readBookkeeping(row);
			const endedJobs = kept.jobs.filter((job) => ended.has(job));
			if (!endedJobs.length) continue;
			// a job that ends without a cost stays among the unknown ones
			const costs = endedJobs.flatMap((job) => ended.get(job) ?? []);
			const sums = costs
				.map((cost) => ({ ...NO_SUMS, costUsd: toUsdNumber(cost), unknownCosts: -1 }))
				.reduce(addSums, addSums(row, NO_SUMS));
			const jobs = kept.jobs.filter((job) => !ended.has(job));
			const record = toRecord({ ...kept, jobs });
			isDone = (await changeRow(table, row, { ...sums, record })) && isDone;
		}
		return isDone;
	});
}

/** @returns false if another process has changed the row since it was read: each change writes a new text into `record`. */
export async function changeRow(
	table: SpendingTable,
	{ id, record }: SpendingRow,
	changes: Partial<SpendingRow> & Sums,
): Promise<boolean> {
	return (await table.change(where<SpendingRow>({ id, record }), changes)).length > 0;
}

const newWrite = () => randomUUID().slice(0, 8);

/** @param write Random text of the change. */
export const toRecord = (
	{ writes = [], jobs = [], folded = [] }: Partial<Bookkeeping>,
	write = newWrite(),
): string =>
	JSON.stringify({
		writes: [...writes, write].slice(-MAX_WRITES),
		...(jobs.length && { jobs }),
		...(folded.length && { folded }),
	});

async function requireRoom(table: SpendingTable): Promise<void> {
	const offset = MAX_SPENDING_ROWS - 1;
	const [last] = await table.find(where<SpendingRow>({ id: above(0) }), { limit: 1, offset });
	if (!last) return;
	const rows = MAX_SPENDING_ROWS.toLocaleString('en-US');
	throw new ServiceError('failed', `The table has ${rows} rows, and takes no more`, {
		advice: 'Fold of the resource Spending sums up old rows.',
	});
}

/** Milliseconds for which a write is tried: the node waits for it. */
const MAX_TIME = 20_000;

/** @param attempt Returns whether it is done. */
const repeat = async (clock: Clock, attempt: () => Promise<boolean>) =>
	await repeatWrite(clock, { maxTime: MAX_TIME }, 'Too many processes write at once', attempt);

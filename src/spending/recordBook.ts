import { randomUUID } from 'crypto';

import type { Cost } from '../core/reserve';
import { ServiceError } from '../core/errors';
import { isPlainObject, tryParseJson } from '../core/json';
import { groupByFields } from '../core/grouping';
import { toUsd, ZERO } from '../core/money';
import type { Clock } from '../core/retry';
import {
	above,
	chunksInAddress,
	type Condition,
	findAllRows,
	type Table,
	where,
} from '../tables/table';
import type { RowOf, TableFormat } from '../tables/tableFormat';

/*
 * The rows of the record of spending, and how all node runs of a process write them.
 */

/**
 * One row per day, workflow, node and model, and with a label, one per month, workflow, node, model and label. There may be several, which
 * readers add up.
 */
const columns = {
	/** In UTC, e.g. `2026-11-24`; of rows with a label, or that were summed up, the month, e.g. `2026-11`. */
	day: 'string',
	workflowId: 'string',
	workflow: 'string',
	nodeId: 'string',
	node: 'string',
	model: 'string',
	/** For whom it was, as the workflow says. */
	label: 'string',
	/** Requests that were carried out, or may have been. */
	requests: 'number',
	inputTokens: 'number',
	outputTokens: 'number',
	/** USD, without the requests in `unknownCosts`. */
	costUsd: 'number',
	/** Requests whose cost is not known, or not yet: jobs that are under way. */
	unknownCosts: 'number',
	/** The n8n execution that changed the row last. */
	lastExecutionId: 'string',
	/** For this package, as JSON: `Kept`. */
	record: 'string',
} as const;

export type SpendingRow = RowOf<typeof columns>;

export const spendingFormat: TableFormat<SpendingRow> = {
	columns,
	field: 'Spending Table',
};

export type SpendingTable = Table<SpendingRow, Partial<SpendingRow>>;

/** What distinguishes the rows of one day or month. */
export const KEY = ['workflowId', 'nodeId', 'model', 'label'] as const;

/** What a row counts. */
const COUNTED = ['requests', 'inputTokens', 'outputTokens', 'costUsd', 'unknownCosts'] as const;
type Sums = Record<(typeof COUNTED)[number], number>;
type Counts = { readonly [Counted in keyof Sums]?: number | undefined };

/**
 * What a row keeps in `record`. `writes`: random texts of its last changes, so that a change whose answer was lost is found again, and
 * the cell differs after every change. `jobs`: those that are under way. `combined`: IDs of rows whose sums are in this row; they no longer
 * count, and are about to be deleted.
 */
type Kept = Record<'writes' | 'jobs' | 'combined', string[]>;

/** A row with what it keeps, and its month, e.g. `2026-11`. */
export type ReadRow = SpendingRow & Kept & { month: string };

/** What one row gets. Its jobs were started: their costs are among the unknown ones. */
export type SpendingEntry = Omit<SpendingRow, 'id' | 'record' | keyof Sums> &
	Pick<Kept, 'jobs'> &
	Counts;

/** What is written down. */
export interface Spent {
	entries: SpendingEntry[];
	/** Starts of unknown outcome about which a person has decided, and the entry of the job that each has started. */
	decided: Array<{ start: string; entry: SpendingEntry | undefined }>;
	/** What jobs have cost that were started before. */
	ended: Array<readonly [job: string, cost: Cost]>;
}

/** What a node run writes down. */
export interface SpendingNews extends Spent {
	/** Finds or makes the table. */
	open(): Promise<SpendingTable>;
	/** Its sleep does not end with the execution. */
	clock: Clock;
	/** Says in n8n's log what could not be written. */
	log(lost: Record<string, unknown>): void;
}

/** A change of the table. It may be tried again at any time, and counts nothing twice. */
export interface SpendingWrite extends Spent {
	/** @returns false, or nothing, if another process was faster. */
	attempt(table: SpendingTable, clock: Clock): Promise<boolean>;
	/** Those of a later stage look for the jobs and starts that earlier ones list. */
	stage: 0 | 1 | 2;
	/** Whether it lists any. */
	lists: boolean;
}

/** How often others may be faster before a second row of the same key is added. */
const MAX_COLLISIONS = 4;
/** The most rows of the table: all Data Tables of an n8n share 200 MB, and 50 before 2.27, which the job ledger also needs. */
export const MAX_SPENDING_ROWS = 20_000;
/** Rows whose IDs a process knows. */
const MAX_KNOWN_ROWS = 1000;
/** Changes that a row remembers. */
const MAX_WRITES = 20;
/** Most jobs under way that one row lists. */
const MAX_JOBS = 200;

/**
 * The changes of the table that write all this down: one for each row, decision, and group of jobs that have ended.
 *
 * @param lastRows The row of each key that this process has written last.
 */
export function toWrites(news: readonly Spent[], lastRows: Map<string, number>): SpendingWrite[] {
	const none = { entries: [], decided: [], ended: [] };
	const entries = news.flatMap((each) => each.entries);
	const ended = news.flatMap((each) => each.ended);
	return [
		...groupByFields(entries, ['day', ...KEY]).map((ofRow): SpendingWrite => {
			const lists = ofRow.some(({ jobs }) => jobs.length > 0);
			const attempt = savingEntries(ofRow, lastRows);
			return { ...none, entries: ofRow, attempt, stage: 0, lists };
		}),
		...news.flatMap(({ decided }) =>
			decided.map((each): SpendingWrite => {
				const attempt = recordingDecision(each);
				return { ...none, decided: [each], attempt, stage: 1, lists: true };
			}),
		),
		...[...chunksInAddress(ended, ([job]) => job)].map((jobs): SpendingWrite => {
			return { ...none, ended: jobs, attempt: recordingEnds(jobs), stage: 2, lists: false };
		}),
	];
}

/** Makes the attempt to write entries of one key. It returns nothing if another process was faster. */
function savingEntries(
	entries: readonly SpendingEntry[],
	lastRows: Map<string, number> = new Map(),
): SpendingWrite['attempt'] {
	const jobs = entries.flatMap((each) => each.jobs);
	const entry = { ...entries.at(-1)!, ...sumUp(entries), jobs };
	const { day, workflowId, nodeId, model, label } = entry;
	const write = newWrite();
	const key = JSON.stringify([day, workflowId, nodeId, model, label]);
	// n8n finds a row by its ID without looking at all of them
	let id = lastRows.get(key);
	let collisions = 0;
	return async (table, { random }) => {
		const known = { id, day, workflowId, nodeId, model, label };
		const found = await table.find(where<SpendingRow>(known));
		const isGone = id !== undefined && !found.length;
		id = undefined;
		if (isGone) return false;
		const rows = found.map(readSpending);
		// n8n's answer to the last attempt was lost
		if (rows.some(({ writes }) => writes.includes(write))) return true;
		const usable = rows.filter((row) => row.jobs.length + jobs.length <= MAX_JOBS);
		// any of them: processes that write at the same time then meet less often
		const row = usable.at(random() * usable.length);
		if (row && collisions++ < MAX_COLLISIONS) {
			const changes = { ...entry, ...sumUp([row, entry]), jobs: [...row.jobs, ...jobs] };
			if (lastRows.size > MAX_KNOWN_ROWS) lastRows.clear();
			lastRows.set(key, row.id);
			return Boolean(await changeRow(table, row, changes, write));
		}
		await requireRoom(table);
		await table.add(toCells(entry, write));
		return true;
	};
}

/** The rows that list one of these jobs or starts. */
async function findListing(table: SpendingTable, jobs: readonly string[]): Promise<ReadRow[]> {
	const any = jobs.map((job) => ['record', 'like', `%${JSON.stringify(job)}%`] as const);
	return (await table.find({ any })).map(readSpending);
}

/**
 * Makes the attempt to hand a start of unknown outcome to its job, or to take it out of the record. If no row lists the start, its
 * process was killed before it wrote anything, and the job gets an entry.
 */
function recordingDecision({ start, entry }: Spent['decided'][number]): SpendingWrite['attempt'] {
	const saveEntry = entry && savingEntries([entry]);
	const jobs = entry?.jobs ?? [];
	return async (table, clock) => {
		// n8n's answer to the last attempt may have been lost
		const found = await findListing(table, [start, ...jobs]);
		const row = found.find((each) => each.jobs.includes(start));
		if (!row) return found.length || !saveEntry ? true : await saveEntry(table, clock);
		const others = row.jobs.filter((job) => job !== start);
		const sums = entry ? {} : sumUp([row, { requests: -1, unknownCosts: -1 }]);
		return Boolean(await changeRow(table, row, { ...sums, jobs: [...others, ...jobs] }));
	};
}

/** Makes the attempt to add what jobs have cost to the rows that list them. A job that no row lists was counted before. */
const recordingEnds = (ended: Spent['ended']) => async (table: SpendingTable) => {
	const costOf = new Map(ended);
	for (const row of await findListing(table, [...costOf.keys()])) {
		const jobs = row.jobs.filter((job) => !costOf.has(job));
		if (jobs.length === row.jobs.length) continue;
		// a job that ends without a cost stays among the unknown ones
		const costs = row.jobs.flatMap((job) => toUsd(costOf.get(job)) ?? []);
		const sums = sumUp([row, ...costs.map((costUsd) => ({ costUsd, unknownCosts: -1 }))]);
		if (!(await changeRow(table, row, { ...sums, jobs }))) return false;
	}
	return true;
};

/** Whether the table has at least so many rows. */
async function hasRows(table: SpendingTable, count: number): Promise<boolean> {
	const last = { limit: 1, offset: count - 1 };
	return (await table.find(where<SpendingRow>({ id: above(0) }), last)).length > 0;
}

/** Whether the table is 80 % full. */
export const isNearlyFull = async (table: SpendingTable): Promise<boolean> =>
	await hasRows(table, MAX_SPENDING_ROWS * 0.8);

export const NEARLY_FULL = 'The Spending Table has 80 % of the 20,000 rows that it takes';
/** What to do about it. */
export const MAKE_ROOM =
	'Combine Old Rows of the resource Spending sums up old days. Rows with a label are by month: delete those of old months in n8n, or enter another Spending Table in the credential.';

/** @throws ServiceError if the table is full. */
async function requireRoom(table: SpendingTable): Promise<void> {
	if (!(await hasRows(table, MAX_SPENDING_ROWS))) return;
	const message = 'The table has 20,000 rows, and takes no more';
	throw new ServiceError('failed', message, { advice: MAKE_ROOM });
}

/** @returns the row as it is now; nothing if another process has changed it since it was read: each change writes a new text into `record`. */
export async function changeRow(
	table: SpendingTable,
	{ id, record, writes, jobs, combined }: ReadRow,
	changes: Partial<SpendingRow & Kept>,
	write = newWrite(),
): Promise<ReadRow | undefined> {
	const cells = toCells({ writes, jobs, combined, ...changes }, write);
	const [changed] = await table.change(where<SpendingRow>({ id, record }), cells);
	return changed && readSpending(changed);
}

const newWrite = () => randomUUID().slice(0, 8);

/** The reverse of `readSpending`. @param write Random text of the change. */
function toCells(
	{ writes = [], jobs, combined, ...cells }: Partial<SpendingRow & Kept>,
	write: string,
) {
	const kept = { writes: [...writes, write].slice(-MAX_WRITES), jobs, combined };
	return { ...cells, record: JSON.stringify(kept) };
}

/** A cell `record` that a person has edited counts as empty. */
function readSpending(row: SpendingRow): ReadRow {
	const parsed = tryParseJson(row.record);
	const { writes, jobs, combined } = isPlainObject(parsed) ? parsed : {};
	const listed = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
	const kept = { writes: listed(writes), jobs: listed(jobs), combined: listed(combined) };
	return { ...row, ...kept, month: row.day.slice(0, 7) };
}

/** All rows of some days, by ID. */
export const findDays = async (table: SpendingTable, ...day: Condition[]): Promise<ReadRow[]> =>
	(await findAllRows<SpendingRow>(table, { day })).map(readSpending);

export function sumUp(rows: readonly Counts[]): Sums {
	const sums = COUNTED.map((column) => {
		const sum = rows.reduce((total, row) => total.plus(row[column] ?? 0), ZERO);
		return [column, Number(sum)];
	});
	return Object.fromEntries(sums) as Sums;
}

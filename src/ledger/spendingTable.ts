import { randomUUID } from 'crypto';

import type { Cost } from '../core/budget';
import { isPlainObject, tryParseJson } from '../core/json';
import { ZERO } from '../core/money';
import type { Table } from './ledger';
import type { RowOf, TableFormat } from './tableFormat';

/** Columns of the record of spending. One row per day, workflow, node and model; there may be several, which readers add up. */
const columns = {
	/** In UTC, e.g. `2026-11-24`; of rows that were summed up, the month, e.g. `2026-11`. */
	day: 'string',
	workflowId: 'string',
	workflow: 'string',
	nodeId: 'string',
	node: 'string',
	model: 'string',
	/** Requests that were carried out, or may have been. */
	requests: 'number',
	inputTokens: 'number',
	outputTokens: 'number',
	/** USD, without the requests in `unknownCosts`. */
	costUsd: 'number',
	/** Requests whose cost is not known, or not yet: jobs that are under way. */
	unknownCosts: 'number',
	/** The n8n execution that changed the row last. */
	lastExecution: 'string',
	/** For this package, as JSON: `Bookkeeping`. */
	record: 'string',
} as const;

export type SpendingRow = RowOf<typeof columns>;

export const spendingFormat: TableFormat<SpendingRow> = { columns, field: 'Spending Table' };

export type SpendingTable = Table<SpendingRow, Partial<SpendingRow>>;

/** The most rows of the table: all Data Tables of an n8n share 50 MB, which the job ledger also needs. */
export const MAX_SPENDING_ROWS = 20_000;

/** What a row counts. */
const COUNTED = ['requests', 'inputTokens', 'outputTokens', 'costUsd', 'unknownCosts'] as const;
type Sums = Pick<SpendingRow, (typeof COUNTED)[number]>;

export function sumUp(rows: readonly Sums[]): Sums {
	const sums = COUNTED.map((column) => {
		const sum = rows.reduce((total, row) => total.plus(row[column]), ZERO);
		return [column, Number(sum)];
	});
	return Object.fromEntries(sums) as Sums;
}

/** Distinguishes the rows of a day or month. */
export const keyOf = (date: string, row: Pick<SpendingRow, 'workflowId' | 'nodeId' | 'model'>) =>
	JSON.stringify([date, row.workflowId, row.nodeId, row.model]);

export const toUsdNumber = (microUsd: NonNullable<Cost>): number =>
	Number(ZERO.plus(microUsd).times('1e-6'));

/** What a row keeps beside its sums. */
export interface Bookkeeping {
	/** Random texts of its last changes: a change whose answer was lost is found again, and the cell differs after every change. */
	writes: string[];
	/** Jobs that are under way. */
	jobs: string[];
	/** IDs of rows whose sums are in this row: they no longer count, and are about to be deleted. */
	folded: number[];
}

/** Changes that a row remembers. */
const MAX_WRITES = 20;

export const newWrite = () => randomUUID().slice(0, 8);

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

/** A cell that a person has edited counts as empty. */
export function readBookkeeping({ record }: Pick<SpendingRow, 'record'>): Bookkeeping {
	const found = tryParseJson(record);
	const { writes, jobs, folded } = isPlainObject(found) ? found : {};
	const listed = (value: unknown) => (Array.isArray(value) ? value : []);
	return {
		writes: listed(writes).map(String),
		jobs: listed(jobs).map(String),
		folded: listed(folded).map(Number),
	};
}

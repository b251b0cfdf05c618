import type { Fields } from '../core/budget';
import type { SpendingGroup, SpendingQuery } from '../core/spending';
import { invalidInputError } from '../core/errors';
import { groupBy } from '../core/json';
import { toDay } from './budgetState';
import { atLeast, atMost, below, chunks, type Clause, findAllRows, MAX_CLAUSES } from './ledger';
import { changeRow } from './spendingBook';
import {
	keyOf,
	readBookkeeping,
	type SpendingRow,
	type SpendingTable,
	sumUp,
	toRecord,
} from './spendingTable';

/** Characters of a month, e.g. `2026-11`. */
const MONTH = 7;
/** Milliseconds. */
const DAY = 24 * 3_600_000;

const monthOf = ({ day }: Pick<SpendingRow, 'day'>) => day.slice(0, MONTH);
const isMonthly = ({ day }: SpendingRow) => day.length === MONTH;

/** A row with its month, e.g. `2026-11`. */
type DatedRow = SpendingRow & { month: string };

/** The columns that a report has of each group. */
const GROUPS: Record<SpendingGroup, Array<keyof DatedRow>> = {
	day: ['day'],
	month: ['month'],
	workflow: ['workflowId', 'workflow'],
	// the copy of a workflow has the same node IDs
	node: ['workflowId', 'workflow', 'nodeId', 'node'],
	model: ['model'],
};
/** Columns that do not distinguish groups: the last name is reported. */
const NAMES: Array<keyof DatedRow> = ['workflow', 'node'];

/**
 * Adds up what was spent. A month whose days were summed up counts as a whole.
 *
 * @param today In UTC, e.g. `2026-11-24`.
 * @returns the groups, those of earlier days first, and the most expensive ones of a day. Without groups, one sum.
 * @throws ServiceError `invalid` for a range that ends before it begins.
 */
export async function reportSpending(
	table: SpendingTable,
	{ from, to, groupBy: groups }: SpendingQuery,
	today: string,
): Promise<Fields[]> {
	const first = from || `${today.slice(0, MONTH)}-01`;
	const last = to || today;
	if (first > last) throw invalidInputError('From is after To', `From is ${first}, To is ${last}.`);
	const day = [atLeast(first.slice(0, MONTH)), atMost(last)];
	const read = await findAllRows<SpendingRow>(table, { day });
	const summedUp = new Set(read.filter(isMonthly).flatMap((row) => readBookkeeping(row).folded));
	const rows = read
		.filter((row) => !summedUp.has(row.id) && (isMonthly(row) || row.day >= first))
		.sort((one, other) => one.day.localeCompare(other.day) || one.id - other.id)
		.map((row): DatedRow => ({ ...row, month: monthOf(row) }));
	if (!groups.length) return [sumUp(rows)];
	const columns = groups.flatMap((group) => GROUPS[group]);
	const ids = columns.filter((column) => !NAMES.includes(column));
	const grouped = groupBy(rows, (row) => JSON.stringify(ids.map((id) => row[id])));
	const reported = [...grouped.values()].map((ofGroup) => {
		const latest = ofGroup.at(-1)!;
		const group: Partial<DatedRow> = Object.fromEntries(columns.map((one) => [one, latest[one]]));
		return { ...group, ...sumUp(ofGroup) };
	});
	const dateOf = ({ day: on = '', month = '' }: Partial<DatedRow>) => on || month;
	return reported.sort(
		(one, other) => dateOf(one).localeCompare(dateOf(other)) || other.costUsd - one.costUsd,
	);
}

/**
 * Sums up the rows of old days, into one per month, workflow, node and model. A run that is interrupted, or another one at the same
 * time, counts nothing twice: the row that gets the sums lists the rows that are in it, until they are deleted.
 *
 * @param days Older days are summed up.
 * @returns how many rows were deleted, and how many changed at the same time and are left to the next run.
 */
export async function foldSpending(
	table: SpendingTable,
	days: number,
	today: string,
): Promise<Fields> {
	const before = toDay(Date.parse(today) - days * DAY);
	const rows = await findAllRows<SpendingRow>(table, { day: below(before) });
	let deletedRows = 0;
	let skippedRows = 0;
	for (const ofMonth of groupBy(rows, (row) => keyOf(monthOf(row), row)).values()) {
		const deleted = await foldMonth(table, ofMonth);
		if (deleted === undefined) skippedRows += ofMonth.length;
		else deletedRows += deleted;
	}
	return { deletedRows, skippedRows };
}

/**
 * @param rows By ID.
 * @returns undefined if another process has changed the row that would get the sums.
 */
async function foldMonth(
	table: SpendingTable,
	rows: readonly SpendingRow[],
): Promise<number | undefined> {
	// two runs choose the same one, even if one of them sees rows that were added later
	const target = rows.find(isMonthly) ?? rows[0]!;
	const kept = readBookkeeping(target);
	const added = rows.filter((row) => row !== target && !kept.folded.includes(row.id));
	const folded = [...kept.folded, ...added.map(({ id }) => id)];
	if (isMonthly(target) && !folded.length) return 0;
	const { workflow, node, lastExecution } = rows.at(-1)!;
	const sums = sumUp([target, ...added]);
	const names = { workflow, node, lastExecution, day: monthOf(target) };
	const record = toRecord({ folded });
	if (!(await changeRow(table, target, { ...sums, ...names, record }))) return undefined;
	for (const ids of chunks(folded, MAX_CLAUSES))
		await table.remove({ any: ids.map((id): Clause<SpendingRow> => ['id', 'eq', id]) });
	await changeRow(table, { ...target, record }, { record: toRecord({}) });
	return folded.length;
}

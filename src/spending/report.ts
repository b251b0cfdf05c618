import { invalidInputError } from '../core/errors';
import { groupByFields } from '../core/grouping';
import type { SpendingQuery } from '../core/accounts';
import { periodOf, toDay, toMonth } from './periods';
import { anyOf, atLeast, atMost, below, chunks, MAX_CLAUSES } from '../tables/table';
import { changeRow, findDays, KEY, type ReadRow, type SpendingTable, sumUp } from './recordBook';

/** Milliseconds. */
const DAY = 24 * 3_600_000;

const isMonthly = ({ day, month }: ReadRow) => day === month;

/** The columns that a report has of each group. */
const GROUPS: Record<SpendingQuery['groupBy'][number], ReadonlyArray<keyof ReadRow>> = {
	day: ['day'],
	month: ['month'],
	workflow: ['workflowId', 'workflow'],
	// the copy of a workflow has the same node IDs
	node: ['workflowId', 'workflow', 'nodeId', 'node'],
	model: ['model'],
	label: ['label'],
};

/**
 * Adds up what was spent. What has a label, and months whose days were summed up, are in rows of a month, which count as a whole.
 *
 * @param today In UTC, e.g. `2026-11-24`.
 * @returns the groups, those of earlier days first, and the most expensive ones of a day. Without groups, one sum. And the months that count as
 *   a whole although the range has a part of them.
 * @throws ServiceError `invalid` for a range that ends before it begins.
 */
export async function reportSpending(table: SpendingTable, query: SpendingQuery, today: string) {
	const { from, to, groupBy: groups, label } = query;
	const first = from || periodOf(today, 'month').start;
	const last = to || today;
	if (first > last) throw invalidInputError('From is after To', `From is ${first}, To is ${last}.`);
	const read = await findDays(table, atLeast(first.slice(0, 7)), atMost(last));
	const summedUp = new Set(read.flatMap(({ combined }) => combined));
	const rows = read
		.filter((row) => !summedUp.has(String(row.id)) && (isMonthly(row) || row.day >= first))
		.filter((row) => !label || row.label === label)
		.sort((one, other) => one.day.localeCompare(other.day));
	const columns = groups.flatMap((group) => GROUPS[group]);
	// names do not distinguish groups: the last one is reported
	const ids = columns.filter((column) => column !== 'workflow' && column !== 'node');
	const reported = (groups.length ? groupByFields(rows, ids) : [rows]).map((ofGroup) => {
		const cells = columns.map((column) => [column, ofGroup.at(-1)?.[column]]);
		return { ...(Object.fromEntries(cells) as Partial<ReadRow>), ...sumUp(ofGroup) };
	});
	const wholeMonths = rows
		.filter(
			(row) => isMonthly(row) && (`${row.month}-01` < first || endOf(row.month, today) > last),
		)
		.map(({ month }) => month);
	const dateOf = ({ day: on, month }: Partial<ReadRow>) => on ?? month ?? '';
	const sums = reported.sort(
		(one, other) => dateOf(one).localeCompare(dateOf(other)) || other.costUsd - one.costUsd,
	);
	return { sums, wholeMonths: [...new Set(wholeMonths)] };
}

/** The last day of a month that has come. */
function endOf(month: string, today: string): string {
	const last = toDay(Date.parse(periodOf(`${month}-01`, 'month').end) - DAY);
	return last < today ? last : today;
}

/**
 * Sums up the rows of old days, into one per month, workflow, node, model and label. A run that is interrupted, or another one at the same
 * time, counts nothing twice: the row that gets the sums lists the rows that are in it, until they are deleted.
 *
 * @param days Older days are summed up.
 * @returns how many rows were deleted, and how many changed at the same time and are left to the next run.
 */
export async function combineRows(table: SpendingTable, days: number, today: string) {
	const firstKept = toDay(Date.parse(today) - days * DAY);
	const read = await findDays(table, below(firstKept));
	// a month with a label is still written to
	const rows = read.filter(({ label, month }) => !label || month < toMonth(firstKept));
	let deletedRows = 0;
	let skippedRows = 0;
	for (const ofMonth of groupByFields(rows, ['month', ...KEY])) {
		if (await combineMonth(table, ofMonth)) deletedRows += ofMonth.length - 1;
		else skippedRows += ofMonth.length;
	}
	return { deletedRows, skippedRows };
}

/**
 * @param rows By ID.
 * @returns whether it is done: not if another process has changed the row that would get the sums.
 */
async function combineMonth(table: SpendingTable, rows: readonly ReadRow[]): Promise<boolean> {
	// two runs choose the same one, even if one of them sees rows that were added later
	const target = rows.find(isMonthly) ?? rows[0]!;
	const added = rows.filter((row) => row !== target && !target.combined.includes(String(row.id)));
	const combined = [...target.combined, ...added.map(({ id }) => String(id))];
	if (isMonthly(target) && !combined.length) return true;
	const { month: day, workflow, node, lastExecutionId } = rows.at(-1)!;
	const latest = { day, workflow, node, lastExecutionId };
	const sums = sumUp([target, ...added]);
	const changed = await changeRow(table, target, { ...latest, ...sums, jobs: [], combined });
	if (!changed) return false;
	for (const ids of chunks(combined, MAX_CLAUSES)) await table.remove(anyOf('id', ids.map(Number)));
	await changeRow(table, changed, { combined: [] });
	return true;
}

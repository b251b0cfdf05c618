import type { SpendingGroup, SpendingQuery } from '../core/spending';
import { invalidInputError } from '../core/errors';
import { groupBy } from '../core/json';
import { toDay } from './budgetState';
import { chunks, type Clause, type Condition, findAllRows, MAX_CLAUSES } from './ledger';
import { changeRow, newWrite, toRecord } from './spendingBook';
import {
	addSums,
	NO_SUMS,
	readBookkeeping,
	type SpendingRow,
	type SpendingTable,
} from './spendingTable';

/** Characters of a month, e.g. `2026-11`. */
const MONTH = 7;
/** Milliseconds. */
const DAY = 24 * 3_600_000;

const monthOf = ({ day }: Pick<SpendingRow, 'day'>) => day.slice(0, MONTH);
const isMonthly = ({ day }: SpendingRow) => day.length === MONTH;

/** What a row is grouped by: its IDs distinguish, and the names are the last ones. */
const GROUPS: Record<SpendingGroup, (row: SpendingRow) => { ids: string[]; fields: object }> = {
	day: ({ day }) => ({ ids: [day], fields: { day } }),
	month: (row) => ({ ids: [monthOf(row)], fields: { month: monthOf(row) } }),
	workflow: ({ workflowId, workflow }) => ({
		ids: [workflowId],
		fields: { workflowId, workflow },
	}),
	// the copy of a workflow has the same node IDs
	node: ({ workflowId, workflow, nodeId, node }) => ({
		ids: [workflowId, nodeId],
		fields: { workflowId, workflow, nodeId, node },
	}),
	model: ({ model }) => ({ ids: [model], fields: { model } }),
};

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
): Promise<object[]> {
	const first = from || `${today.slice(0, MONTH)}-01`;
	const last = to || today;
	if (first > last) throw invalidInputError('From is after To', `From is ${first}, To is ${last}.`);
	const day: Condition[] = [
		{ condition: 'gte', value: first.slice(0, MONTH) },
		{ condition: 'lte', value: last },
	];
	const read = await findAllRows<SpendingRow>(table, { day });
	const summedUp = new Set(read.filter(isMonthly).flatMap((row) => readBookkeeping(row).folded));
	const rows = read
		.filter((row) => !summedUp.has(row.id) && (isMonthly(row) || row.day >= first))
		.sort((one, other) => compare(one.day, other.day) || one.id - other.id);
	const facts = (row: SpendingRow) => groups.map((group) => GROUPS[group](row));
	const grouped = groupBy(rows, (row) => JSON.stringify(facts(row).flatMap(({ ids }) => ids)));
	const reported = [...grouped.values()].map((ofGroup) => ({
		...Object.assign({}, ...facts(ofGroup.at(-1)!).map(({ fields }) => fields)),
		...ofGroup.map(pickSums).reduce(addSums),
	})) as Array<Partial<SpendingRow> & { month?: string; costUsd: number }>;
	if (!groups.length && !reported.length) return [NO_SUMS];
	const dateOf = ({ day: on = '', month = '' }: (typeof reported)[number]) => on || month;
	return reported.sort(
		(one, other) => compare(dateOf(one), dateOf(other)) || other.costUsd - one.costUsd,
	);
}

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other));

const pickSums = ({ requests, inputTokens, outputTokens, costUsd, unknownCosts }: SpendingRow) => ({
	...{ requests, inputTokens, outputTokens, costUsd, unknownCosts },
});

/**
 * Sums up the rows of old days, into one per month, workflow, node and model. A run that is interrupted, or another one at the same
 * time, counts nothing twice: the row that gets the sums lists the rows that are in it, until they are deleted.
 *
 * @param days A day that is older is summed up.
 * @returns how many rows were deleted, and how many changed at the same time and are left to the next run.
 */
export async function foldSpending(
	table: SpendingTable,
	days: number,
	today: string,
): Promise<object> {
	const before = toDay(Date.parse(today) - days * DAY);
	const rows = await findAllRows<SpendingRow>(table, { day: { condition: 'lt', value: before } });
	const months = groupBy(rows, (row) => {
		const { workflowId, nodeId, model } = row;
		return JSON.stringify([monthOf(row), workflowId, nodeId, model]);
	});
	let deletedRows = 0;
	let skippedRows = 0;
	for (const ofMonth of months.values()) {
		const deleted = await foldMonth(table, ofMonth);
		if (deleted === undefined) skippedRows += ofMonth.length;
		else deletedRows += deleted;
	}
	return { deletedRows, skippedRows };
}

/** @returns undefined if another process has changed the row that would get the sums. */
async function foldMonth(
	table: SpendingTable,
	rows: readonly SpendingRow[],
): Promise<number | undefined> {
	const [into, ...others] = [...rows].sort(
		(one, other) => Number(isMonthly(other)) - Number(isMonthly(one)) || one.id - other.id,
	);
	if (!into) return 0;
	const kept = readBookkeeping(into);
	const added = others.filter(({ id }) => !kept.folded.includes(id));
	const folded = [...kept.folded, ...added.map(({ id }) => id)];
	if (isMonthly(into) && !folded.length) return 0;
	const { workflow, node, lastExecution } = rows.at(-1)!;
	const sums = added.map(pickSums).reduce(addSums, pickSums(into));
	const names = { workflow, node, lastExecution, day: monthOf(into) };
	const record = toRecord({ folded }, newWrite());
	if (!(await changeRow(table, into, { ...sums, ...names, record }))) return undefined;
	for (const ids of chunks(folded, MAX_CLAUSES))
		await table.remove({ any: ids.map((id): Clause<SpendingRow> => ['id', 'eq', id]) });
	await changeRow(table, { ...into, record }, { ...sums, record: toRecord({}, newWrite()) });
	return folded.length;
}

import { type Clause, type Condition, MAX_ROWS, type Table, type Where } from './table';
import { fillRow, readRow, type TableFormat } from './tableFormat';

/**
 * A table over an array, for a trigger without a job ledger. The caller stores the array; it must not be used by two polls at the
 * same time.
 *
 * @param rows Changed in place.
 */
export function createMemoryTable<Row extends { id: number }>(
	rows: Row[],
	format: TableFormat<Row>,
): Table<Row> {
	return {
		async find(where, { by = 'id' as keyof Row, limit = MAX_ROWS, last = false, offset = 0 } = {}) {
			const found = rows.filter((row) => matchesWhere(row, where));
			const order = last ? -1 : 1;
			found.sort((one, other) => order * (one[by] < other[by] ? -1 : one[by] > other[by] ? 1 : 0));
			return found.slice(offset, offset + limit);
		},

		async add(row) {
			const id = Math.max(0, ...rows.map((other) => other.id)) + 1;
			rows.push(readRow(format, { ...fillRow(format, row), id }));
		},

		async change(where, changes) {
			const changed: Row[] = [];
			for (const [index, row] of rows.entries())
				if (matchesWhere(row, where)) changed.push((rows[index] = { ...row, ...changes }));
			return changed;
		},

		async remove(where) {
			const removed = rows.filter((row) => matchesWhere(row, where));
			for (const row of removed) rows.splice(rows.indexOf(row), 1);
			return removed;
		},
	};
}

function matchesWhere<Row>(row: Row, where: Where<Row>): boolean {
	return 'all' in where
		? where.all.every((clause) => matchesClause(row, clause))
		: where.any.some((clause) => matchesClause(row, clause));
}

const matchesClause = <Row>(row: Row, [column, condition, value]: Clause<Row>) =>
	COMPARISONS[condition](row[column] as string | number, value ?? NaN);

type Comparison = (cell: string | number, value: string | number) => boolean;

const COMPARISONS: Record<Condition['condition'], Comparison> = {
	eq: (cell, value) => cell === value,
	neq: (cell, value) => cell !== value,
	lt: (cell, value) => cell < value,
	lte: (cell, value) => cell <= value,
	gt: (cell, value) => cell > value,
	gte: (cell, value) => cell >= value,
	like: (cell, value) => String(cell).includes(String(value).replace(/^%|%$/g, '')),
};

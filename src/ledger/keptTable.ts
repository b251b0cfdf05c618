import { readEntry, toRow, type Entry } from './entry';
import { MOST_ROWS, type Clause, type Table, type Where } from './table';

/**
 * A table of rows that somebody else keeps, for a trigger without a job ledger. It serves one poll at a time, and lasts as long as
 * what keeps the rows.
 *
 * @param rows Changed in place.
 */
export function keptTable(rows: Entry[]): Table {
	return {
		async find(where, { by = 'id', limit = MOST_ROWS, last = false } = {}) {
			const found = rows.filter((row) => fits(row, where));
			const order = last ? -1 : 1;
			found.sort((one, other) => order * (one[by] < other[by] ? -1 : one[by] > other[by] ? 1 : 0));
			return found.slice(0, limit);
		},

		async add(entry) {
			const id = Math.max(0, ...rows.map((row) => row.id)) + 1;
			rows.push(readEntry({ ...toRow(entry), id }));
		},

		async change(where, changes) {
			const changed: Entry[] = [];
			for (const [at, row] of rows.entries())
				if (fits(row, where)) changed.push((rows[at] = { ...row, ...changes }));
			return changed;
		},

		async remove(where) {
			const removed = rows.filter((row) => fits(row, where));
			for (const row of removed) rows.splice(rows.indexOf(row), 1);
			return removed;
		},
	};
}

function fits(row: Entry, where: Where): boolean {
	return 'all' in where
		? where.all.every((clause) => holds(row, clause))
		: where.any.some((clause) => holds(row, clause));
}

function holds(row: Entry, [column, condition, value]: Clause): boolean {
	const cell = row[column];
	switch (condition) {
		case 'eq':
			return cell === value;
		case 'neq':
			return cell !== value;
		case 'lt':
			return cell < value;
		case 'lte':
			return cell <= value;
		case 'gt':
			return cell > value;
		case 'gte':
			return cell >= value;
	}
}

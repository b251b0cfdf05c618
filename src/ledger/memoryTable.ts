import { readEntry, toRow, type Entry } from './entry';
import { MAX_ROWS, type Clause, type Table, type Where } from './ledger';

/**
 * A table over an array, for a trigger without a job ledger. The caller stores the array; it must not be used by two polls at the
 * same time.
 *
 * @param rows Changed in place.
 */
export function createMemoryTable(rows: Entry[]): Table {
	return {
		async find(where, { by = 'id', limit = MAX_ROWS, last = false } = {}) {
			const found = rows.filter((row) => matchesWhere(row, where));
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

function matchesWhere(row: Entry, where: Where): boolean {
	return 'all' in where
		? where.all.every((clause) => matchesClause(row, clause))
		: where.any.some((clause) => matchesClause(row, clause));
}

function matchesClause(row: Entry, [column, condition, value]: Clause): boolean {
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

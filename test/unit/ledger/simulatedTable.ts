import { ServiceError } from '../../../src/core/errors';
import type { Clock } from '../../../src/core/retry';
import { readEntry, toRow, type Entry, type NewEntry } from '../../../src/ledger/entry';
import type { LedgerTable } from '../../../src/ledger/ledger';
import type { Clause, Where } from '../../../src/tables/table';
import { addFaults, changeFaults, removeFaults } from '../../support/ledgerTransitions';

/** Changes that the transitions of a row do not allow. */
const faults: string[] = [];

afterEach(() => {
	expect(faults.splice(0)).toEqual([]);
});

/** What may go wrong between a client and n8n. */
export interface Weather {
	/** Milliseconds of each of the ways there and back. */
	latency(): number;
	/** Before the change the request is lost; after it the answer is. */
	loses?(when: 'before' | 'after'): boolean;
}

/** The rows of one Data Table, as PostgreSQL keeps them: an added row has its id before anybody sees it. */
export class Rows {
	readonly rows: Entry[] = [];
	#lastId = 0;

	/** A client's way to the table. */
	client(clock: Pick<Clock, 'sleep'>, { latency, loses = () => false }: Weather): LedgerTable {
		const travel = async (when: 'before' | 'after') => {
			await clock.sleep(latency());
			if (loses(when)) throw new ServiceError('unreachable', 'lost', { sent: true });
		};
		const through = async <Result>(work: () => Promise<Result> | Result) => {
			await travel('before');
			const result = await work();
			await travel('after');
			return result;
		};
		return {
			find: async (where, { by = 'id', limit = 250, last = false } = {}) =>
				await through(() => {
					const found = this.rows.filter(matcher(where));
					found.sort((one, other) => (one[by] < other[by] ? -1 : one[by] > other[by] ? 1 : 0));
					if (last) found.reverse();
					return found.slice(0, limit).map((row) => ({ ...row }));
				}),
			add: async (entry) =>
				await through(async () => {
					faults.push(...addFaults(entry));
					const row = this.made(entry);
					await clock.sleep(latency());
					this.rows.push(row);
				}),
			remove: async (where) =>
				await through(() => {
					const removed = this.rows.filter(matcher(where));
					faults.push(...removeFaults(removed, where));
					for (const row of removed) this.rows.splice(this.rows.indexOf(row), 1);
					return removed;
				}),
			change: async (where, changes) =>
				await through(() => {
					const found = this.rows.filter(matcher(where));
					faults.push(...changeFaults(found, where, changes));
					for (const row of found) Object.assign(row, changes);
					return found.map((row) => ({ ...row }));
				}),
		};
	}

	/** A row with the next id, not yet in the table. */
	made(entry: NewEntry): Entry {
		return readEntry({ ...toRow(entry), id: ++this.#lastId });
	}
}

function matcher(where: Where<Entry>): (row: Entry) => boolean {
	if ('all' in where) return (row) => where.all.every((clause) => holds(row, clause));
	const [first] = where.any;
	if (!first || where.any.some(([column, condition]) => column !== first[0] || condition !== 'eq'))
		return (row) => where.any.some((clause) => holds(row, clause));
	// two hundred ids among ten thousand rows
	const values = new Set(where.any.map(([, , value]) => value));
	return (row) => values.has(row[first[0]]);
}

function holds(row: Entry, [column, condition, value]: Clause<Entry>): boolean {
	const cell = row[column];
	if (value === null) return false;
	if (condition === 'eq') return cell === value;
	if (condition === 'neq') return cell !== value;
	if (condition === 'lt') return cell < value;
	if (condition === 'lte') return cell <= value;
	return condition === 'gt' ? cell > value : cell >= value;
}

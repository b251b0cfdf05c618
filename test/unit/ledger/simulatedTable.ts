import { ServiceError } from '../../../src/core/errors';
import type { Clock } from '../../../src/core/retry';
import {
	ledgerFormat,
	readEntry,
	toRow,
	type Entry,
	type NewEntry,
} from '../../../src/ledger/entry';
import type { Ledger, LedgerTable } from '../../../src/ledger/ledger';
import { createMemoryTable } from '../../../src/tables/memoryTable';
import { checkedTable } from '../../support/ledgerTransitions';

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
		const through =
			<Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
			async (...given: Given) => {
				await travel('before');
				// what a process reads does not change under its hands
				const result = structuredClone(await work(...given));
				await travel('after');
				return result;
			};
		const add = async (entry: NewEntry) => {
			const row = this.made(entry);
			await clock.sleep(latency());
			this.rows.push(row);
		};
		const memory = { ...createMemoryTable(this.rows, ledgerFormat), add };
		const table = checkedTable(memory, this.rows, faults);
		return {
			find: through(table.find),
			add: through(table.add),
			change: through(table.change),
			remove: through(table.remove),
		};
	}

	/** A row with the next id, not yet in the table. */
	made(entry: NewEntry): Entry {
		return readEntry({ ...toRow(entry), id: ++this.#lastId });
	}
}

let claims = 0;

/** A ledger with this table, as an execution uses it. */
export const ledgerOn = (table: LedgerTable, clock: Clock, executionId = 'e'): Ledger => ({
	table,
	clock,
	uncancellableClock: clock,
	n8nTime: clock.now,
	executionId,
	newClaim: () => `claim-${++claims}`,
});

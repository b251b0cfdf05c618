import type { Entry, EntryState } from './entry';
import type { Ledger } from './ledger';
import { MOST_CLAUSES, type Clause } from './table';

/** States of which nothing more will come. */
const OVER: readonly EntryState[] = ['delivered', 'notStarted', 'withdrawn'];

interface Old {
	/** Milliseconds since the start. */
	age: number;
	/** Whether rows with a key go, too: then the key may start a job again. */
	withKeys: boolean;
}

/**
 * Deletes what is over and old. What somebody still waits for, and what a person has to decide, stays however old it is.
 *
 * @returns how many rows were deleted.
 */
export async function deleteOld({ table, clock }: Ledger, { age, withKeys }: Old): Promise<number> {
	const before = clock.now() - age;
	let deleted = 0;
	for (const state of OVER) {
		const all: Clause[] = [
			['state', 'eq', state],
			['startedAt', 'lt', before],
		];
		// what has no job says nothing of its key
		if (state === 'delivered' && !withKeys) all.push(['startKey', 'eq', '']);
		for (;;) {
			const rows = await table.find({ all }, { limit: MOST_CLAUSES });
			if (!rows.length) break;
			const removed = await table.remove({ any: rows.map(isRow) });
			if (!removed.length) break;
			deleted += removed.length;
		}
	}
	return deleted;
}

const isRow = ({ id }: Entry): Clause => ['id', 'eq', id];

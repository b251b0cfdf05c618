import { ServiceError } from '../service/errors';
import { fullJitter, type Clock } from '../service/retry';
import type { Entry, NewEntry } from './entry';
import type { Table } from './table';
import { isPassing } from './trouble';

/** The job ledger of an n8n, as one execution works with it. */
export interface Ledger {
	table: Table;
	/** Its sleep ends with the execution. */
	clock: Clock;
	/** Its sleep does not: what has happened has to be written down after Stop, too. */
	steadyClock: Clock;
	/** Makes a random text that nobody else makes. */
	newClaim(): string;
	/** The execution's id. */
	execution: string;
}

/** How often something that has happened is written down anew, over about a minute: n8n may be restarting. */
const MAX_ATTEMPTS = 10;

/**
 * Writes down what has become of a row that one holds.
 *
 * @param entry The whole row. It is added anew where the row is not held any more: what it says must not be lost.
 * @returns the row; undefined when the ledger could not be reached.
 */
export async function settle(
	{ table, steadyClock }: Ledger,
	claim: string,
	entry: NewEntry,
): Promise<Entry | undefined> {
	for (let attempt = 1; ; attempt++) {
		try {
			const [row] = await table.change({ all: [['claim', 'eq', claim]] }, entry);
			if (row) return row;
			await table.add({ ...entry, claim });
		} catch (cause) {
			if (!(cause instanceof ServiceError) || !isPassing(cause)) return undefined;
		}
		if (attempt === MAX_ATTEMPTS) return undefined;
		await steadyClock.sleep(fullJitter(attempt, steadyClock));
	}
}

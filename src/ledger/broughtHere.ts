import type { Entry } from './entry';
import type { Ledger } from './ledger';

/** The file is there: no trigger need bring it any more. One that has begun to brings it a second time. */
export async function markDelivered(ledger: Ledger, entry: Entry): Promise<void> {
	await changeWaiting(ledger, entry, { state: 'delivered', outcome: 'completed' });
}

/** The file has to be brought by a trigger, which may ask for the job at once. */
export async function leaveToTriggers(ledger: Ledger, entry: Entry): Promise<void> {
	await changeWaiting(ledger, entry, { checkAt: ledger.clock.now() });
}

async function changeWaiting(
	{ table, execution }: Ledger,
	{ id }: Entry,
	changes: Partial<Entry>,
): Promise<void> {
	try {
		await table.change(
			{
				all: [
					['id', 'eq', id],
					['state', 'eq', 'pending'],
				],
			},
			{ ...changes, execution },
		);
	} catch {
		// then a trigger brings the file once more: that is better than to lose what has been brought
	}
}

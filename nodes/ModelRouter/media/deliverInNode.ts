import { mapServiceError } from '../../../src/core/errors';
import type { Entry } from '../../../src/ledger/entry';
import type { Ledger } from '../../../src/ledger/ledger';
import { leaveToTriggers, markDelivered } from '../../../src/ledger/startOnce';
import type { Uses } from '../../../src/n8n/operation';
import { type LedgerHost, openJobLedger } from '../ledger/jobEntry';

/** Milliseconds added to the wait of Generate before the triggers check the job. */
export const WAIT_MARGIN = 5 * 60_000;

/** The jobs that a node run waits for, or has downloaded. */
interface Held {
	entries: Set<Entry>;
	/** When triggers check the first of them; milliseconds since 1970. */
	checkAt: number;
	/** When the last wait ends. */
	until: number;
}

/** By the connection of the node run. */
const heldBy = new WeakMap<LedgerHost['connectLedger'], Held>();

type Host = LedgerHost & Uses<'asTool' | 'atEnd'> & { request: { maxWait: number } };

/**
 * Downloads the file in the node. The job counts as delivered when the node hands over its items, which it does for all together. If the
 * download fails, or the execution is stopped before that, the triggers may deliver the file at once.
 */
export async function deliverInNode<Result>(
	context: Host,
	entry: Entry | undefined,
	download: () => Promise<Result>,
): Promise<Result> {
	if (!entry) return await download();
	const ledger = await openJobLedger(context);
	const held = await hold(context, ledger, entry);
	const release = async () => {
		held.entries.delete(entry);
		await leaveToTriggers(ledger, [entry]);
	};
	try {
		const result = await download();
		// for an AI agent the file is not downloaded
		if (context.asTool) await release();
		return result;
	} catch (cause) {
		await release();
		throw mapServiceError(cause);
	}
}

/** Keeps triggers from the jobs of the node run for as long as it waits for one more. */
async function hold(
	{ connectLedger, atEnd, request: { maxWait } }: Host,
	ledger: Ledger,
	entry: Entry,
): Promise<Held> {
	const known = heldBy.get(connectLedger);
	const held = known ?? { entries: new Set<Entry>(), checkAt: Infinity, until: 0 };
	const { entries } = held;
	if (!known) {
		heldBy.set(connectLedger, held);
		atEnd(async (isHandedOver) => {
			if (isHandedOver) await markDelivered(ledger, [...entries]);
			else await leaveToTriggers(ledger, [...entries]);
		});
	}
	entries.add(entry);
	held.checkAt = Math.min(held.checkAt, entry.checkAt);
	const now = ledger.n8nTime();
	held.until = Math.max(held.until, now + maxWait);
	// many items at once postpone the checks once
	if (held.checkAt < held.until + WAIT_MARGIN / 2) {
		held.checkAt = held.until + WAIT_MARGIN;
		await leaveToTriggers(ledger, [...entries], held.checkAt - now);
	}
	return held;
}

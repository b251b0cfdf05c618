import { mapServiceError } from '../../../src/core/errors';
import type { Entry } from '../../../src/ledger/entry';
import type { Ledger } from '../../../src/ledger/ledger';
import { leaveToTriggers, markDelivered } from '../../../src/ledger/startOnce';
import type { Uses } from '../../../src/n8n/operation';
import { type LedgerHost, openJobLedger } from '../ledger/jobEntry';

/** The entries whose files a node run has downloaded, by its connection. */
const downloadedBy = new WeakMap<LedgerHost['connectLedger'], Entry[]>();

/**
 * Downloads the file in the node. The job counts as delivered when the node hands over its items, which it does for all together. If the
 * download fails, or the execution is stopped before that, the triggers may deliver the file at once.
 */
export async function deliverInNode<Result>(
	context: LedgerHost & Uses<'asTool' | 'atEnd'>,
	entry: Entry | undefined,
	download: () => Promise<Result>,
): Promise<Result> {
	if (!entry) return await download();
	const ledger = await openJobLedger(context);
	try {
		const result = await download();
		// for an AI agent the file is not downloaded
		if (context.asTool) await leaveToTriggers(ledger, [entry]);
		else deliverAtEnd(context, ledger, entry);
		return result;
	} catch (cause) {
		await leaveToTriggers(ledger, [entry]);
		throw mapServiceError(cause);
	}
}

function deliverAtEnd(
	{ connectLedger, atEnd }: Parameters<typeof deliverInNode>[0],
	ledger: Ledger,
	entry: Entry,
): void {
	const others = downloadedBy.get(connectLedger);
	if (others) return void others.push(entry);
	const entries = [entry];
	downloadedBy.set(connectLedger, entries);
	atEnd(async (isHandedOver) => {
		if (isHandedOver) await markDelivered(ledger, entries);
		else await leaveToTriggers(ledger, entries);
	});
}

import type { IDataObject } from 'n8n-workflow';

import { tryParseJson } from '../../../src/core/json';
import { openLedger } from '../../../src/ledger/dataTable';
import type { Entry } from '../../../src/ledger/entry';
import type { Ledger } from '../../../src/ledger/ledger';
import type { OperationContext } from '../../../src/n8n/operation';

/** An entry as an item: times in ISO 8601, empty fields omitted. */
export function toEntryJson(entry: Entry): IDataObject {
	const { id, startKey, segment, record, deliveries, startedAt, leaseUntil, checkAt, ...rest } =
		entry;
	const fields = {
		entryId: id,
		idempotencyKey: startKey,
		mediaType: segment,
		...rest,
		// internal to claims and transitions
		claim: undefined,
		proposal: undefined,
		deliveries: deliveries || undefined,
		startedAt: isoTime(startedAt),
		leaseUntil: isoTime(leaseUntil),
		checkAt: isoTime(checkAt),
		job: tryParseJson(record),
	};
	const filled = Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined);
	return Object.fromEntries(filled) as IDataObject;
}

const isoTime = (milliseconds: number) =>
	milliseconds ? new Date(milliseconds).toISOString() : undefined;

/**
 * Opens the job ledger of the credential.
 *
 * @param attempts To find its table.
 * @throws ServiceError `invalid` when it is turned off, and when its table cannot be used.
 */
export async function openJobLedger(
	{
		connectLedger,
		clock,
		origin,
	}: Pick<OperationContext<unknown>, 'connectLedger' | 'clock' | 'origin'>,
	attempts?: number,
): Promise<Ledger> {
	return await openLedger(connectLedger(), clock, origin.execution, attempts);
}

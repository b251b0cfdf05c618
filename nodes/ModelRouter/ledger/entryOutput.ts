import type { IDataObject } from 'n8n-workflow';

import { tryParseJson } from '../../../src/core/json';
import type { Entry } from '../../../src/ledger/entry';

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

import type { IDataObject } from 'n8n-workflow';

import type { Entry } from '../../../src/ledger/entry';
import { tryParseJson } from '../../../src/service/json';

/** An entry as an item: times as people read them, what is empty left out. */
export function entryJson(entry: Entry): IDataObject {
	const { id, record, startedAt, leaseUntil, checkAt, ...rest } = entry;
	const told = {
		...rest,
		// of use only to who works on the entry
		claim: undefined,
		proposal: undefined,
		startedAt: time(startedAt),
		leaseUntil: time(leaseUntil),
		checkAt: time(checkAt),
		job: tryParseJson(record),
	};
	const given = Object.entries(told).filter(([, value]) => value !== '' && value !== undefined);
	return { ledgerEntry: id, ...Object.fromEntries(given) };
}

const time = (milliseconds: number) =>
	milliseconds ? new Date(milliseconds).toISOString() : undefined;

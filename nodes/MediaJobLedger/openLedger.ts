import { randomUUID } from 'crypto';

import type { Opened } from '../../src/n8n/operation';
import { findTable } from '../../src/ledger/ledgerTable';
import type { Ledger } from '../../src/ledger/ledger';
import { tableOver } from '../../src/ledger/table';
import type { Http } from '../../src/service/http';
import type { Clock } from '../../src/service/retry';

/** By the way to n8n, which each execution has anew: its items look for the table once. */
const tableIds = new WeakMap<Http, Promise<string>>();

/**
 * Opens the job ledger.
 *
 * @param n8n The way to n8n's own API, open also after Stop.
 * @param clock Its sleep ends with the execution.
 * @param execution The n8n execution's id.
 * @throws ServiceError when the table cannot be found.
 */
export async function openLedger(n8n: Opened, clock: Clock, execution: string): Promise<Ledger> {
	const tableId = await (tableIds.get(n8n.http) ?? remembered(n8n));
	return {
		table: tableOver(n8n.http, tableId),
		clock,
		steadyClock: n8n.clock,
		newClaim: () => randomUUID(),
		execution,
	};
}

async function remembered({ http, field }: Opened): Promise<string> {
	const tableId = findTable(http, field('table'));
	tableIds.set(http, tableId);
	return await tableId;
}

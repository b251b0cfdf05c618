import { randomUUID } from 'crypto';

import type { Connection } from '../../src/n8n/connection';
import type { Opened } from '../../src/n8n/operation';
import type { Entry } from '../../src/ledger/entry';
import { findTable } from '../../src/ledger/ledgerTable';
import type { Ledger } from '../../src/ledger/ledger';
import { tableOver, type Table } from '../../src/ledger/table';
import type { Http } from '../../src/service/http';
import type { Clock } from '../../src/service/retry';

/** By the way to n8n, which each execution has anew: its items look for the table once. */
const tableIds = new WeakMap<Http, Promise<string>>();

/**
 * Opens the job ledger.
 *
 * @param n8n The way to n8n's own API, open also after Stop.
 *   Its `redact` keeps out of the table what a service may echo.
 * @param clock Its sleep ends with the execution.
 * @param execution The n8n execution's id.
 * @throws ServiceError when the table cannot be found.
 */
export async function openLedger(
	n8n: Opened & Partial<Pick<Connection, 'redact'>>,
	clock: Clock,
	execution: string,
): Promise<Ledger> {
	const tableId = await (tableIds.get(n8n.http) ?? remembered(n8n));
	return {
		table: withoutKeys(tableOver(n8n.http, tableId), n8n.redact),
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

/** The table is for people to look at, where no key must be. */
function withoutKeys(table: Table, redact: Connection['redact'] | undefined): Table {
	if (!redact) return table;
	const clean = <Row extends Partial<Entry>>(row: Row): Row => ({
		...redact.data(row),
		...(row.note && { note: redact.text(row.note) }),
	});
	return {
		...table,
		add: async (entry) => await table.add(clean(entry)),
		change: async (where, changes) => await table.change(where, clean(changes)),
	};
}

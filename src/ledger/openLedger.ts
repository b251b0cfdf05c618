import { randomUUID } from 'crypto';

import type { Clock } from '../core/retry';
import { type N8nAccess, openTable } from '../tables/dataTable';
import type { N8nApi } from '../tables/n8nApi';
import { checkTableKey } from '../tables/tableSetup';
import { ledgerFormat } from './entry';
import type { Ledger } from './ledger';

/**
 * Opens the job ledger, and creates its table at the first use.
 *
 * @param clock Its sleep ends with the execution.
 * @param executionId Of the n8n execution.
 * @param attempts To find the table, where this process has not found it yet: n8n may be restarting.
 * @throws ServiceError when the table can be neither found nor created.
 */
export async function openLedger(
	n8n: N8nAccess,
	clock: Clock,
	executionId: string,
	attempts = 1,
): Promise<Ledger> {
	return {
		table: await openTable(n8n, ledgerFormat, clock, attempts),
		clock,
		uncancellableClock: n8n.clock,
		newClaim: () => randomUUID(),
		executionId,
		n8nTime: () => clock.now() + (n8n.ahead ?? 0),
	};
}

/** Checks an API key of n8n for the job ledger, as `checkTableKey` does. */
export const checkLedgerKey = async (api: N8nApi, table: string): Promise<string> =>
	`The job ledger: ${await checkTableKey({ ...api, table }, ledgerFormat)}`;

import { openLedger } from '../../../src/ledger/dataTable';
import type { Ledger } from '../../../src/ledger/ledger';
import type { OperationContext } from '../../../src/n8n/operation';

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

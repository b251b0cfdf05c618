import { invalidInputError } from '../../../src/core/errors';
import type { OperationContext } from '../../../src/n8n/operation';

/** @throws ServiceError `invalid` if the credential records nothing. */
export function spendingActions({ spending }: Pick<OperationContext<unknown>, 'spending'>) {
	if (spending) return spending.actions;
	throw invalidInputError(
		'The credential does not record what is spent',
		'Turn on Use a Job Ledger and Record Spending in the Model Router API credential. Earlier spending is not known.',
	);
}

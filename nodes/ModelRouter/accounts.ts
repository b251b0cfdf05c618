import { invalidInputError } from '../../src/core/errors';
import type { Accounts } from '../../src/core/accounts';

/** The budget of the credential. @throws ServiceError `invalid` if it has none. */
export function requireBudget({ accounts: { budget } }: { accounts: Accounts }) {
	if (budget) return budget;
	throw invalidInputError(
		'The credential has no budget',
		'Turn on Use a Job Ledger in the Model Router API credential, and enter an amount in Budget (USD).',
	);
}

/** Where the credential writes down what it spends. @throws ServiceError `invalid` if it records nothing. */
export function requireSpending({ accounts: { spending } }: { accounts: Accounts }) {
	if (spending) return spending;
	throw invalidInputError(
		'The credential does not record what is spent',
		'Turn on Use a Job Ledger and Record Spending in the Model Router API credential. Earlier spending is not known.',
	);
}

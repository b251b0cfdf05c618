import type { IDataObject } from 'n8n-workflow';

import type { SharedBudget } from '../../../src/core/budget';
import { invalidInputError } from '../../../src/core/errors';
import type { ItemOutput, OperationContext } from '../../../src/n8n/operation';

/**
 * Runs an action on the budget of the credential.
 *
 * @throws ServiceError `invalid` if the credential has none.
 */
export async function withBudget(
	{ budget }: Pick<OperationContext<unknown>, 'budget'>,
	action: (actions: SharedBudget['actions']) => Promise<object>,
): Promise<ItemOutput> {
	if (!budget) throw noBudgetError();
	return { json: (await action(budget.actions)) as IDataObject };
}

export const noBudgetError = () =>
	invalidInputError(
		'The credential has no budget',
		'Turn on Use a Job Ledger in the Model Router API credential, and enter an amount in Budget (USD).',
	);

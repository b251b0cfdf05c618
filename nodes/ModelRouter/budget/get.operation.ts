import { operation } from '../../../src/n8n/operation';
import { withBudget } from './openBudget';

export const get = operation({
	name: 'Get',
	value: 'get',
	action: 'Get budget',
	description:
		'Get what is spent and reserved of the budget of the credential in this period, who has reserved it, and whether it is paused',
	params: [],

	prepare: () => ({}),

	run: async (context) => await withBudget(context, async (budget) => await budget.get()),
});

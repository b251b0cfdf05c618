import { operation } from '../../../src/n8n/operation';
import { withBudget } from './openBudget';

export const get = operation({
	name: 'Get',
	value: 'get',
	action: 'Get budget',
	description:
		'Get how much of the budget of the credential is spent and reserved in this period, who reserved it, and whether it is paused',
	params: [],

	prepare: () => ({}),

	run: async (context) => await withBudget(context, async (budget) => await budget.get()),
});

import { operation } from '../../../src/n8n/operation';
import { requireBudget } from '../accounts';

export const get = operation({
	name: 'Get',
	value: 'get',
	action: 'Get budget',
	description:
		'Get how much of the budget of the credential is spent and reserved in this period, who reserved it, and whether it is paused',
	params: [],

	prepare: () => ({}),

	run: async (context) => ({ json: await requireBudget(context).actions.get() }),
});

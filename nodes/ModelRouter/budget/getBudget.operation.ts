import { operation } from '../../../src/n8n/operation';
import { requireBudget } from '../access';

export const getBudget = operation({
	name: 'Get',
	value: 'getBudget',
	action: 'Get budget',
	description: 'Get what is spent and reserved, by whom, and whether it is paused',
	params: [],

	prepare: () => ({}),

	run: async (context) => ({ json: await requireBudget(context).actions.get() }),
});

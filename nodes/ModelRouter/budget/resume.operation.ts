import { operation } from '../../../src/n8n/operation';
import { withBudget } from './openBudget';

export const resume = operation({
	name: 'Resume',
	value: 'resume',
	action: 'Resume budget',
	description:
		'Continue after a pause. The credential must allow it: Workflows May Resume. It takes effect within 10 seconds.',
	params: [],

	prepare: () => ({}),

	run: async (context) => await withBudget(context, async (budget) => await budget.resume()),
});

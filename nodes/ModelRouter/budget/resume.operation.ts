import { operation } from '../../../src/n8n/operation';
import { requireBudget } from '../accounts';

export const resume = operation({
	name: 'Resume',
	value: 'resume',
	action: 'Resume budget',
	description:
		'Continue after a pause. The credential must allow it: Workflows May Resume. It takes effect within 10 seconds.',
	params: [],

	prepare: () => ({}),

	run: async (context) => ({ json: await requireBudget(context).actions.resume() }),
});

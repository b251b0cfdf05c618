import { operation } from '../../../src/n8n/operation';
import { requireBudget } from '../access';

export const resume = operation({
	name: 'Resume',
	value: 'resume',
	action: 'Resume budget',
	description:
		'Continue within 10 seconds, if the credential has Workflows May Resume (off by default)',
	params: [],

	prepare: () => ({}),

	run: async (context) => ({ json: await requireBudget(context).actions.resume() }),
});

import { invalidInputError } from '../../../src/core/errors';
import { operation } from '../../../src/n8n/operation';
import { withBudget } from './openBudget';

export const pause = operation({
	name: 'Pause',
	value: 'pause',
	action: 'Pause budget',
	description:
		'Stop all paid requests with this credential, in all workflows and on all workers. It takes effect within 20 seconds; requests in progress continue.',
	params: [
		{
			displayName: 'Reason',
			name: 'reason',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. An agent is stuck in a loop',
			description: 'Every refused request shows it',
		},
	],

	prepare({ reason }) {
		if (!reason.trim())
			throw invalidInputError('Reason is empty', 'Enter it: every refused request shows it.');
		return { reason };
	},

	run: async (context) =>
		await withBudget(context, async (budget) => await budget.pause(context.request.reason)),
});

import { invalidInputError } from '../../../src/core/errors';
import { operation } from '../../../src/n8n/operation';
import { withBudget } from './openBudget';

const REASON_ADVICE = 'Enter why: every request that is refused says it.';

export const pause = operation({
	name: 'Pause',
	value: 'pause',
	action: 'Pause budget',
	description:
		'Send nothing more that costs with this credential, in no workflow and on no worker. It takes effect within 20 seconds; what is under way goes on.',
	params: [
		{
			displayName: 'Reason',
			name: 'reason',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. An agent loops',
			description: 'Every request that is refused says it',
		},
	],

	prepare({ reason }) {
		if (!reason.trim()) throw invalidInputError('Reason is empty', REASON_ADVICE);
		return { reason };
	},

	run: async (context) =>
		await withBudget(context, async (budget) => await budget.pause(context.request.reason)),
});

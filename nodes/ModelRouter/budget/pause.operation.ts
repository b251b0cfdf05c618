import { operation } from '../../../src/n8n/operation';
import { requireBudget } from '../access';

export const pause = operation({
	name: 'Pause',
	value: 'pause',
	action: 'Pause budget',
	description:
		'Stop all paid requests of this credential within 20 seconds. Those in progress, agents and assistants go on.',
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

	prepare: ({ reason }) => ({ reason }),

	run: async (context) => ({
		json: await requireBudget(context).actions.pause(context.request.reason),
	}),
});

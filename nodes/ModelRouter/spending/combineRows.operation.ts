import { operation } from '../../../src/n8n/operation';
import { requireSpending } from '../access';

export const combineRows = operation({
	name: 'Combine Old Rows',
	value: 'combineRows',
	action: 'Combine old rows of spending',
	description: 'Combine rows of a month, if the n8n API key may delete rows',
	params: [
		{
			displayName: 'Older Than (Days)',
			name: 'days',
			type: 'number',
			typeOptions: { minValue: 7 },
			default: 62,
			required: true,
			description: 'The cost of a job that has not ended stays unknown',
		},
	],

	prepare: ({ days }) => ({ days }),

	run: async (context) => ({
		json: await requireSpending(context).combineRows(context.request.days),
	}),
});

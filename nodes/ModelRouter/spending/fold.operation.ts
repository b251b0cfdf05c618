import type { IDataObject } from 'n8n-workflow';

import { operation } from '../../../src/n8n/operation';
import { spendingActions } from './openSpending';

export const fold = operation({
	name: 'Fold',
	value: 'fold',
	action: 'Fold old spending into months',
	description:
		'Combine old rows into one per month, workflow, node and model. The n8n API key needs the scope dataTableRow:delete.',
	params: [
		{
			displayName: 'Older Than (Days)',
			name: 'days',
			type: 'number',
			typeOptions: { minValue: 7 },
			default: 62,
			required: true,
			description:
				'Rows of older days are combined. The cost of a job that has not ended stays unknown.',
		},
	],

	prepare: ({ days }) => ({ days }),

	run: async (context) => ({
		json: (await spendingActions(context).fold(context.request.days)) as IDataObject,
	}),
});

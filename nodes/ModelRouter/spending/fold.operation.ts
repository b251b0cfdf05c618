import type { IDataObject } from 'n8n-workflow';

import { operation } from '../../../src/n8n/operation';
import { spendingActions } from './openSpending';

export const fold = operation({
	name: 'Fold',
	value: 'fold',
	action: 'Fold old spending into months',
	description:
		'Sum up the rows of old days, into one row per month, workflow, node and model. The table then stays small. The n8n API key needs the scope dataTableRow:delete.',
	params: [
		{
			displayName: 'Older Than (Days)',
			name: 'days',
			type: 'number',
			typeOptions: { minValue: 7 },
			default: 62,
			required: true,
			description:
				'Rows of days that are older are summed up. Of a job that is still under way then, the cost stays unknown.',
		},
	],

	prepare: ({ days }) => ({ days }),

	run: async (context) => ({
		json: (await spendingActions(context).fold(context.request.days)) as IDataObject,
	}),
});

import { deleteOldEntries } from '../../../src/ledger/manualChanges';
import { operation } from '../../../src/n8n/operation';
import { openJobLedger } from './jobEntry';

/** Milliseconds. */
const DAY = 24 * 3_600_000;

export const deleteMany = operation({
	name: 'Delete Many',
	value: 'deleteMany',
	action: 'Delete many job ledger entries',
	description: 'Delete old entries of delivered jobs',
	params: [
		{
			displayName: 'Older Than (Days)',
			name: 'days',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 30,
			required: true,
		},
		{
			displayName: 'Delete Keys Too',
			name: 'withKeys',
			type: 'boolean',
			noDataExpression: true,
			default: false,
			description: 'Whether to delete entries with a Unique Key. It then pays for a new job.',
		},
	],

	prepare: ({ days, withKeys }) => ({ age: days * DAY, withKeys }),

	async run(context) {
		const count = await deleteOldEntries(await openJobLedger(context), context.request);
		return { json: { deleted: true, count } };
	},
});

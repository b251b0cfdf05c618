import { deleteOldEntries } from '../../../src/ledger/manualChanges';
import { operation } from '../../../src/n8n/operation';
import { openLedger } from '../../../src/ledger/dataTable';

/** Milliseconds. */
const DAY = 24 * 3_600_000;

export const deleteOld = operation({
	name: 'Delete Old',
	value: 'deleteOld',
	action: 'Delete old entries of the ledger',
	description:
		'Delete entries of jobs that were delivered long ago, so that the table does not grow forever. Unfinished jobs, and starts whose outcome is unknown, are not deleted.',
	params: [
		{
			displayName: 'Older Than (Days)',
			name: 'days',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 30,
			required: true,
			description: 'Age since the start',
		},
		{
			displayName: 'Delete Keys Too',
			name: 'withKeys',
			type: 'boolean',
			default: false,
			description:
				'Whether to also delete entries with a key of Start Once Per Key. A start with such a key then starts, and pays for, a new job.',
		},
	],

	prepare: ({ days, withKeys }) => ({ age: days * DAY, withKeys }),

	async run({ request, origin, ...context }) {
		const ledger = await openLedger(context, context.clock, origin.execution);
		return { json: { deleted: await deleteOldEntries(ledger, request) } };
	},
});

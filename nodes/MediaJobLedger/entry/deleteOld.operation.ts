import { operation } from '../../../src/n8n/operation';
import { deleteOld as deleteOldEntries } from '../../../src/ledger/deleteOld';
import { openLedger } from '../openLedger';

const DAY = 24 * 3_600_000;

export const deleteOld = operation({
	name: 'Delete Old',
	value: 'deleteOld',
	action: 'Delete old entries of the ledger',
	description:
		'Delete entries of jobs that were delivered long ago, so that the table does not grow for ever. What is open or waited for stays.',
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
				'Whether entries with a key of Start Once Per Key go, too. A start with such a key then starts, and pays, a new job.',
		},
	],

	prepare: ({ days, withKeys }) => ({ age: days * DAY, withKeys }),

	async run({ request, origin, ...call }) {
		const ledger = await openLedger(call, call.clock, origin.execution);
		return { json: { deleted: await deleteOldEntries(ledger, request) } };
	},
});

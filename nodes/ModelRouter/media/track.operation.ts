import { encodePathSegment } from '../../../src/core/urls';
import { registerJob } from '../../../src/ledger/manualChanges';
import { operation } from '../../../src/n8n/operation';
import { openJobLedger } from '../ledger/entryOutput';
import { addressParams, toAddress } from './media.params';
import { ledgerLabelOption } from './start.params';

export const track = operation({
	name: 'Track Existing Job',
	value: 'track',
	action: 'Track existing media job',
	description:
		'Enter a job that was started elsewhere in the job ledger, so that the Model Router Trigger downloads its file',
	params: [
		...addressParams,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [ledgerLabelOption],
		},
	],

	prepare({ options: { ledgerLabel = '' }, ...params }) {
		const address = toAddress(params);
		encodePathSegment(address.jobId, 'Job ID');
		return { ...address, ledgerLabel: ledgerLabel.trim() };
	},

	async run({ request: { mediaType, jobId, ledgerLabel }, ...context }) {
		const ledger = await openJobLedger(context);
		const { entry, known } = await registerJob(ledger, {
			jobId,
			segment: mediaType,
			label: ledgerLabel,
			account: context.origin.credential,
		});
		return { json: { jobId, mediaType, entryId: entry.id, alreadyTracked: known } };
	},
});

import { encodePathSegment } from '../../../src/core/urls';
import { registerJob } from '../../../src/ledger/manualChanges';
import { operation } from '../../../src/n8n/operation';
import { addressParams, toAddress } from './job.params';
import { labelOption } from './start.params';
import { openJobLedger } from '../ledger/openJobLedger';

export const enterInLedger = operation({
	name: 'Enter in Ledger',
	value: 'enterInLedger',
	action: 'Enter a media job in the job ledger',
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
			options: [labelOption],
		},
	],

	prepare({ options: { label = '' }, ...params }) {
		const address = toAddress(params);
		encodePathSegment(address.jobId, 'Job ID');
		return { ...address, label: label.trim() };
	},

	async run({ request, ...context }) {
		const ledger = await openJobLedger(context);
		const { entry, known } = await registerJob(ledger, {
			...request,
			account: context.origin.credential,
		});
		const { segment, jobId } = request;
		return { json: { jobId, segment, ledgerEntry: entry.id, known } };
	},
});

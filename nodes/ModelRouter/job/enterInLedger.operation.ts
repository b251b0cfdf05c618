import { operation } from '../../../src/n8n/operation';
import { enterJob } from '../../../src/ledger/enter';
import { pathSegment } from '../../../src/service/pathSegment';
import { addressParams, toAddress } from './job.params';
import { labelOption, ledgerNeededParam } from './ledger.params';
import { ledgerOf } from './ledgerStart';

export const enterInLedger = operation({
	name: 'Enter in Ledger',
	value: 'enterInLedger',
	action: 'Enter a media job in the job ledger',
	description:
		'Enter a job that was started elsewhere in the job ledger, so that the Model Router Trigger brings its file',
	params: [
		...addressParams,
		ledgerNeededParam,
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
		pathSegment(address.jobId, 'Job ID');
		return { ...address, label: label.trim() };
	},

	async run({ request, ...call }) {
		const ledger = await ledgerOf(call);
		const { entry, known } = await enterJob(ledger, {
			...request,
			account: call.origin.credential,
		});
		const { segment, jobId } = request;
		return { json: { jobId, segment, ledgerEntry: entry.id, known } };
	},
});

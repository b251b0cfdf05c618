import { markAsStarted } from '../../../src/ledger/startDecisions';
import { operation } from '../../../src/n8n/operation';
import { toJobId } from '../media/media.params';
import { openJobLedger, recordDecision, toEntryJson, toSelector, whichParams } from './jobEntry';

export const markStarted = operation({
	name: 'Mark as Started',
	value: 'markStarted',
	action: 'Mark job ledger entry as started',
	description:
		'Record that a start with an unknown outcome did start a job, so that its key returns that job and the trigger downloads its file',
	params: [
		...whichParams,
		{
			displayName: 'Job ID',
			name: 'jobId',
			type: 'string',
			default: '',
			required: true,
			description: 'ID of the job at the service. You can also paste its URL.',
		},
	],

	prepare: ({ jobId, ...which }) => ({ selector: toSelector(which), jobId: toJobId(jobId) }),

	async run(context) {
		const { selector, jobId } = context.request;
		const ledger = await openJobLedger(context);
		const resolved = await markAsStarted(ledger, selector, context.origin.credentialId, jobId);
		recordDecision(context, resolved, jobId);
		return { json: toEntryJson(resolved.entry) };
	},
});

import { operation } from '../../../src/n8n/operation';
import { jobIdParam, toJobId } from '../media/media.params';
import { decideStart, toSelector, whichParams } from './jobEntry';

export const markStarted = operation({
	name: 'Mark as Started',
	value: 'markStarted',
	action: 'Mark job ledger entry as started',
	description: 'Decide that a start of unknown outcome started a job, which its key then returns',
	params: [...whichParams, { ...jobIdParam, default: '' }],

	prepare: ({ jobId, ...which }) => ({ selector: toSelector(which), jobId: toJobId(jobId) }),

	async run(context) {
		const { selector, jobId } = context.request;
		return await decideStart(context, selector, jobId);
	},
});

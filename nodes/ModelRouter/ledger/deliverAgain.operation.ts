import { invalidInputError } from '../../../src/core/errors';
import type { Entry } from '../../../src/ledger/entry';
import { deliverAgain as deliverJobsAgain } from '../../../src/ledger/manualChanges';
import { operation } from '../../../src/n8n/operation';
import { toJob } from '../../../src/paid/payJob';
import { jobsParams, openJobLedger, toJobItems, toJobSelection, toJobSelector } from './jobEntry';

export const deliverAgain = operation({
	name: 'Deliver Again',
	value: 'deliverAgain',
	action: 'Deliver job again from job ledger',
	description: 'Let the Model Router Trigger deliver a job again, for free',
	params: jobsParams,

	prepare({ findBy, ...params }) {
		if (findBy !== 'executionId') return toJobSelection({ ...params, findBy });
		const executionId = params.executionId.trim();
		if (!executionId) throw invalidInputError('Execution ID is empty');
		return { executionId };
	},

	async run(context) {
		const { request, origin } = context;
		const selector = 'executionId' in request ? request : toJobSelector(request, origin);
		const ledger = await openJobLedger(context);
		const isWhole = (entry: Entry) => toJob(entry).state !== 'unfinished';
		const jobs = await deliverJobsAgain(ledger, selector, isWhole);
		return toJobItems(context, jobs);
	},
});

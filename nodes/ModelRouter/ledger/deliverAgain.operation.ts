import { invalidInputError } from '../../../src/core/errors';
import { deliverAgain as deliverJobsAgain } from '../../../src/ledger/manualChanges';
import { operation } from '../../../src/n8n/operation';
import { openJobLedger, toEntryJson } from './entryOutput';
import { jobsParams, toJobSelection, toJobSelector } from './job.params';

export const deliverAgain = operation({
	name: 'Deliver Again',
	value: 'deliverAgain',
	action: 'Deliver job again from job ledger',
	description:
		'Let the Model Router Trigger deliver a job once more, with its file. Use it, for example, when a worker was killed while it worked on the items. Nothing is started or paid again.',
	params: jobsParams,

	prepare({ executionId, findBy, ...params }) {
		if (findBy !== 'execution') return toJobSelection({ ...params, findBy });
		const execution = executionId.trim();
		if (!execution) throw invalidInputError('Execution ID is empty');
		return { execution };
	},

	async run(context) {
		const { request, origin } = context;
		const selector = 'execution' in request ? request : toJobSelector(request, origin.credential);
		const ledger = await openJobLedger(context);
		const jobs = await deliverJobsAgain(ledger, selector);
		return jobs.map(({ entry, alreadyWaiting }) => ({
			json: { ...toEntryJson(entry), alreadyWaiting },
		}));
	},
});

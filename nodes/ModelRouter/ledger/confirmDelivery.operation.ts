import { LONG_RETRY_ATTEMPTS } from '../../../src/tables/retries';
import { confirmDelivery as confirmJobs } from '../../../src/ledger/manualChanges';
import { operation } from '../../../src/n8n/operation';
import { oneJobParams, openJobLedger, toJobItems, toJobSelection, toJobSelector } from './jobEntry';

export const confirmDelivery = operation({
	name: 'Confirm Delivery',
	value: 'confirmDelivery',
	action: 'Confirm delivery in job ledger',
	description: 'For a trigger with Delivered When: Confirmed by the Workflow',
	params: oneJobParams,

	prepare: toJobSelection,

	async run(context) {
		// the work is done: a restart of n8n must not lose the confirmation
		const ledger = await openJobLedger(context, LONG_RETRY_ATTEMPTS);
		const jobs = await confirmJobs(ledger, toJobSelector(context.request, context.origin));
		return toJobItems(context, jobs);
	},
});

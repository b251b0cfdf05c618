import { readKeyText } from '../../../src/core/keyText';
import { registerJob } from '../../../src/ledger/manualChanges';
import { operation } from '../../../src/n8n/operation';
import { openJobLedger, requireFetchable } from '../ledger/jobEntry';
import { addressParams, toAddress } from './media.params';
import { triggerGroupOption } from './start.params';

export const track = operation({
	name: 'Track Existing Job',
	value: 'track',
	action: 'Track existing media job',
	description: 'Let the Model Router Trigger deliver the file of a job',
	readsAtMostCatalog: true,
	params: [...addressParams, triggerGroupOption],

	prepare: ({ triggerGroup, ...params }, surroundings) => ({
		...toAddress(params, surroundings),
		triggerGroup: readKeyText('Trigger Group', triggerGroup),
	}),

	async check(context) {
		requireFetchable(context);
	},

	async run({ request, origin, ...context }) {
		const ledger = await openJobLedger({ ...context, origin });
		const { jobId, mediaType } = request;
		const job = { ...request, credentialId: origin.credentialId };
		const { entry, known } = await registerJob(ledger, job);
		return { json: { jobId, mediaType, entryId: entry.id, alreadyTracked: known } };
	},
});

import { encodePathSegment } from '../../../src/core/urls';
import { resolveAsStarted } from '../../../src/ledger/manualChanges';
import { operation } from '../../../src/n8n/operation';
import { openLedger } from '../../../src/ledger/dataTable';
import { toSelector, whichParams } from './entry.params';
import { toEntryJson } from './entryOutput';

export const resolveStarted = operation({
	name: 'Resolve as Started',
	value: 'resolveStarted',
	action: 'Resolve an unknown start as started',
	description:
		'Record that a start with an unknown outcome did start a job: its key then returns that job, and the trigger downloads its file',
	params: [
		...whichParams,
		{
			displayName: 'Job ID',
			name: 'jobId',
			type: 'string',
			default: '',
			required: true,
			description: 'ID of the job at the service',
		},
	],

	prepare({ jobId, ...selector }) {
		encodePathSegment(jobId.trim(), 'Job ID');
		return { selector: toSelector(selector), jobId: jobId.trim() };
	},

	async run({ request: { selector, jobId }, origin, ...context }) {
		const ledger = await openLedger(context, context.clock, origin.execution);
		return { json: toEntryJson(await resolveAsStarted(ledger, selector, jobId)) };
	},
});

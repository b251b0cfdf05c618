import { operation } from '../../../src/n8n/operation';
import { resolveAsStarted } from '../../../src/ledger/resolve';
import { pathSegment } from '../../../src/service/pathSegment';
import { openLedger } from '../openLedger';
import { toClause, whichParams } from './entry.params';
import { entryJson } from './entryOutput';

export const resolveStarted = operation({
	name: 'Resolve as Started',
	value: 'resolveStarted',
	action: 'Resolve an unknown start as started',
	description:
		'Say that a start of unknown outcome did start a job: its key then gives back that job, and the trigger brings its file',
	params: [
		...whichParams,
		{
			displayName: 'Job ID',
			name: 'jobId',
			type: 'string',
			default: '',
			required: true,
			description: 'ID that the service gave the job',
		},
	],

	prepare({ jobId, ...which }) {
		pathSegment(jobId.trim(), 'Job ID');
		return { which: toClause(which), jobId: jobId.trim() };
	},

	async run({ request: { which, jobId }, origin, ...call }) {
		const ledger = await openLedger(call, call.clock, origin.execution);
		return { json: entryJson(await resolveAsStarted(ledger, which, jobId)) };
	},
});

import { resolveStart } from '../../../src/ledger/startDecisions';
import { operation } from '../../../src/n8n/operation';
import { openJobLedger, recordDecision, toEntryJson, toSelector, whichParams } from './jobEntry';

export const markNotStarted = operation({
	name: 'Mark as Not Started',
	value: 'markNotStarted',
	action: 'Mark job ledger entry as not started',
	description:
		'Decide that a start of unknown outcome started no job. If this is wrong, you pay twice.',
	params: whichParams,

	prepare: toSelector,

	async run(context) {
		const ledger = await openJobLedger(context);
		const { request, origin } = context;
		const resolved = await resolveStart(ledger, request, origin.credentialId, undefined);
		recordDecision(context, resolved);
		return { json: toEntryJson(context, resolved.entry) };
	},
});

import { resolveAsNotStarted } from '../../../src/ledger/manualChanges';
import { operation } from '../../../src/n8n/operation';
import { openLedger } from '../../../src/ledger/dataTable';
import { toSelector, whichParams } from './entry.params';
import { toEntryJson } from './entryOutput';

export const resolveNotStarted = operation({
	name: 'Resolve as Not Started',
	value: 'resolveNotStarted',
	action: 'Resolve an unknown start as not started',
	description:
		'Record that a start with an unknown outcome did not start a job: its key can then start a job again. If this is wrong, you pay twice.',
	params: whichParams,

	prepare: toSelector,

	async run({ request: selector, origin, ...context }) {
		const ledger = await openLedger(context, context.clock, origin.execution);
		return { json: toEntryJson(await resolveAsNotStarted(ledger, selector)) };
	},
});

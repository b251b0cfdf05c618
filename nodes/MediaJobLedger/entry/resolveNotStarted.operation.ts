import { operation } from '../../../src/n8n/operation';
import { resolveAsNotStarted } from '../../../src/ledger/resolve';
import { openLedger } from '../openLedger';
import { toClause, whichParams } from './entry.params';
import { entryJson } from './entryOutput';

export const resolveNotStarted = operation({
	name: 'Resolve as Not Started',
	value: 'resolveNotStarted',
	action: 'Resolve an unknown start as not started',
	description:
		'Say that a start of unknown outcome did not start a job: with its key a job can be started again. If you are wrong it is paid twice.',
	params: whichParams,

	prepare: toClause,

	async run({ request: which, origin, ...call }) {
		const ledger = await openLedger(call, call.clock, origin.execution);
		return { json: entryJson(await resolveAsNotStarted(ledger, which)) };
	},
});

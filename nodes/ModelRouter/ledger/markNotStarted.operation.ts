import { operation } from '../../../src/n8n/operation';
import { decideStart, toSelector, whichParams } from './jobEntry';

export const markNotStarted = operation({
	name: 'Mark as Not Started',
	value: 'markNotStarted',
	action: 'Mark job ledger entry as not started',
	description:
		'Decide that a start of unknown outcome started no job. If this is wrong, you pay twice.',
	params: whichParams,

	prepare: toSelector,

	run: async (context) => await decideStart(context, context.request),
});

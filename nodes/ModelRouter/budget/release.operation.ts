import { operation } from '../../../src/n8n/operation';
import { requireBudget } from '../accounts';

export const release = operation({
	name: 'Release',
	value: 'release',
	action: 'Release reserved part of budget',
	description:
		'Release what a killed process has reserved. The credential must allow it: Workflows May Resume. If the process is still running, its spending is counted.',
	params: [
		{
			displayName: 'Part ID',
			name: 'lumpId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. run:3f2a…',
			description: 'The field "lumpId" of an entry in "lumps", from Get',
		},
	],

	prepare: ({ lumpId }) => ({ lumpId: lumpId.trim() }),

	run: async (context) => ({
		json: await requireBudget(context).actions.release(context.request.lumpId),
	}),
});

import { invalidInputError } from '../../../src/core/errors';
import { operation } from '../../../src/n8n/operation';
import { requireBudget } from '../accounts';

/** Milliseconds. */
const HOUR = 3_600_000;

export const release = operation({
	name: 'Release',
	value: 'release',
	action: 'Release reserved parts of budget',
	description:
		'Release what killed processes and unread jobs have reserved, if the credential has Workflows May Resume. What they still cost is counted.',
	params: [
		{
			displayName: 'Find By',
			name: 'findBy',
			type: 'options',
			options: [
				{ name: 'Age', value: 'age' },
				{ name: 'Part ID', value: 'lumpId' },
			],
			default: 'lumpId',
			description: 'How to find what to release',
		},
		{
			displayName: 'Part ID',
			name: 'lumpId',
			type: 'string',
			displayOptions: { show: { findBy: ['lumpId'] } },
			default: '={{ $json.lumpId }}',
			required: true,
			placeholder: 'e.g. run:3f2a…',
			description: 'The field "lumpId" of an entry in "lumps", from Get',
		},
		{
			displayName: 'Older Than (Hours)',
			name: 'hours',
			type: 'number',
			typeOptions: { minValue: 0 },
			displayOptions: { show: { findBy: ['age'] } },
			default: 24,
			required: true,
			description: 'More than your longest run and job take',
		},
	],

	prepare({ findBy, lumpId, hours }) {
		if (findBy === 'age') return { age: hours * HOUR };
		if (!lumpId.trim())
			throw invalidInputError('Part ID is empty', 'Get of the resource Budget lists the IDs.');
		return { id: lumpId.trim() };
	},

	run: async (context) => ({
		json: await requireBudget(context).actions.release(context.request),
	}),
});

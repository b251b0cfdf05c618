import { shortenText, invalidInputError } from '../../../src/core/errors';
import { readKeyText } from '../../../src/core/keyText';
import { operation } from '../../../src/n8n/operation';
import { requireSpending } from '../access';

export const getSpending = operation({
	name: 'Get',
	value: 'getSpending',
	action: 'Get spending',
	description: 'Get what models cost, without agents and Crypto Q&A',
	params: [
		{
			displayName: 'From',
			name: 'from',
			type: 'dateTime',
			default: '',
			description: 'First day, in UTC. If empty, of this month.',
		},
		{
			displayName: 'To',
			name: 'to',
			type: 'dateTime',
			default: '',
			description: 'Last day, in UTC. If empty, today.',
		},
		{
			displayName: 'Group By',
			name: 'groupBy',
			type: 'multiOptions',
			options: [
				{ name: 'Day', value: 'day' },
				{ name: 'Label', value: 'label' },
				{ name: 'Model', value: 'model' },
				{ name: 'Month', value: 'month' },
				{ name: 'Node', value: 'node', description: 'With its workflow' },
				{ name: 'Workflow', value: 'workflow' },
			],
			default: ['workflow', 'model'],
			description: 'One item each. If empty, one with the total.',
		},
		{
			displayName: 'Label',
			name: 'label',
			type: 'string',
			default: '',
			description: 'Only of this label, in whole months',
		},
	],

	prepare: ({ from, to, groupBy, label }) => ({
		from: toDay(from, 'From'),
		to: toDay(to, 'To'),
		groupBy,
		label: readKeyText('Label', label),
	}),

	async run(context) {
		const sums = await requireSpending(context).get(context.request);
		return sums.map((json) => ({ json }));
	},
});

/** The day of a date in ISO 8601, as it is written. @throws ServiceError `invalid`. */
function toDay(date: string, field: string): string {
	const day = date.trim().slice(0, 10);
	if (!day || (/^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)))) return day;
	throw invalidInputError(
		`${field} is not a date`,
		`It is "${shortenText(date, 50)}". Enter a day such as 2026-11-24.`,
	);
}

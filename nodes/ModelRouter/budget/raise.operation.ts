import { readKeyText } from '../../../src/core/keyText';
import { floorToMicroUsd, ZERO } from '../../../src/core/money';
import { operation } from '../../../src/n8n/operation';
import { withFieldRules } from '../../../src/n8n/parameterFields';
import { requireBudget } from '../access';

export const raise = operation({
	name: 'Raise for This Period',
	value: 'raise',
	action: 'Raise budget for this period',
	description:
		'Add to this period once for a refused request, up to Workflows May Raise By of the credential',
	params: [
		{
			displayName: 'Request',
			name: 'request',
			type: 'string',
			default: '={{ $json.details.budget.request }}',
			required: true,
			placeholder: 'e.g. month:2026-11-01:3f2a…',
			description: 'From the error of the refused node',
		},
		withFieldRules({ isDecimal: true })({
			displayName: 'Amount (USD)',
			name: 'amount',
			type: 'number',
			typeOptions: { minValue: 0.000001 },
			default: 0,
			required: true,
			description: '"details.budget.missingUsd" of the error is what it needs',
		}),
		{
			displayName: 'Reason',
			name: 'reason',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. Ada approved it in Slack',
			description: 'Get shows it',
		},
	],

	prepare: ({ request, amount, reason }) => ({
		request: readKeyText('Request', request),
		amount: floorToMicroUsd(amount) ?? ZERO,
		reason,
	}),

	run: async (context) => ({
		json: await requireBudget(context).actions.raise(context.request),
	}),
});

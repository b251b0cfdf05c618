import { withFieldRules } from '../../src/n8n/parameterFields';

/** Of everything that is paid per item. Each kind of request has its own description of how the cost is calculated. */
export const spendingCapPerItemParam = withFieldRules({ inTool: 'fixed', isDecimal: true })({
	displayName: 'Spending Cap per Item (USD)',
	name: 'spendingCapPerItem',
	type: 'number',
	// otherwise an expression without a value would remove the cap
	required: true,
	typeOptions: { minValue: 0 },
	default: 1,
	description: 'An item that could cost more than this is not sent. 0 sends nothing that costs.',
});

export const allowUnknownCostOption = withFieldRules({ inTool: 'fixed' })({
	displayName: 'Allow Unknown Cost',
	name: 'allowUnknownCost',
	type: 'boolean',
	default: true,
	description: "Whether to send the request even if its cost can't be estimated",
});

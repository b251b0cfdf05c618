import type { INodeProperties } from 'n8n-workflow';

import { whenUsed } from './credential';

const whenBudget: INodeProperties['displayOptions'] = {
	show: { useJobLedger: [true] },
	hide: { budgetUsd: [''] },
};

/** The budget, as an optional part of a credential with a job ledger. */
export const budgetProperties: INodeProperties[] = [
	{
		displayName: 'Budget (USD)',
		name: 'budgetUsd',
		type: 'string',
		// n8n drops the value of a hidden field: without the ledger, there is no budget
		displayOptions: whenUsed,
		default: '',
		placeholder: 'e.g. 50',
		hint: 'Leave it empty for no budget',
		description:
			'The most that all workflows together may spend with this credential in one period. Text requests whose cost can be calculated never exceed it. It is kept in the job ledger: turning off Use a Job Ledger turns it off, too. If the ledger cannot be used, nothing that costs money is sent.',
	},
	{
		displayName: 'Budget Period',
		name: 'budgetPeriod',
		type: 'options',
		displayOptions: whenBudget,
		options: [
			{ name: 'Day', value: 'day' },
			{ name: 'Month', value: 'month' },
			{ name: 'Week', value: 'week', description: 'From Monday' },
		],
		default: 'month',
		description: 'Periods begin at midnight UTC',
	},
	{
		displayName: 'Workflows May Resume',
		name: 'workflowsMayResume',
		type: 'boolean',
		displayOptions: whenBudget,
		default: false,
		description:
			'Whether workflows may use Resume and Release of the resource Budget. Pause is always allowed.',
	},
	{
		displayName: 'Workflows May Raise By (USD)',
		name: 'workflowsMayRaiseBy',
		type: 'string',
		displayOptions: whenBudget,
		default: '0',
		placeholder: 'e.g. 10',
		hint: 'With 0, workflows cannot raise the budget',
		description:
			'The most that all uses of Raise for This Period may add to the budget in one period. Anybody who edits a workflow with this credential can use it, without asking a person.',
	},
	{
		displayName: 'Count Unknown Cost As (USD)',
		name: 'unknownCostUsd',
		type: 'string',
		displayOptions: whenBudget,
		default: '',
		placeholder: 'e.g. 0.10',
		hint: 'Leave it empty to refuse such requests',
		description:
			'The amount to count for a request whose cost cannot be calculated before it is sent. If this is empty, such a request is refused, even if Allow Unknown Cost is on in the node.',
	},
	{
		displayName: 'Alarms At (Percent)',
		name: 'alarmPercents',
		type: 'string',
		displayOptions: whenBudget,
		default: '80, 100',
		placeholder: 'e.g. 50, 80, 100',
		description:
			'How much of the budget has to be spent before the Model Router Trigger reports Budget Threshold Reached. Separate several values with commas. Each is reported once per period.',
	},
	{
		displayName:
			'Two more settings make a budget safe. Set "Allowed HTTP Request Domains" to None: otherwise, n8n\'s HTTP Request node can spend with this credential outside the budget, and saving says "Couldn\'t connect". Also keep the Data Table in a separate project: anyone who can edit its rows can change the budget.',
		name: 'budgetNotice',
		type: 'notice',
		displayOptions: whenBudget,
		default: '',
	},
];

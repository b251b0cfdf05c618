import type { EntryState } from '../../../src/ledger/entry';
import { equal, MAX_ROWS, noneOf, where } from '../../../src/ledger/ledger';
import { operation } from '../../../src/n8n/operation';
import { openLedger } from '../../../src/ledger/dataTable';
import { toEntryJson } from './entryOutput';

export const getMany = operation({
	name: 'Get Many',
	value: 'getMany',
	action: 'Get many entries of the ledger',
	description: 'List the starts and jobs in the ledger, latest first',
	params: [
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: MAX_ROWS },
			default: 50,
			description: 'Max number of results to return',
		},
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [
				{
					displayName: 'Job ID',
					name: 'jobId',
					type: 'string',
					default: '',
					description: 'ID of the job at the service',
				},
				{
					displayName: 'Key',
					name: 'startKey',
					type: 'string',
					default: '',
					description: 'As entered in Start Once Per Key',
				},
				{
					displayName: 'Label',
					name: 'label',
					type: 'string',
					default: '',
					description: 'As entered in Start, Generate or Enter in Ledger',
				},
				{
					displayName: 'State',
					name: 'state',
					type: 'options',
					options: [
						{ name: 'Being Delivered', value: 'delivering' },
						{ name: 'Being Started', value: 'sending' },
						{ name: 'Delivered', value: 'delivered' },
						{ name: 'Handed to an Execution', value: 'emitting' },
						{ name: 'Not Started', value: 'notStarted' },
						{ name: 'Unknown', value: 'unknown', description: 'You have to decide' },
						{ name: 'Waiting to Be Delivered', value: 'pending' },
					],
					default: 'unknown',
					description: 'State of the entry',
				},
			],
		},
	],

	prepare: ({ limit, filters: { jobId, startKey, label, state } }) => ({
		limit,
		filter: where({
			jobId: jobId?.trim() || undefined,
			startKey: startKey?.trim() || undefined,
			label: label?.trim() || undefined,
			state: [
				...(state?.trim() ? [equal((state satisfies EntryState).trim())] : []),
				...noneOf('withdrawn', 'baseline'),
			],
		}),
	}),

	async run({ request: { limit, filter }, origin, ...context }) {
		const { table } = await openLedger(context, context.clock, origin.execution);
		const entries = await table.find(filter, { limit, last: true });
		return entries.map((entry) => ({ json: toEntryJson(entry) }));
	},
});

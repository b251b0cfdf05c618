import { operation } from '../../../src/n8n/operation';
import type { EntryState } from '../../../src/ledger/entry';
import { MOST_ROWS, type Clause } from '../../../src/ledger/table';
import { openLedger } from '../openLedger';
import { entryJson } from './entryOutput';

export const getMany = operation({
	name: 'Get Many',
	value: 'getMany',
	action: 'Get many entries of the ledger',
	description: 'List what the ledger knows of starts and jobs, the latest first',
	params: [
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: MOST_ROWS },
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
					description: 'ID that the service gave the job',
				},
				{
					displayName: 'Key',
					name: 'startKey',
					type: 'string',
					default: '',
					description: 'As it was given to Start Once Per Key',
				},
				{
					displayName: 'Label',
					name: 'label',
					type: 'string',
					default: '',
					description: 'As it was given to Start, Generate or Enter in Ledger',
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
					description: 'What is known of it',
				},
			],
		},
	],

	prepare: ({ limit, filters: { jobId, startKey, label, state } }) => ({
		limit,
		clauses: [
			...equal('jobId', jobId),
			...equal('startKey', startKey),
			...equal('label', label),
			...equal('state', state satisfies EntryState | undefined),
			['state', 'neq', 'withdrawn'],
			['state', 'neq', 'baseline'],
		] as Clause[],
	}),

	async run({ request: { limit, clauses }, origin, ...call }) {
		const { table } = await openLedger(call, call.clock, origin.execution);
		const entries = await table.find({ all: clauses }, { limit, last: true });
		return entries.map((entry) => ({ json: entryJson(entry) }));
	},
});

function equal(column: 'jobId' | 'startKey' | 'label' | 'state', value: string | undefined) {
	return value?.trim() ? [[column, 'eq', value.trim()] as const] : [];
}

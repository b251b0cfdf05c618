import type { EntryState } from '../../../src/ledger/entry';
import { equal, findAllRows, MAX_ROWS, noneOf, where } from '../../../src/tables/table';
import { operation } from '../../../src/n8n/operation';
import { openJobLedger, toEntryJson } from './jobEntry';
import { limitParam, returnAllParam } from '../acrossResources.params';

export const getEntries = operation({
	name: 'Get Many',
	value: 'getEntries',
	action: 'Get many job ledger entries',
	description: 'List the starts and jobs in the job ledger, latest first',
	params: [
		returnAllParam,
		{ ...limitParam, typeOptions: { minValue: 1, maxValue: MAX_ROWS } },
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
						{ name: 'Unknown', value: 'unknown', description: 'A person must decide' },
						{ name: 'Waiting for Confirmation', value: 'unconfirmed' },
						{ name: 'Waiting to Be Delivered', value: 'pending' },
					],
					default: 'unknown',
					description: 'A job that is running waits to be delivered',
				},
				{
					displayName: 'Trigger Group',
					name: 'triggerGroup',
					type: 'string',
					default: '',
				},
				{
					displayName: 'Unique Key',
					name: 'uniqueKey',
					type: 'string',
					default: '',
				},
			],
		},
	],

	prepare: ({ returnAll, limit, filters: { jobId, uniqueKey, triggerGroup, state } }) => ({
		limit: returnAll ? undefined : limit,
		filter: {
			jobId: jobId?.trim() || undefined,
			uniqueKey: uniqueKey?.trim() || undefined,
			triggerGroup: triggerGroup?.trim() || undefined,
			state: [
				...(state ? [equal(state satisfies EntryState)] : []),
				...noneOf('withdrawn', 'chat', 'limit', 'budget', 'reusable'),
			],
		},
	}),

	async run(context) {
		const { limit, filter } = context.request;
		const { table } = await openJobLedger(context);
		const entries =
			limit === undefined
				? (await findAllRows(table, filter)).reverse()
				: await table.find(where(filter), { limit, last: true });
		return entries.map((entry) => ({ json: toEntryJson(context, entry) }));
	},
});

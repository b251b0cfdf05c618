import type { INodeProperties } from 'n8n-workflow';

import type { ParamValues } from '../../../src/n8n/params';
import type { Clause } from '../../../src/ledger/table';
import { invalid } from '../../../src/service/errors';

/** Which start is meant. */
export const whichParams = [
	{
		displayName: 'Find By',
		name: 'findBy',
		type: 'options',
		options: [
			{
				name: 'Key',
				value: 'startKey',
				description: 'What the option Start Once Per Key was given',
			},
			{
				name: 'Ledger Entry',
				value: 'ledgerEntry',
				description: 'The number that the error names',
			},
		],
		default: 'startKey',
		description: 'How the start is found',
	},
	{
		displayName: 'Key',
		name: 'startKey',
		type: 'string',
		displayOptions: { show: { findBy: ['startKey'] } },
		default: '={{ $json.startKey }}',
		required: true,
		description: 'As it was given to Start Once Per Key',
	},
	{
		displayName: 'Ledger Entry',
		name: 'ledgerEntry',
		type: 'number',
		displayOptions: { show: { findBy: ['ledgerEntry'] } },
		default: 0,
		required: true,
		description: 'The number of the entry, as "ledgerEntry" says it',
	},
] as const satisfies INodeProperties[];

/** @throws ServiceError `invalid`. */
export function toClause({
	findBy,
	startKey,
	ledgerEntry,
}: ParamValues<typeof whichParams>): Clause {
	if (findBy === 'ledgerEntry') {
		if (!(ledgerEntry > 0)) throw invalid('Ledger Entry is empty');
		return ['id', 'eq', ledgerEntry];
	}
	if (!startKey.trim()) throw invalid('Key is empty');
	return ['startKey', 'eq', startKey.trim()];
}

import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import type { StartSelector } from '../../../src/ledger/manualChanges';
import type { ParamValues } from '../../../src/n8n/parameters';

/** Select the start. */
export const whichParams = [
	{
		displayName: 'Find By',
		name: 'findBy',
		type: 'options',
		options: [
			{
				name: 'Key',
				value: 'startKey',
				description: 'The value of the option Start Once Per Key',
			},
			{
				name: 'Ledger Entry',
				value: 'ledgerEntry',
				description: 'The number in the error',
			},
		],
		default: 'startKey',
		description: 'How to find the start',
	},
	{
		displayName: 'Key',
		name: 'startKey',
		type: 'string',
		displayOptions: { show: { findBy: ['startKey'] } },
		default: '={{ $json.startKey }}',
		required: true,
		description: 'As entered in Start Once Per Key',
	},
	{
		displayName: 'Ledger Entry',
		name: 'ledgerEntry',
		type: 'number',
		displayOptions: { show: { findBy: ['ledgerEntry'] } },
		default: 0,
		required: true,
		description: 'The number of the entry, from the field "ledgerEntry"',
	},
] as const satisfies INodeProperties[];

/** @throws ServiceError `invalid`. */
export function toSelector({
	findBy,
	startKey,
	ledgerEntry,
}: ParamValues<typeof whichParams>): StartSelector {
	if (findBy === 'ledgerEntry') {
		if (!(ledgerEntry > 0)) throw invalidInputError('Ledger Entry is empty');
		return { id: ledgerEntry };
	}
	if (!startKey.trim()) throw invalidInputError('Key is empty');
	return { startKey: startKey.trim() };
}

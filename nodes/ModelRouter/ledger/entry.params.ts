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
				name: 'Entry ID',
				value: 'entryId',
				description: 'The number of the entry, which the error also contains',
			},
			{
				name: 'Unique Key',
				value: 'key',
				description: 'The key that the job was started with',
			},
		],
		default: 'key',
		description: 'How to find the start',
	},
	{
		displayName: 'Unique Key',
		name: 'idempotencyKey',
		type: 'string',
		displayOptions: { show: { findBy: ['key'] } },
		default: '={{ $json.idempotencyKey }}',
		required: true,
		description: 'As entered in Unique Key (Start Only Once)',
	},
	{
		displayName: 'Entry ID',
		name: 'entryId',
		type: 'number',
		displayOptions: { show: { findBy: ['entryId'] } },
		default: 0,
		required: true,
		description: 'The number of the entry, from the field "entryId"',
	},
] as const satisfies INodeProperties[];

/** @throws ServiceError `invalid`. */
export function toSelector({
	findBy,
	idempotencyKey,
	entryId,
}: ParamValues<typeof whichParams>): StartSelector {
	if (findBy === 'entryId') {
		if (!(entryId > 0)) throw invalidInputError('Entry ID is empty');
		return { id: entryId };
	}
	if (!idempotencyKey.trim()) throw invalidInputError('Unique Key is empty');
	return { startKey: idempotencyKey.trim() };
}

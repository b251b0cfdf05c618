import type { Resource } from '../../src/n8n/operation';
import { deleteOld } from './entry/deleteOld.operation';
import { getMany } from './entry/getMany.operation';
import { resolveNotStarted } from './entry/resolveNotStarted.operation';
import { resolveStarted } from './entry/resolveStarted.operation';
import { setUp } from './table/setUp.operation';

export const resources: Resource[] = [
	{
		name: 'Entry',
		value: 'entry',
		operations: [deleteOld, getMany, resolveNotStarted, resolveStarted],
		defaultOperation: 'getMany',
	},
	{ name: 'Table', value: 'table', operations: [setUp], defaultOperation: 'setUp' },
];

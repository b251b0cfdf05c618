import type { INodeProperties } from 'n8n-workflow';

/*
 * Where a file of a request comes from. What becomes of it differs from request to request: whoever uses the fields adds the
 * description.
 */

export const sourceField = {
	displayName: 'Source',
	name: 'source',
	type: 'options',
	options: [
		{ name: 'Address (URL)', value: 'url' },
		{ name: 'Input Binary Field', value: 'binary' },
	],
	default: 'binary',
	description: 'Where the file is',
} as const satisfies INodeProperties;

export const binarySourceField = {
	displayName: 'Input Binary Field',
	name: 'binaryProperty',
	type: 'string',
	displayOptions: { show: { source: ['binary'] } },
	default: 'data',
	hint: 'The name of the input binary field containing the file to be sent',
} as const satisfies INodeProperties;

export const urlSourceField = {
	displayName: 'URL',
	name: 'url',
	type: 'string',
	displayOptions: { show: { source: ['url'] } },
	default: '',
	placeholder: 'e.g. https://example.com/picture.png',
} as const satisfies INodeProperties;

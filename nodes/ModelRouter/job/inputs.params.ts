import type { INodeProperties } from 'n8n-workflow';

import type { ParamValues } from '../../../src/n8n/params';
import { checkAddress } from '../../../src/router/attachments';

export const inputsParam = {
	displayName: 'Inputs',
	name: 'inputs',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Input',
	default: {},
	description:
		'Images and other files that the model works on. Which parameters take them is up to the model.',
	options: [
		{
			displayName: 'Input',
			name: 'input',
			values: [
				{
					displayName: 'Parameter Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. image',
					description:
						'The field of the request that it is sent in; dots lead into objects, e.g. "reference.image". Several of one name become a list, and a name that ends in [] is a list even with one.',
				},
				{
					displayName: 'Source',
					name: 'source',
					type: 'options',
					options: [
						{ name: 'Address (URL)', value: 'url' },
						{ name: 'Input Binary Field', value: 'binary' },
					],
					default: 'binary',
					description: 'Where the file is',
				},
				{
					displayName: 'Input Binary Field',
					name: 'binaryProperty',
					type: 'string',
					displayOptions: { show: { source: ['binary'] } },
					default: 'data',
					hint: 'The name of the input binary field containing the file to be sent',
					description: 'At most 50 MiB; it is sent as a data URL',
				},
				{
					displayName: 'URL',
					name: 'url',
					type: 'string',
					displayOptions: { show: { source: ['url'] } },
					default: '',
					placeholder: 'e.g. https://example.com/picture.png',
					description: 'Sent as it is; the service reads the file from there',
				},
			],
		},
	],
} as const satisfies INodeProperties;

/** An input as it was filled in; its file is not read yet. */
export interface InputWanted {
	/** What it is called in the editor. */
	path: string;
	name: string;
	url?: string;
	binaryProperty?: string;
}

/** @throws ServiceError `invalid` for an address that a service could not read. */
export function toInputs({
	input = [],
}: ParamValues<readonly [typeof inputsParam]>['inputs']): InputWanted[] {
	return input.map(({ name = '', source = 'binary', binaryProperty, url = '' }, index) => {
		const path = `Inputs ${index + 1}`;
		if (source === 'url') return { path, name, url: checkAddress(url, `${path}: URL`) };
		return { path, name, binaryProperty: binaryProperty?.trim() || 'data' };
	});
}

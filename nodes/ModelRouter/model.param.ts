import type { INodeProperties } from 'n8n-workflow';

export const modelParam = {
	displayName: 'Model',
	name: 'model',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description:
		'The model to use. The list shows its price in USD, per million tokens in/out or per unit, and its context in tokens. Upper and lower case and separators in its ID do not matter.',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchModels', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. vendor/model' },
	],
} as const satisfies INodeProperties;

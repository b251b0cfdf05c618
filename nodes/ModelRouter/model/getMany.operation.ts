import type { IDataObject } from 'n8n-workflow';

import { operation } from '../../../src/n8n/operation';
import { listModels } from '../../../src/router/models';

export const getMany = operation({
	name: 'Get Many',
	value: 'getMany',
	action: 'Get many models',
	description: 'List the models of the catalog with your own prices',
	params: [
		{
			displayName: 'Kind',
			name: 'kind',
			type: 'options',
			options: [
				{ name: 'Any', value: '' },
				{ name: 'Audio', value: 'audio' },
				{ name: 'Image', value: 'image' },
				{ name: 'Music', value: 'music' },
				{ name: 'Text', value: 'text' },
				{ name: 'Video', value: 'video' },
			],
			default: '',
			description:
				'What the models produce. Models whose kind the catalog does not say are always listed.',
		},
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1 },
			displayOptions: { show: { returnAll: [false] } },
			default: 50,
			description: 'Max number of results to return',
		},
	],

	prepare: ({ kind, returnAll, limit }) => ({ kind, limit: returnAll ? Infinity : limit }),

	async run({ request: { kind, limit }, http }) {
		const models = await listModels(http);
		return models
			.filter((model) => !kind || !model.kind || model.kind === kind)
			.slice(0, limit)
			.map((model) => ({ json: model as IDataObject }));
	},
});

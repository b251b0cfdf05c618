import { operation } from '../../../src/n8n/operation';
import { matchesFilter, listModels } from '../../../src/router/catalog';
import { toModelItem } from '../catalog';

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
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			description:
				'What the models have to be. A model of which the catalog does not say it stays in the list.',
			options: [
				{
					displayName: 'Context of at Least (Tokens)',
					name: 'minimumContext',
					type: 'number',
					typeOptions: { minValue: 1 },
					default: 100000,
					description: 'The context window: prompt and answer together',
				},
				{
					displayName: 'Input Modality',
					name: 'inputModality',
					type: 'options',
					options: [
						{ name: 'Audio', value: 'audio' },
						{ name: 'File', value: 'file' },
						{ name: 'Image', value: 'image' },
						{ name: 'Text', value: 'text' },
						{ name: 'Video', value: 'video' },
					],
					default: 'image',
					description: 'What the models take',
				},
				{
					displayName: 'Input Price of at Most (USD per Million Tokens)',
					name: 'maximumInputPrice',
					type: 'number',
					typeOptions: { minValue: 0, numberPrecision: 6 },
					default: 1,
					description: 'Leaves out media models, which have no such price',
				},
				{
					displayName: 'Output Price of at Most (USD per Million Tokens)',
					name: 'maximumOutputPrice',
					type: 'number',
					typeOptions: { minValue: 0, numberPrecision: 6 },
					default: 5,
					description: 'Leaves out media models, which have no such price',
				},
				{
					displayName: 'Search',
					name: 'search',
					type: 'string',
					default: '',
					description: 'A part of the name or the ID',
				},
				{
					displayName: 'Unit Price of at Most (USD)',
					name: 'maximumUnitPrice',
					type: 'number',
					typeOptions: { minValue: 0, numberPrecision: 6 },
					default: 0.1,
					description:
						'The price of an image, a video, a second, a request or 1,000 characters, whichever the model has. Leaves out text models.',
				},
				{
					displayName: 'Vendor',
					name: 'vendor',
					type: 'string',
					default: '',
					placeholder: 'e.g. northwind',
					description: 'Who makes the models; case and separators do not matter',
				},
			],
		},
	],

	prepare: ({ kind, returnAll, limit, filters }) => ({
		filter: { kind, ...filters },
		limit: returnAll ? Infinity : limit,
	}),

	async run({ request: { filter, limit }, http, addHint }) {
		const { models, incompleteReason, ...request } = await listModels(http);
		if (incompleteReason) addHint(incompleteReason);
		return models
			.filter((model) => matchesFilter(model, filter))
			.slice(0, limit)
			.map((model) => toModelItem(model, request));
	},
});

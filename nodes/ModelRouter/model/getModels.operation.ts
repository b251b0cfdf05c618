import { operation } from '../../../src/n8n/operation';
import { withFieldRules } from '../../../src/n8n/parameterFields';
import { listModels } from '../../../src/router/catalog';
import { matchesFilter } from '../../../src/router/model';
import { limitParam, returnAllParam, simplifyParam } from '../acrossResources.params';
import { toModelItem } from './modelItem';

export const getModels = operation({
	name: 'Get Many',
	value: 'getModels',
	action: 'Get many models',
	description: 'List the models with your own prices',
	readsAtMostCatalog: true,
	params: [
		{
			displayName: 'Kind',
			name: 'kind',
			type: 'options',
			options: [
				{ name: 'Any', value: '' },
				{ name: 'Image', value: 'image' },
				{ name: 'Music', value: 'music' },
				{ name: 'Speech', value: 'audio' },
				{ name: 'Text', value: 'text' },
				{ name: 'Video', value: 'video' },
			],
			default: '',
			description: 'Models without a kind are always listed',
		},
		returnAllParam,
		limitParam,
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			description: 'Models are kept where the catalog lacks a value',
			options: [
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
				},
				withFieldRules({ isDecimal: true })({
					displayName: 'Max Input Price (USD per Million Tokens)',
					name: 'maxInputPrice',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: 1,
					description: 'Excludes media models',
				}),
				withFieldRules({ isDecimal: true })({
					displayName: 'Max Output Price (USD per Million Tokens)',
					name: 'maxOutputPrice',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: 5,
					description: 'Excludes media models',
				}),
				{
					displayName: 'Min Context (Tokens)',
					name: 'minContext',
					type: 'number',
					typeOptions: { minValue: 1 },
					default: 100000,
				},
				{
					displayName: 'Search',
					name: 'search',
					type: 'string',
					default: '',
					description: 'A part of name, ID or vendor',
				},
			],
		},
		simplifyParam,
	],

	prepare: ({ kind, returnAll, limit, filters, simplify }) => ({
		filter: { kind, ...filters },
		limit: returnAll ? Infinity : limit,
		simplify,
	}),

	async run({ request: { filter, limit, simplify }, http, addHint }) {
		const { models, incompleteReason, ...request } = await listModels(http);
		if (incompleteReason) addHint(incompleteReason);
		return models
			.filter((model) => matchesFilter(model, filter))
			.slice(0, limit)
			.map((model) => toModelItem(model, request, simplify));
	},
});

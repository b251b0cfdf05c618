import { operation } from '../../../src/n8n/operation';
import { listModels } from '../../../src/router/catalog';
import { matchesFilter } from '../../../src/router/model';
import { toUsd } from '../../../src/core/money';
import { textCost } from '../../../src/router/pricing';

export const comparePrices = operation({
	name: 'Compare Prices',
	value: 'comparePrices',
	action: 'Compare prices of text models',
	description: 'List text models by what a request of a given size costs, the cheapest first',
	params: [
		{
			displayName: 'Prompt Tokens',
			name: 'promptTokens',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 1000,
			description: 'How long the prompt is',
		},
		{
			displayName: 'Output Tokens',
			name: 'outputTokens',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 1000,
			description: 'How long the answer is, hidden reasoning included',
		},
	],

	// runs for all items before the first request is sent; to reject an item, throw `invalidInputError` of src/core/errors
	prepare: ({ promptTokens, outputTokens }) => ({
		tokens: { input: promptTokens, output: outputTokens },
	}),

	async run({ request: { tokens }, http, addHint }) {
		const { models, incompleteReason } = await listModels(http);
		if (incompleteReason) addHint(incompleteReason);
		return models
			.filter((model) => matchesFilter(model, { kind: 'text' }))
			.flatMap(({ id, pricing }) => {
				const costUsd = toUsd(textCost(pricing, tokens));
				return costUsd === undefined ? [] : [{ json: { model: id, costUsd } }];
			})
			.sort((one, other) => one.json.costUsd - other.json.costUsd);
	},
});

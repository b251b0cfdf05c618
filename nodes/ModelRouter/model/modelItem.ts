import type { IDataObject } from 'n8n-workflow';

import { omitMissing } from '../../../src/core/json';
import type { ItemOutput } from '../../../src/n8n/operation';
import { type Model, readPrice } from '../../../src/router/model';

/**
 * A catalog entry as an item, with the ID of its request.
 *
 * A top-level `error` field would make n8n treat the item as a failure and retry the node (n8n-core 2.41.1,
 * workflow-execute.js:1206).
 */
export function toModelItem(
	{ error, ...entry }: Model,
	request: { requestId?: string },
	simplify: boolean,
): ItemOutput {
	const failure = error === undefined ? {} : { failure: error };
	const fields = simplify ? simplifyModel(entry) : entry;
	return { json: { ...fields, ...failure, ...request } as IDataObject };
}

/** The specified fields of an entry. What the catalog does not have is absent. */
function simplifyModel({ id, pricing, ...entry }: Model): object {
	const known = omitMissing({
		name: entry.name,
		vendor: entry.owned_by,
		kind: entry.kind,
		contextLength: entry.context_length,
		maxOutputTokens: entry.max_output_tokens,
		inputModalities: entry.input_modalities,
	});
	return { model: id, ...known, ...toPrices(pricing) };
}

/** The prices of a catalog entry, with the unit in each name. A price that the catalog does not have is absent. */
export function toPrices(pricing: Model['pricing']): Record<string, unknown> {
	const prices = Object.entries(PRICE_FIELDS).map(([name, field]) => [
		name,
		readPrice(pricing, field),
	]);
	const unit = pricing?.['unit'];
	return { ...omitMissing(Object.fromEntries(prices)), ...(typeof unit === 'string' && { unit }) };
}

const PRICE_FIELDS = {
	inputUsdPerMillionTokens: 'input_per_mtok',
	cachedInputUsdPerMillionTokens: 'cached_input_per_mtok',
	outputUsdPerMillionTokens: 'output_per_mtok',
	usdPerUnit: 'per_unit',
};

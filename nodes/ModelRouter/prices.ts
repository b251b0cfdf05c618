import { omitMissing } from '../../src/core/missing';
import { type Model, readPrice } from '../../src/router/model';

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

import type { Entry } from './catalog.ts';

export interface Usage {
	/** Tokens of the prompt. */
	input: number;
	/** Visible and hidden tokens of the answer. */
	output: number;
	/** The hidden part of `output`. */
	reasoning: number;
}

/**
 * Cost of a text request in µ$ (section 8): a price in USD per million tokens is a price in µ$
 * per token; rounded up; at least 1 µ$ for a request that consumed tokens.
 */
export function textCost(entry: Entry, input: number, output: number): number {
	if ('unit' in entry.pricing) return 0;
	// what a missing price costs is not specified; here nothing but the minimum
	const { input_per_mtok: inPrice = 0, output_per_mtok: outPrice = 0 } = entry.pricing;
	if (input + output === 0) return 0;
	// to nine places first, or 0.1 + 0.2 would round up to a micro-dollar too much
	const cost = Number((input * inPrice + output * outPrice).toFixed(9));
	return Math.max(1, Math.ceil(cost));
}

/** What of a job's body raises its price (section 8, rule 3); the names are not specified. */
export interface Extent {
	images: number;
	seconds: number;
	characters: number;
	/** Twice the price for 4K. */
	factor: number;
}

/** Forecast of a job's cost in µ$. */
export function jobCost(entry: Entry, extent: Extent): number {
	if (!('unit' in entry.pricing)) return 0;
	const { unit, per_unit: price } = entry.pricing;
	const units = {
		image: extent.images,
		video: 1,
		second: extent.seconds,
		request: 1,
		'1k_characters': extent.characters / 1000,
	}[unit];
	return Math.max(1, Math.ceil(Number((units * price * 1_000_000 * extent.factor).toFixed(6))));
}

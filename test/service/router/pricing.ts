import type { Entry } from './catalog.ts';
import { roundedUp } from './money.ts';

/** Tokens of a text request. */
export interface Consumed {
	/** Of the prompt, cached ones included. */
	input: number;
	/** Visible and hidden tokens of the answer. */
	output: number;
	/** The part of `input` that was cached; none when absent. */
	cached?: number | undefined;
}

/**
 * Cost of a text request in µ$ (section 8): a price in USD per million tokens is a price in µ$
 * per token; rounded up once; at least 1 µ$ for a request that consumed tokens.
 */
export function textCost(entry: Entry, { input, output, cached = 0 }: Consumed): number {
	if ('unit' in entry.pricing || input + output === 0) return 0;
	// what a missing price costs is not specified: here nothing but the minimum, and what is cached
	// costs as any input does
	const { input_per_mtok: inPrice = 0, output_per_mtok: outPrice = 0 } = entry.pricing;
	const { cached_input_per_mtok: cachedPrice = inPrice } = entry.pricing;
	return Math.max(
		1,
		roundedUp([input - cached, inPrice], [cached, cachedPrice], [output, outPrice]),
	);
}

/** What of a job's body raises its price (section 8, rule 3); the names are not specified. */
export interface Extent {
	images: number;
	seconds: number;
	characters: number;
}

/** Forecast of a job's cost in µ$. */
export function jobCost(entry: Entry, extent: Extent): number {
	if (!('unit' in entry.pricing)) return 0;
	const { unit, per_unit: price } = entry.pricing;
	const units = {
		image: [extent.images],
		video: [1],
		second: [extent.seconds],
		request: [1],
		'1k_characters': [extent.characters, 0.001],
	}[unit];
	return Math.max(1, roundedUp([...units, price, 1_000_000]));
}

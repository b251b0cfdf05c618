import { isObject } from '../service/json';
import { readCount, readDecimal, readWhole, roundedUpSum, type Decimal } from './decimal';
import { promptBound, type Unbounded } from './promptSize';

export { promptBound, promptGuess, type Unbounded } from './promptSize';

/** What a text request costs by the catalog's prices, rounded up once. */
export interface Cost {
	/** A whole number; 1 is 0.000001 USD. */
	microUsd: number;
	/** The same in USD, exact to six places. */
	usd: number;
	/** Worked out on our side: the router reports no cost of its own. */
	computed: true;
}

/** Output tokens that the router holds money for where a request sets no cap. @see section 8 */
export const DEFAULT_ALLOWANCE = 4096;

/**
 * The cost of a text request from the tokens that were reported, in either protocol. Hidden reasoning is in the output tokens
 * already, cached tokens are part of the prompt.
 *
 * @param pricing Of the catalog entry: USD per million tokens, which is micro-dollars per token.
 * @param usage As the router sent it.
 * @returns undefined where a count is missing, or the price of tokens that were used. A missing price is never zero.
 * @see section 8, cost rules
 */
export function textCost(pricing: unknown, usage: unknown): Cost | undefined {
	if (!isObject(usage)) return undefined;
	const prompt = firstCount(usage['prompt_tokens'], usage['input_tokens']);
	const output = firstCount(usage['completion_tokens'], usage['output_tokens']);
	if (prompt === undefined || output === undefined) return undefined;
	const cached = Math.min(cachedTokens(usage), prompt);
	const prices = pricesOf(pricing);
	return costOf([
		[prompt - cached, prices.input],
		[cached, prices.cached ?? prices.input],
		[output, prices.output],
	]);
}

/**
 * The largest amount that the router may hold for a request, and so the largest that it may cost.
 *
 * @returns `outputTokens` for all choices together.
 * @see section 8, cost rule 4
 */
export function holdBound(
	pricing: unknown,
	body: Record<string, unknown>,
): { cost: Cost; promptTokens: number; outputTokens: number } | Unbounded {
	const prompt = promptBound(body);
	if ('unbounded' in prompt) return prompt;
	const extent = outputExtent(body);
	if (!extent)
		return {
			unbounded: 'The cap on output tokens or the number of choices is not a whole number.',
		};
	const { input, output } = pricesOf(pricing);
	const [promptTokens, outputTokens] = [prompt.tokens, extent.allowance * extent.choices];
	if (promptTokens && !input)
		return { unbounded: 'The catalog has no price for the input tokens of this model.' };
	if (outputTokens && !output)
		return { unbounded: 'The catalog has no price for the output tokens of this model.' };
	const cost = costOf([
		[promptTokens, input],
		[outputTokens, output],
	]);
	return cost
		? { cost, promptTokens, outputTokens }
		: { unbounded: 'The largest possible cost is too large to be told.' };
}

/**
 * The largest cap on output tokens that fits the free balance, after the router refused a request for lack of it. What the
 * prompt needs follows from the router's own figures, to one micro-dollar.
 *
 * @returns 0 when not even one token fits; undefined when a figure or the price is missing, or they contradict each other.
 * @see section 7C, `insufficient_balance`
 */
export function largestOutput(refusal: {
	/** Micro-dollars, as numbers or their digits. */
	requiredMicroUsd: unknown;
	balanceMicroUsd: unknown;
	heldMicroUsd: unknown;
	pricing: unknown;
	/** What was sent. */
	body: Record<string, unknown>;
}): number | undefined {
	const required = readWhole(refusal.requiredMicroUsd);
	const balance = readWhole(refusal.balanceMicroUsd);
	const held = readWhole(refusal.heldMicroUsd);
	const { output: price } = pricesOf(refusal.pricing);
	const extent = outputExtent(refusal.body);
	if (required === undefined || balance === undefined || held === undefined || held < 0n)
		return undefined;
	if (!price?.digits || !extent) return undefined;
	const free = balance - held;
	// a request that would fit was refused for another reason
	if (free >= required) return undefined;
	const unit = 10n ** BigInt(price.scale);
	const oneToken = BigInt(extent.choices) * price.digits;
	const promptPart = required * unit - BigInt(extent.allowance) * oneToken;
	if (promptPart < 0n) return undefined;
	const left = free * unit - promptPart;
	return left < 0n ? 0 : Number(left / oneToken);
}

function pricesOf(pricing: unknown): Record<'input' | 'cached' | 'output', Decimal | undefined> {
	const given = isObject(pricing) ? pricing : {};
	return {
		input: readDecimal(given['input_per_mtok']),
		cached: readDecimal(given['cached_input_per_mtok']),
		output: readDecimal(given['output_per_mtok']),
	};
}

/** @see section 8: 1 micro-dollar at least for any request that consumed tokens. */
function costOf(parts: Array<[tokens: number, price: Decimal | undefined]>): Cost | undefined {
	const used = parts.flatMap(([tokens, price]) =>
		tokens ? [[BigInt(tokens), price] as const] : [],
	);
	const priced = used.flatMap(([tokens, price]) => (price ? [[tokens, price] as const] : []));
	if (priced.length < used.length) return undefined;
	const sum = Number(roundedUpSum(priced));
	const microUsd = used.length ? Math.max(1, sum) : 0;
	return Number.isSafeInteger(microUsd)
		? { microUsd, usd: microUsd / 1e6, computed: true }
		: undefined;
}

/** Services that speak the protocol put the count of cached tokens in different places; the specification shows none. */
function cachedTokens(usage: Record<string, unknown>): number {
	const details = [
		usage['prompt_tokens_details'],
		usage['input_tokens_details'],
		usage['input_token_details'],
	].map((given) => (isObject(given) ? (given['cached_tokens'] ?? given['cache_read']) : undefined));
	const { cached_tokens, prompt_cache_hit_tokens, cache_read_input_tokens } = usage;
	return (
		firstCount(...details, cached_tokens, prompt_cache_hit_tokens, cache_read_input_tokens) ?? 0
	);
}

/** How many tokens an answer may have, and how many answers there are. @returns undefined where either cannot be read. */
function outputExtent(
	body: Record<string, unknown>,
): { allowance: number; choices: number } | undefined {
	const caps = [body['max_tokens'], body['max_completion_tokens'], body['max_output_tokens']]
		.filter((cap) => cap !== undefined && cap !== null)
		.map(readCount);
	const choices = readCount(body['n'] ?? 1);
	if (!choices || caps.includes(undefined)) return undefined;
	// which of several the router goes by is not specified
	const allowance = caps.length ? Math.max(...caps.map((cap) => cap ?? 0)) : DEFAULT_ALLOWANCE;
	return { allowance, choices };
}

function firstCount(...values: unknown[]): number | undefined {
	return values.map(readCount).find((value) => value !== undefined);
}

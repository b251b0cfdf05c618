import { isPlainObject } from '../core/json';
import type { Model } from './model';
import {
	divideRoundedDown,
	formatDecimal,
	formatUsd,
	readCount,
	readDecimal,
	readInteger,
	sumRoundedUp,
	type Decimal,
} from './money';
import { maximumPromptTokens, readTokenCounts } from './tokens';

export { maximumPromptTokens, estimatePromptTokens } from './tokens';

/** Output tokens for which the router holds money when a request sets no cap. @see section 8 */
export const DEFAULT_OUTPUT_TOKENS = 4096;

/**
 * The cost of a text request from the reported tokens, in either protocol. The output tokens include hidden reasoning, and the
 * prompt tokens include cached tokens. It is calculated here, because the router does not report it.
 *
 * @param pricing Of the catalog entry: USD per million tokens, which is micro-dollars per token.
 * @param usage As the router sent it.
 * @returns whole micro-dollars, rounded up once; undefined when a count is missing, or the price of used tokens. A missing price does
 *   not mean zero.
 * @see section 8, cost rules
 */
export function textCost(pricing: unknown, usage: unknown): number | undefined {
	const { input, output, cached: reported = 0 } = readTokenCounts(usage);
	if (input === undefined || output === undefined) return undefined;
	const cached = Math.min(reported, input);
	const prices = readTokenPrices(pricing);
	return sumCost([
		[input - cached, prices.input],
		[cached, prices.cached ?? prices.input],
		[output, prices.output],
	]);
}

/** The most that a text request can cost. */
export interface CostBound {
	/** A whole number; 1 is 0.000001 USD. */
	microUsd: number;
	promptTokens: number;
	/** What the tokens of the prompt are counted by: one per byte of its JSON, or the model's whole context window. */
	promptCountedBy: 'bytes' | 'contextWindow';
	/** The sum for all answers. */
	outputTokens: number;
}

export interface NoCostBound {
	/** Why there is no bound, as one or more sentences. */
	unbounded: string;
}

/**
 * The most that a text request can cost, at the prices of the catalog.
 *
 * Neither the prompt nor an answer is counted with more tokens than the model's context window, which holds both. This assumes that the
 * service asks the model once, so it does not apply where the service runs tools.
 *
 * @param model The catalog entry.
 * @see section 8, cost rules 1 and 4
 */
export function maximumTextCost(
	{ pricing, context_length: contextLength }: Pick<Model, 'pricing' | 'context_length'>,
	body: Record<string, unknown>,
): CostBound | NoCostBound {
	const window = readCount(contextLength) || undefined;
	const prompt = countPromptTokens(body, window);
	if ('unbounded' in prompt) return prompt;
	const limits = readOutputLimits(body);
	if (!limits)
		return {
			unbounded: 'The cap on output tokens or the number of answers is not a whole number.',
		};
	const { input, output } = readTokenPrices(pricing);
	const { promptTokens } = prompt;
	const outputTokens = Math.min(limits.allowance, window ?? Infinity) * limits.choices;
	if (promptTokens && !input)
		return { unbounded: 'The catalog has no price for the input tokens of this model.' };
	if (outputTokens && !output)
		return { unbounded: 'The catalog has no price for the output tokens of this model.' };
	const microUsd = sumCost([
		[promptTokens, input],
		[outputTokens, output],
	]);
	return microUsd === undefined
		? { unbounded: 'The largest possible cost is too large to calculate.' }
		: { microUsd, ...prompt, outputTokens };
}

/** @param window Tokens; undefined if the catalog does not have it. */
function countPromptTokens(
	body: Record<string, unknown>,
	window: number | undefined,
): Pick<CostBound, 'promptTokens' | 'promptCountedBy'> | NoCostBound {
	const prompt = maximumPromptTokens(body);
	if ('tokens' in prompt) {
		const { tokens } = prompt;
		if (window === undefined || tokens <= window)
			return { promptTokens: tokens, promptCountedBy: 'bytes' };
	} else {
		if (!prompt.fitsWindow) return { unbounded: prompt.unbounded };
		if (window === undefined)
			return {
				unbounded: `${prompt.unbounded} The catalog does not have the context window of this model, which would be the limit.`,
			};
	}
	return { promptTokens: window, promptCountedBy: 'contextWindow' };
}

/**
 * The largest cap on output tokens that fits the free balance, after the router refused a request because the balance was too
 * small. The cost of the prompt follows from the router's own figures, to one micro-dollar.
 *
 * @returns 0 when not even one token fits; undefined when a figure or the price is missing, or when they contradict each other.
 * @see section 7C, `insufficient_balance`
 */
export function maximumAffordableOutput(refusal: {
	/** Micro-dollars, as numbers or strings of digits. */
	requiredMicroUsd: unknown;
	balanceMicroUsd: unknown;
	heldMicroUsd: unknown;
	pricing: unknown;
	/** What was sent. */
	body: Record<string, unknown>;
}): number | undefined {
	const required = readInteger(refusal.requiredMicroUsd);
	const balance = readInteger(refusal.balanceMicroUsd);
	const held = readInteger(refusal.heldMicroUsd);
	const { output: price } = readTokenPrices(refusal.pricing);
	const limits = readOutputLimits(refusal.body);
	if (!required || !balance || !held?.gte(0) || !price?.gt(0) || !limits) return undefined;
	const free = balance.minus(held);
	// a request that would fit was refused for another reason
	if (free.gte(required)) return undefined;
	const oneToken = price.times(limits.choices);
	const promptPart = required.minus(oneToken.times(limits.allowance));
	if (promptPart.lt(0)) return undefined;
	const remaining = free.minus(promptPart);
	return remaining.lt(0) ? 0 : divideRoundedDown(remaining, oneToken).toNumber();
}

function readTokenPrices(
	pricing: unknown,
): Record<'input' | 'cached' | 'output', Decimal | undefined> {
	const prices = isPlainObject(pricing) ? pricing : {};
	return {
		input: readDecimal(prices['input_per_mtok']),
		cached: readDecimal(prices['cached_input_per_mtok']),
		output: readDecimal(prices['output_per_mtok']),
	};
}

/** @see section 8: at least 1 micro-dollar for any request that consumed tokens. */
function sumCost(parts: Array<[tokens: number, price: Decimal | undefined]>): number | undefined {
	const used = parts.filter(([tokens]) => tokens);
	const priced = used.flatMap(([tokens, price]) => (price ? [[tokens, price] as const] : []));
	if (priced.length < used.length) return undefined;
	const microUsd = used.length ? Math.max(1, sumRoundedUp(priced).toNumber()) : 0;
	return Number.isSafeInteger(microUsd) ? microUsd : undefined;
}

/** The maximum output tokens of one answer, and the number of answers. @returns undefined when either cannot be read. */
function readOutputLimits(
	body: Record<string, unknown>,
): { allowance: number; choices: number } | undefined {
	const caps = [body['max_tokens'], body['max_completion_tokens'], body['max_output_tokens']]
		.filter((cap) => cap !== undefined && cap !== null)
		.map(readCount);
	const choices = readCount(body['n'] ?? 1);
	if (!choices || caps.includes(undefined)) return undefined;
	// which of several caps the router applies is not specified
	const allowance = caps.length ? Math.max(...caps.map((cap) => cap ?? 0)) : DEFAULT_OUTPUT_TOKENS;
	return { allowance, choices };
}

/** The minimum cost of a media job. */
export interface MinimumJobCost {
	/** Whole micro-dollars, rounded up once, as the service does. */
	microUsd: Decimal;
	/** The calculation in words, e.g. `4 images at $0.04`. */
	counted: string;
}

/** Common names of the fields for the number of outputs and their duration. The specification defines none of them. */
const COUNT_FIELDS = ['n', 'count', 'num_images', 'num_videos', 'num_outputs', 'number_of_images'];
const DURATION_FIELDS = ['duration', 'seconds', 'duration_seconds'];
const TEXT_FIELDS = ['prompt', 'text', 'input'];

/**
 * The minimum cost of a job. The catalog has the price of the cheapest configuration: the service may charge more, never less.
 * What cannot be counted is one unit.
 *
 * @param pricing Of the catalog entry.
 * @param body Of the start.
 * @returns undefined without a price. A missing price does not mean zero.
 * @see section 2C, `pricing`
 */
export function minimumJobCost(
	pricing: unknown,
	body: Record<string, unknown>,
): MinimumJobCost | undefined {
	if (!isPlainObject(pricing)) return undefined;
	const price = readDecimal(pricing['per_unit']);
	if (!price) return undefined;
	const { units, counted } = countUnits(pricing['unit'], body);
	const unitPrice = price.times(1e6);
	return {
		microUsd: sumRoundedUp([[units, unitPrice]]),
		counted: counted(formatUsd(unitPrice) ?? ''),
	};
}

function countUnits(
	unit: unknown,
	body: Record<string, unknown>,
): { units: Decimal | number; counted(price: string): string } {
	const countedIn = (units: Decimal | number, noun: string) => {
		const count = typeof units === 'number' ? String(units) : formatDecimal(units);
		return {
			units,
			counted: (price: string) => `${count} ${noun}${count === '1' ? '' : 's'} at ${price}`,
		};
	};
	const outputs = smallestValue(COUNT_FIELDS, body) ?? 1;
	if (unit === 'image' || unit === 'video') return countedIn(outputs, unit);
	if (unit === 'second')
		return countedIn(smallestValue(DURATION_FIELDS, body)?.times(outputs) ?? outputs, unit);
	const length = unit === '1k_characters' ? countCharacters(body) : 0;
	if (!length) return countedIn(1, unit === 'request' ? unit : 'unit');
	return {
		units: length / 1000,
		counted: (price) => `${length} character${length === 1 ? '' : 's'} at ${price} per 1,000`,
	};
}

/** The smallest value of several fields with the same meaning, because it is not known which one the service uses. */
function smallestValue(
	names: readonly string[],
	body: Record<string, unknown>,
): Decimal | undefined {
	const values = names.flatMap((name) => {
		const value = body[name];
		const number = readDecimal(
			typeof value === 'string' ? value.replace(/\s*s(ec(onds?)?)?\s*$/i, '') : value,
		);
		return number?.gt(0) ? [number] : [];
	});
	return values.sort((one, other) => one.cmp(other))[0];
}

/** Counts code points, not UTF-16 units: the service may count either, and there are never more code points. */
function countCharacters(body: Record<string, unknown>): number {
	const text = TEXT_FIELDS.map((name) => body[name]).find(
		(value) => typeof value === 'string' && value,
	);
	return typeof text === 'string' ? [...text].length : 0;
}

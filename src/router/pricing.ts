import type { Bound } from '../core/reserve';
import { joinSentences } from '../core/errors';
import { type JsonObject, omitMissing } from '../core/json';
import { ZERO_COUNTS } from '../core/ownPrices';
import type { Model } from './model';
import {
	divideRoundedDown,
	readCount,
	readInteger,
	sumRoundedUp,
	type Decimal,
} from '../core/money';
import type { TokenCounts } from '../core/tokenCounts';
import { type LimitField, readOutputLimits } from './outputLimits';
import { dearestPromptToken, WRITE_FACTORS, readTokenPrices } from './tokenPrices';
import { maximumPromptTokens } from './promptTokens';
import { isSpecified } from './catalogPrices';

/** Output tokens for which the router holds money when a request sets no maximum. @see section 8 */
export const DEFAULT_OUTPUT_TOKENS = 4096;
/** The most output tokens that a request asks for on its own, if the spending caps allow their cost. */
const MOST_OUTPUT_TOKENS = 16_384;

/**
 * The cost of a text request from the reported tokens, in either protocol. The output tokens include hidden reasoning, and the
 * prompt tokens include those of a cache. It is calculated here, because the router does not report it.
 *
 * @param pricing Of the catalog entry: USD per million tokens, which is micro-dollars per token.
 * @returns whole micro-dollars, rounded up once; undefined when a count is missing, or the price of used tokens. A missing price does
 *   not mean zero.
 * @see section 8, cost rules
 */
export function textCost(
	pricing: unknown,
	{ input, output, cached = 0, written = 0, writtenForHour = 0, sound = 0 }: TokenCounts,
): number | undefined {
	if (input === undefined || output === undefined) return undefined;
	const prices = readTokenPrices(pricing);
	const forHour = Math.min(writtenForHour, written);
	const plain = input - cached - written;
	const heard = prices.sound ? Math.min(sound, plain) : 0;
	// most prompts go into no cache, and need no product
	const each = written ? prices.input : undefined;
	const parts: Part[] = [
		[plain - heard, prices.input],
		[heard, prices.sound],
		[cached, prices.cached ?? prices.input],
		[written - forHour, prices.written ?? each?.times(WRITE_FACTORS.minutes)],
		[forHour, prices.writtenForHour ?? each?.times(WRITE_FACTORS.hour)],
		[output, prices.output],
	];
	return sumCost(parts, isSpecified(pricing) ? LEAST_CHARGE : 0);
}

/** The most that a text request can cost. */
export interface CostBound {
	/** A whole number; 1 is 0.000001 USD. */
	microUsd: number;
	promptTokens: number;
	/** Those of them that the model's own template may add. */
	templateTokens?: number;
	/** What the tokens of the prompt are counted by: one per byte of its JSON, the same and what its files can have, or the model's whole context window. */
	promptCountedBy: 'bytes' | 'bytesAndFiles' | 'contextWindow';
	/** Why the context window counts, as a sentence, if it is not just shorter than the prompt. */
	countedBecause?: string;
	/** The sum for all answers. */
	outputTokens: number;
	/** Output tokens of one answer that the request has to ask for, so that the bound holds. Absent if it already does so, or has no cap. */
	maxTokens?: number;
	/** As of a `Bound`. */
	advise(field: string): string;
}

export type NoCostBound = Extract<Bound, { unbounded: string }> &
	Partial<Record<keyof CostBound, undefined>>;

/**
 * The most that a text request can cost, at the prices of the catalog. Its prompt is measured once, however often that is asked.
 *
 * The prompt is not counted with more tokens than the model's context window. This assumes that the service asks the model once, so it
 * does not apply where the service runs tools. An answer is counted with the tokens that the request allows, whatever the catalog says.
 *
 * @param model The catalog entry.
 * @param own The protocol's own field for the maximum output tokens: no other one is a bound.
 * @param template The tokens that the prompt may have besides those of the body.
 * @returns a function of the micro-dollars that the spending caps leave; undefined without a cap.
 * @see section 8, cost rules 1 and 4
 */
export function maximumTextCost(
	model: Partial<Model>,
	body: JsonObject,
	own: LimitField,
	template: number,
): (left?: Decimal) => CostBound | NoCostBound {
	const measured = maximumPromptTokens(body);
	const window = readWindow(model, measured.least);
	const prompt = countPromptTokens(measured, window, template);
	if ('unbounded' in prompt) return () => prompt;
	const limits = readOutputLimits(body, own);
	if (!limits)
		return () => ({
			unbounded: 'The cap on output tokens or the number of answers is not a whole number above 0.',
			trouble: 'fault',
			remedy: 'Correct it in Additional Fields.',
		});
	const { promptTokens } = prompt;
	const { output: price } = readTokenPrices(model.pricing);
	const input = dearestPromptToken(model.pricing, body, prompt.promptCountedBy === 'bytes');
	const promptCost = sumCost([[promptTokens, input]]);
	if (promptCost === undefined)
		return () => ({
			unbounded: 'The catalog has no price for the input tokens of this model.',
			remedy: enterPrice(model.id),
		});
	return (left) => {
		const maxTokens =
			left && limits.allowance === undefined
				? chooseMaxTokens(model, {
						window,
						promptTokens,
						money: left.minus(promptCost),
						price: price?.times(limits.choices),
					})
				: undefined;
		const allowance = limits.allowance ?? maxTokens ?? DEFAULT_OUTPUT_TOKENS;
		const outputTokens = allowance * limits.choices;
		if (outputTokens && !price)
			return {
				unbounded: 'The catalog has no price for the output tokens of this model.',
				remedy: enterPrice(model.id),
			};
		const microUsd = sumCost([
			[promptTokens, input],
			[outputTokens, price],
		]);
		if (microUsd === undefined)
			return {
				unbounded: 'The largest possible cost is too large to calculate.',
				trouble: 'fault',
				remedy: 'Lower "Maximum Output Tokens".',
			};
		const counted = { microUsd, ...prompt, outputTokens, ...omitMissing({ maxTokens }) };
		return { ...counted, advise: (field: string) => adviseText(counted, field) };
	};
}

/** What to do about a media model without a price. */
export const PRICED_MODEL = 'Choose a model whose price is in the catalog.';

/** What to do about a text model without a price: with the line to write. */
const enterPrice = (model = 'vendor/model'): string =>
	`Choose a model whose price is in the catalog, or enter a line in Prices of the credential, such as "${model} 0.25 2" (USD per million tokens in and out). ${ZERO_COUNTS}`;

/** Tokens. No model has less, and a catalog that says less counts in thousands, or is wrong. */
const LEAST_WINDOW = 2048;

/**
 * The context window of a model. It lowers what a prompt counts, so it is read only where it can be true.
 *
 * @param least The fewest tokens that the text of the prompt can have.
 * @returns undefined if the catalog has none, or less than the longest answer or this prompt.
 */
function readWindow(model: Partial<Model>, least: number): number | undefined {
	const window = readCount(model.context_length) ?? 0;
	const longest = readCount(model.max_output_tokens) ?? 0;
	return window >= Math.max(LEAST_WINDOW, longest, least) ? window : undefined;
}

/**
 * How many output tokens a request asks for on its own. If even the default does not fit, the cap refuses the request.
 *
 * @param money Micro-dollars that are left.
 * @param price Of a token of each answer.
 */
function chooseMaxTokens(
	model: Partial<Model>,
	{
		window = Infinity,
		promptTokens,
		money,
		price,
	}: {
		window: number | undefined;
		promptTokens: number;
		money: Decimal;
		price: Decimal | undefined;
	},
): number {
	const largest = readCount(model.max_output_tokens) || Infinity;
	// a division takes longer than the rest
	const affordable =
		price?.gt(0) && price.times(MOST_OUTPUT_TOKENS).gt(money)
			? divideRoundedDown(money, price).toNumber()
			: Infinity;
	// a service may refuse a prompt and a maximum that do not fit the window together
	const wanted = Math.min(MOST_OUTPUT_TOKENS, affordable, window - promptTokens);
	return Math.min(Math.max(wanted, DEFAULT_OUTPUT_TOKENS), largest, window);
}

/** Says how a bound was calculated, and what to do. */
function adviseText(counted: Omit<CostBound, 'advise'>, field: string): string {
	const { promptTokens, promptCountedBy, outputTokens, countedBecause: reason } = counted;
	const prompt =
		promptCountedBy === 'contextWindow'
			? `The prompt is counted as the whole context window of the model, ${promptTokens} tokens,`
			: `At most ${promptTokens} tokens go in`;
	const what = reason === undefined ? 'shorten the input' : SMALLER_INPUT;
	return joinSentences(
		`${prompt} and ${outputTokens} come out: lower "Maximum Output Tokens", ${what}, or raise "${field}".`,
		reason,
	);
}

const SMALLER_INPUT =
	'send a picture as a file and not as its address, send the text of a document and not the document, choose a model with a smaller context window';

/** @param window Tokens; undefined if the catalog does not have it. */
function countPromptTokens(
	prompt: ReturnType<typeof maximumPromptTokens>,
	window: number | undefined,
	template: number,
):
	| Pick<CostBound, 'promptTokens' | 'templateTokens' | 'promptCountedBy' | 'countedBecause'>
	| NoCostBound {
	if ('tokens' in prompt) {
		const { hasFiles } = prompt;
		const tokens = prompt.tokens + template;
		if (window === undefined || tokens <= window)
			return {
				promptTokens: tokens,
				...(template && { templateTokens: template }),
				promptCountedBy: hasFiles ? 'bytesAndFiles' : 'bytes',
			};
		return { promptTokens: window, promptCountedBy: 'contextWindow' };
	}
	const { unbounded, fitsWindow } = prompt;
	if (!fitsWindow) return { unbounded, remedy: 'Leave it out.' };
	if (window === undefined)
		return {
			unbounded: `${unbounded} The catalog does not have the context window of this model, which would be the limit.`,
			remedy: 'Choose a model whose context window is in the catalog.',
		};
	return { promptTokens: window, promptCountedBy: 'contextWindow', countedBecause: unbounded };
}

/**
 * The largest cap on output tokens that fits the free balance, after the router refused a request because the balance was too
 * small. The cost of the prompt follows from the router's own figures, to one micro-dollar.
 *
 * @param refusal The router's figures: micro-dollars, as numbers or strings of digits.
 * @param body What was sent.
 * @param own As in `maximumTextCost`.
 * @returns 0 when not even one token fits; undefined when a figure or the price is missing, or when they contradict each other.
 * @see section 7C, `insufficient_balance`
 */
export function maximumAffordableOutput(
	refusal: JsonObject,
	pricing: unknown,
	body: JsonObject,
	own: LimitField,
): number | undefined {
	const required = readInteger(refusal['required_micro_usd']);
	const balance = readInteger(refusal['balance_micro_usd']);
	const held = readInteger(refusal['held_micro_usd']);
	const { output: price } = readTokenPrices(pricing);
	const limits = readOutputLimits(body, own);
	if (!required || !balance || !held?.gte(0) || !price?.gt(0) || !limits) return undefined;
	const free = balance.minus(held);
	// a request that would fit was refused for another reason
	if (free.gte(required)) return undefined;
	const oneToken = price.times(limits.choices);
	const promptPart = required.minus(oneToken.times(limits.allowance ?? DEFAULT_OUTPUT_TOKENS));
	if (promptPart.lt(0)) return undefined;
	const remaining = free.minus(promptPart);
	return remaining.lt(0) ? 0 : divideRoundedDown(remaining, oneToken).toNumber();
}

/** Micro-dollars, for any request that consumed tokens. @see section 8 */
const LEAST_CHARGE = 1;

type Part = [tokens: number, price: Decimal | undefined];

function sumCost(parts: readonly Part[], least = LEAST_CHARGE): number | undefined {
	const used: Array<[tokens: number, price: Decimal]> = [];
	for (const [tokens, price] of parts) {
		if (tokens && !price) return undefined;
		if (tokens && price) used.push([tokens, price]);
	}
	const microUsd = used.length ? Math.max(least, sumRoundedUp(used).toNumber()) : 0;
	return Number.isSafeInteger(microUsd) ? microUsd : undefined;
}

import type { JsonObject } from '../core/json';
import { Big, type Decimal, formatUsd, readDecimal } from '../core/money';
import { stringOrEmpty } from './textAnswer';

/** The names of fields, each in the one before. */
type Path = readonly string[];

/** Where services report what an answer has cost. */
const PLACES: ReadonlyArray<{
	/** In the usage of the answer. */
	at: Path;
	/** What a `true` at `ifTrue` adds: the upstream cost, where the other is only the fee. */
	plus?: { ifTrue: Path; at: Path };
	/** By what it is multiplied to be micro-dollars. */
	times: number;
}> = [
	// OpenRouter, Vercel AI Gateway, and newer LiteLLM
	// https://openrouter.ai/docs/guides/administration/usage-accounting, BerriAI/litellm#14002, BerriAI/litellm#39069
	{
		at: ['cost'],
		plus: { ifTrue: ['is_byok'], at: ['cost_details', 'upstream_inference_cost'] },
		times: 1e6,
	},
	// Perplexity: most of it is paid by the request
	// https://docs.perplexity.ai/api-reference/chat-completions-post (usage.cost)
	{
		at: ['cost', 'total_cost'],
		times: 1e6,
	},
	// DeepInfra: https://deepinfra.com/docs/openai_api (usage.estimated_cost)
	{
		at: ['estimated_cost'],
		times: 1e6,
	},
	// Pydantic AI Gateway: https://github.com/pydantic/pydantic-ai (recordings in test_gateway)
	{
		at: ['pydantic_ai_gateway', 'cost_estimate'],
		times: 1e6,
	},
	// xAI: https://docs.x.ai/docs/api-reference (usage.cost_in_usd_ticks)
	{
		at: ['cost_in_usd_ticks'],
		times: 1e-4,
	},
];

/** Where its currency is: Logos (ls1intum/edutelligence#725: EUR), Perplexity. */
const CURRENCIES: readonly Path[] = [['cost_currency'], ['cost', 'currency']];

/** The header in which LiteLLM reports the cost of an answer that is not streamed, in USD. */
export const COST_HEADER = 'x-litellm-response-cost';

/**
 * What the service says that an answer has cost.
 *
 * @param usage Of the answer.
 * @param header USD.
 * @returns whole micro-dollars, rounded up; undefined if it says nothing.
 */
export function readReportedCost(usage: unknown, header?: string): number | undefined {
	const currencies = CURRENCIES.map((at) => stringOrEmpty(valueAt(usage, at) || 'USD'));
	if (currencies.some((currency) => !/^USD$/i.test(currency))) return undefined;
	for (const { at, plus, times } of PLACES) {
		const cost = readDecimal(valueAt(usage, at));
		if (!cost) continue;
		const isMore = plus && valueAt(usage, plus.ifTrue) === true;
		const more = isMore && readDecimal(valueAt(usage, plus.at));
		return toWhole((more ? cost.plus(more) : cost).times(times));
	}
	const inHeader = readDecimal(header);
	return inHeader && toWhole(inHeader.times(1e6));
}

function valueAt(usage: unknown, path: Path): unknown {
	let found = usage;
	for (const name of path) found = (found as JsonObject | null | undefined)?.[name];
	return found;
}

const toWhole = (microUsd: Decimal) => {
	const whole = microUsd.round(0, Big.roundUp).toNumber();
	return Number.isSafeInteger(whole) ? whole : undefined;
};

/** How many times a reported cost may be more or less than the calculated one. Beyond that, one of them is in another unit, or wrong. */
const MOST_DIFFERENCE = 2;

/** What an answer has cost, and which of two figures counts. */
interface SettledCost {
	/** Micro-dollars. */
	cost: number | undefined;
	isReported: boolean;
	/** Why the dearer figure counts, if they contradict each other. */
	notice?: string;
}

/**
 * Chooses between what the service reports and what follows from tokens and prices.
 *
 * @param reported Micro-dollars. 0 counts only for a model that costs nothing.
 * @param computed Micro-dollars, the most and the least that the prices give; empty if they give none. Without the most, a cost below the
 *   least is none.
 */
export function settleCost(
	reported: number | undefined,
	{ most, least = most }: { most?: number; least?: number | undefined },
): SettledCost {
	if (!reported) return { cost: most, isReported: reported === 0 && most === 0 };
	// one micro-dollar is what rounding up may add
	const isLess = least !== undefined && reported * MOST_DIFFERENCE < least && least - reported > 1;
	if (most === undefined)
		return isLess ? { cost: undefined, isReported: false } : { cost: reported, isReported: true };
	const isMore = reported > most * MOST_DIFFERENCE && reported - most > 1;
	if (!isLess && !isMore) return { cost: reported, isReported: true };
	return {
		cost: Math.max(reported, most),
		isReported: isMore,
		notice: `The service reports a cost of ${toDollars(reported)}, and its tokens and prices give ${toDollars(most)}. The dearer one is counted.`,
	};
}

const toDollars = (microUsd: number) => formatUsd(microUsd) ?? '';

import { isPlainObject, type JsonObject } from './json';
import { readCount } from './money';

/** The token counts of an answer. A count that the model did not report is absent. */
export interface TokenCounts {
	/** Of the prompt, cached tokens included. */
	input?: number;
	/** The part of the prompt that came from a cache. */
	cached?: number;
	/** Of the answer, hidden reasoning included. */
	output?: number;
	/** The part of the answer that is hidden reasoning. */
	reasoning?: number;
}

/**
 * Reads the token counts of an answer. The specification names `completion_tokens`.
 *
 * @param usage As it was reported.
 */
export function readTokenCounts(usage: unknown): TokenCounts {
	if (!isPlainObject(usage)) return {};
	const counts: TokenCounts = {};
	for (const { kind, paths } of PLACES) {
		for (const [name = '', field] of paths) {
			const place = usage[name];
			const value = field ? (place as JsonObject | null | undefined)?.[field] : place;
			const count = value === undefined ? undefined : readCount(value);
			if (count === undefined) continue;
			counts[kind] = count;
			break;
		}
	}
	return counts;
}

/**
 * Where each count may be: a field, or a field in a field. The first one counts. In this order: chat completions, responses, n8n's agents,
 * AI SDK; of cached and reasoning tokens chat completions, responses, LangChain, then Moonshot, DeepSeek and Anthropic, or Perplexity.
 */
const PLACES = Object.entries({
	input: 'prompt_tokens input_tokens promptTokens inputTokens',
	output: 'completion_tokens output_tokens completionTokens outputTokens',
	cached: `prompt_tokens_details.cached_tokens input_tokens_details.cached_tokens input_token_details.cache_read
		cached_tokens prompt_cache_hit_tokens cache_read_input_tokens`,
	reasoning: `completion_tokens_details.reasoning_tokens output_tokens_details.reasoning_tokens
		output_token_details.reasoning reasoning_tokens`,
}).map(([kind, places]) => ({
	kind: kind as keyof TokenCounts,
	paths: places.split(/\s+/).map((path) => path.split('.')),
}));

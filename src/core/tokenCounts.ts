import { isPlainObject, omitMissing } from './json';
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
 * Reads the token counts of an answer, by the names of either protocol and of n8n's agents. Services report the cached and the reasoning
 * tokens in different fields. The specification defines none.
 *
 * @param usage As it was reported.
 */
export function readTokenCounts(usage: unknown): TokenCounts {
	if (!isPlainObject(usage)) return {};
	const read = (names: readonly string[], detailsOf: readonly string[] = [], fields = names) => {
		const details = detailsOf.map((name) => usage[name]).filter(isPlainObject);
		const values = details.flatMap((detail) => fields.map((field) => detail[field]));
		return [...values, ...names.map((name) => usage[name])]
			.map(readCount)
			.find((value) => value !== undefined);
	};
	return omitMissing({
		input: read(INPUT_NAMES),
		output: read(OUTPUT_NAMES),
		cached: read(
			['cached_tokens', 'prompt_cache_hit_tokens', 'cache_read_input_tokens'],
			['prompt_tokens_details', 'input_tokens_details', 'input_token_details'],
			['cached_tokens', 'cache_read'],
		),
		reasoning: read(
			['reasoning_tokens'],
			['completion_tokens_details', 'output_tokens_details', 'output_token_details'],
			['reasoning_tokens', 'reasoning'],
		),
	});
}

const INPUT_NAMES = ['prompt_tokens', 'input_tokens', 'promptTokens', 'inputTokens'];
const OUTPUT_NAMES = ['completion_tokens', 'output_tokens', 'completionTokens', 'outputTokens'];

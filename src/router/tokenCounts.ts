import { isPlainObject, omitMissing } from '../core/json';
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
 * Reads the token counts of an answer, as either protocol names them. Services with these protocols report the cached and the
 * reasoning tokens in different fields. The specification defines none.
 *
 * @param usage As the router sent it.
 */
export function readTokenCounts(usage: unknown): TokenCounts {
	if (!isPlainObject(usage)) return {};
	const inDetails = (names: string[], fields: string[]) =>
		names.flatMap((name) => {
			const detail = usage[name];
			return isPlainObject(detail) ? fields.map((field) => detail[field]) : [];
		});
	const { cached_tokens, prompt_cache_hit_tokens, cache_read_input_tokens } = usage;
	return omitMissing({
		input: readFirstCount(usage['prompt_tokens'], usage['input_tokens']),
		output: readFirstCount(usage['completion_tokens'], usage['output_tokens']),
		cached: readFirstCount(
			...inDetails(
				['prompt_tokens_details', 'input_tokens_details', 'input_token_details'],
				['cached_tokens', 'cache_read'],
			),
			...[cached_tokens, prompt_cache_hit_tokens, cache_read_input_tokens],
		),
		reasoning: readFirstCount(
			...inDetails(
				['completion_tokens_details', 'output_tokens_details', 'output_token_details'],
				['reasoning_tokens', 'reasoning'],
			),
			usage['reasoning_tokens'],
		),
	});
}

function readFirstCount(...values: unknown[]): number | undefined {
	return values.map(readCount).find((value) => value !== undefined);
}

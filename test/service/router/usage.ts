import type { Plan } from './plan.ts';
import type { Run } from './run.ts';

/** Usage in the chat-completions protocol; `completion_tokens` includes the hidden ones (section 2C). */
export function chatUsage({ cachedTokens, reasoningTokens, choices }: Plan, run: Run) {
	const output = run.outputTokens();
	return {
		prompt_tokens: run.promptTokens,
		completion_tokens: output,
		total_tokens: run.promptTokens + output,
		...(cachedTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedTokens } }),
		completion_tokens_details: { reasoning_tokens: reasoningTokens * choices.length },
	};
}

/** Usage in the responses protocol. */
export function responseUsage({ cachedTokens, reasoningTokens }: Plan, run: Run) {
	const output = run.outputTokens();
	return {
		input_tokens: run.promptTokens,
		...(cachedTokens !== undefined && { input_tokens_details: { cached_tokens: cachedTokens } }),
		output_tokens: output,
		output_tokens_details: { reasoning_tokens: reasoningTokens },
		total_tokens: run.promptTokens + output,
	};
}

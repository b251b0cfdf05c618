import type { Plan } from './plan.ts';
import type { Run } from './run.ts';

/** Usage in the chat-completions protocol; `completion_tokens` includes the hidden ones (section 2C). */
export function chatUsage(plan: Plan, run: Run) {
	const output = run.outputTokens();
	const { prompt, completion } = detailsOf(plan);
	return {
		prompt_tokens: run.promptTokens,
		completion_tokens: output,
		total_tokens: run.promptTokens + output,
		...(prompt && { prompt_tokens_details: prompt }),
		completion_tokens_details: completion,
	};
}

/** Usage in the responses protocol. */
export function responseUsage(plan: Plan, run: Run) {
	const output = run.outputTokens();
	const { prompt, completion } = detailsOf(plan);
	return {
		input_tokens: run.promptTokens,
		output_tokens: output,
		total_tokens: run.promptTokens + output,
		...(prompt && { input_tokens_details: prompt }),
		output_tokens_details: completion,
	};
}

const detailsOf = ({ cachedTokens, reasoningTokens, choices }: Plan) => ({
	prompt: cachedTokens === undefined ? undefined : { cached_tokens: cachedTokens },
	completion: { reasoning_tokens: reasoningTokens * choices.length },
});

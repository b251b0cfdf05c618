import { isPlainObject, type JsonObject } from '../core/json';

/**
 * Where a message of chat completions has what its model thought: the first place with a text counts. Of a list, the texts of all entries do.
 * A new place needs a named service that sends it.
 */
const PLACES: ReadonlyArray<readonly string[]> = [
	// DeepSeek, https://api-docs.deepseek.com/guides/thinking_mode
	['reasoning_content'],
	// OpenRouter, https://openrouter.ai/docs/guides/best-practices/reasoning-tokens
	['reasoning'],
	// Mistral, https://docs.mistral.ai/capabilities/reasoning
	['content', 'thinking'],
	// Databricks, https://docs.databricks.com/aws/en/machine-learning/model-serving/query-reason-models
	['content', 'summary'],
	// MiniMax, https://platform.minimax.io/docs/api-reference/text-openai-api
	['reasoning_details', 'text'],
	// OpenRouter, where the vendor tells a summary
	['reasoning_details', 'summary'],
	// LiteLLM, https://docs.litellm.ai/docs/reasoning_content
	['thinking_blocks', 'thinking'],
	// Snowflake Cortex, https://github.com/posit-dev/chatlas/pull/431
	['content_list', 'thinking'],
	// Snowflake Cortex, in its pieces
	['thinking'],
];

/** What a model thought, as far as it shows that. Empty if it does not. */
export function readReasoning(message: JsonObject): string {
	for (const path of PLACES) {
		// most messages have none of them
		if (message[path[0] ?? ''] === undefined) continue;
		const text = textAt(message, path);
		if (text) return text;
	}
	return '';
}

function textAt(value: unknown, [name, ...rest]: readonly string[]): string {
	if (Array.isArray(value))
		return value.map((one) => textAt(one, name ? [name, ...rest] : [])).join('');
	if (name !== undefined) return isPlainObject(value) ? textAt(value[name], rest) : '';
	// a part of a text
	const text = isPlainObject(value) ? value['text'] : value;
	return typeof text === 'string' ? text : '';
}

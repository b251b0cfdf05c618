import { isPlainObject, type JsonObject } from '../core/json';

/**
 * Where a message of chat completions has what its model thought: the first place with a text counts. Of a list, the texts of all entries do.
 * A new place needs a named service that sends it.
 */
const PLACES: ReadonlyArray<{ path: readonly string[]; sentBy: string }> = [
	{
		path: ['reasoning_content'],
		sentBy: 'DeepSeek, https://api-docs.deepseek.com/guides/thinking_mode',
	},
	{
		path: ['reasoning'],
		sentBy: 'OpenRouter, https://openrouter.ai/docs/guides/best-practices/reasoning-tokens',
	},
	{
		path: ['content', 'thinking'],
		sentBy: 'Mistral, https://docs.mistral.ai/capabilities/reasoning',
	},
	{
		path: ['content', 'summary'],
		sentBy:
			'Databricks, https://docs.databricks.com/aws/en/machine-learning/model-serving/query-reason-models',
	},
	{
		path: ['reasoning_details', 'text'],
		sentBy: 'MiniMax, https://platform.minimax.io/docs/api-reference/text-openai-api',
	},
	{
		path: ['reasoning_details', 'summary'],
		sentBy: 'OpenRouter, where the vendor tells a summary',
	},
	{
		path: ['thinking_blocks', 'thinking'],
		sentBy: 'LiteLLM, https://docs.litellm.ai/docs/reasoning_content',
	},
	{
		path: ['content_list', 'thinking'],
		sentBy: 'Snowflake Cortex, https://github.com/posit-dev/chatlas/pull/431',
	},
	{ path: ['thinking'], sentBy: 'Snowflake Cortex, in its pieces' },
];

/** What a model thought, as far as it shows that. Empty if it does not. */
export function readReasoning(message: JsonObject): string {
	for (const { path } of PLACES) {
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

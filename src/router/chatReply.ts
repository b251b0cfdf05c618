import { isPlainObject, type JsonObject } from '../core/json';
import { toChatCall } from './messages';
import type { TextAnswer } from './textAnswer';
import { readTokenCounts } from '../core/tokenCounts';

/**
 * An answer of either protocol as a `chat.completion` object.
 *
 * @see section 2C, chat completion object
 */
export function toChatCompletion(answer: TextAnswer): object {
	return {
		...headOf(answer, 'chat.completion'),
		choices: [
			{
				index: 0,
				message: toReplyMessage(answer),
				finish_reason: finishReasonOf(answer),
			},
		],
		...toUsageField(answer),
	};
}

/**
 * The last chunks of a streamed chat completion whose text was sent before: the tool calls, each complete, then the finish reason, then
 * the token counts.
 *
 * @param hasText Whether any text was sent before.
 */
export function toLastChunks(answer: TextAnswer, hasText: boolean): object[] {
	const { content, ...message } = toReplyMessage(answer);
	const rest = hasText ? message : { content, ...message };
	return [
		toChunk(answer.model, rest),
		toChunk(answer.model, {}, finishReasonOf(answer)),
		{ ...headOf(answer, 'chat.completion.chunk'), choices: [], ...toUsageField(answer) },
	];
}

/** A chunk of a streamed chat completion. */
export const toChunk = (model: string, delta: JsonObject, finishReason: string | null = null) => ({
	...headOf({ model }, 'chat.completion.chunk'),
	choices: [{ index: 0, delta, finish_reason: finishReason }],
});

/** A further chunk that has text only. It is short: a reader waits for each, and the client looks at all of its bytes. */
export const toTextChunk = (content: string): object => ({
	id: '',
	choices: [{ index: 0, delta: { content } }],
});

const headOf = ({ model, requestId }: Pick<TextAnswer, 'model' | 'requestId'>, object: string) => ({
	id: requestId ?? '',
	object,
	created: 0,
	model,
});

/** The refusal is the text if there is no other: the reader would otherwise get an empty text. */
export const replyTextOf = ({ text, toolCalls, refusal = '' }: TextAnswer): string =>
	text || (toolCalls.length ? '' : refusal);

function toReplyMessage(answer: TextAnswer): JsonObject {
	const calls = answer.toolCalls.map((call, index) => ({ index, ...toChatCall(call) }));
	return {
		role: 'assistant',
		content: replyTextOf(answer) || (calls.length ? null : ''),
		...(calls.length && { tool_calls: calls }),
	};
}

const finishReasonOf = ({ finishReason, toolCalls }: TextAnswer) =>
	finishReason ?? (toolCalls.length ? 'tool_calls' : 'stop');

/** Under the names of chat completions. Nothing where the model did not report both counts. */
function toUsageField({ usage }: TextAnswer): object {
	const { input, output, cached, reasoning } = readTokenCounts(usage);
	if (input === undefined || output === undefined) return {};
	return {
		usage: {
			prompt_tokens: input,
			completion_tokens: output,
			total_tokens: input + output,
			...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
			...(reasoning !== undefined && {
				completion_tokens_details: { reasoning_tokens: reasoning },
			}),
		},
	};
}

/**
 * Removes from a conversation every tool call and every result that comes a second time, unchanged and with the same ID.
 *
 * When n8n runs an AI agent again after a failure, its latest steps are there twice (n8n-nodes-langchain 2.41.1,
 * utils/agent-execution/buildSteps.js). The conversation would differ from the one that failed, and might be paid twice.
 *
 * @param messages Of a chat completion.
 */
export function dropRepeatedSteps(messages: unknown): unknown {
	if (!Array.isArray(messages)) return messages;
	const seen = new Set<string>();
	return messages.filter((message: unknown) => {
		if (!isToolStep(message)) return true;
		const text = JSON.stringify(message);
		const isRepeated = seen.has(text);
		seen.add(text);
		return !isRepeated;
	});
}

/** A message without an ID may come twice on purpose. */
const isToolStep = (message: unknown) =>
	isPlainObject(message) &&
	(typeof message['tool_call_id'] === 'string' || hasCallIds(message['tool_calls']));

const hasCallIds = (calls: unknown) =>
	Array.isArray(calls) &&
	calls.length > 0 &&
	calls.every((call: unknown) => isPlainObject(call) && typeof call['id'] === 'string');

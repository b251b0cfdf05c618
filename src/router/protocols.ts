import { isPlainObject, type JsonObject } from '../core/json';
import { readMessage } from './answerFiles';
import { completeChat, type ChatRequest } from './chatCompletions';
import { toAssistantMessage, toResponseItems } from './messages';
import { createResponse, readOutput, type ResponseRequest } from './responses';
import type { TextAnswer } from './textAnswer';

/**
 * How a request is sent that was built as a chat completion. `raw` is the protocol's own object in the answer, `given` what of it comes
 * back in the next request, `toMessage` makes a message of that, `limit` is its field for the maximum output tokens.
 */
export const protocols = {
	chat: {
		raw: 'completion',
		given: readMessage,
		toMessage: (_answer: TextAnswer, [message]: unknown[]) => message,
		limit: 'max_tokens',
		toBody: (request: ChatRequest) => request,
		ask: completeChat,
	},
	responses: {
		raw: 'response',
		given: readOutput,
		toMessage: (answer: TextAnswer, output: unknown[]) => ({
			...toAssistantMessage(answer),
			output,
		}),
		limit: 'max_output_tokens',
		toBody: toResponseBody,
		ask: createResponse,
	},
} as const;

export type Protocol = keyof typeof protocols;

/**
 * Converts the body of a chat completion for the responses protocol. Fields without a counterpart are sent unchanged.
 *
 * @see POST /v1/responses
 */
export function toResponseBody({
	messages,
	max_tokens: maxTokens,
	reasoning_effort: effort,
	response_format: format,
	tools,
	tool_choice: toolChoice,
	...more
}: ChatRequest): ResponseRequest {
	return {
		...more,
		input: messages.flatMap(toResponseItems).map(toInputItem),
		...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
		...(effort !== undefined && { reasoning: { ...fieldsOf(more['reasoning']), effort } }),
		...(isPlainObject(format) && {
			text: { ...fieldsOf(more['text']), format: flatten(format, 'json_schema') },
		}),
		...(Array.isArray(tools) && {
			tools: tools.map(toResponseTool),
		}),
		...(toolChoice !== undefined && {
			tool_choice: isPlainObject(toolChoice) ? flatten(toolChoice, 'function') : toolChoice,
		}),
	};
}

const fieldsOf = (value: unknown): JsonObject => (isPlainObject(value) ? value : {});

/**
 * A function is not strict by default in chat completions. It is here, which makes its optional parameters mandatory.
 *
 * @see https://developers.openai.com/api/docs/guides/function-calling (strict mode), langchain-ai/langchain#39309, vercel/ai#15889
 */
const toResponseTool = (tool: unknown): unknown =>
	isPlainObject(tool) && isPlainObject(tool['function'])
		? { strict: false, ...flatten(tool, 'function') }
		: tool;

/** What chat completions have in a nested object is next to the type here. */
function flatten(value: JsonObject, name: string): JsonObject {
	const { [name]: inner, ...rest } = value;
	return isPlainObject(inner) ? { ...rest, ...inner } : value;
}

function toInputItem(item: object): object {
	if (!('content' in item) || !Array.isArray(item.content)) return item;
	const isAnswer = 'role' in item && item.role === 'assistant';
	return {
		...item,
		content: item.content.map((part: unknown) =>
			isPlainObject(part) ? toInputPart(part, isAnswer) : part,
		),
	};
}

/** A part of a message. Types that this protocol shares, or that are unknown, stay as they are. */
function toInputPart(part: JsonObject, isAnswer: boolean): object {
	const { type, ...rest } = part;
	if (type === 'text') return { type: isAnswer ? 'output_text' : 'input_text', ...rest };
	const isUrl = type === 'image_url' || type === 'video_url' || type === 'audio_url';
	if (isUrl) {
		const value = part[type];
		const { url, ...details } = isPlainObject(value) ? value : { url: value };
		return { type: `input_${type.slice(0, -'_url'.length)}`, [type]: url, ...details };
	}
	const { file } = part;
	return type === 'file' && isPlainObject(file)
		? { type: 'input_file', ...toFileFields(file) }
		: part;
}

/** This protocol has a separate field for the address of a file. */
function toFileFields({ file_data: data, ...more }: JsonObject): object {
	const isAddress = typeof data === 'string' && /^https?:/i.test(data);
	return isAddress
		? { file_url: data }
		: { ...more, ...(data !== undefined && { file_data: data }) };
}

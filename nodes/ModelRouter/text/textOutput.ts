import { ServiceError } from '../../../src/core/errors';
import type { ChatMessage } from '../../../src/router/messages';
import { toUsd } from '../../../src/core/money';
import {
	type TextAnswer,
	type TextChoice,
	type ToolCall,
	createStructuredReader,
	answerWarning,
} from '../../../src/router/textAnswer';
import type { TextValues } from './text.params';

/** The fields of an answer for the output, without protocol details. */
export function simplifyAnswer(answer: TextAnswer): object {
	const { text, toolCalls, choices, ...rest } = answer;
	return {
		output: text,
		...rest,
		...(toolCalls.length && {
			toolCalls: toolCalls.map(withInputField),
			message: toAssistantMessage(answer),
		}),
		...(choices && { answers: choices.map(simplifyChoice) }),
	};
}

function simplifyChoice({ text, toolCalls, ...rest }: TextChoice): object {
	return {
		output: text,
		...rest,
		...(toolCalls.length && { toolCalls: toolCalls.map(withInputField) }),
	};
}

/** n8n's expressions cannot read a field called "arguments", so its value is in "input" as well. */
const withInputField = (call: ToolCall) => ({ ...call, input: call.arguments });

/** The answer as a message for the next request, where it precedes the results of the tools. */
function toAssistantMessage({ text, toolCalls }: TextAnswer): ChatMessage {
	const calls = toolCalls.map(({ id, name, arguments: value }) => ({
		id,
		type: 'function',
		function: { name, arguments: typeof value === 'string' ? value : JSON.stringify(value) },
	}));
	return { role: 'assistant', content: text || null, tool_calls: calls };
}

/** The cost in USD, and that it is not the service's own figure; nothing if it is not known. */
export function toCostFields(microUsd: number | undefined): {
	costUsd?: number;
	costComputed?: boolean;
} {
	const costUsd = toUsd(microUsd);
	return costUsd === undefined ? {} : { costUsd, costComputed: true };
}

/** An answer, with what it has cost if that is known, and the protocol's own object if it is kept. */
export type PricedAnswer = TextAnswer &
	ReturnType<typeof toCostFields> & { completion?: unknown; response?: unknown };

export const pickCost = ({ costUsd, costComputed }: ReturnType<typeof toCostFields>) =>
	costUsd === undefined ? {} : { costUsd, costComputed };

export const pickRequestId = ({ requestId }: { requestId?: string }) =>
	requestId ? { requestId } : {};

export type StructuredReader = ReturnType<typeof createStructuredReader>;

/** A schema without an expression is the same object for all items, and is compiled once. */
const cachedReaders = new WeakMap<object, StructuredReader>();

/**
 * Creates the reader for a response format; undefined for plain text.
 *
 * @throws ServiceError `invalid` for an unusable schema.
 */
export function createAnswerReader({
	responseFormat,
	jsonSchema,
}: Pick<TextValues, 'responseFormat' | 'jsonSchema'>): StructuredReader | undefined {
	if (responseFormat === 'text') return undefined;
	if (responseFormat === 'json_object') return createStructuredReader();
	const reader = cachedReaders.get(jsonSchema) ?? createStructuredReader(jsonSchema);
	cachedReaders.set(jsonSchema, reader);
	return reader;
}

/**
 * Reads an answer as JSON. An answer that only requests tools is not read.
 *
 * @throws ServiceError `schemaMismatch`, with the answer (which is billed) and the path of the value that does not match.
 */
export function readStructuredAnswer(
	read: StructuredReader,
	answer: TextAnswer,
	maxTokens?: number,
): { parsed?: unknown; parsedAnswers?: unknown[] } {
	if (!answer.text && answer.toolCalls.length) return {};
	const choices = answer.choices ?? [answer];
	const parsed = choices.map(({ text }, index) => {
		const result = read(text);
		if ('parsed' in result) return result.parsed;
		const number = choices.length > 1 ? ` ${index + 1}` : '';
		throw new ServiceError('schemaMismatch', `The answer${number} is not in the requested format`, {
			outcome: 'started',
			reason: result.reason,
			...pickRequestId(answer),
			computed: { place: result.place },
			partial: answer,
			advice:
				answerWarning(answer, maxTokens) ??
				'Describe the format in the messages as well, or use a model that follows it. The answer is billed; its text is in the details.',
		});
	});
	return { parsed: parsed[0], ...(answer.choices && { parsedAnswers: parsed }) };
}

import type { ParamValues } from '../../../src/n8n/parameters';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import { addAttachments, toChatPart } from '../../../src/router/messages';
import { toAttachmentSources, toMessages } from './messages';
import { addFields, toProtocolFields } from './requestFields';
import type { additionalFieldsOption, systemMessageOption, TextValues } from './text.params';
import type { TextRequest } from './textRequest';
import { toToolChoice, toTools, type toolChoiceOption } from './tools.params';

/** Options, and the fields of the chat-completions protocol as which they are sent. */
export const CHAT_FIELDS = {
	answerCount: 'n',
	frequencyPenalty: 'frequency_penalty',
	maxTokens: 'max_tokens',
	presencePenalty: 'presence_penalty',
	reasoningEffort: 'reasoning_effort',
	seed: 'seed',
	stopSequences: 'stop',
	temperature: 'temperature',
	topLogprobs: 'top_logprobs',
	topP: 'top_p',
} as const;

type ChatOptions = { [name in keyof typeof CHAT_FIELDS]?: unknown } & Partial<
	ParamValues<[typeof additionalFieldsOption, typeof systemMessageOption, typeof toolChoiceOption]>
>;

/**
 * Builds a chat request from the parameters.
 *
 * @param history What a conversation hands over to a speaker.
 * @throws ServiceError `invalid`.
 * @see POST /v1/chat/completions
 */
export function toChatRequest(
	values: TextValues,
	{ systemMessage, additionalFields, toolChoice, ...options }: ChatOptions,
	history?: unknown,
): TextRequest & { toBody(...files: Parameters<TextRequest['toBody']>): ChatRequest } {
	const model = values.model.trim();
	const conversation = toMessages(values, history);
	const messages = systemMessage?.trim()
		? [{ role: 'system' as const, content: systemMessage }, ...conversation]
		: conversation;
	const tools = toTools(values.tools).map((tool) => ({ type: 'function', function: tool }));
	const body = addFields(
		{
			model,
			messages,
			...toProtocolFields(options, CHAT_FIELDS),
			...(options.topLogprobs !== undefined && { logprobs: true }),
			...(tools.length && { tools }),
			...toToolChoice(toolChoice, (name) => ({ type: 'function', function: { name } })),
			...toFormatField(values),
		},
		additionalFields,
	);
	return {
		model,
		attachments: toAttachmentSources(values.attachments),
		toBody: (files) => ({ ...body, messages: addAttachments(messages, files, toChatPart, 'text') }),
	};
}

/** The field `response_format`; nothing for a text. */
export function toFormatField({
	responseFormat: type,
	jsonSchema: schema,
}: Pick<TextValues, 'responseFormat' | 'jsonSchema'>): object {
	if (type === 'text') return {};
	if (type === 'json_object') return { response_format: { type } };
	return { response_format: { type, json_schema: { name: 'answer', schema } } };
}

import type { ParamValues } from '../../../src/n8n/parameters';
import { addAttachments, type ChatMessage } from '../../../src/router/messages';
import { toAttachmentSources, toMessages } from './messages';
import { protocols, type Protocol, type protocolOption } from './protocols';
import { addFields, toProtocolFields } from './requestFields';
import type { additionalFieldsOption, systemMessageOption, TextValues } from './text.params';
import type { TextRequest } from './textRequest';
import {
	toToolChoice,
	toToolFields,
	type toolChoiceOption,
	type toolsOption,
} from './tools.params';

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
	topP: 'top_p',
} as const;

type ChatOptions = { [name in keyof typeof CHAT_FIELDS]?: unknown } & Partial<
	ParamValues<
		[
			typeof additionalFieldsOption,
			typeof protocolOption,
			typeof systemMessageOption,
			typeof toolChoiceOption,
			typeof toolsOption,
		]
	>
>;

/**
 * Builds a text request from the parameters.
 *
 * @param history What a conversation hands over to a speaker.
 * @throws ServiceError `invalid`.
 * @see POST /v1/chat/completions, POST /v1/responses
 */
export function toTextRequest(
	values: TextValues,
	{
		systemMessage,
		additionalFields,
		tools,
		toolChoice,
		protocol = 'chat',
		...options
	}: ChatOptions,
	history?: unknown,
): TextRequest {
	const model = values.model.trim();
	const messages = toMessages(values, protocol, history);
	const fields = {
		...toProtocolFields(options, CHAT_FIELDS),
		...toToolFields(tools),
		...toToolChoice(toolChoice),
		...toFormatField(values),
	};
	const build = (conversation: ChatMessage[]) => {
		const request = {
			model,
			...withSystemMessage(conversation, protocol, systemMessage),
			...fields,
		};
		return addFields(protocols[protocol].toBody(request), additionalFields);
	};
	const body = build(messages);
	return {
		model,
		protocol,
		attachments: toAttachmentSources(values.attachments),
		toBody: (files) => (files.length ? build(addAttachments(messages, files)) : body),
	};
}

function withSystemMessage(messages: ChatMessage[], protocol: Protocol, text = '') {
	if (!text.trim()) return { messages };
	return protocol === 'responses'
		? { messages, instructions: text }
		: { messages: [{ role: 'system' as const, content: text }, ...messages] };
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

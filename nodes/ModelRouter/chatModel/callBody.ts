import { invalidInputError } from '../../../src/core/errors';
import { isPlainObject } from '../../../src/core/json';
import type { ParamValues } from '../../../src/n8n/parameters';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import { CHAT_FIELDS, toFormatField } from '../text/chatRequest';
import { addFields, toProtocolFields } from '../text/requestFields';
import type { chatModelParams } from './chatModel.params';

export type ChatModelValues = ParamValues<typeof chatModelParams>;

/** What the node that uses the model decides. */
const CALLER_FIELDS = ['model', 'messages', 'tools', 'tool_choice'];

/**
 * Adds the settings of the node to what an AI agent or chain asks. What the agent sets for one call goes before.
 *
 * @returns a function that takes the body of a chat completion.
 * @throws ServiceError `invalid`.
 */
export function createBodyBuilder(values: ChatModelValues) {
	const { additionalFields = {}, ...options } = values.options;
	for (const name of CALLER_FIELDS)
		if (Object.hasOwn(additionalFields, name))
			throw invalidInputError(
				`Additional Fields must not contain "${name}"`,
				'It is set by the node that uses this model, and by "Model".',
			);
	const settings = addFields(
		{
			...toProtocolFields<keyof typeof CHAT_FIELDS>(options, CHAT_FIELDS),
			...toFormatField(values),
		},
		additionalFields,
	);
	return (asked: Record<string, unknown>, model: string): ChatRequest => {
		const messages = requireMessages(asked).map(withPlainContent);
		return { ...settings, ...asked, messages, model } as ChatRequest;
	};
}

/**
 * LangChain's model asks in the form of the Responses API for tools that run at OpenAI, and for some settings.
 *
 * Seen: `_useResponsesApi`, @langchain/openai 1.4.4, dist/chat_models/index.cjs.
 */
function requireMessages({ messages }: Record<string, unknown>): unknown[] {
	if (Array.isArray(messages)) return messages;
	throw invalidInputError(
		'This chat model was asked for something that only OpenAI has',
		'Nothing was sent. The node that uses it asked in the form of the Responses API, as for a tool that runs at OpenAI. Remove such tools, or use another chat model.',
	);
}

/** n8n's AI Agent writes a call of a tool without words as an empty list, which not every service takes. */
function withPlainContent(message: unknown): unknown {
	if (!isPlainObject(message) || !Array.isArray(message['content'])) return message;
	return message['content'].length ? message : { ...message, content: null };
}

import { type Caps, checkCaps } from '../../../src/core/budget';
import { invalidInputError } from '../../../src/core/errors';
import { isPlainObject } from '../../../src/core/json';
import type { PreflightContext } from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/parameters';
import type { ChatRequest } from '../../../src/router/chatCompletions';
import { checkInputs, type Modality } from '../../../src/router/messages';
import { checkKind } from '../../../src/router/model';
import { checkAgainstCatalog } from '../catalog';
import type { Protocol } from '../text/protocols';
import { type FoundModel, limitOutput } from '../text/textCost';
import { addFields, CHAT_FIELDS, toFormatField, toProtocolFields } from '../text/textRequest';
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

/**
 * Rejects a model of the wrong kind or without an input that the call needs, and a call that could cost more than the caps, or an
 * unknown amount.
 *
 * @param asked In chat completions.
 * @param body As it is sent, apart from a limit of the output.
 */
export async function checkCall(
	context: Pick<PreflightContext<unknown>, 'lookUp'>,
	asked: ChatRequest,
	body: Record<string, unknown>,
	limits: { protocol: Protocol; caps: Caps; allowUnknownCost: boolean },
): Promise<FoundModel> {
	let checked: FoundModel = { missing: 'the catalog was not read' };
	await checkAgainstCatalog(context, asked.model, (found) => {
		if ('entry' in found) {
			checkKind(found.entry, 'text', 'That is an operation of the Model Router node.');
			checkInputs(found.entry, findModalities(asked.messages));
		}
		const { bound } = limitOutput(found, body, limits);
		checkCaps(limits.caps, bound, limits.allowUnknownCost);
		checked = found;
	});
	return checked;
}

/** What the parts of messages are, by their types in chat completions. */
const MODALITY_BY_TYPE: Record<string, Modality> = {
	image_url: 'image',
	input_audio: 'audio',
	audio_url: 'audio',
	video_url: 'video',
	file: 'file',
};

function findModalities(messages: ChatRequest['messages']): Modality[] {
	const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
	return parts.flatMap((part) => {
		const type = isPlainObject(part) ? part['type'] : undefined;
		const modality = typeof type === 'string' ? MODALITY_BY_TYPE[type] : undefined;
		return modality ? [modality] : [];
	});
}

import { type Caps, checkCaps } from '../../../src/core/budget';
import { invalidInputError } from '../../../src/core/errors';
import type { OperationContext, PreflightContext } from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/parameters';
import {
	addAttachments,
	type Attachment,
	type ChatMessage,
	checkInputs,
} from '../../../src/router/messages';
import { checkKind } from '../../../src/router/model';
import { checkAgainstCatalog } from '../catalog';
import {
	type AttachmentSource,
	resolveModality,
	toAttachmentSources,
	toRequestMessages,
} from './messages.params';
import { type Protocol, type protocolOption, protocols } from './protocols';
import { limitOutput } from './textCost';
import type { additionalFieldsOption, systemMessageOption, TextValues } from './text.params';
import {
	type toolChoiceOption,
	type toolsOption,
	toToolChoice,
	toToolFields,
} from './tools.params';

/** A text request, before its files are read. */
export interface TextRequest {
	model: string;
	protocol: Protocol;
	attachments: readonly AttachmentSource[];
	/** Builds the body of the request with its files. */
	toBody(attachments: readonly Attachment[]): { model: string } & Record<string, unknown>;
}

/** A text request that is sent. */
export interface PaidTextRequest extends TextRequest {
	caps: Caps;
	/** Whether to send the request even if its cost cannot be calculated. */
	allowUnknownCost: boolean;
}

/** Rejects a model of another kind, files that the model does not accept, and a request that could cost more than the caps. */
export async function checkTextRequest({
	request,
	findFile,
	lookUp,
}: PreflightContext<TextRequest | PaidTextRequest>): Promise<void> {
	const modalities = request.attachments.map((attachment) => resolveModality(attachment, findFile));
	await checkAgainstCatalog({ lookUp }, request.model, (found) => {
		if ('entry' in found) {
			checkKind(found.entry, 'text');
			checkInputs(found.entry, modalities, 'Attachments');
		}
		if (!('allowUnknownCost' in request)) return;
		const placeholders = modalities.map((modality): Attachment => ({ modality, url: '' }));
		const { bound } = limitOutput(found, request.toBody(placeholders), request);
		checkCaps(request.caps, bound, request.allowUnknownCost);
	});
}

/** Reads the files and builds the body of the request. */
export async function buildBody({ request, readFile }: OperationContext<TextRequest>) {
	const attachments: Attachment[] = [];
	for (const { path, modality, url, binaryProperty = '' } of request.attachments) {
		if (url !== undefined) {
			attachments.push({
				modality: resolveModality({ path, modality, url }, rejectFileLookup),
				url,
			});
			continue;
		}
		const file = await readFile(binaryProperty, path);
		const found = resolveModality({ path, modality, binaryProperty }, () => file);
		attachments.push({ modality: found, ...file });
	}
	return request.toBody(attachments);
}

const rejectFileLookup = (): never => {
	throw new Error('an address needs no file');
};

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
	const messages = toRequestMessages(values, protocol, history);
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

/**
 * The fields of a protocol.
 *
 * @param options By their stored names. An option that is not set is left out.
 * @param fieldNames The protocol's name of each option.
 */
export function toProtocolFields<Name extends string>(
	options: { [name in Name]?: unknown },
	fieldNames: Record<Name, string>,
): Record<string, unknown> {
	const set = Object.entries<string>(fieldNames).flatMap(([name, field]) => {
		const value = options[name as Name];
		return value === undefined ? [] : [[field, value] as const];
	});
	return Object.fromEntries(set);
}

/** Fields that are not allowed in Additional Fields, and why. */
const FORBIDDEN_FIELDS: Record<string, string> = {
	stream: 'The answer is always streamed inside.',
	stream_options: 'The service sets it by itself.',
	previous_response_id:
		'The service does not store responses: send the whole conversation in the messages.',
};

/**
 * Adds fields to a request.
 *
 * @throws ServiceError `invalid` for a field that is already set, or that the service does not support.
 */
export function addFields<Body extends object>(
	body: Body,
	additionalFields: Record<string, unknown> = {},
): Body & Record<string, unknown> {
	for (const name of Object.keys(additionalFields)) {
		if (Object.hasOwn(FORBIDDEN_FIELDS, name) && !isAllowedValue(name, additionalFields[name]))
			throw invalidInputError(
				`Additional Fields must not contain "${name}"`,
				FORBIDDEN_FIELDS[name],
			);
		if (Object.hasOwn(body, name))
			throw invalidInputError(
				`Additional Fields must not contain "${name}"`,
				'It is set by a field above.',
			);
	}
	return { ...body, ...additionalFields };
}

const isAllowedValue = (name: string, value: unknown) =>
	value === null || (name === 'stream' && value === true);

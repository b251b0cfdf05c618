import { type Caps, createRequestCap } from '../../../src/core/caps';
import { invalidInputError } from '../../../src/core/errors';
import { compileSchema } from '../../../src/core/jsonSchema';
import { omitMissing } from '../../../src/core/json';
import { createStructuredReader, type StructuredReader } from '../../../src/core/structuredAnswer';
import { regexEngine } from '../../../src/n8n/n8nVersions';
import type {
	OperationContext,
	PreflightContext,
	PrepareContext,
} from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/parameters';
import { judgeText, type TextCall, type TextLimits, withBody } from '../../../src/paid/call';
import { choose, type Chosen } from '../../../src/paid/choose';
import {
	addAttachments,
	type Attachment,
	type ChatMessage,
	checkInputs,
	findModalities,
	markSystemMessage,
	type Modality,
	modalityOf,
	modalityOfUrl,
} from '../../../src/router/messages';
import { findModelChoice } from '../../../src/core/modelLists';
import { type Protocol, protocols } from '../../../src/router/protocols';
import { openSource } from '../acrossResources.params';
import { toAttachmentSources, toRequestMessages } from './messages.params';
import type { textOptions, TextValues } from './text.params';
import {
	type toolChoiceOption,
	type toolsOption,
	toToolChoice,
	toToolFields,
} from './tools.params';

/** A text request, before its files are read. */
export type TextRequest = ReturnType<typeof toTextRequest> & Pick<TextLimits, 'allowUnknownCost'>;

/**
 * Chooses the models for a request, and rejects files that do not exist.
 *
 * @throws ServiceError `invalid` if no model can take it.
 */
export async function chooseText(
	context: PreflightContext<TextRequest>,
): Promise<Chosen<TextCall>> {
	const { request, findFile } = context;
	const files = request.attachments.map((source) => {
		const file = openSource(source, findFile);
		return { file, modality: resolveModality(source.modality, file) };
	});
	const placeholders = files.map(
		({ file, modality = 'file' }): Attachment =>
			'url' in file ? { modality, ...file } : { modality, ...file, base64: '' },
	);
	const body = request.withFiles(placeholders);
	const judged = {
		...request,
		inputs: files.map(({ modality }) => modality),
		place: PLACE,
	};
	const chosen = await choose(context, request.findChoice(), (candidate, isOfList) =>
		judgeText(judged, candidate, { ...body, model: candidate.model }, isOfList),
	);
	if ('refusal' in chosen) throw chosen.refusal;
	return chosen;
}

const PLACE = 'Attachments';

/**
 * Reads the files of a request, once for all its models.
 *
 * @returns what puts them into a call. It throws ServiceError `invalid` for a model that does not take what they have turned out to be.
 */
export async function readFiles({ request, readFile }: OperationContext<TextRequest>) {
	if (!request.attachments.length) return (call: TextCall) => call;
	const attachments: Attachment[] = [];
	for (const source of request.attachments) {
		const file = await openSource(source, readFile);
		attachments.push({ modality: resolveModality(source.modality, file) ?? 'file', ...file });
	}
	const body = request.withFiles(attachments);
	const inputs = attachments.map(({ modality }) => modality);
	return (call: TextCall): TextCall => {
		const { entry } = call.found;
		if (entry) checkInputs(entry, inputs, PLACE);
		return withBody(call, { ...body, model: call.model });
	};
}

/**
 * How a file is sent: as chosen, or by its media type or the extension of its address. Undefined for "octet-stream", which a store may say
 * of any file: only the content shows what it is.
 */
function resolveModality(
	chosen: Modality | 'auto',
	file: { url: string } | { mimeType: string },
): Modality | undefined {
	if (chosen !== 'auto') return chosen;
	if ('url' in file) return modalityOfUrl(file.url);
	return file.mimeType.endsWith('/octet-stream') ? undefined : modalityOf(file.mimeType);
}

type ChatFields = { [name in 'maxTokens' | 'reasoningEffort' | 'temperature']?: unknown };
type TextOption = (typeof textOptions)[keyof typeof textOptions];
type ChatOptions = ChatFields &
	Partial<ParamValues<Array<TextOption | typeof toolChoiceOption | typeof toolsOption>>>;

/**
 * Builds a text request from the parameters.
 *
 * @param surroundings The model lists of the credential, and earlier messages of the conversation in which the node speaks.
 * @throws ServiceError `invalid`.
 * @see POST /v1/chat/completions, POST /v1/responses
 */
export function toTextRequest(
	values: TextValues,
	{
		cacheSystemMessage,
		additionalFields,
		tools,
		toolChoice,
		protocol = 'chat',
		...options
	}: ChatOptions,
	{ readModelLists, handedOver }: Pick<PrepareContext, 'readModelLists' | 'handedOver'>,
) {
	const history = handedOver.readTurn('history');
	const messages = toRequestMessages(values, protocol, history);
	const fields = {
		...toChatFields(options),
		...(tools && toToolFields(tools)),
		...(toolChoice && toToolChoice(toolChoice)),
		...toFormatField(values),
	};
	const build = (conversation: ChatMessage[]) => {
		const request = {
			// a list's is replaced
			model: values.model.trim(),
			...withSystemMessage(conversation, protocol, values.systemMessage, cacheSystemMessage),
			...fields,
		};
		return addFields(protocols[protocol].toBody(request), additionalFields);
	};
	const body = build(messages);
	const caps: Caps = { item: createRequestCap('item', values.spendingCapPerItem) };
	return {
		/** @throws ServiceError `invalid` for a list that the credential does not have. */
		findChoice: () => findModelChoice(values.model, readModelLists),
		protocol,
		caps,
		/** Without the files. */
		body,
		parts: findModalities(messages),
		attachments: toAttachmentSources(values.attachments),
		/** Builds the body of the request with its files. */
		withFiles: (files: readonly Attachment[]) =>
			files.length ? build(addAttachments(messages, files)) : body,
	};
}

/** @param isCached Only a part of a message can be marked, not the field of the responses protocol for instructions. */
function withSystemMessage(
	messages: ChatMessage[],
	protocol: Protocol,
	text: string,
	isCached = false,
) {
	const hasText = text.trim() !== '';
	if (hasText && protocol === 'responses' && !isCached) return { messages, instructions: text };
	const all = hasText ? [{ role: 'system' as const, content: text }, ...messages] : messages;
	return { messages: isCached ? markSystemMessage(all) : all };
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

/** The fields of the chat-completions protocol for the options that are set. */
export const toChatFields = ({
	maxTokens,
	reasoningEffort,
	temperature,
}: ChatFields): Record<string, unknown> =>
	omitMissing({ max_tokens: maxTokens, reasoning_effort: reasoningEffort, temperature });

/** Fields that are not allowed in Additional Fields, and why. */
const FORBIDDEN_FIELDS: Record<string, string> = {
	stream: 'The answer is always streamed internally.',
	stream_options: 'The node sets it itself.',
	previous_response_id:
		'The service does not store responses: send the whole conversation in the messages.',
};

/**
 * Adds fields to a request.
 *
 * @throws ServiceError `invalid` for a field that is already set, or that the service does not support.
 */
export function addFields<Fields extends object>(
	body: Fields,
	additionalFields: Record<string, unknown> = {},
): Fields & Record<string, unknown> {
	for (const [name, value] of Object.entries(additionalFields)) {
		const isForbidden = Object.hasOwn(FORBIDDEN_FIELDS, name) && !isAllowedValue(name, value);
		if (isForbidden || Object.hasOwn(body, name))
			throw invalidInputError(
				`Additional Fields must not contain "${name}"`,
				isForbidden ? FORBIDDEN_FIELDS[name] : 'It is set by a field above.',
			);
	}
	return { ...body, ...additionalFields };
}

const isAllowedValue = (name: string, value: unknown) =>
	value === null || (name === 'stream' && value === true);

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
	const reader =
		cachedReaders.get(jsonSchema) ?? createStructuredReader(compileSchema(jsonSchema, regexEngine));
	cachedReaders.set(jsonSchema, reader);
	return reader;
}

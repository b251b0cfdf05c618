import { type Caps, createCap, leftIn } from '../../../src/core/caps';
import type { Bound } from '../../../src/core/bound';
import { invalidInputError } from '../../../src/core/errors';
import { omitMissing } from '../../../src/core/missing';
import type { Decimal } from '../../../src/core/money';
import type { OperationContext, PrepareContext } from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/parameters';
import {
	addAttachments,
	type Attachment,
	type ChatMessage,
	markSystemMessage,
	type Modality,
	modalityOf,
	modalityOfUrl,
} from '../../../src/router/messages';
import type { Model } from '../../../src/router/model';
import { findModelChoice } from '../../../src/router/modelLists';
import { unifyOutputLimits, withoutLimits } from '../../../src/router/outputLimits';
import {
	type CostBound,
	maximumTextCost,
	type NoCostBound,
	toTextBound,
} from '../../../src/router/pricing';
import { type Protocol, protocols } from '../../../src/router/protocols';
import { openSource, spendingCapPerItemParam } from '../acrossResources.params';
import type { FoundModel } from '../catalog';
import type { Chosen } from '../modelChoice';
import { toAttachmentSources, toRequestMessages } from './messages.params';
import type { textOptions, TextValues } from './text.params';
import {
	type toolChoiceOption,
	type toolsOption,
	toToolChoice,
	toToolFields,
} from './tools.params';

type Cost = CostBound | NoCostBound;
export type Body = Record<string, unknown> & { model: string };

/** What limits a request, and the cost last calculated for it, which is usually the same when it is checked and sent. */
export interface TextLimits {
	protocol: Protocol;
	caps: Caps;
	/** Whether to send the request even if its cost cannot be calculated. Absent for a request that is only estimated. */
	allowUnknownCost?: boolean;
	/** For the record of spending. */
	label?: string;
	last?: { entry: Model; body: object; left: string | undefined; cost: Cost };
}

/** A text request, before its files are read. */
export type TextRequest = ReturnType<typeof toTextRequest> & TextLimits;

/** The same request to a model. The same object for the one that it has, whose cost is then calculated once. */
export const withModel = (body: Body, model: string): Body =>
	body.model === model ? body : { ...body, model };

/** What is asked for, of any model, and at any cost. */
export const identifyText = ({ body, attachments }: Pick<TextRequest, 'body' | 'attachments'>) => ({
	body: withoutLimits(body),
	attachments,
});

/** Reads the files and builds the body of the request. */
export async function buildBody({ request, readFile }: OperationContext<TextRequest>) {
	const attachments: Attachment[] = [];
	for (const source of request.attachments) {
		const file = await openSource(source, readFile);
		attachments.push({ modality: resolveModality(source.modality, file) ?? 'file', ...file });
	}
	return request.toBody(attachments);
}

/**
 * How a file is sent: as chosen, or by its media type or the extension of its address. Undefined for "octet-stream", which a store may say
 * of any file: only the content shows what it is.
 */
export function resolveModality(
	chosen: Modality | 'auto',
	file: { url: string } | { mimeType: string },
): Modality | undefined {
	if (chosen !== 'auto') return chosen;
	if ('url' in file) return modalityOfUrl(file.url);
	return file.mimeType.endsWith('/octet-stream') ? undefined : modalityOf(file.mimeType);
}

/**
 * Limits the output tokens of a request: to the maximum that it sets, by whatever name, or else to what its caps allow.
 *
 * @param free Micro-dollars that the budget of the credential leaves.
 * @returns the request to send, and its maximum cost: in figures, and for its caps.
 */
export function limitOutput(
	found: FoundModel,
	body: Body,
	limits: TextLimits,
	free?: Decimal,
): { body: Body; cost: Cost; bound: Bound } {
	const cost = 'entry' in found ? boundCost(found.entry, body, limits, free) : found;
	const { maxTokens } = cost;
	const { limit: own } = protocols[limits.protocol];
	const limit = maxTokens !== undefined && { [own]: maxTokens };
	const limited = { ...unifyOutputLimits(body, own), ...limit };
	return { body: limited, cost, bound: toTextBound(cost) };
}

function boundCost(entry: Model, body: Body, limits: TextLimits, free?: Decimal): Cost {
	const { caps, last } = limits;
	const money = leftIn(caps, free);
	const left = money?.toFixed();
	if (last?.entry === entry && last.body === body && last.left === left) return last.cost;
	const { limit: own } = protocols[limits.protocol];
	const cost = maximumTextCost(entry, unifyOutputLimits(body, own), own, money);
	limits.last = { entry, body, left, cost };
	return cost;
}

/** Options and their fields in the chat-completions protocol. */
const CHAT_FIELDS = {
	maxTokens: 'max_tokens',
	reasoningEffort: 'reasoning_effort',
	stopSequences: 'stop',
	temperature: 'temperature',
} as const;

type ChatFields = { [name in keyof typeof CHAT_FIELDS]?: unknown };
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
	const field = spendingCapPerItemParam.displayName;
	const caps: Caps = { item: createCap({ cap: values.spendingCapPerItem, field, of: 'item' }) };
	return {
		/** Set by the check. */
		chosen: { candidates: [], passedOver: [] } as Chosen,
		/** @throws ServiceError `invalid` for a list that the credential does not have. */
		findChoice: () => findModelChoice(values.model, readModelLists),
		protocol,
		caps,
		/** Without the files. */
		body,
		attachments: toAttachmentSources(values.attachments),
		/** Builds the body of the request with its files. */
		toBody: (files: readonly Attachment[]) =>
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

/** The fields of the options that are set. */
export function toChatFields(options: ChatFields): Record<string, unknown> {
	const names = Object.keys(CHAT_FIELDS) as Array<keyof ChatFields>;
	return omitMissing(Object.fromEntries(names.map((name) => [CHAT_FIELDS[name], options[name]])));
}

/** Fields that are not allowed in Additional Fields, and why. */
const FORBIDDEN_FIELDS: Record<string, string> = {
	stream: 'The answer is always streamed internally.',
	stream_options: 'The service sets it itself.',
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

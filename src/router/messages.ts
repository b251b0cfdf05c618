import { invalidInputError } from '../core/errors';
import { isMissing, isPlainObject, type JsonObject } from '../core/json';
import type { Model } from './model';
import { stringOrEmpty, type TextChoice, type ToolCall } from './textAnswer';

/** `function` has the result of a `function_call`, in the first form of the protocol. */
export const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;
type Role = (typeof roles)[number];

/** A message of the chat-completions protocol. */
export interface ChatMessage {
	role: Role;
	/** Text or parts. An assistant message that only calls tools may have none. */
	content?: string | object[] | null;
	/** In a tool message: the id of the call that it answers. */
	tool_call_id?: string;
	[field: string]: unknown;
}

/**
 * Checks messages.
 *
 * @param path Their label in the editor.
 * @param mayBeItems Whether some may be items of the responses protocol that are not messages.
 * @throws ServiceError `invalid`, naming the message.
 */
export function checkMessages(
	messages: readonly unknown[],
	path: string,
	mayBeItems = false,
): ChatMessage[] {
	if (!messages.length) throw invalidInputError(`${path} is empty`, 'Add at least one message.');
	return messages.map((message, index) =>
		checkMessage(message, `${path} ${index + 1}`, mayBeItems),
	);
}

function checkMessage(message: unknown, path: string, mayBeItem: boolean): ChatMessage {
	if (!isPlainObject(message))
		throw invalidInputError(`${path} must be an object with "role" and "content"`);
	const { role, content } = message;
	if (mayBeItem && message['type'] && !role) return message as ChatMessage;
	if (!roles.some((known) => known === role))
		throw invalidInputError(
			`${path}: role must be one of: ${roles.join(', ')}`,
			`It is ${role === undefined ? 'missing' : JSON.stringify(role)}.`,
		);
	const hasContent = typeof content === 'string' ? content.trim() !== '' : isPartList(content);
	// the result of a tool may be an empty text
	const mayBeEmpty =
		role === 'tool' ? typeof content === 'string' : role === 'assistant' && hasMore(message);
	if (!hasContent && !mayBeEmpty)
		throw invalidInputError(`${path}: Content is empty`, 'Enter a text or a list of parts.');
	if (role === 'tool' && !message['tool_call_id'])
		throw invalidInputError(
			`${path}: Tool Call ID is empty`,
			'Enter the ID of the call that this message answers.',
		);
	return message as ChatMessage;
}

/** Whether an answer has something beside its text, such as calls or reasoning. */
export const hasMore = (message: JsonObject) =>
	Object.entries(message).some(
		([name, value]) =>
			!['role', 'content'].includes(name) &&
			!isMissing(value) &&
			!(Array.isArray(value) && !value.length),
	);

const isPartList = (content: unknown): content is object[] =>
	Array.isArray(content) && content.length > 0 && content.every(isPlainObject);

/** An answer that calls tools as a message of the next request, in which the results of the tools follow it. */
export function toAssistantMessage({ text, toolCalls }: TextChoice): ChatMessage {
	const calls = toolCalls.map(toChatCall);
	return { role: 'assistant', content: text || null, ...(calls.length && { tool_calls: calls }) };
}

/** A call without arguments has an empty object: many readers reject an empty text. */
export const toChatCall = ({ id, name, arguments: value }: ToolCall) => ({
	id,
	type: 'function',
	function: {
		name,
		arguments: typeof value === 'string' ? value.trim() || '{}' : JSON.stringify(value ?? {}),
	},
});

/**
 * Converts a message for the responses protocol, which has no tool messages: calls and their results are items of their own. Items of
 * that protocol that are not messages are kept unchanged.
 *
 * @see POST /v1/responses, field `input`
 */
export function toResponseItems(message: ChatMessage): object[] {
	const { role, content, tool_calls: calls, output: items, ...more } = message;
	if (!role) return [message];
	if (role === 'tool') {
		const output = typeof content === 'string' ? content : JSON.stringify(content ?? '');
		return [{ type: 'function_call_output', call_id: more.tool_call_id, output }];
	}
	// an answer of this protocol goes back as it came, its reasoning before the calls
	if (Array.isArray(items) && items.length) return items.filter(isPlainObject);
	const toolCalls = Array.isArray(calls) ? calls.filter(isPlainObject) : [];
	const callItems = toolCalls.map(({ id, function: calledFunction }) => ({
		type: 'function_call',
		call_id: id,
		...(isPlainObject(calledFunction) && calledFunction),
	}));
	// an AI agent may have kept an empty answer in its memory
	const isEmpty = role === 'assistant' && !content?.length && !more['type'];
	return isEmpty ? callItems : [{ ...more, role, content }, ...callItems];
}

/**
 * The mark of a part up to which a vendor keeps the prompt in a cache, the same for all of them.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 * @see https://openrouter.ai/docs/guides/best-practices/prompt-caching
 * @see https://docs.litellm.ai/docs/tutorials/prompt_caching
 * @see https://portkey.ai/docs/integrations/llms/anthropic/prompt-caching
 */
const CACHE_MARK = { cache_control: { type: 'ephemeral' } };

/** Marks the last system message at the beginning of a conversation. What comes before it, as the tools do, is in the cache as well. */
export function markSystemMessage(messages: readonly ChatMessage[]): ChatMessage[] {
	const isSystem = ({ role }: ChatMessage) => role === 'system' || role === 'developer';
	const end = messages.findIndex((message) => !isSystem(message));
	const last = (end === -1 ? messages.length : end) - 1;
	return messages.map((message, index) => {
		const content = toParts(message.content);
		if (index !== last || !content.length) return message;
		return {
			...message,
			content: [...content.slice(0, -1), { ...content.at(-1), ...CACHE_MARK }],
		};
	});
}

const toParts = (content: ChatMessage['content']): object[] =>
	Array.isArray(content) ? content : content ? [{ type: 'text', text: content }] : [];

/** Inputs of a model besides text, as the catalog names them (`input_modalities`), and what messages for the user call them. */
export const modalityNames = {
	image: 'images',
	audio: 'audio',
	video: 'videos',
	file: 'files',
};
export type Modality = keyof typeof modalityNames;

const modalities = Object.keys(modalityNames) as Modality[];

/** The inputs in messages, by the types of their parts: `image_url`, `input_audio`, `file` and so on. */
export const findModalities = (messages: readonly ChatMessage[]): Modality[] =>
	messages
		.flatMap(({ content }) => (Array.isArray(content) ? content : []))
		.flatMap((part) => {
			const { type } = Object(part) as { type?: unknown };
			return modalities.filter((one) => stringOrEmpty(type).replace('input_', '').startsWith(one));
		});

/**
 * Rejects a model that does not take an input which a request needs. A model without inputs in the catalog is accepted.
 *
 * @param wanted Undefined for a file of which it is not known yet.
 * @param place Where the inputs are listed in the editor, if each has a number there.
 * @throws ServiceError `invalid`.
 */
export function checkInputs(
	{ id, input_modalities: accepted }: Model,
	wanted: ReadonlyArray<Modality | undefined>,
	place?: string,
): void {
	if (!Array.isArray(accepted)) return;
	const index = wanted.findIndex(
		(one) => !accepted.some((input) => (one ? input === one : input !== 'text')),
	);
	if (index === -1) return;
	const needed = wanted[index] ?? 'file';
	const model = `${place ? `${place} ${index + 1}: the` : 'The'} model ${id}`;
	const inputs = accepted.map(stringOrEmpty).filter(Boolean).join(', ') || 'none';
	throw invalidInputError(
		`${model} does not take ${modalityNames[needed]}`,
		`Nothing was sent. The inputs that the catalog lists: ${inputs}. Use another model, or leave the file out.`,
	);
}

/** A file for the model: its content, or a URL that the service can read. */
export type Attachment = { modality: Modality } & (
	| { url: string }
	| { base64: string; mimeType: string; fileName: string }
);

/** The modality of a file, by its media type. */
export function modalityOf(mimeType: string): Modality {
	const [family = ''] = mimeType.toLowerCase().split('/');
	return family === 'image' || family === 'audio' || family === 'video' ? family : 'file';
}

const MODALITY_BY_EXTENSION: Array<[RegExp, Modality]> = [
	[/\.(mp3|wav|m4a|ogg|oga|opus|flac|aac)$/i, 'audio'],
	[/\.(mp4|mov|webm|mkv|avi|mpe?g)$/i, 'video'],
	[/\.(pdf|txt|csv|md|docx?|xlsx?|pptx?|json|xml|html?|zip)$/i, 'file'],
];

/** The modality of a URL, by its file extension; `image` if that is unknown. */
export function modalityOfUrl(address: string): Modality {
	if (isDataUrl(address)) return modalityOf(address.slice('data:'.length, 100));
	const [path = ''] = address.split(/[?#]/);
	return MODALITY_BY_EXTENSION.find(([ending]) => ending.test(path))?.[1] ?? 'image';
}

/** @throws ServiceError `invalid` for a URL that the service could not read. */
export function checkUrl(address: string, path: string): string {
	const trimmed = address.trim();
	if (!/^(https?:\/\/[^\s/]|data:[^\s,]*,)/i.test(trimmed))
		throw invalidInputError(
			`${path} must begin with https:// or data:`,
			'The service reads it from there.',
		);
	return trimmed;
}

/**
 * A part of a chat message. The specification names `image_url`; the other types are those of the protocol, or in common use
 * where it has none.
 *
 * @see POST /v1/chat/completions, field `messages`
 */
function toPart(attachment: Attachment): object {
	const { modality } = attachment;
	const url =
		'url' in attachment
			? attachment.url
			: `data:${attachment.mimeType};base64,${attachment.base64}`;
	if (modality === 'file')
		return { type: 'file', file: { filename: attachmentName(attachment), file_data: url } };
	if (modality === 'audio' && 'base64' in attachment)
		return { type: 'input_audio', input_audio: toAudioData(attachment) };
	const type = `${modality}_url`;
	return { type, [type]: { url } };
}

/** Adds files after the text of the last user message, or in a new user message if there is none. */
export function addAttachments(
	messages: readonly ChatMessage[],
	attachments: readonly Attachment[],
): ChatMessage[] {
	if (!attachments.length) return [...messages];
	const parts = attachments.map(toPart);
	const last = messages.findLastIndex(({ role }) => role === 'user');
	if (last === -1) return [...messages, { role: 'user', content: parts }];
	return messages.map((message, index) => {
		if (index !== last) return message;
		return { ...message, content: [...toParts(message.content), ...parts] };
	});
}

/** Whether a URL contains the file itself. */
const isDataUrl = (address: string) => /^data:/i.test(address);

function attachmentName(attachment: Attachment): string {
	if ('base64' in attachment) return attachment.fileName;
	if (isDataUrl(attachment.url)) return 'file';
	return (attachment.url.split(/[?#]/)[0]?.split('/').at(-1) ?? '') || 'file';
}

/** The protocol defines the formats `mp3` and `wav`; for others, the subtype of the media type is sent. */
function toAudioData({ base64, mimeType }: { base64: string; mimeType: string }) {
	const subtype = mimeType.toLowerCase().replace(/^[^/]*\/(x-)?|\s*;.*$/g, '');
	const format = { mpeg: 'mp3', wave: 'wav', 'vnd.wave': 'wav' }[subtype] ?? subtype;
	return { data: base64, format };
}

import { invalidInputError } from '../../../src/core/errors';
import { isPlainObject } from '../../../src/core/json';
import type { PreflightContext } from '../../../src/n8n/operation';
import type { ParamValues } from '../../../src/n8n/parameters';
import {
	checkUrl,
	modalityOf,
	modalityOfUrl,
	type Modality,
	checkMessages,
	toResponseInput,
	type ChatMessage,
} from '../../../src/router/messages';
import type { attachmentsParam, conversationParams } from './conversation.params';
import type { Protocol } from './protocols';

type ConversationValues = ParamValues<typeof conversationParams>;
type AttachmentValues = ParamValues<readonly [typeof attachmentsParam]>['attachments'];

/** A file for the messages that has not been read yet. */
export interface AttachmentSource {
	/** Its label in the editor. */
	path: string;
	modality: Modality | 'auto';
	url?: string;
	binaryProperty?: string;
}

/**
 * @param history What was said before, as a conversation hands it over to a speaker. It precedes a prompt. With messages, the user
 *   decides what is sent.
 * @param protocol Messages for the responses protocol may include items of that protocol.
 * @throws ServiceError `invalid`.
 */
export function toMessages(
	values: ConversationValues,
	protocol: Protocol,
	history?: unknown,
): ChatMessage[] {
	const [messages, path] = readMessages(values, history);
	const check = protocol === 'responses' ? toResponseInput : checkMessages;
	check(messages, path);
	return messages as ChatMessage[];
}

function readMessages(
	values: ConversationValues,
	history: unknown,
): [messages: readonly unknown[], path: string] {
	if (values.inputType === 'json') return [values.messagesJson, 'Messages (JSON)'];
	if (values.inputType === 'prompt') {
		if (!values.prompt.trim()) throw invalidInputError('Prompt is empty');
		return [[...parseHistory(history), { role: 'user', content: values.prompt }], 'Prompt'];
	}
	return [(values.messages.message ?? []).map(toMessage), 'Messages'];
}

function parseHistory(history: unknown = []): readonly object[] {
	if (!Array.isArray(history)) throw malformedHistoryError('it is not a list');
	return history.map((message: unknown, index) => {
		if (!isPlainObject(message)) throw malformedHistoryError(`entry ${index + 1} is not an object`);
		const { role, content } = message;
		if (role !== 'user' && role !== 'assistant')
			throw malformedHistoryError(`the role of entry ${index + 1} is neither user nor assistant`);
		if (typeof content !== 'string' || !content.trim())
			throw malformedHistoryError(`entry ${index + 1} has no text in "content"`);
		return { role, content };
	});
}

const malformedHistoryError = (what: string) =>
	invalidInputError(
		`The conversation handed over a "history" that cannot be sent: ${what}`,
		'Nothing was sent. Each entry needs a "role" (user or assistant) and a text as "content". To send messages of your own, choose Messages (JSON) as Input.',
	);

type MessageRow = NonNullable<ConversationValues['messages']['message']>[number];

function toMessage({ role = 'user', content = '', toolCallId = '', toolCalls }: MessageRow) {
	if (role === 'tool') return { role, content, tool_call_id: toolCallId.trim() };
	if (role !== 'assistant' || !toolCalls?.length) return { role, content };
	return { role, content: content || null, tool_calls: toolCalls };
}

export function toAttachmentSources({ attachment = [] }: AttachmentValues): AttachmentSource[] {
	return attachment.map(
		({ source = 'binary', binaryProperty, url = '', modality = 'auto' }, index) => {
			const path = `Attachments ${index + 1}`;
			if (source === 'url') return { path, modality, url: checkUrl(url, `${path}: URL`) };
			return { path, modality, binaryProperty: binaryProperty?.trim() || 'data' };
		},
	);
}

/** The modality of a file, found without reading it. */
export function resolveModality(
	{ path, modality, url, binaryProperty = '' }: AttachmentSource,
	findFile: PreflightContext<unknown>['findFile'],
): Modality {
	const type = url === undefined ? modalityOf(findFile(binaryProperty, path).mimeType) : undefined;
	if (modality !== 'auto') return modality;
	return type ?? modalityOfUrl(url ?? '');
}

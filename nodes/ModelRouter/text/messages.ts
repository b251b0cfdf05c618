import { invalidInputError } from '../../../src/core/errors';
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

/** @throws ServiceError `invalid`. */
export function toMessages(values: ConversationValues): ChatMessage[] {
	return checkMessages(...readMessages(values));
}

/**
 * The same for the responses protocol.
 *
 * @throws ServiceError `invalid`.
 */
export function toInputItems(values: ConversationValues): object[] {
	return toResponseInput(...readMessages(values));
}

function readMessages(values: ConversationValues): [messages: readonly unknown[], path: string] {
	if (values.inputType === 'json') return [values.messagesJson, 'Messages (JSON)'];
	if (values.inputType === 'prompt') {
		if (!values.prompt.trim()) throw invalidInputError('Prompt is empty');
		return [[{ role: 'user', content: values.prompt }], 'Prompt'];
	}
	return [(values.messages.message ?? []).map(toMessage), 'Messages'];
}

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

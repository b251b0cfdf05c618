import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import type { PreflightContext } from '../../../src/n8n/operation';
import { withFieldRules } from '../../../src/n8n/parameterValidation';
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
import { binarySourceField, sourceField, urlSourceField } from '../fileSource.params';

/** The conversation: a prompt, a list of messages or JSON, and files. */
export const messageParams = [
	{
		displayName: 'Messages Given As',
		name: 'messageSource',
		type: 'options',
		options: [
			{ name: 'List', value: 'list', description: 'Message by message, each with its role' },
			{ name: 'JSON', value: 'json', description: 'A list of messages, e.g. from an expression' },
			{ name: 'Simple Prompt', value: 'prompt', description: 'One text, said by the user' },
		],
		default: 'list',
		description: 'How the conversation is given',
	},
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		displayOptions: { show: { messageSource: ['prompt'] } },
		default: '',
		placeholder: 'e.g. Summarize this in three sentences: …',
		description: 'What is said to the model',
	},
	{
		displayName: 'Messages',
		name: 'messages',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		displayOptions: { show: { messageSource: ['list'] } },
		placeholder: 'Add Message',
		default: { message: [{ role: 'user', content: '' }] },
		options: [
			{
				displayName: 'Message',
				name: 'message',
				values: [
					{
						displayName: 'Role',
						name: 'role',
						type: 'options',
						options: [
							{ name: 'Assistant', value: 'assistant' },
							{ name: 'Developer', value: 'developer' },
							{ name: 'System', value: 'system' },
							{ name: 'Tool', value: 'tool' },
							{ name: 'User', value: 'user' },
						],
						default: 'user',
						description: 'Who says it',
					},
					withFieldRules({ mayBeEmpty: { role: ['assistant'] } })({
						displayName: 'Content',
						name: 'content',
						type: 'string',
						typeOptions: { rows: 3 },
						default: '',
						description:
							'What is said; of a tool, its result. Of an assistant with Tool Calls an expression may find nothing.',
					}),
					{
						displayName: 'Tool Call ID',
						name: 'tool_call_id',
						type: 'string',
						displayOptions: { show: { role: ['tool'] } },
						default: '',
						description: 'Which call of the model this answers: the "ID" in its "toolCalls"',
					},
					withFieldRules({ mayBeEmpty: true })({
						displayName: 'Tool Calls (JSON)',
						name: 'tool_calls',
						type: 'json',
						displayOptions: { show: { role: ['assistant'] } },
						default: '[]',
						description:
							'The calls that the model asked for in this message: "tool_calls" of the "message" in its answer. An expression may find nothing, where it asked for none.',
					}),
				],
			},
		],
	},
	{
		displayName: 'Messages (JSON)',
		name: 'messagesJson',
		type: 'json',
		typeOptions: { rows: 6 },
		displayOptions: { show: { messageSource: ['json'] } },
		default: '[]',
		description:
			'A list of messages, each with "role" (system, developer, user, assistant or tool) and "content" (a text or a list of parts), e.g. [{"role": "user", "content": "Hello"}]',
	},
	{
		displayName: 'Attachments',
		name: 'attachments',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Attachment',
		default: {},
		description:
			'Images, audio, video and files that go with the last message of the user, for models that take them',
		options: [
			{
				displayName: 'Attachment',
				name: 'attachment',
				values: [
					sourceField,
					{
						...binarySourceField,
						description: 'At most 50 MiB; it is sent along inside the request',
					},
					{ ...urlSourceField, description: 'The service reads the file from there' },
					{
						displayName: 'Type',
						name: 'modality',
						type: 'options',
						options: [
							{ name: 'Audio', value: 'audio' },
							{ name: 'Automatic', value: 'auto' },
							{ name: 'File', value: 'file' },
							{ name: 'Image', value: 'image' },
							{ name: 'Video', value: 'video' },
						],
						default: 'auto',
						description:
							'What it is to the model. Automatic goes by the type of the file, or by the ending of the address (an image where that tells nothing).',
					},
				],
			},
		],
	},
] as const satisfies INodeProperties[];

type MessageValues = ParamValues<typeof messageParams>;

/** A file for the messages that has not been read yet. */
export interface AttachmentSource {
	/** Its label in the editor. */
	path: string;
	modality: Modality | 'auto';
	url?: string;
	binaryProperty?: string;
}

type MessageInput = Pick<MessageValues, 'messageSource' | 'prompt' | 'messages' | 'messagesJson'>;

/** @throws ServiceError `invalid`. */
export function toMessages(values: MessageInput): ChatMessage[] {
	return checkMessages(...readMessageInput(values));
}

/**
 * The same for the responses protocol.
 *
 * @throws ServiceError `invalid`.
 */
export function toInputItems(values: MessageInput): object[] {
	return toResponseInput(...readMessageInput(values));
}

function readMessageInput(values: MessageInput): [messages: readonly unknown[], path: string] {
	if (values.messageSource === 'json') return [values.messagesJson, 'Messages (JSON)'];
	if (values.messageSource === 'prompt') {
		if (!values.prompt.trim()) throw invalidInputError('Prompt is empty');
		return [[{ role: 'user', content: values.prompt }], 'Prompt'];
	}
	return [(values.messages.message ?? []).map(toMessage), 'Messages'];
}

type MessageRow = NonNullable<MessageValues['messages']['message']>[number];

function toMessage({
	role = 'user',
	content = '',
	tool_call_id: id = '',
	tool_calls: calls,
}: MessageRow) {
	if (role === 'tool') return { role, content, tool_call_id: id.trim() };
	if (role !== 'assistant' || !calls?.length) return { role, content };
	return { role, content: content || null, tool_calls: calls };
}

export function toAttachmentSources({
	attachment = [],
}: MessageValues['attachments']): AttachmentSource[] {
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

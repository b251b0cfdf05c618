import type { INodeProperties } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import { definedByModel } from '../../../src/n8n/parameterFields';
import type { ParamValues } from '../../../src/n8n/parameters';
import { type ChatMessage, checkMessages } from '../../../src/router/messages';
import type { Protocol } from '../../../src/router/protocols';
import { fileField, toFileSources } from '../acrossResources.params';

const prompt = {
	displayName: 'Prompt',
	name: 'prompt',
	type: 'string',
	required: true,
	typeOptions: { rows: 4 },
	default: '',
	placeholder: 'e.g. Summarize this in three sentences: …',
} as const satisfies INodeProperties;

/** The conversation: a prompt, a list of messages, or JSON. */
export const conversationParams = [
	{
		displayName: 'Input',
		name: 'inputType',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'Prompt', value: 'prompt', description: 'One text from the user' },
			{ name: 'Message List', value: 'list', description: 'Several messages, each with its role' },
			{
				name: 'Messages (JSON)',
				value: 'json',
				description: 'A list of messages from an expression, such as the history of a chat',
			},
		],
		default: 'prompt',
	},
	{ ...prompt, displayOptions: { show: { inputType: ['prompt'], '@tool': [false] } } },
	{
		...prompt,
		default: definedByModel('Prompt'),
		displayOptions: { show: { inputType: ['prompt'], '@tool': [true] } },
	},
	{
		displayName: 'Messages',
		name: 'messages',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		displayOptions: { show: { inputType: ['list'] } },
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
							{
								name: 'Assistant',
								value: 'assistant',
								description: 'An earlier answer of the model',
							},
							{
								name: 'Developer',
								value: 'developer',
								description: 'Some models use it in place of System',
							},
							{ name: 'System', value: 'system', description: 'How the model should behave' },
							{ name: 'Tool', value: 'tool', description: 'The result of a tool' },
							{ name: 'User', value: 'user', description: 'What the model should answer' },
						],
						default: 'user',
					},
					{
						displayName: 'Content',
						name: 'content',
						type: 'string',
						typeOptions: { rows: 3 },
						default: '',
					},
					{
						displayName: 'Tool Call ID',
						name: 'toolCallId',
						type: 'string',
						displayOptions: { show: { role: ['tool'] } },
						default: '',
						description: 'From the call in "toolCalls"',
					},
					{
						displayName: 'Message (JSON)',
						name: 'assistantMessage',
						type: 'json',
						displayOptions: { show: { role: ['assistant'] } },
						default: '{}',
						description: '"message" of an earlier answer, alone',
					},
				],
			},
		],
	},
	{
		displayName: 'Messages (JSON)',
		name: 'messagesJson',
		type: 'json',
		typeOptions: { rows: 6 },
		displayOptions: { show: { inputType: ['json'] } },
		default: '[]',
		required: true,
		description: 'Such as [{"role": "user", "content": "Hello"}]',
	},
] as const satisfies INodeProperties[];

export const attachmentsParam = {
	displayName: 'Attachments',
	name: 'attachments',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Attachment',
	default: {},
	options: [
		{
			displayName: 'Attachment',
			name: 'attachment',
			values: [
				fileField,
				{
					displayName: 'Type',
					name: 'modality',
					type: 'options',
					noDataExpression: true,
					options: [
						{ name: 'Audio', value: 'audio' },
						{
							name: 'Automatic',
							value: 'auto',
							description:
								'By the type of the file or the extension of the URL; an image if it has none',
						},
						{ name: 'File', value: 'file' },
						{ name: 'Image', value: 'image' },
						{ name: 'Video', value: 'video' },
					],
					default: 'auto',
				},
			],
		},
	],
} as const satisfies INodeProperties;

type ConversationValues = ParamValues<typeof conversationParams>;
type AttachmentValues = ParamValues<readonly [typeof attachmentsParam]>['attachments'];

/**
 * @param history The earlier messages, from the conversation in which the node speaks. They precede a prompt. With messages, the user
 *   decides what is sent.
 * @param protocol Messages for the responses protocol may include items of that protocol.
 * @throws ServiceError `invalid`.
 */
export function toRequestMessages(
	values: ConversationValues,
	protocol: Protocol,
	history?: unknown,
): ChatMessage[] {
	const [messages, path] = readMessages(values, history);
	const checked = checkMessages(messages, path, protocol === 'responses');
	return protocol === 'chat' ? checked.map(withoutItems) : checked;
}

function readMessages(
	values: ConversationValues,
	history: unknown,
): [messages: readonly unknown[], path: string] {
	if (values.inputType === 'json') return [values.messagesJson, 'Messages (JSON)'];
	if (values.inputType === 'prompt') {
		if (!values.prompt.trim()) throw invalidInputError('Prompt is empty');
		const earlier = Array.isArray(history) ? history : [];
		return [[...earlier, { role: 'user', content: values.prompt }], 'Prompt'];
	}
	return [(values.messages.message ?? []).map(readMessageRow), 'Messages'];
}

type MessageRow = NonNullable<ConversationValues['messages']['message']>[number];

/** Chat completions do not know the output items of a response. Its text and calls are beside them. */
const withoutItems = (message: ChatMessage): ChatMessage =>
	Object.hasOwn(message, 'output') ? { ...message, output: undefined } : message;

function readMessageRow(
	{ role = 'user', content = '', toolCallId = '', assistantMessage = {} }: MessageRow,
	index: number,
) {
	if (role === 'tool') return { role, content, tool_call_id: toolCallId.trim() };
	if (role === 'assistant' && Object.keys(assistantMessage).length) {
		if (assistantMessage['role'] === role) return assistantMessage;
		throw invalidInputError(
			`Messages ${index + 1}: Message (JSON) is not a message of the assistant`,
			'Its "role" must be "assistant". Enter the "message" of an earlier answer, such as {{ $json.message }}.',
		);
	}
	return { role, content };
}

/** @throws ServiceError `invalid` for a URL that the service could not read. */
export const toAttachmentSources = ({ attachment = [] }: AttachmentValues) =>
	attachment.flatMap(({ modality = 'auto', ...file }, index) =>
		toFileSources('Attachments', index, file).map((source) => ({ ...source, modality })),
	);

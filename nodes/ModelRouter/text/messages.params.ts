import type { INodeProperties } from 'n8n-workflow';

/** What is said to the model: a prompt, a list of messages or JSON, and files. */
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
		placeholder: 'e.g. Summarise this in three sentences: …',
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
					{
						displayName: 'Content',
						name: 'content',
						type: 'string',
						typeOptions: { rows: 3 },
						default: '',
						description: 'What is said; of a tool, its result',
					},
					{
						displayName: 'Tool Call ID',
						name: 'tool_call_id',
						type: 'string',
						displayOptions: { show: { role: ['tool'] } },
						default: '',
						description: 'Which call of the model this answers: the "ID" in its "toolCalls"',
					},
					{
						displayName: 'Tool Calls (JSON)',
						name: 'tool_calls',
						type: 'json',
						displayOptions: { show: { role: ['assistant'] } },
						default: '[]',
						description:
							'The calls that the model asked for in this message: "tool_calls" of the "message" in its answer',
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
					{
						displayName: 'Source',
						name: 'source',
						type: 'options',
						options: [
							{ name: 'Address (URL)', value: 'url' },
							{ name: 'Input Binary Field', value: 'binary' },
						],
						default: 'binary',
						description: 'Where the file is',
					},
					{
						displayName: 'Input Binary Field',
						name: 'binaryProperty',
						type: 'string',
						displayOptions: { show: { source: ['binary'] } },
						default: 'data',
						hint: 'The name of the input binary field containing the file to be sent',
						description: 'At most 50 MiB; it is sent along inside the request',
					},
					{
						displayName: 'URL',
						name: 'url',
						type: 'string',
						displayOptions: { show: { source: ['url'] } },
						default: '',
						placeholder: 'e.g. https://example.com/picture.png',
						description: 'The service reads the file from there',
					},
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

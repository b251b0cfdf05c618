import type { INodeProperties } from 'n8n-workflow';

export const questionParam = {
	displayName: 'Question',
	name: 'question',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
	required: true,
	placeholder: 'e.g. Which wallets bought the most ETH in the last 24 hours?',
	description: 'What you want to know, in plain words',
} as const satisfies INodeProperties;

/** Which chat a question belongs to. */
export const chatParams = [
	{
		displayName: 'Chat',
		name: 'chat',
		type: 'options',
		options: [
			{
				name: 'New, or by Chat ID',
				value: 'id',
				description: 'Begin a chat for every item, or continue the one whose ID you give',
			},
			{
				name: 'From Key',
				value: 'key',
				description:
					'Items with the same key share one chat while this execution runs, in all its Market Assistant nodes: the first of them begins it',
			},
		],
		default: 'id',
		description: 'Which chat the question belongs to',
	},
	{
		displayName: 'Chat ID',
		name: 'chatId',
		type: 'string',
		displayOptions: { show: { chat: ['id'] } },
		default: '',
		placeholder: 'e.g. {{ $json.chatId }}',
		description:
			'Chat to continue, as an earlier answer put it into "chatId". It is sent back exactly as it is. Leave empty to begin a new chat.',
	},
	{
		displayName: 'Chat Key',
		name: 'chatKey',
		type: 'string',
		displayOptions: { show: { chat: ['key'] } },
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.customer }}',
		description:
			'Any text. To go on in a later execution, keep "chatId": only the service can make a chat.',
	},
] as const satisfies INodeProperties[];

export const modelOption = {
	displayName: 'Model',
	name: 'model',
	type: 'string',
	default: 'svc_v1.2',
	description: 'Version of the assistant. Left out, the service takes svc_v1.2.',
} as const satisfies INodeProperties;

/** Options of an answer that is read as it is made; they stand among the others in the order of their labels. */
export const includeEventsOption = {
	displayName: 'Include Events',
	name: 'includeEvents',
	type: 'boolean',
	default: false,
	description: 'Whether to add every event of the stream, as it came, as "events"',
} as const satisfies INodeProperties;

export const languageOption = {
	displayName: 'Language of Tool Titles',
	name: 'language',
	type: 'string',
	default: 'en',
	placeholder: 'e.g. de',
	description:
		'Code of the language for "label" in "toolCalls". Where the service has no title in it, the English one is taken, or else any.',
} as const satisfies INodeProperties;

export const showToolsOption = {
	displayName: 'Show Tool Calls in Live Output',
	name: 'showToolCalls',
	type: 'boolean',
	default: false,
	description:
		'Whether to write a line for each tool that the assistant uses into the live answer in a chat or at a streaming webhook. It is not part of "output".',
} as const satisfies INodeProperties;

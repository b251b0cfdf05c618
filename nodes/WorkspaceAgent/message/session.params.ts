import type { INodeProperties } from 'n8n-workflow';

/** Which conversation a message belongs to. */
export const sessionParams = [
	{
		displayName: 'Session',
		name: 'session',
		type: 'options',
		options: [
			{
				name: 'New Session',
				value: 'new',
				description: 'Begin a new conversation for every item',
			},
			{
				name: 'Existing Session',
				value: 'existing',
				description: 'Continue a conversation, or begin it under an ID of your own',
			},
			{
				name: 'From Chat Trigger',
				value: 'chatTrigger',
				description:
					'One conversation per chat: takes the "sessionId" of the item, or of the Chat Trigger of the workflow',
			},
			{
				name: 'From Key',
				value: 'key',
				description:
					'One conversation per key: a thread, a phone number, an order. The same key always continues the same conversation, and nothing has to be stored.',
			},
		],
		default: 'new',
		description: 'Which conversation the message belongs to',
	},
	{
		displayName: 'Session ID',
		name: 'sessionId',
		type: 'string',
		displayOptions: { show: { session: ['existing'] } },
		default: '',
		required: true,
		placeholder: 'e.g. 6f1c2b1e-8d3a-4c0e-9a55-0d2f6b7c8e90',
		description:
			'UUID of the session, with or without dashes, as an earlier message put it into "sessionId". An unused UUID begins a new session.',
	},
	{
		displayName: 'Session Key',
		name: 'sessionKey',
		type: 'string',
		displayOptions: { show: { session: ['key'] } },
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.thread_ts }}',
		description:
			'Any text that stays the same through a conversation; capitals count, blanks around it do not. The session ID is made from it and the base URL of the credential. A UUID is taken as it is.',
	},
] as const satisfies INodeProperties[];

import type { INodeProperties } from 'n8n-workflow';

import {
	sessionKeyParam,
	sessionModeParam,
	textSourceParams,
} from '../../src/n8n/chatInput.params';
import { withFieldRules } from '../../src/n8n/parameterFields';
import { capFields, capHint } from '../fieldKinds.params';
import { conversationOptions } from './conversationOptions.params';

const [openingSourceParam, openingParam] = textSourceParams({
	name: 'openingMessage',
	label: 'Opening Message',
	description:
		'What the speakers talk about: the message to the first speaker. With a Transcript to Continue it may be empty, and an expression may find nothing.',
	placeholder: 'e.g. Agree on a date for the release.',
});

export const conversationParams = [
	{
		displayName:
			'Add two or more speakers with + below this node: search for "Remote Agent", "Crypto Q&A" or "Model Router". Each of them only needs its credential. A Remote Agent may also be one of A2A, LangGraph, Dify or another server: its credential decides. One credential is one agent, unless its server has several. A person: a tool with Send and Wait for Response. Start such a conversation from a form or a schedule, and send the result with a node after this one.',
		name: 'speakersNotice',
		type: 'notice',
		default: '',
	},
	openingSourceParam,
	withFieldRules({ mayBeEmpty: true })({ ...openingParam, required: false }),
	{
		displayName: 'Who Speaks Next',
		name: 'turnOrder',
		type: 'options',
		options: [
			{
				name: 'By Name',
				value: 'addressed',
				description:
					'The speaker that the last message addresses with "@" and its node name, such as "@Analyst"; otherwise the next in turn',
			},
			{
				name: 'In Turn',
				value: 'inTurn',
				description: 'One after another, in the order in which you connected them',
			},
			{
				name: 'Moderator',
				value: 'moderator',
				description:
					'The model connected as Moderator decides, and ends the conversation when it is done',
			},
			{
				name: 'Same Message to All',
				value: 'sameMessage',
				description:
					'One after another, without the answers of the others in the same round. In the next round, each hears what the others said. For one round of three speakers, set Turn Limit to 3.',
			},
		],
		default: 'inTurn',
		description:
			'Who gets the next turn. If that is unclear, the next in turn is asked, and the transcript says so.',
	},
	{
		displayName: 'Turn Limit',
		name: 'turnLimit',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 500 },
		default: 6,
		description:
			'Maximum number of answers in this run, from all speakers together. Each may cost money.',
	},
	withFieldRules({ isDecimal: true })({
		displayName: 'Spending Cap per Conversation',
		name: 'spendingCapPerConversation',
		...capFields,
		...capHint,
		default: 1,
		// with the unit, n8n would cut the title off
		hint: 'In USD, for all speakers together',
		description:
			'The conversation ends once the costs reported by the speakers reach it. A Model Router request that could exceed it is not sent; what other speakers cost is known only after their turn. A speaker that reports no cost counts with what the Model Router reserved for it, otherwise as 0, and is listed in "speakersWithoutCost". What an agent of another server spends is its owner\'s: cap and budget cover the Model Router\'s part. If 0, nothing is started.',
	}),
	sessionModeParam({
		fromInput:
			'Continue the conversation of the item ("sessionId"), or otherwise that of the Chat Trigger. If there is neither, start a new one.',
		new: 'Start a new conversation for every item',
		id: 'Continue the conversation with this ID',
		key: 'One conversation per key, such as a Slack thread or an order. The same key always continues the same conversation.',
	}),
	{
		displayName: 'Conversation ID',
		name: 'conversationId',
		type: 'string',
		displayOptions: { show: { sessionMode: ['id'] } },
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.conversationId }}',
		description:
			'The "conversationId" of an earlier conversation: a UUID. Each speaker continues its own session in it.',
	},
	sessionKeyParam(
		'Any text that stays the same throughout a conversation. Case matters; surrounding whitespace does not.',
	),
	{
		displayName: 'Instructions',
		name: 'instructions',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Instruction',
		default: {},
		description:
			'What each speaker should do. Placed before its first message, or before every message if it hears "Everything".',
		options: [
			{
				displayName: 'Instruction',
				name: 'instruction',
				values: [
					{
						displayName: 'Speaker',
						name: 'speaker',
						type: 'string',
						default: '',
						placeholder: 'e.g. Remote Agent',
						description: 'The name of its node',
					},
					{
						displayName: 'Text',
						name: 'text',
						type: 'string',
						typeOptions: { rows: 3 },
						default: '',
						placeholder: 'e.g. You speak for the buyer. Say "[DONE]" once you agree.',
						description: 'The instruction',
					},
				],
			},
		],
	},
	{
		displayName: 'Stop Phrase',
		name: 'stopPhrase',
		type: 'string',
		default: '',
		placeholder: 'e.g. [DONE]',
		description:
			'One speaker that says exactly this ends the conversation. Write it, in quotes, into the instruction of each that may end it. Leave empty for none.',
	},
	{
		displayName: 'Output',
		name: 'outputMode',
		type: 'options',
		options: [
			{
				name: 'One Item per Conversation',
				value: 'conversation',
				description: 'The last text, why the conversation ended, and all turns in "transcript"',
			},
			{
				name: 'One Item per Turn',
				value: 'turns',
				description: 'The rows of the transcript, for a Data Table, a sheet or a database',
			},
		],
		default: 'conversation',
		description: 'What the node returns',
	},
	conversationOptions,
] as const satisfies INodeProperties[];

import type { INodeProperties } from 'n8n-workflow';

import {
	sessionKeyParam,
	sessionModeParam,
	textSourceParams,
} from '../../src/n8n/chatInput.params';
import { withFieldRules } from '../../src/n8n/parameterFields';
import { optionsParam } from '../options.params';

const conversationOptions = optionsParam([
	{
		displayName: 'Hide Turns',
		name: 'hideTurns',
		type: 'boolean',
		default: true,
		description:
			'Whether the chat, or the caller of a streaming webhook, sees no turn while the conversation goes on',
	},
	{
		displayName: 'Moderator Instructions',
		name: 'moderatorInstructions',
		type: 'string',
		typeOptions: { rows: 3 },
		displayOptions: { show: { '/turnOrder': ['moderator'] } },
		default: '',
		placeholder: 'e.g. End it once there is a date that all accept.',
		description: 'What the moderator has to know to decide who speaks next, and when it is done',
	},
	{
		displayName: 'On Failure of a Speaker',
		name: 'onFailure',
		type: 'options',
		options: [
			{
				name: 'Ask Once More',
				value: 'askAgain',
				description:
					'Only if the message certainly was not received. Otherwise, and after a second failure, the conversation ends.',
			},
			{ name: 'End', value: 'end', description: 'The conversation ends, with all turns so far' },
			{
				name: 'Fail',
				value: 'fail',
				description:
					'The node fails, so that an error workflow runs. All turns so far are in the data of the error.',
			},
			{ name: 'Skip', value: 'skip', description: 'The next speaker is asked' },
		],
		default: 'end',
		description: 'What happens when a speaker fails. The turns before are never lost.',
	},
	{
		displayName: 'On Refused Approval',
		name: 'onDenial',
		type: 'options',
		options: [
			{ name: 'End', value: 'end', description: 'The conversation ends, with all turns so far' },
			{ name: 'Skip', value: 'skip', description: 'The next speaker is asked' },
		],
		default: 'end',
		description:
			'What happens when a person does not approve. Applies to approvals before a turn, and to Send and Wait for Response tools.',
	},
	{
		displayName: 'Pause Between Turns (Seconds)',
		name: 'pause',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 300 },
		default: 0,
		description: 'How long to wait before each turn except the first',
	},
	{
		displayName: 'Remove Stop Phrase',
		name: 'removeStop',
		type: 'boolean',
		default: true,
		description:
			'Whether to remove from the final answer what ended the conversation: the stop phrase, or what matches the stop pattern',
	},
	{
		displayName: 'Stop Pattern',
		name: 'stopPattern',
		type: 'string',
		default: '',
		placeholder: 'e.g. /agreed on \\d+ (EUR|USD)/i',
		description:
			'The conversation ends when what a speaker says matches this regular expression, written bare or as /pattern/flags. Lookahead and backreferences are not possible.',
	},
	{
		displayName: 'Time Limit (Seconds)',
		name: 'timeLimit',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 604800 },
		default: 600,
		description:
			'No further turn begins after this time. A turn in progress is not interrupted. The time that a person takes counts. Without it, there is no time limit.',
	},
	withFieldRules({ mayBeEmpty: true })({
		displayName: 'Transcript to Continue (JSON)',
		name: 'transcript',
		type: 'json',
		default: '[]',
		description:
			'The "transcript" of an earlier conversation, or its rows from a table: the conversation continues from there, in the same sessions. Each row needs "speaker" and "text". An expression may find nothing: then the conversation is a new one.',
	}),
	{
		displayName: 'What a Speaker Hears',
		name: 'hearing',
		type: 'options',
		options: [
			{
				name: 'Automatic',
				value: 'auto',
				description:
					'With two speakers the last message, with more everything since its own last turn, with names',
			},
			{
				name: 'Everything',
				value: 'all',
				description:
					'The whole conversation in every message, with names and the instruction. For speakers that remember nothing.',
			},
			{
				name: 'Everything Since Its Own Last Turn',
				value: 'sinceOwnTurn',
				description: 'With names, from three speakers on',
			},
			{
				name: 'Last Message',
				value: 'lastMessage',
				description: 'Only what was said last, with the name from three speakers on',
			},
		],
		default: 'auto',
		description: 'What a speaker is told in its turn',
	},
]);

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
			'Add two or more speakers with + below this node: search for "Workspace Agent", "Market Assistant" or "Model Router". Each of them only needs its credential.',
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
					'The speaker whom the last one addresses with "@" and the name of its node, such as "@Analyst"; otherwise the next in turn',
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
					'The model that is connected as Moderator decides, and also says when it is done',
			},
			{
				name: 'Same Message to All',
				value: 'sameMessage',
				description:
					'One after another, and nobody hears the others of the same round. In the next round, each hears what the others said. One round of three speakers is a Turn Limit of 3.',
			},
		],
		default: 'inTurn',
		description:
			'Who gets the next turn. If it is not clear, the next in turn, and the transcript says so.',
	},
	{
		displayName: 'Turn Limit',
		name: 'turnLimit',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 500 },
		default: 6,
		description:
			'How many answers there are at most, of all speakers together. Each is a request that may cost.',
	},
	withFieldRules({ isDecimal: true })({
		displayName: 'Spending Cap per Conversation',
		name: 'spendingCapPerConversation',
		type: 'number',
		// otherwise an expression without a value would remove the cap
		required: true,
		typeOptions: { minValue: 0 },
		default: 1,
		// with the unit, the title would be cut off
		hint: 'USD',
		description:
			'In USD. The conversation ends once the costs that the speakers reported reach it. A text of the Model Router is not asked for if it could exceed it; what other speakers cost is known only after their turn. A speaker that reports no cost counts as 0, and is named in "speakersWithoutCost". 0 starts nothing.',
	}),
	sessionModeParam({
		fromInput:
			'Continue the conversation of the item ("sessionId"), or else that of the Chat Trigger. If there is neither, start a new one.',
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
			'As in "conversationId" of an earlier conversation: a UUID. Each speaker continues its own session in it.',
	},
	sessionKeyParam(
		'Any text that stays the same throughout a conversation. Upper and lower case matter, white space around it does not.',
	),
	{
		displayName: 'Instructions',
		name: 'instructions',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Instruction',
		default: {},
		description:
			'What each speaker is to do. It is put before the first message that it gets, once; before every message if it hears "Everything".',
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
						placeholder: 'e.g. Workspace Agent',
						description: 'The name of its node',
					},
					{
						displayName: 'Text',
						name: 'text',
						type: 'string',
						typeOptions: { rows: 3 },
						default: '',
						placeholder: 'e.g. You speak for the buyer. Say [DONE] once you agree.',
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
			'The conversation ends when a speaker says this, exactly as it is written here. Tell the speakers so in their instructions. Leave empty for none.',
	},
	{
		displayName: 'Output',
		name: 'outputMode',
		type: 'options',
		options: [
			{
				name: 'One Item per Conversation',
				value: 'conversation',
				description: 'The last text, why it ended, and all turns in "transcript"',
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

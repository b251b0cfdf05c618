import { withFieldRules } from '../../src/n8n/parameterFields';
import { optionsParam } from '../fieldKinds.params';
import { spendingLabelOption } from '../ModelRouter/acrossResources.params';

export const conversationOptions = optionsParam([
	{
		displayName: 'Continue After Turn',
		name: 'continueAfterTurn',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1,
		description:
			'With a Transcript to Continue: the conversation resumes after this turn, as if nothing had been said later. Later turns do not count toward the cost, but agents and assistants still remember them in their sessions. If not set, all turns count.',
	},
	{
		displayName: 'Hide Turns',
		name: 'hideTurns',
		type: 'boolean',
		default: true,
		description:
			'Whether to hide the turns from the chat, or the caller of a streaming webhook, while the conversation is running',
	},
	{
		displayName: 'Moderator Instructions',
		name: 'moderatorInstructions',
		type: 'string',
		typeOptions: { rows: 3 },
		displayOptions: { show: { '/turnOrder': ['moderator'] } },
		default: '',
		placeholder: 'e.g. End it once everyone accepts a date.',
		description:
			'What the moderator needs to know to decide who speaks next, and when the conversation is done',
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
					'Only if the message was certainly not received. Otherwise, and after a second failure, the conversation ends.',
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
		description: 'What happens when a speaker fails. Earlier turns are never lost.',
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
			'Whether to remove the stop phrase, or the text that matches the stop pattern, from the final answer',
	},
	{
		displayName: 'Result Schema (JSON)',
		name: 'resultSchema',
		type: 'json',
		typeOptions: { rows: 8 },
		default:
			'{\n  "type": "object",\n  "properties": {\n    "answer": { "type": "string" }\n  },\n  "required": ["answer"],\n  "additionalProperties": false\n}',
		description:
			'After the conversation ends, the model connected as Moderator reads it and fills in this JSON schema. The output has "result", or "resultError" if that failed. Its cost counts. If not set, there is no result.',
	},
	{
		...spendingLabelOption,
		description:
			'A customer, an order or a team: "label" in the record of spending, for all Model Router speakers. At most 100 characters. It limits nothing.',
	},
	{
		displayName: 'Stop Pattern',
		name: 'stopPattern',
		type: 'string',
		default: '',
		placeholder: 'e.g. /agreed on \\d+ (EUR|USD)/i',
		description:
			'The conversation ends when what a speaker says matches this regular expression, written bare or as /pattern/flags',
	},
	{
		displayName: 'Time Limit (Seconds)',
		name: 'timeLimit',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 604800 },
		default: 600,
		description:
			'No further turn begins after this time. A turn in progress is not interrupted. Time spent waiting for a person counts. If not set, there is no time limit.',
	},
	withFieldRules({ mayBeEmpty: true })({
		displayName: 'Transcript to Continue (JSON)',
		name: 'transcript',
		type: 'json',
		default: '[]',
		description:
			'The "transcript" of an earlier conversation, or its rows from a table: the conversation continues from there, in the same sessions. Each row needs "text" and "speaker", which is a connected one. An expression may find nothing: then the conversation is a new one.',
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
					'With two speakers, the last message; with more, everything since its own last turn, with names',
			},
			{
				name: 'Everything',
				value: 'all',
				description:
					'The whole conversation in every message, with names and the instruction. For speakers without memory.',
			},
			{
				name: 'Everything Since Its Own Last Turn',
				value: 'sinceOwnTurn',
				description: 'With names if there are three or more speakers',
			},
			{
				name: 'Last Message',
				value: 'lastMessage',
				description: 'Only what was said last, with the name if there are three or more speakers',
			},
		],
		default: 'auto',
		description:
			'Which messages a speaker gets in its turn. Automatic: with two speakers, the last; with more, all since its own last turn.',
	},
	{
		displayName: 'Who May Replace a Turn',
		name: 'editors',
		type: 'string',
		default: '',
		placeholder: 'e.g. Editor, Approve Planner',
		description:
			'Names of Send and Wait for Response tools, separated by commas. What the person writes there decides about the turn before: "approve" keeps it, "decline" refuses it. Any other text replaces it for all later speakers.',
	},
]);

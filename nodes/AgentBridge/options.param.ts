import type { INodeProperties } from 'n8n-workflow';

import { withFieldRules } from '../../src/n8n/parameterValidation';

export const optionsParam = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			displayName: 'Answer Field',
			name: 'answerField',
			type: 'string',
			default: '',
			placeholder: 'e.g. data.reply',
			description:
				'Field in which the speakers\' nodes give their text. Left empty, it is looked for in "output", then in all usual fields.',
		},
		{
			displayName: 'Live Output',
			name: 'liveOutput',
			type: 'options',
			options: [
				{
					name: 'Names',
					value: 'names',
					description: "A line with the speaker's name before each turn",
				},
				{
					name: 'Names and Answers',
					value: 'answers',
					description: 'For speakers whose nodes write nothing into a chat themselves',
				},
				{ name: 'Nothing', value: 'nothing' },
			],
			default: 'names',
			description: 'What is written into a chat, or to the caller of a streaming webhook',
		},
		{
			displayName: 'Relay Template',
			name: 'relayTemplate',
			type: 'string',
			typeOptions: { rows: 3 },
			default: '{message}',
			placeholder: 'e.g. {speaker} says: {message}',
			description:
				"What one speaker's text is passed on to the other as. {message} is the text, {speaker} who said it, {turn} the number of the turn.",
		},
		{
			displayName: 'Remove Stop Phrase',
			name: 'removeStop',
			type: 'boolean',
			default: true,
			description:
				'Whether to take what ended the conversation (the stop phrase, or what the stop pattern fits) out of the final answer',
		},
		{
			displayName: 'Stop Pattern',
			name: 'stopPattern',
			type: 'string',
			default: '',
			placeholder: 'e.g. /agreed on \\d+ (EUR|USD)/i',
			description:
				'The conversation ends when what a speaker says fits this regular expression, written bare or as /pattern/flags. It can neither look ahead nor refer back to a group.',
		},
		{
			displayName: 'Time Limit (Seconds)',
			name: 'timeLimit',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 604800 },
			default: 600,
			description:
				'No further turn begins after this time. A turn that is under way is not cut short.',
		},
		withFieldRules({ mayBeEmpty: true })({
			displayName: 'Transcript to Continue (JSON)',
			name: 'transcript',
			type: 'json',
			default: '[]',
			description:
				'The "transcript" of an earlier conversation, to go on from there: each turn with "speaker" and "text"; "sessionId", "chatId" and "message" where they are known. An expression may find nothing: then the conversation is a new one.',
		}),
	],
} as const satisfies INodeProperties;

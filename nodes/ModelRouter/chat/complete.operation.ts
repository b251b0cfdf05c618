import { operation } from '../../../src/n8n/operation';
import { onIncompleteOption } from '../../../src/n8n/partialAnswers';
import { completeChat as askModel } from '../../../src/router/chatCompletions';
import { askText } from '../text/ask';
import {
	additionalFieldsOption,
	simplifyParam,
	spendingCapOption,
	toolChoiceOptions,
} from '../text/text.params';
import { createAnswerReader } from '../text/textOutput';
import { checkTextRequest } from '../text/textRequest';
import { chatParams, maximumOutputOption, systemMessageOption, toChatRequest } from './chat.params';

export const complete = operation({
	name: 'Complete',
	value: 'complete',
	action: 'Complete a chat with a text model',
	description: 'Send messages to a text model and get its answer',
	params: [
		...chatParams,
		simplifyParam,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				additionalFieldsOption,
				{
					displayName: 'Frequency Penalty',
					name: 'frequency_penalty',
					type: 'number',
					typeOptions: { minValue: -2, maxValue: 2, numberPrecision: 2 },
					default: 0,
					description: 'From -2 to 2; above 0 the model repeats itself less',
				},
				{
					displayName: 'Log Probabilities',
					name: 'logprobs',
					type: 'boolean',
					default: false,
					description:
						'Whether to return how likely each token was; with Simplify off, in "completion"',
				},
				maximumOutputOption,
				{
					displayName: 'Number of Answers',
					name: 'n',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 128 },
					default: 1,
					description: 'How many answers to make, each billed; several come out under "choices"',
				},
				onIncompleteOption,
				{
					displayName: 'Presence Penalty',
					name: 'presence_penalty',
					type: 'number',
					typeOptions: { minValue: -2, maxValue: 2, numberPrecision: 2 },
					default: 0,
					description: 'From -2 to 2; above 0 the model turns to new topics more',
				},
				{
					displayName: 'Reasoning Effort',
					name: 'reasoning_effort',
					type: 'options',
					options: [
						{ name: 'High', value: 'high' },
						{ name: 'Low', value: 'low' },
						{ name: 'Medium', value: 'medium' },
						{ name: 'Minimal', value: 'minimal' },
					],
					default: 'medium',
					description:
						'How much a reasoning model thinks before it answers; hidden reasoning is billed as output',
				},
				{
					displayName: 'Seed',
					name: 'seed',
					type: 'number',
					default: 0,
					description: 'The same seed gives much the same answer again, where a model honors it',
				},
				spendingCapOption,
				{
					displayName: 'Stop Sequences (JSON)',
					name: 'stop',
					type: 'json',
					default: '[]',
					description: 'Texts at which the answer ends, as a JSON list, e.g. ["END"]',
				},
				systemMessageOption,
				{
					displayName: 'Temperature',
					name: 'temperature',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 },
					default: 1,
					description: 'From 0 (always much the same answer) to 2 (most varied)',
				},
				...toolChoiceOptions,
				{
					displayName: 'Top Log Probabilities',
					name: 'top_logprobs',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 20 },
					default: 0,
					description:
						'How many other likely tokens to return at each place, with Log Probabilities',
				},
				{
					displayName: 'Top P',
					name: 'top_p',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 2 },
					default: 1,
					description: 'From 0 to 1: only the likeliest tokens that together have this share count',
				},
			],
		},
	],

	prepare({ simplify, options: { onIncomplete = 'error', ...options }, ...values }) {
		return {
			...toChatRequest(values, options),
			structured: createAnswerReader(values),
			simplify,
			onIncomplete,
		};
	},

	check: checkTextRequest,

	async run(call) {
		return await askText(call, { raw: 'completion', ask: askModel });
	},
});

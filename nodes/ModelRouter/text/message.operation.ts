import { operation } from '../../../src/n8n/operation';
import { onIncompleteOption } from '../../../src/n8n/partialAnswers';
import { completeChat as askModel } from '../../../src/router/chatCompletions';
import { simplifyParam } from '../simplify.params';
import { allowUnknownCostOption } from '../spendingCap.params';
import { askText } from './ask';
import { toChatRequest } from './chatRequest';
import {
	additionalFieldsOption,
	answerCountOption,
	furtherParams,
	inputParams,
	maxTokensOption,
	spendingCapParam,
	systemMessageOption,
	temperatureOption,
} from './text.params';
import { createAnswerReader } from './textOutput';
import { checkTextRequest } from './textRequest';
import { toolChoiceOption } from './tools.params';

export const message = operation({
	name: 'Message a Model',
	value: 'message',
	action: 'Message text model',
	description: 'Send a prompt or messages to a text model and get its answer',
	params: [
		...inputParams,
		spendingCapParam,
		...furtherParams,
		simplifyParam,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				additionalFieldsOption,
				allowUnknownCostOption,
				{
					displayName: 'Frequency Penalty',
					name: 'frequencyPenalty',
					type: 'number',
					typeOptions: { minValue: -2, maxValue: 2, numberPrecision: 2 },
					default: 0,
					description: 'From -2 to 2. Above 0, the model repeats itself less.',
				},
				{
					displayName: 'Log Probabilities',
					name: 'topLogprobs',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 20 },
					default: 0,
					description:
						'Returns how likely each token was, and this many alternatives to it. They are in "completion", with Simplify off.',
				},
				maxTokensOption,
				answerCountOption,
				onIncompleteOption,
				{
					displayName: 'Presence Penalty',
					name: 'presencePenalty',
					type: 'number',
					typeOptions: { minValue: -2, maxValue: 2, numberPrecision: 2 },
					default: 0,
					description: 'From -2 to 2. Above 0, the model turns to new topics more often.',
				},
				{
					displayName: 'Reasoning Effort',
					name: 'reasoningEffort',
					type: 'options',
					options: [
						{ name: 'High', value: 'high' },
						{ name: 'Low', value: 'low' },
						{ name: 'Medium', value: 'medium' },
						{ name: 'Minimal', value: 'minimal' },
					],
					default: 'medium',
					description:
						'How much a reasoning model thinks before it answers. Hidden reasoning is billed as output.',
				},
				{
					displayName: 'Seed',
					name: 'seed',
					type: 'number',
					default: 0,
					description:
						'With the same seed, a model that supports it gives nearly the same answer again',
				},
				{
					displayName: 'Stop Sequences (JSON)',
					name: 'stopSequences',
					type: 'json',
					default: '[]',
					description: 'Texts at which the answer ends, as a JSON list, e.g. ["END"]',
				},
				systemMessageOption,
				temperatureOption,
				toolChoiceOption,
				{
					displayName: 'Top P',
					name: 'topP',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 2 },
					default: 1,
					description:
						'From 0 to 1. Only the most likely tokens, which together have this probability, are used.',
				},
			],
		},
	],

	prepare({ simplify, spendingCapPerItem, options, ...values }, { handedOver }) {
		const { onIncomplete = 'error', allowUnknownCost = false, ...more } = options;
		return {
			...toChatRequest(values, more, handedOver.readHistory()),
			spending: { spendingCapPerItem, allowUnknownCost },
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

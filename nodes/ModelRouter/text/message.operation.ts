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
	frequencyPenaltyOption,
	furtherParams,
	inputParams,
	maxTokensOption,
	presencePenaltyOption,
	reasoningEffortOption,
	seedOption,
	spendingCapParam,
	systemMessageOption,
	temperatureOption,
	topPOption,
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
				frequencyPenaltyOption,
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
				presencePenaltyOption,
				reasoningEffortOption,
				seedOption,
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
				topPOption,
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

import { operation } from '../../../src/n8n/operation';
import { onIncompleteOption } from '../../../src/n8n/partialAnswers';
import { simplifyParam } from '../simplify.params';
import { allowUnknownCostOption } from '../spendingCap.params';
import { askText } from './ask';
import { toTextRequest } from './chatRequest';
import { protocolOption } from './protocols';
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
import { toolChoiceOption, toolsOption } from './tools.params';

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
				maxTokensOption,
				answerCountOption,
				onIncompleteOption,
				presencePenaltyOption,
				protocolOption,
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
				toolsOption,
				topPOption,
			],
		},
	],

	prepare({ simplify, spendingCapPerItem, options, ...values }, { handedOver }) {
		const { onIncomplete = 'error', allowUnknownCost = false, ...more } = options;
		return {
			...toTextRequest(values, more, handedOver.readHistory()),
			spending: { spendingCapPerItem, allowUnknownCost },
			structured: createAnswerReader(values),
			simplify,
			onIncomplete,
		};
	},

	check: checkTextRequest,

	run: askText,
});

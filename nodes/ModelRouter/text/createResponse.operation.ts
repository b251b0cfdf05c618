import { operation } from '../../../src/n8n/operation';
import { onIncompleteOption } from '../../../src/n8n/partialAnswers';
import { createResponse as askModel } from '../../../src/router/responses';
import { simplifyParam } from '../simplify.params';
import { allowUnknownCostOption } from '../spendingCap.params';
import { askText } from './ask';
import { toResponseRequest } from './responseRequest';
import {
	additionalFieldsOption,
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

export const createResponse = operation({
	name: 'Create Response',
	value: 'createResponse',
	action: 'Create response with text model',
	description:
		'Send the same input in the responses protocol, for models and fields that need it. In all other cases, use Message a Model.',
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
				maxTokensOption,
				onIncompleteOption,
				systemMessageOption,
				temperatureOption,
				toolChoiceOption,
			],
		},
	],

	prepare({ simplify, spendingCapPerItem, options, ...values }, { handedOver }) {
		const { onIncomplete = 'error', allowUnknownCost = false, ...more } = options;
		return {
			...toResponseRequest(values, more, handedOver.readHistory()),
			spending: { spendingCapPerItem, allowUnknownCost },
			structured: createAnswerReader(values),
			simplify,
			onIncomplete,
		};
	},

	check: checkTextRequest,

	async run(call) {
		return await askText(call, { raw: 'response', ask: askModel });
	},
});

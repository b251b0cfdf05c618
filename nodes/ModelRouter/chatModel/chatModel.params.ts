import type { INodeProperties } from 'n8n-workflow';

import { withFieldRules } from '../../../src/n8n/parameterFields';
import { requestSettings } from '../../../src/n8n/requestSettings';
import { modelParam } from '../catalog';
import { allowUnknownCostOption } from '../acrossResources.params';
import { protocolOption } from '../text/protocols';
import {
	additionalFieldsOption,
	formatParams,
	frequencyPenaltyOption,
	maxTokensOption,
	presencePenaltyOption,
	reasoningEffortOption,
	seedOption,
	temperatureOption,
	topPOption,
} from '../text/text.params';

/** Its list also shows the inputs of each model, because an AI agent may pass on images. */
const chatModelParam = {
	...modelParam,
	description:
		'The model that answers. The list shows its price in USD per million tokens in/out, its context in tokens, and the inputs that it takes besides text. Upper and lower case and separators in its ID do not matter.',
	modes: [
		{
			...modelParam.modes[0],
			typeOptions: { ...modelParam.modes[0].typeOptions, searchListMethod: 'searchChatModels' },
		},
		modelParam.modes[1],
	],
} as const satisfies INodeProperties;

/** As n8n's own chat models say it, and as long as it is not connected. The link opens the list of AI nodes. */
const connectionNotice = {
	displayName:
		"Connect this node to an AI agent or chain. <a data-action='openSelectiveNodeCreator' data-action-parameter-creatorview='AI'>Insert one</a>",
	name: 'connectionNotice',
	type: 'notice',
	default: '',
	typeOptions: { containerClass: 'ndv-connection-hint-notice' },
} as const satisfies INodeProperties;

export const chatModelParams = [
	connectionNotice,
	chatModelParam,
	withFieldRules({ isDecimal: true })({
		displayName: 'Spending Cap per Call (USD)',
		name: 'spendingCapPerCall',
		type: 'number',
		// otherwise an expression without a value would remove the cap
		required: true,
		typeOptions: { minValue: 0 },
		default: 1,
		description:
			'A call that could cost more than this is not sent. Counted are one token per byte of the input, and all of Maximum Output Tokens. If that is not set, an answer may have what this and the cap per execution afford: at least 4096 tokens, at most 16384. The input counts at most as the context window of the model, and with images or files always as all of it. 0 sends nothing.',
	}),
	withFieldRules({ isDecimal: true })({
		displayName: 'Spending Cap per Execution (USD)',
		name: 'spendingCapPerExecution',
		type: 'number',
		required: true,
		typeOptions: { minValue: 0 },
		default: 5,
		description:
			'A call with which the calls of this node in one execution could cost more than this is not sent. If the cost of a call is not known, the most that it could cost counts. All turns of an AI agent count, and all tries of Retry On Fail. 0 sends nothing.',
	}),
	...formatParams(''),
	{
		displayName:
			'Leave <b>Retry On Fail</b> of the AI Agent off: it asks again, and pays again.',
		name: 'retryNotice',
		type: 'notice',
		default: '',
	},
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
				displayName: 'Fallback Models',
				name: 'fallbackModels',
				type: 'fixedCollection',
				typeOptions: { multipleValues: true },
				placeholder: 'Add Model',
				default: {},
				description:
					'Models that are asked, in this order, when the service refuses a call without starting it. It does so if the model is unknown or busy (429), or if the conversation is too long for it. After any other failure no other model is asked, since the call may be charged.',
				options: [
					{
						displayName: 'Model',
						name: 'fallback',
						values: [{ ...chatModelParam, required: false }],
					},
				],
			},
			frequencyPenaltyOption,
			maxTokensOption,
			presencePenaltyOption,
			protocolOption,
			reasoningEffortOption,
			seedOption,
			temperatureOption,
			topPOption,
		],
	},
	{
		...requestSettings,
		options: requestSettings.options.filter(({ name }) => name !== 'concurrency'),
	},
] as const satisfies INodeProperties[];

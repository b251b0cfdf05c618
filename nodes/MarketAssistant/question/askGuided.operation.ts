import { buildGuidedQuestion } from '../../../src/assistant/questionTemplates';
import { invalidInputError } from '../../../src/core/errors';
import { operation } from '../../../src/n8n/operation';
import { onIncompleteOption } from '../../../src/n8n/partialAnswers';
import {
	chatSequenceKey,
	toQuestionRequest,
	askForStreamedAnswer,
	askForCompleteAnswer,
} from './askQuestion';
import {
	contentParams,
	chatParams,
	includeRawEventsOption,
	languageOption,
	modelOption,
	showToolsOption,
} from './question.params';

export const askGuided = operation({
	name: 'Ask Guided Question',
	value: 'askGuided',
	action: 'Ask a guided question about crypto markets',
	description: 'Choose what you want to know, and the question is put into words for you',
	params: [
		...contentParams,
		{
			displayName: 'Token or Project',
			name: 'asset',
			type: 'string',
			default: '',
			placeholder: 'e.g. ETH',
			description: 'Symbol, name or contract address of what you ask about',
		},
		{
			displayName: 'Chain',
			name: 'chain',
			type: 'string',
			default: '',
			placeholder: 'e.g. Solana',
			description: 'Blockchain to look at',
		},
		{
			displayName: 'Wallet',
			name: 'wallet',
			type: 'string',
			default: '',
			placeholder: 'e.g. 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
			description: 'Address or name of a wallet, or of a trader',
		},
		{
			displayName: 'Period',
			name: 'period',
			type: 'string',
			default: '',
			placeholder: 'e.g. the last 7 days',
			description: 'Time to look at, in plain words',
		},
		...chatParams,
		{
			displayName: 'Read the Answer',
			name: 'reading',
			type: 'options',
			options: [
				{ name: 'As a Whole', value: 'whole', description: 'As the operation Ask does' },
				{
					name: 'As It Is Made',
					value: 'streaming',
					description: 'As the operation Ask With Streaming does, with the tools that were used',
				},
			],
			default: 'whole',
			description: 'How the answer is read',
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				{
					displayName: 'Further Wishes',
					name: 'wishes',
					type: 'string',
					typeOptions: { rows: 3 },
					default: '',
					placeholder: 'e.g. Compare it with BTC.',
					description: 'Put at the end of the question as it is',
				},
				{ ...includeRawEventsOption, displayOptions: { show: { '/reading': ['streaming'] } } },
				{
					displayName: 'Language of the Answer',
					name: 'answerLanguage',
					type: 'string',
					default: '',
					placeholder: 'e.g. German',
					description: 'Asked for in the question',
				},
				{ ...languageOption, displayOptions: { show: { '/reading': ['streaming'] } } },
				{
					displayName: 'Longest List',
					name: 'entries',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 1000 },
					default: 10,
					description: 'How many entries a list in the answer may have, asked for in the question',
				},
				modelOption,
				{ ...onIncompleteOption, displayOptions: { show: { '/reading': ['streaming'] } } },
				{ ...showToolsOption, displayOptions: { show: { '/reading': ['streaming'] } } },
			],
		},
	],

	prepare({ capability, reading, options, asset, chat, chatId, chatKey, ...values }) {
		const contents = values[capability];
		if (!contents.length)
			throw invalidInputError(
				'Contents is empty',
				'Choose at least one thing that the answer has to cover.',
			);
		const { wishes, answerLanguage: language, entries } = options;
		const question = buildGuidedQuestion(capability, contents, {
			...values,
			token: asset,
			wishes,
			language,
			entries,
		});
		const request = toQuestionRequest(question, { chat, chatId, chatKey }, options);
		return { ...request, extraOutput: { question }, streaming: reading === 'streaming' };
	},

	sequenceKey: chatSequenceKey,

	run: async (context) =>
		await (context.request.streaming
			? askForStreamedAnswer(context)
			: askForCompleteAnswer(context)),
});

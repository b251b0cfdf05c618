import { operation } from '../../../src/n8n/operation';
import { onIncompleteOption } from '../../../src/n8n/partialAnswers';
import { chatSequenceKey, toQuestionRequest, askForStreamedAnswer } from './askQuestion';
import {
	chatParams,
	includeRawEventsOption,
	languageOption,
	modelOption,
	questionParam,
	showToolsOption,
} from './question.params';

export const askStreaming = operation({
	name: 'Ask With Streaming',
	value: 'askStreaming',
	action: 'Ask about crypto markets with streaming',
	description:
		'Ask a question and read the answer as it is made, with the tools that were used for it',
	params: [
		questionParam,
		...chatParams,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				includeRawEventsOption,
				languageOption,
				modelOption,
				onIncompleteOption,
				showToolsOption,
			],
		},
	],

	prepare: ({ question, options, ...chat }) => toQuestionRequest(question, chat, options),
	sequenceKey: chatSequenceKey,
	run: askForStreamedAnswer,
});

import { operation } from '../../../src/n8n/operation';
import { chatSequenceKey, toQuestionRequest, askForCompleteAnswer } from './askQuestion';
import { chatParams, modelOption, questionParam } from './question.params';

export const ask = operation({
	name: 'Ask',
	value: 'ask',
	action: 'Ask a question about crypto markets',
	description: 'Ask a question and get the complete answer',
	params: [
		questionParam,
		...chatParams,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [modelOption],
		},
	],

	prepare: ({ question, options, ...chat }) => toQuestionRequest(question, chat, options),
	sequenceKey: chatSequenceKey,
	run: askForCompleteAnswer,
});

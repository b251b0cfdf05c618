import { buildGuidedQuestion } from '../../../src/assistant/questionTemplates';
import { invalidInputError } from '../../../src/core/errors';
import { operation } from '../../../src/n8n/operation';
import { askQuestion, chatSequenceKey, toQuestionRequest } from './askQuestion';
import { chatParams } from './chat';
import { guidedOptions, streamAnswerParam } from './question.params';
import { subjectParams, topicParams } from './topics.params';

export const askGuided = operation({
	name: 'Ask Guided Question',
	value: 'askGuided',
	action: 'Ask guided question about crypto markets',
	description: 'Choose what you want to know, and the node writes the question',
	params: [
		...topicParams,
		...subjectParams,
		...chatParams,
		streamAnswerParam,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: guidedOptions,
		},
	],

	prepare({ capability, token, chain, wallet, period, ...params }, context) {
		const topics = params[capability];
		if (!topics.length)
			throw invalidInputError(
				'Topics is empty',
				'Choose at least one topic that the answer has to cover.',
			);
		const { instructions, answerLanguage, maxEntries } = params.options;
		const question = buildGuidedQuestion(capability, topics, {
			...{ token, chain, wallet, period },
			...{ instructions, answerLanguage, maxEntries },
		});
		return { ...toQuestionRequest(question, params, context), isWrittenByNode: true };
	},

	sequenceKey: chatSequenceKey,
	run: askQuestion,
});

import { messageTextParams, readMessageText } from '../../../src/n8n/chatInput.params';
import { operation } from '../../../src/n8n/operation';
import { askQuestion, chatSequenceKey, questionParams, toQuestionRequest } from './askQuestion';

export const ask = operation({
	name: 'Ask',
	value: 'ask',
	action: 'Ask question about crypto markets',
	description: 'Ask a question in your own words',
	params: [
		...messageTextParams({
			name: 'question',
			label: 'Question',
			description: 'What you want to know, in plain words',
			placeholder: 'e.g. Which wallets bought the most ETH in the last 24 hours?',
		}),
		...questionParams,
	],

	prepare({ questionSource, question, ...params }, context) {
		const text = readMessageText('Question', questionSource, question, context.handedOver);
		return toQuestionRequest(text, params, context);
	},

	sequenceKey: chatSequenceKey,
	run: askQuestion,
});

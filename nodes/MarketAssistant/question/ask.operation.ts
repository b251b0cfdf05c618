import type { IDataObject } from 'n8n-workflow';

import { ask as askAssistant } from '../../../src/assistant/answer';
import { operation } from '../../../src/n8n/operation';
import { modelOption, questionParams, toQuestion } from './question.params';

export const ask = operation({
	name: 'Ask',
	value: 'ask',
	action: 'Ask a question',
	description: 'Ask a question and get the complete answer',
	params: [
		...questionParams,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [modelOption],
		},
	],

	prepare: ({ options, ...params }) => toQuestion(params, options),

	lane: ({ chat_id }) => chat_id,

	async run({ request, http, once, note }) {
		const { text, chatId, requestId, body } = await once(request, async () => {
			const answer = await askAssistant(http, request);
			if (answer.chatId) note('chat', answer.chatId);
			return answer;
		});
		return {
			json: {
				output: text,
				...(chatId && { chatId }),
				complete: true,
				...(requestId && { requestId }),
				body: body as IDataObject,
			},
		};
	},
});

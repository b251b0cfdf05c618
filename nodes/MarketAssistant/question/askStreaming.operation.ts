import type { IDataObject } from 'n8n-workflow';

import { askStreaming as askAssistant } from '../../../src/assistant/answer';
import { operation } from '../../../src/n8n/operation';
import { modelOption, questionParams, toQuestion } from './question.params';

export const askStreaming = operation({
	name: 'Ask With Streaming',
	value: 'askStreaming',
	action: 'Ask a question with streaming',
	description:
		'Ask a question and read the answer as it is made, with the tools that were used for it',
	params: [
		...questionParams,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				{
					displayName: 'Include Events',
					name: 'includeEvents',
					type: 'boolean',
					default: false,
					description: 'Whether to add every event of the stream, as it came, as "events"',
				},
				modelOption,
			],
		},
	],

	prepare: ({ options, ...params }) => ({
		question: toQuestion(params, options),
		keepEvents: options.includeEvents ?? false,
	}),

	lane: ({ question }) => question.chat_id,

	async run({ request: { question, keepEvents }, http, once, note }) {
		const { text, chatId, chatTitle, messageIds, toolCalls, events, requestId, body } = await once(
			question,
			async () => {
				const onChat = (id: string) => note('chat', id);
				return await askAssistant(http, question, { keepEvents, onChat });
			},
		);
		return {
			json: {
				output: text,
				...(chatId && { chatId }),
				...(chatTitle && { chatTitle }),
				messageIds,
				toolCalls: toolCalls as unknown as IDataObject[],
				complete: true,
				...(requestId && { requestId }),
				...(keepEvents && { events: events as IDataObject[] }),
				...(body !== undefined && { body: body as IDataObject }),
			},
		};
	},
});

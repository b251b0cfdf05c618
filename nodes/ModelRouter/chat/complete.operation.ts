import type { IDataObject } from 'n8n-workflow';

import { operation } from '../../../src/n8n/operation';
import { complete as askModel } from '../../../src/router/chat';
import { invalid } from '../../../src/service/errors';
import { modelParam } from '../model.param';

export const complete = operation({
	name: 'Complete',
	value: 'complete',
	action: 'Complete a chat',
	description: 'Send messages to a text model and get its answer',
	params: [
		modelParam,
		{
			displayName: 'Messages',
			name: 'messages',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add Message',
			default: { message: [{ role: 'user', content: '' }] },
			options: [
				{
					displayName: 'Message',
					name: 'message',
					values: [
						{
							displayName: 'Role',
							name: 'role',
							type: 'options',
							options: [
								{ name: 'Assistant', value: 'assistant' },
								{ name: 'Developer', value: 'developer' },
								{ name: 'System', value: 'system' },
								{ name: 'User', value: 'user' },
							],
							default: 'user',
							description: 'Who says it',
						},
						{
							displayName: 'Content',
							name: 'content',
							type: 'string',
							typeOptions: { rows: 3 },
							default: '',
							description: 'What is said',
						},
					],
				},
			],
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add Option',
			default: {},
			options: [
				{
					displayName: 'Maximum Output Tokens',
					name: 'max_tokens',
					type: 'number',
					typeOptions: { minValue: 1 },
					default: 4096,
					description:
						'Cap on output tokens, hidden reasoning included; reasoning models need 2000 or more. Not set, the balance is held for 4096.',
				},
				{
					displayName: 'Reasoning Effort',
					name: 'reasoning_effort',
					type: 'options',
					options: [
						{ name: 'High', value: 'high' },
						{ name: 'Low', value: 'low' },
						{ name: 'Medium', value: 'medium' },
						{ name: 'Minimal', value: 'minimal' },
					],
					default: 'medium',
					description:
						'How much a reasoning model thinks before it answers; hidden reasoning is billed as output',
				},
				{
					displayName: 'Temperature',
					name: 'temperature',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 },
					default: 1,
					description: 'From 0 (always much the same answer) to 2 (most varied)',
				},
			],
		},
	],

	prepare({ model, messages: { message = [] }, options }) {
		if (!message.length) throw invalid('Messages is empty', 'Add at least one message.');
		const messages = message.map(({ role, content }, index) => {
			if (!content?.trim()) throw invalid(`Messages ${index + 1}: Content is empty`);
			return { role: role ?? ('user' as const), content };
		});
		return { model: model.trim(), messages, ...options };
	},

	async run({ request, http, once }) {
		const { text, toolCalls, usage, ...rest } = await once(
			request,
			async () => await askModel(http, request),
		);
		return {
			json: {
				output: text,
				...rest,
				...(usage && { usage: usage as IDataObject }),
				...(toolCalls.length && { toolCalls: toolCalls as unknown as IDataObject[] }),
				complete: true,
			},
		};
	},
});

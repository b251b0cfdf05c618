import type { INodeProperties } from 'n8n-workflow';

import type { ParamValues } from '../../../src/n8n/params';
import type { Question } from '../../../src/assistant/answer';

/** What both ways of asking have in common. */
export const questionParams = [
	{
		displayName: 'Question',
		name: 'question',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		placeholder: 'e.g. Which wallets bought the most ETH in the last 24 hours?',
		description: 'What you want to know, in plain words',
	},
	{
		displayName: 'Chat ID',
		name: 'chatId',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.chatId }}',
		description:
			'Chat to continue, as an earlier answer put it into "chatId". It is sent back exactly as it is. Leave empty to begin a new chat.',
	},
] as const satisfies INodeProperties[];

export const modelOption = {
	displayName: 'Model',
	name: 'model',
	type: 'string',
	default: 'svc_v1.2',
	description: 'Version of the assistant. Left out, the service takes svc_v1.2.',
} as const satisfies INodeProperties;

export function toQuestion(
	{ question, chatId }: ParamValues<typeof questionParams>,
	{ model }: { model?: string },
): Question {
	return { message: question, ...(chatId && { chat_id: chatId }), ...(model && { model }) };
}

import type { INodeProperties } from 'n8n-workflow';

import { completeChat, type ChatRequest } from '../../../src/router/chatCompletions';
import { toResponseBody } from '../../../src/router/chatToResponse';
import { createResponse } from '../../../src/router/responses';

export const protocolOption = {
	displayName: 'Protocol',
	name: 'protocol',
	type: 'options',
	options: [
		{
			name: 'Chat Completions',
			value: 'chat',
			description: 'For nearly all models and fields',
		},
		{
			name: 'Responses',
			value: 'responses',
			description: 'For models and fields that need it',
		},
	],
	default: 'chat',
	description: 'The endpoint of the service that is used',
} as const satisfies INodeProperties;

/** How a request is sent that was built as a chat completion. `raw` is the protocol's own object in the answer. */
export const protocols = {
	chat: { raw: 'completion', toBody: (request: ChatRequest) => request, ask: completeChat },
	responses: { raw: 'response', toBody: toResponseBody, ask: createResponse },
} as const;

export type Protocol = keyof typeof protocols;

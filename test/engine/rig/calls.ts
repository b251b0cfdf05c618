import type { INodeParameters } from 'n8n-workflow';

import type { Service } from '../../service/service';
import type { RunOptions } from './run';
import type { Secrets } from './credentials';

type Paying = Pick<RunOptions, 'node' | 'parameters' | 'credential'>;

/** Everything that may cost, made of one text. */
export const paying: Array<[string, (text: string) => Paying]> = [
	['agent: send', (message) => agent({ message })],
	['assistant: ask', (question) => assistant('ask', { question })],
	[
		'assistant: ask a guided question',
		(asset) => assistant('askGuided', { capability: 'webSearch', asset }),
	],
	['assistant: ask with streaming', (question) => assistant('askStreaming', { question })],
	['router: chat', (content) => chat(content)],
	['router: response', (prompt) => response(prompt)],
	['router: start', (prompt) => job('start', { ...picture, prompt })],
	['router: generate', (prompt) => job('generate', { ...picture, prompt })],
];

const model = (value: string) => ({ __rl: true, mode: 'id', value });
const picture = { segment: 'images', model: model('canvas/sketch-1') };

export const agent = (parameters: INodeParameters): Paying => ({
	node: 'workspaceAgent',
	credential: 'workspaceAgentApi',
	parameters: { resource: 'message', operation: 'send', ...parameters },
});

export const assistant = (
	operation: 'ask' | 'askGuided' | 'askStreaming',
	parameters: INodeParameters,
): Paying => ({
	node: 'marketAssistant',
	credential: 'marketAssistantApi',
	parameters: { resource: 'question', operation, ...parameters },
});

export const chat = (content: string, more: INodeParameters = {}): Paying => ({
	node: 'modelRouter',
	credential: 'modelRouterApi',
	parameters: {
		resource: 'text',
		operation: 'message',
		model: model('northwind/quill-2.5'),
		inputType: 'list',
		messages: { message: [{ role: 'user', content }] },
		...more,
	},
});

/** A response in the responses protocol. */
export const response = (prompt: string, more: INodeParameters = {}): Paying => ({
	node: 'modelRouter',
	credential: 'modelRouterApi',
	parameters: {
		resource: 'text',
		operation: 'createResponse',
		model: model('northwind/quill-2.5'),
		prompt,
		...more,
	},
});

export const models = (operation: string, parameters: INodeParameters): Paying => ({
	node: 'modelRouter',
	credential: 'modelRouterApi',
	parameters: { resource: 'model', operation, ...parameters },
});

export const job = (operation: string, parameters: INodeParameters): Paying => ({
	node: 'modelRouter',
	credential: 'modelRouterApi',
	parameters: { resource: 'job', operation, ...parameters },
});

/** Requests that may cost: the nodes read the catalog beside them. */
export const posts = (service: Service) =>
	service.requests.filter(({ method }) => method === 'POST');

/** The three credentials of the reference service. */
export const secretsOf = (service: Service): Secrets => ({
	workspaceAgentApi: { baseUrl: service.agent.baseUrl(), apiKey: service.agent.key() },
	marketAssistantApi: {
		baseUrl: service.assistant.baseUrl,
		apiKey: service.assistant.keys.enterprise,
		plan: 'custom',
		requestsPerMinute: 60_000,
	},
	modelRouterApi: { baseUrl: service.router.baseUrl, apiKey: service.router.keys.main },
});

let others = 0;

/** The same, but for an account of the assistant that no other test uses: a 429 makes all wait that share an account. */
export function secretsOfAnother(service: Service): Secrets {
	const secrets = secretsOf(service);
	const apiKey = `${service.assistant.keys.enterprise}-${++others}`;
	return { ...secrets, marketAssistantApi: { ...secrets['marketAssistantApi'], apiKey } };
}

import { hash } from 'crypto';
import type { INodeParameters } from 'n8n-workflow';

import { data } from '../../service/answer.ts';
import type { Fault, Service } from '../../service/service';
import type { RunOptions } from './run';
import type { Secrets } from './credentials';
import type { DataTables } from './dataTables';

export type Paying = Pick<RunOptions, 'node' | 'parameters' | 'credential'>;

/** Everything that may cost, made of one text. */
export const paying: Array<[string, (text: string) => Paying]> = [
	['agent: send', (message) => agent({ message })],
	['assistant: ask', (question) => assistant('ask', { question })],
	['assistant: ask with streaming', (question) => assistant('askStreaming', { question })],
	['router: chat', (content) => chat(content)],
	['router: response', (prompt) => response(prompt)],
	['router: start', (prompt) => job('start', { ...picture, prompt })],
	['router: generate', (prompt) => job('generate', { ...picture, prompt })],
];

/** A model as the editor stores one that was typed in. */
export const model = (value: string) => ({ __rl: true, mode: 'id', value });
export const NOVELIST = model('verbose/novelist-1');
export const SKETCH = model('canvas/sketch-1');
/** Parameters of a job. */
export const PICTURE = { mediaType: 'images', model: SKETCH, prompt: 'a cat' };
const picture = {
	...PICTURE,
	// a service that answers as a test says may have no catalog
	options: { allowUnknownCost: true },
};

const of =
	(node: string) =>
	(parameters: INodeParameters): Paying => ({ node, credential: `${node}Api`, parameters });
const workspaceAgent = of('workspaceAgent');
const marketAssistant = of('marketAssistant');
export const modelRouter = of('modelRouter');

export const agent = (parameters: INodeParameters) =>
	workspaceAgent({ messageSource: 'define', ...parameters });

const questions = {
	ask: { questionSource: 'define', streamAnswer: false },
	askStreaming: { questionSource: 'define' },
};

export const assistant = (question: keyof typeof questions, parameters: INodeParameters) =>
	marketAssistant({ ...questions[question], ...parameters });

const text = {
	resource: 'text',
	operation: 'message',
	model: model('northwind/quill-2.5'),
};

export const chat = (content: string, more: INodeParameters = {}) =>
	modelRouter({
		...text,
		inputType: 'list',
		messages: { message: [{ role: 'user', content }] },
		...more,
	});

/** The same in the responses protocol. */
export const response = (prompt: string, { options, ...more }: INodeParameters = {}) =>
	modelRouter({
		...text,
		prompt,
		...more,
		options: { protocol: 'responses', ...(options as object | undefined) },
	});

const resource =
	(name: string) =>
	(operation: string, parameters: INodeParameters = {}) =>
		modelRouter({ resource: name, operation, ...parameters });
export const models = resource('model');
export const job = resource('media');
export const ledger = resource('ledger');
export const budget = resource('budget');
/** A request that the budget may have refused in this month. */
export const refusedRequest = () =>
	`month:${new Date().toISOString().slice(0, 7)}-01:${hash('sha256', 'modelRouterApi').slice(0, 8)}-3f2a`;
export const spending = resource('spending');

/** Requests that may cost: the nodes read the catalog beside them. */
export const posts = (service: Service) =>
	service.requests.filter(({ method }) => method === 'POST');

/** Faults of requests that may cost: of so many of them, or of all. */
export const failPosts = (service: Service, fault: Fault | Fault[], times = Infinity) =>
	service.fault({ match: { method: 'POST' }, times, do: fault });

/** These events as the answer. */
export const streamed = (body: string): Fault => ({
	type: 'body',
	contentType: 'text/event-stream',
	body,
});

/** The answer of a model in chat completions: what each chunk adds to it. */
export function says(
	deltas: object | object[],
	finish_reason = 'stop',
	usage: object = { prompt_tokens: 100, completion_tokens: 50 },
): Fault {
	const choices = [...[deltas].flat().map((delta) => ({ delta })), { delta: {}, finish_reason }];
	const chunks = choices.map((choice) => ({ choices: [{ index: 0, ...choice }], usage }));
	return streamed([...chunks, '[DONE]'].map(data).join(''));
}

/** The answer to it is lost. */
export const LOST: Fault = { type: 'reset_peer', effect: true };

/** Settings of a node that n8n tries three times, and of one whose failures are items. */
export const RETRIED = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
export const CARRY_ON = { onError: 'continueErrorOutput' } as const;

/** The three credentials of the reference service. */
export const secretsOf = (service: Service): Secrets => ({
	workspaceAgentApi: { baseUrl: service.agent.baseUrl(), apiKey: service.agent.key() },
	agentServerApi: { server: 'a2a', baseUrl: service.agent.baseUrl(), apiKey: service.agent.key() },
	marketAssistantApi: {
		baseUrl: service.assistant.baseUrl,
		apiKey: service.assistant.keys.enterprise,
		plan: 'custom',
		requestsPerMinute: 60_000,
	},
	modelRouterApi: { baseUrl: service.router.baseUrl, apiKey: service.router.keys.main },
});

/** The same, with a job ledger in the credentials that can have one. */
export function secretsWithLedger(
	service: Service,
	{ ledgerFields }: Pick<DataTables, 'ledgerFields'>,
): Secrets {
	const { modelRouterApi, marketAssistantApi, ...others } = secretsOf(service);
	return {
		...others,
		modelRouterApi: { ...modelRouterApi, ...ledgerFields },
		marketAssistantApi: { ...marketAssistantApi, ...ledgerFields },
	};
}

/** The same, with further fields of the Model Router's. */
export const withAccount = (secrets: Secrets, fields: object): Secrets => ({
	...secrets,
	modelRouterApi: { ...secrets['modelRouterApi'], ...fields },
});

let others = 0;

/** The same, but for an account of the assistant that no other test uses: a 429 makes all wait that share an account. */
export function secretsOfAnother(service: Service): Secrets {
	const secrets = secretsOf(service);
	const apiKey = `${service.assistant.keys.enterprise}-${++others}`;
	return { ...secrets, marketAssistantApi: { ...secrets['marketAssistantApi'], apiKey } };
}

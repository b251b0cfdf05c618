import { startService, type Service, type ServiceOptions } from '../service/service.ts';
import type { CredentialSecret, Editor, SavedCredential } from './editor.ts';
import { sharedEditor } from './shared.ts';
import { node, type WorkflowNode } from './workflow.ts';

export const packageName = 'n8n-nodes-agent-bridge';

/** An n8n, by default the shared one, and a reference service of one test file with the credentials for it. */
export interface Bridge {
	editor: Editor;
	service: Service;
	accounts: Accounts;
}

export interface Accounts {
	agent: SavedCredential;
	/** Of another workspace: a node holds one credential only, so two agents need two nodes. */
	secondAgent: SavedCredential;
	assistant: SavedCredential;
	router: SavedCredential;
}

export async function openBridge(options: ServiceOptions = {}, of?: Editor): Promise<Bridge> {
	const editor = of ?? (await sharedEditor());
	const service = await startService(options);
	return { editor, service, accounts: await createAccounts(editor, secretsOf(service)) };
}

export interface Secrets {
	agent: CredentialSecret;
	secondAgent: CredentialSecret;
	assistant: CredentialSecret;
	router: CredentialSecret;
}

/** Good credentials for a service, named as the examples name them. */
export const secretsOf = ({ agent, assistant, router }: Service): Secrets => ({
	agent: {
		name: 'Workspace Agent account',
		type: 'workspaceAgentApi',
		data: { baseUrl: agent.baseUrl('ws-1'), apiKey: agent.key('ws-1') },
	},
	secondAgent: {
		name: 'Second Workspace Agent account',
		type: 'workspaceAgentApi',
		data: { baseUrl: agent.baseUrl('ws-2'), apiKey: agent.key('ws-2') },
	},
	assistant: {
		name: 'Market Assistant account',
		type: 'marketAssistantApi',
		data: {
			baseUrl: assistant.baseUrl,
			apiKey: assistant.keys.pro,
			plan: 'custom',
			requestsPerMinute: 60_000,
		},
	},
	router: {
		name: 'Model Router account',
		type: 'modelRouterApi',
		data: { baseUrl: router.baseUrl, apiKey: router.keys.main },
	},
});

export async function createAccounts(editor: Editor, secrets: Secrets): Promise<Accounts> {
	return {
		agent: await editor.createCredential(secrets.agent),
		secondAgent: await editor.createCredential(secrets.secondAgent),
		assistant: await editor.createCredential(secrets.assistant),
		router: await editor.createCredential(secrets.router),
	};
}

/** A resource and an operation; how to ask, for the assistant. */
type Choice = readonly [string, string];

const questions: Record<string, object> = {
	ask: { operation: 'ask', questionSource: 'define', streamAnswer: false },
	askStreaming: { operation: 'ask', questionSource: 'define' },
	askGuided: { operation: 'askGuided', streamAnswer: false },
};

/** Nodes of the package. Parameters beside resource and operation, then settings of the node such as `retryOnFail`. */
export const nodesFor = (accounts: Accounts) => {
	const of =
		(
			type: string,
			account: SavedCredential,
			choosing = ([resource, operation]: Choice): object => ({ resource, operation }),
		) =>
		(
			name: string,
			choice: Choice,
			parameters: Record<string, unknown> = {},
			settings: Record<string, unknown> = {},
		): WorkflowNode =>
			node(
				name,
				`${packageName}.${type}`,
				{ ...choosing(choice), ...parameters },
				{ credentials: { [account.type]: { id: account.id, name: account.name } }, ...settings },
			);
	return {
		agent: of('workspaceAgent', accounts.agent, () => ({ messageSource: 'define' })),
		assistant: of(
			'marketAssistant',
			accounts.assistant,
			([, question]) => questions[question] ?? {},
		),
		router: of('modelRouter', accounts.router),
	};
};

/** A model as the editor stores one that was typed in. */
export const model = (value: string) => ({ __rl: true, mode: 'id', value });

/** A list of messages, as the input of a text model. */
export const messages = (content: string) => ({
	inputType: 'list',
	messages: { message: [{ role: 'user', content }] },
});

/** Every operation that may cost, `text` being in what it sends. */
export const payingOperations = [
	['workspaceAgent send', 'agent', ['message', 'send'], (text: string) => ({ message: text })],
	['marketAssistant ask', 'assistant', ['question', 'ask'], (text: string) => ({ question: text })],
	[
		'marketAssistant askGuided',
		'assistant',
		['question', 'askGuided'],
		(text: string) => ({ capability: 'webSearch', token: text }),
	],
	[
		'marketAssistant ask streamed',
		'assistant',
		['question', 'askStreaming'],
		(text: string) => ({ question: text }),
	],
	[
		'modelRouter text message',
		'router',
		['text', 'message'],
		(text: string) => ({ model: model('northwind/quill-2.5'), ...messages(text) }),
	],
	[
		'modelRouter text message, in the responses protocol',
		'router',
		['text', 'message'],
		(text: string) => ({
			model: model('northwind/quill-2.5'),
			prompt: text,
			options: { protocol: 'responses' },
		}),
	],
	[
		'modelRouter media start',
		'router',
		['media', 'start'],
		(text: string) => ({ mediaType: 'images', model: model('canvas/sketch-1'), prompt: text }),
	],
	[
		'modelRouter media generate',
		'router',
		['media', 'generate'],
		(text: string) => ({ mediaType: 'images', model: model('canvas/sketch-1'), prompt: text }),
	],
] as const satisfies ReadonlyArray<
	readonly [
		string,
		keyof Accounts,
		readonly [string, string],
		(text: string) => Record<string, unknown>,
	]
>;

/** One for each way of asking. The others go the same ways, and are tried with the long tests. */
const EACH_KIND = [
	'workspaceAgent send',
	'marketAssistant ask',
	'modelRouter text message',
	'modelRouter media start',
];
const isOneOfEachKind = ([name]: (typeof payingOperations)[number]) => EACH_KIND.includes(name);
export const oneOfEachKind = payingOperations.filter(isOneOfEachKind);
export const furtherOperations = payingOperations.filter((one) => !isOneOfEachKind(one));

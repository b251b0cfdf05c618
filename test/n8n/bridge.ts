import { randomUUID } from 'node:crypto';

import { startService, type Service, type ServiceOptions } from '../service/service.ts';
import type { CredentialSecret, Editor, SavedCredential } from './editor.ts';
import { itemsOf } from './execution.ts';
import { dataTableScopes } from './publicApi.ts';
import { sharedEditor } from './shared.ts';
import { node, using, workflow, type WorkflowNode } from './workflow.ts';

export const packageName = 'n8n-nodes-agent-bridge';

/** An n8n, by default the shared one, and a reference service of one test file with the credentials for it. */
export interface Bridge {
	editor: Editor;
	service: Service;
	accounts: Accounts;
}

/** Two workspace agents, of two workspaces: a node holds one credential only. */
export type Account = 'agent' | 'secondAgent' | 'assistant' | 'router';
export type Accounts = Record<Account, SavedCredential>;
export type Secrets = Record<Account, CredentialSecret>;

export async function openBridge(options: ServiceOptions = {}, of?: Editor): Promise<Bridge> {
	const editor = of ?? (await sharedEditor());
	const service = await startService(options);
	return { editor, service, accounts: await createAccounts(editor, secretsOf(service)) };
}

/** The bridge of the test file that calls this; its service begins anew with each test. @param editorOf Of another n8n than the shared one. */
export function bridgeOfFile(options: ServiceOptions = {}, editorOf?: () => Editor): Bridge {
	const bridge = {} as Bridge;
	beforeAll(async () => void Object.assign(bridge, await openBridge(options, editorOf?.())));
	beforeEach(() => bridge.service.reset());
	afterAll(async () => await bridge.service?.stop());
	return bridge;
}

const secret = (name: string, type: string, baseUrl: string, apiKey: string, more = {}) => ({
	name: `${name} account`,
	type: `${type}Api`,
	data: { baseUrl, apiKey, ...more },
});
/** So many that no test meets the limit. */
const plan = { plan: 'custom', requestsPerMinute: 60_000 };

/** Good credentials for a service, named as the examples name them. */
export const secretsOf = ({ agent, assistant, router }: Service): Secrets => ({
	agent: secret('Workspace Agent', 'workspaceAgent', agent.baseUrl('ws-1'), agent.key('ws-1')),
	secondAgent: secret(
		...(['Second Workspace Agent', 'workspaceAgent'] as const),
		...([agent.baseUrl('ws-2'), agent.key('ws-2')] as const),
	),
	assistant: secret(
		...(['Crypto Q&A', 'marketAssistant'] as const),
		...([assistant.baseUrl, assistant.keys.pro, plan] as const),
	),
	router: secret('Model Router', 'modelRouter', router.baseUrl, router.keys.main),
});

/** Saves a credential with a job ledger of its own, whose table is created at its first use. */
export async function createWithLedger(
	editor: Editor,
	{ data, ...secret }: CredentialSecret,
	{
		n8nUrl = editor.url,
		n8nApiKey = '',
		ledgerTable = `Ledger ${randomUUID()}`,
		...more
	}: Record<string, unknown> = {},
): Promise<SavedCredential> {
	const key = n8nApiKey || (await editor.createApiKey(dataTableScopes));
	const ledger = { useJobLedger: true, n8nUrl, n8nApiKey: key, ledgerTable, ...more };
	return await editor.createCredential({ ...secret, data: { ...data, ...ledger } });
}

export async function createAccounts(editor: Editor, secrets: Secrets): Promise<Accounts> {
	const accounts: Partial<Accounts> = {};
	for (const [account, secret] of Object.entries(secrets) as Array<[Account, CredentialSecret]>)
		accounts[account] = await editor.createCredential(secret);
	return accounts as Accounts;
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
				{ ...using(account), ...settings },
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

/** What a node of ours reads by a credential for the router, such as its budget: the data of its items. */
export async function readWith(
	editor: Editor,
	router: SavedCredential,
	choice: Choice,
	parameters: Record<string, unknown> = {},
): Promise<Array<Record<string, unknown>>> {
	const node = nodesFor({ router } as Accounts).router('Read', choice, parameters);
	const ran = await editor.runOnce(workflow('read', [{}], node));
	if (ran.error) throw new Error(ran.error.message);
	return itemsOf(ran, 'Read').map(({ json }) => json);
}

/** What the picker of a node of ours shows: the ID and the text of each model. */
export async function searchModels(
	editor: Editor,
	router: SavedCredential,
	parameters: Record<string, unknown>,
	filter?: string,
): Promise<Array<[string, string]>> {
	const { results } = await editor.listSearch({
		...{ nodeType: `${packageName}.modelRouter`, method: 'searchModels', parameter: 'model' },
		...{ parameters, ...using(router), ...(filter !== undefined && { filter }) },
	});
	return results.map(({ name, value }) => [value, name]);
}

/** A model as the editor stores one that was typed in. */
export const model = (value: string) => ({ __rl: true, mode: 'id', value });

/** A list of messages, as the input of a text model. */
export const messages = (content: string) => ({
	inputType: 'list',
	messages: { message: [{ role: 'user', content }] },
});

/** An operation that may cost, and its parameters with a text that is in what it sends. */
export type PayingOperation = readonly [
	name: string,
	account: 'agent' | 'assistant' | 'router',
	choice: Choice,
	parameters: (text: string) => Record<string, unknown>,
];

const textModel = model('northwind/quill-2.5');
/** Parameters of a picture that is started or generated. */
export const picture = (prompt: string, more: Record<string, unknown> = {}) => ({
	...{ mediaType: 'images', model: model('canvas/sketch-1'), prompt, ...more },
});

export const payingOperations: readonly PayingOperation[] = [
	['workspaceAgent send', 'agent', ['message', 'send'], (message) => ({ message })],
	['marketAssistant ask', 'assistant', ['question', 'ask'], (question) => ({ question })],
	[
		'marketAssistant askGuided',
		'assistant',
		['question', 'askGuided'],
		(token) => ({ capability: 'webSearch', token }),
	],
	[
		'marketAssistant ask streamed',
		'assistant',
		['question', 'askStreaming'],
		(question) => ({ question }),
	],
	[
		'modelRouter text message',
		'router',
		['text', 'message'],
		(text) => ({ model: textModel, ...messages(text) }),
	],
	[
		'modelRouter text message, in the responses protocol',
		'router',
		['text', 'message'],
		(prompt) => ({ model: textModel, prompt, options: { protocol: 'responses' } }),
	],
	['modelRouter media start', 'router', ['media', 'start'], picture],
	['modelRouter media generate', 'router', ['media', 'generate'], picture],
];

/** One for each way of asking. */
export const oneOfEachKind = payingOperations.filter(([name]) =>
	/send$|ask$|text message$|start$/.test(name),
);

/** The bytes of a job's file as the service itself gives them. */
export async function originalFile(
	{ url, router }: Service,
	{ mediaType, jobId }: Record<string, unknown>,
): Promise<Buffer> {
	const path = `/v1/${String(mediaType)}/jobs/${encodeURIComponent(String(jobId))}/content`;
	const answer = await fetch(url + path, { headers: { 'X-API-KEY': router.keys.main } });
	if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
	return Buffer.from(await answer.arrayBuffer());
}

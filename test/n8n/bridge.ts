import { randomUUID } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';

import {
	agent,
	assistant,
	modelRouter,
	paying,
	PICTURE,
	type Paying,
} from '../engine/rig/calls.ts';
import { startService, type Service, type ServiceOptions } from '../service/service.ts';
import type { CredentialSecret, Editor, SavedCredential } from './editor.ts';
import { itemsOf } from './execution.ts';
import { dataTableScopes } from './publicApi.ts';
import { sharedEditor } from './shared.ts';
import { node, using, workflow, type WorkflowNode } from './workflow.ts';

export { model } from '../engine/rig/calls.ts';

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

/** A node of the package that makes a call. */
const nodeOf = (
	name: string,
	{ node: type, parameters }: Paying,
	account: SavedCredential,
	settings: Record<string, unknown>,
) => node(name, `${packageName}.${type}`, parameters, { ...using(account), ...settings });

/** Nodes of the package. Parameters beside resource and operation, then settings of the node such as `retryOnFail`. */
export const nodesFor = (accounts: Accounts) => {
	const of =
		(account: SavedCredential, calling: (choice: Choice, parameters: INodeParameters) => Paying) =>
		(
			name: string,
			choice: Choice,
			parameters: Record<string, unknown> = {},
			settings: Record<string, unknown> = {},
		) =>
			nodeOf(name, calling(choice, parameters as INodeParameters), account, settings);
	return {
		agent: of(accounts.agent, (_choice, parameters) => agent(parameters)),
		assistant: of(accounts.assistant, ([, question], parameters) =>
			assistant(question as 'ask', parameters),
		),
		router: of(accounts.router, ([resource, operation], parameters) =>
			modelRouter({ resource, operation, ...parameters }),
		),
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

/** The models that the list of a node shows. @param type Without the package's prefix. */
export async function modelsListedBy(type: string, { accounts, editor }: Bridge) {
	const { results } = await editor.listSearch({
		nodeType: `${packageName}.${type}`,
		method: 'searchModels',
		parameter: 'model',
		parameters: {},
		...using(accounts.router),
	});
	return results.map(({ value }) => value);
}

/** A list of messages, as the input of a text model. */
export const messages = (content: string) => ({
	inputType: 'list',
	messages: { message: [{ role: 'user', content }] },
});

/** Parameters of a picture that is started or generated. */
export const picture = (prompt: string, more: Record<string, unknown> = {}) => ({
	...PICTURE,
	prompt,
	// a test begins executions by hand in place of production
	options: { whileBuilding: 'anew' },
	...more,
});

/** An operation that may cost, and its node with a text that is in what it sends. */
export type PayingOperation = readonly [
	name: string,
	make: (accounts: Accounts, text: string, settings?: Record<string, unknown>) => WorkflowNode,
];

export const payingOperations: readonly PayingOperation[] = paying.map(([name, callOf]) => [
	name,
	(accounts, text, settings = {}) => {
		const call = callOf(text);
		const account = Object.values(accounts).find(({ type }) => type === call.credential)!;
		return nodeOf('Node', call, account, settings);
	},
]);

/** One for each way of asking. */
export const oneOfEachKind = payingOperations.filter(([name]) =>
	/: (send|ask|chat|start)$/.test(name),
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

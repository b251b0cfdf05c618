// What one would build with n8n's own nodes, in place of ours.
import { randomUUID } from 'node:crypto';

import type { Editor, SavedCredential } from '../n8n/editor.ts';
import { node, using, workflow, type WorkflowFile, type WorkflowNode } from '../n8n/workflow.ts';
import type { Service } from '../service/service.ts';

/** n8n's own credentials for the service. */
export async function ownAccounts(editor: Editor, { agent, router, url }: Service) {
	const save = async (type: string, name: string, data: object) =>
		await editor.createCredential({ type, name, data: { ...data } });
	const header = { headerName: 'X-API-KEY', headerValue: router.keys.main };
	return {
		planner: await save('httpBearerAuth', 'Planner', { token: agent.key('ws-1') }),
		tester: await save('httpBearerAuth', 'Tester', { token: agent.key('ws-2') }),
		router: await save('httpHeaderAuth', 'Router', { name: 'X-API-KEY', value: router.keys.main }),
		openAi: await save('openAiApi', 'OpenAI', {
			apiKey: router.keys.main,
			url: `${url}/v1`,
			header: true,
			...header,
		}),
	};
}
export type OwnAccounts = Awaited<ReturnType<typeof ownAccounts>>;

const request = (
	name: string,
	account: SavedCredential,
	url: string,
	more: Record<string, unknown> = {},
	settings: Record<string, unknown> = {},
): WorkflowNode =>
	node(
		name,
		'n8n-nodes-base.httpRequest',
		{
			url,
			authentication: 'genericCredentialType',
			genericAuthType: account.type,
			...more,
		},
		{ typeVersion: 4.4, ...using(account), ...settings },
	);

const post = (fields: Record<string, string>) => ({
	method: 'POST',
	sendBody: true,
	bodyParameters: {
		parameters: Object.entries(fields).map(([name, value]) => ({ name, value })),
	},
});

/** Two agents that hear each other in turn, three times each, and what was said last. */
export function talk({ agent }: Service, accounts: OwnAccounts): WorkflowFile {
	const speaker = (name: string, account: SavedCredential, workspace: string) =>
		request(
			name,
			account,
			`=${agent.baseUrl(workspace)}/session/{{ $('Chat').first().json.sessionId }}/messages`,
			post({ content: '={{ $json.chatInput ?? $json.data }}' }),
		);
	const again = node(
		'Again',
		'n8n-nodes-base.if',
		{
			conditions: {
				options: { typeValidation: 'strict', version: 2 },
				conditions: [
					{
						id: 'turns',
						leftValue: '={{ $runIndex }}',
						rightValue: 2,
						operator: { type: 'number', operation: 'lt' },
					},
				],
				combinator: 'and',
			},
		},
		{ typeVersion: 2.2 },
	);
	const answer = node(
		'Answer',
		'n8n-nodes-base.set',
		{
			assignments: {
				assignments: [{ id: 'output', name: 'output', value: '={{ $json.data }}', type: 'string' }],
			},
		},
		{ typeVersion: 3.4 },
	);
	const nodes = [
		node(
			'Chat',
			'@n8n/n8n-nodes-langchain.chatTrigger',
			{},
			{ typeVersion: 1.4, webhookId: randomUUID() },
		),
		speaker('Planner', accounts.planner, 'ws-1'),
		speaker('Tester', accounts.tester, 'ws-2'),
		again,
		answer,
	];
	const to = (name: string) => [{ node: name, type: 'main', index: 0 }];
	return {
		name: "A talk of n8n's own nodes",
		nodes,
		settings: { executionOrder: 'v1' },
		connections: {
			Chat: { main: [to('Planner')] },
			Planner: { main: [to('Tester')] },
			Tester: { main: [to('Again')] },
			Again: { main: [to('Planner'), to('Answer')] },
		},
	};
}

/** A text model asked by n8n's OpenAI node. */
export const ask = (accounts: OwnAccounts, model: string, content: string): WorkflowFile =>
	workflow(
		'An answer by the OpenAI node',
		[{}],
		node(
			'Ask',
			'@n8n/n8n-nodes-langchain.openAi',
			{
				resource: 'text',
				operation: 'response',
				modelId: { __rl: true, mode: 'id', value: model },
				responses: { values: [{ content }] },
			},
			{ typeVersion: 2.1, ...using(accounts.openAi) },
		),
	);

const job = ({ url }: Service, accounts: OwnAccounts, kind: string, model: string, settings = {}) =>
	request(
		'Start',
		accounts.router,
		`${url}/v1/${kind}/jobs`,
		post({ model, prompt: '={{ $json.prompt }}' }),
		settings,
	);

/** A picture for each item. @param settings Of the node, such as `retryOnFail`. */
export const pictures = (
	service: Service,
	accounts: OwnAccounts,
	prompts: readonly string[],
	settings: Record<string, unknown> = {},
): WorkflowFile =>
	workflow(
		'Pictures by HTTP Request',
		prompts.map((prompt) => ({ prompt })),
		job(service, accounts, 'images', 'canvas/sketch-1', settings),
	);

/** A video that is started, waited for and downloaded. */
export const video = (service: Service, accounts: OwnAccounts, prompt: string): WorkflowFile =>
	workflow(
		'A video by HTTP Request',
		[{ prompt }],
		job(service, accounts, 'videos', 'reel/short-1.0'),
		node(
			'Wait',
			'n8n-nodes-base.wait',
			{ resume: 'timeInterval', amount: 60, unit: 'seconds' },
			{ typeVersion: 1.1 },
		),
		request(
			'Download',
			accounts.router,
			`=${service.url}/v1/videos/jobs/{{ $json.id }}/content`,
			{},
		),
	);

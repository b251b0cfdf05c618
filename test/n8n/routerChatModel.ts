import { randomUUID } from 'node:crypto';

import { model, packageName, type Bridge } from './bridge.ts';
import { chatTrigger, streamingWebhook } from './conversationWorkflow.ts';
import { chatMessage, type SavedCredential } from './editor.ts';
import type { Execution } from './execution.ts';
import { callLive } from './liveCaller.ts';
import { node, workflow, type WorkflowFile, type WorkflowNode } from './workflow.ts';

/** The text model that the tests ask, if they do not choose another one. */
export const TEXT_MODEL = 'northwind/quill-2.5';

/** The name of the agent in `agentFile`. */
export const AGENT = 'Agent';

/** The name of the chat model in `agentFile`. */
export const MODEL = 'Router Model';

interface ChatModelSettings {
	name?: string;
	/** Its ID. */
	id?: string;
	/** Parameters beside the model. */
	parameters?: Record<string, unknown>;
	account?: SavedCredential;
}

/** Our chat model, as the editor adds it below an agent or a chain. */
export function routerChatModel(
	{ accounts }: Pick<Bridge, 'accounts'>,
	{
		name = MODEL,
		id = TEXT_MODEL,
		parameters = {},
		account = accounts.router,
	}: ChatModelSettings = {},
): WorkflowNode {
	const credentials = { [account.type]: { id: account.id, name: account.name } };
	return node(
		name,
		`${packageName}.lmChatModelRouter`,
		{ model: model(id), ...parameters },
		{ credentials },
	);
}

/** A node that is attached to another one. */
export interface AttachedNode {
	node: WorkflowNode;
	as: 'ai_languageModel' | 'ai_tool' | 'ai_memory' | 'ai_outputParser';
	/** By default the agent. */
	to?: string;
	/** Which input of this kind it has there; by default the first. */
	index?: number;
}

/** How the agent is asked, and how its answer comes. */
export type Way = 'in the editor' | 'a streaming webhook' | 'a streaming chat' | 'a chat';

export interface AgentTalk {
	/** What it is asked. By default what the webhook or the chat was told. */
	text?: string;
	/** Items of the manual trigger. */
	items?: Array<Record<string, unknown>>;
	way?: Way;
	/** Further parameters of the agent. */
	parameters?: Record<string, unknown>;
	/** Settings of the agent's node, such as `retryOnFail`. */
	settings?: Record<string, unknown>;
	attached: AttachedNode[];
	/** Nodes behind the agent. */
	after?: WorkflowNode[];
	/** In place of n8n's AI Agent. */
	root?: WorkflowNode;
}

/** n8n's AI Agent behind a trigger, with all that is attached to it. */
export function agentFile(talk: AgentTalk): { file: WorkflowFile; path: string } {
	const { way = 'in the editor', items = [{}], parameters, settings, attached, after = [] } = talk;
	const text =
		talk.text ?? (way === 'a streaming webhook' ? '={{ $json.body.q }}' : '={{ $json.chatInput }}');
	const root =
		talk.root ??
		node(
			AGENT,
			'@n8n/n8n-nodes-langchain.agent',
			{ promptType: 'define', text, options: {}, ...parameters },
			{ typeVersion: 3.1, ...settings },
		);
	const path = randomUUID();
	const file = workflow(`chat model ${path}`, items, root, ...after);
	if (way !== 'in the editor') {
		Object.assign(file.nodes[0]!, triggerFor(way, path));
		file.pinData = {};
	}
	for (const each of attached) attach(file, root.name, each);
	return { file, path };
}

const triggerFor = (way: Exclude<Way, 'in the editor'>, path: string) =>
	way === 'a streaming webhook'
		? streamingWebhook(path)
		: chatTrigger(path, way === 'a chat' ? 'lastNode' : 'streaming');

/** A node may be attached to several others. */
function attach(
	file: WorkflowFile,
	root: string,
	{ node: added, as, to = root, index = 0 }: AttachedNode,
): void {
	if (!file.nodes.some(({ name }) => name === added.name)) file.nodes.push(added);
	const connections = file.connections as unknown as Record<string, Record<string, object[][]>>;
	const own = (connections[added.name] ??= {});
	(own[as] ??= [[]])[0]?.push({ node: to, type: as, index });
}

/** Runs an agent in the editor, once. */
export const runAgent = async ({ editor }: Pick<Bridge, 'editor'>, talk: AgentTalk) =>
	await editor.runOnce(agentFile(talk).file);

/** What a sub-node shows of its calls, in their order. */
export function callsOf({ runData }: Execution, name = MODEL) {
	const runs = (runData[name] ?? []) as unknown as Array<{
		data?: { ai_languageModel?: Array<Array<{ json: Record<string, unknown> }>> };
		error?: { message: string; description?: string };
		executionStatus: string;
	}>;
	return runs.map(({ data, error, executionStatus }) => ({
		status: executionStatus,
		json: data?.ai_languageModel?.[0]?.[0]?.json,
		error,
	}));
}

/** The bodies of the requests for text, in their order. */
export const textRequests = ({ service }: Pick<Bridge, 'service'>) =>
	service.requests.filter(
		({ method, path }) => method === 'POST' && /\/v1\/(chat\/completions|responses)$/.test(path),
	);

/** n8n's own tool that calculates. The reference service makes up its argument: `[[tool:Calculator]]`. */
export const calculator = (): AttachedNode => ({
	node: node('Calculator', '@n8n/n8n-nodes-langchain.toolCalculator', {}),
	as: 'ai_tool',
});

/** A tool of n8n that says how long what it was told is. */
export const codeTool = (
	name: string,
	jsCode = "return 'counted ' + query.length;",
): AttachedNode => ({
	node: node(
		name,
		'@n8n/n8n-nodes-langchain.toolCode',
		{ description: `Code of ${name}`, jsCode },
		{ typeVersion: 1.3 },
	),
	as: 'ai_tool',
});

/** A node as n8n's editor adds it below an agent: its type has another name. */
export const asTool = (tool: WorkflowNode): WorkflowNode => ({ ...tool, type: `${tool.type}Tool` });

/** An agent that is published: whom to ask, and its executions. */
export interface PublishedAgent {
	id: string;
	url: string;
	body(question: string, sessionId?: string): Record<string, unknown>;
	/** @returns what it said, as the caller reads it. */
	say(question: string, sessionId?: string): Promise<string>;
	/** What a streaming caller reads as an error, with what the agent said before it. */
	failure(question: string): Promise<{ error: string; text: string }>;
	/** The first, second … of its executions, as soon as it has ended. */
	execution(count?: number): Promise<Execution>;
}

/** Publishes an agent behind a webhook or a chat. */
export async function publishAgent(
	{ editor }: Pick<Bridge, 'editor'>,
	talk: AgentTalk & { way?: Way },
): Promise<PublishedAgent> {
	const { way = 'a streaming chat' } = talk;
	const { file, path } = agentFile({ ...talk, way });
	const saved = await editor.importWorkflow(file);
	await editor.activate(saved);
	const isChat = way !== 'a streaming webhook';
	const url = `${editor.url}/webhook/${path}${isChat ? '/chat' : ''}`;
	const body = (question: string, sessionId?: string) =>
		isChat ? chatMessage(question, sessionId) : { q: question };
	return {
		id: saved.id,
		url,
		body,
		async say(question, sessionId) {
			if (way === 'a chat') {
				const answer = await editor.webhook(`${path}/chat`, body(question, sessionId));
				return String((answer.body as { output?: unknown }).output);
			}
			let text = '';
			for await (const { type, content } of callLive(url, body(question, sessionId)))
				if (type === 'item') text += content ?? '';
			return text;
		},
		async failure(question) {
			const found = { error: '', text: '' };
			for await (const { type, content = '' } of callLive(url, body(question))) {
				if (type === 'item') found.text += content;
				if (type === 'error') found.error = content;
			}
			return found;
		},
		execution: async (count = 1) => await editor.finishedOf(saved.id, count),
	};
}

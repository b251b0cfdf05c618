import { randomUUID } from 'node:crypto';

import { model, packageName, type Bridge } from './bridge.ts';
import { chatMessage, type Editor, type SavedCredential } from './editor.ts';
import { itemsOf, type Execution } from './execution.ts';
import { readLive, textOf, type Chunk } from './liveCaller.ts';
import {
	aiAgent,
	asTool,
	attach,
	beginAt,
	chatTrigger,
	codeTool,
	node,
	using,
	webhook,
	workflow,
	type Attached,
	type WorkflowFile,
	type WorkflowNode,
} from './workflow.ts';

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
	return node(
		name,
		`${packageName}.lmChatModelRouter`,
		{ model: model(id), ...parameters },
		using(account),
	);
}

/** Our chat model below the agent, with these parameters. */
export const withModel = (
	bridge: Bridge,
	parameters: Record<string, unknown> = {},
	more: ChatModelSettings = {},
): Attached => ({
	node: routerChatModel(bridge, { parameters, ...more }),
	as: 'ai_languageModel',
});

const OPENAI_MODEL = '@n8n/n8n-nodes-langchain.lmChatOpenAi';

/** n8n's own OpenAI Chat Model, whose service is the router of the reference service: both speak the same protocol. */
export async function chatModel({ editor, service }: Bridge, name: string): Promise<WorkflowNode> {
	const { main } = service.router.keys;
	const openAi = await editor.createCredential({
		name: 'The router as a chat model',
		type: 'openAiApi',
		data: {
			apiKey: main,
			url: `${service.url}/v1`,
			header: true,
			headerName: 'X-API-KEY',
			headerValue: main,
		},
	});
	return node(
		name,
		OPENAI_MODEL,
		{ model: model(TEXT_MODEL), responsesApiEnabled: false, options: {} },
		{
			typeVersion: await newestVersion(editor),
			...using(openAi),
		},
	);
}

/** Version 1.3, or the newest that an older n8n has. */
async function newestVersion(editor: Editor) {
	const found = await editor.nodeType(OPENAI_MODEL);
	const versions = [found?.['version']].flat().map(Number);
	return Math.max(...versions.filter((known) => known <= 1.3));
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
	attached: Attached[];
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
	const root = talk.root ?? aiAgent(AGENT, text, parameters, settings);
	const path = randomUUID();
	const file = workflow(`chat model ${path}`, items, root, ...after);
	attach(file, root.name, attached);
	return { file: way === 'in the editor' ? file : beginAt(file, triggerFor(way, path)), path };
}

const triggerFor = (way: Exclude<Way, 'in the editor'>, path: string) =>
	way === 'a streaming webhook'
		? webhook(path)
		: chatTrigger(path, way === 'a chat' ? 'lastNode' : 'streaming');

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

/** The requests for text, in their order. */
export const textRequests = ({ service }: Pick<Bridge, 'service'>) =>
	service.requests.filter(
		({ method, path }) => method === 'POST' && /\/v1\/(chat\/completions|responses)$/.test(path),
	);

/** n8n's own tool that calculates. The reference service makes up its argument: `[[tool:Calculator]]`. */
export const calculator = (): Attached => ({
	node: node('Calculator', '@n8n/n8n-nodes-langchain.toolCalculator', {}),
	as: 'ai_tool',
});

/** n8n's Code Tool, which counts the letters that it is told. @param to Whose tool it is, if not that of the agent. */
export const counter = (name: string, to?: string): Attached => ({
	node: codeTool(name, "return 'counted ' + query.length;"),
	as: 'ai_tool',
	...(to && { to }),
});

/** An agent that is published: whom to ask, and its executions. */
export interface PublishedAgent {
	id: string;
	url: string;
	body(question: string, sessionId?: string): Record<string, unknown>;
	/** What a streaming caller reads. */
	chunks(question: string, sessionId?: string): Promise<Chunk[]>;
	/** @returns what it said, as the caller reads it. */
	say(question: string, sessionId?: string): Promise<string>;
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
	const saved = await editor.publish(file);
	const isChat = way !== 'a streaming webhook';
	const url = `${editor.url}/webhook/${path}${isChat ? '/chat' : ''}`;
	const body = (question: string, sessionId?: string) =>
		isChat ? chatMessage(question, sessionId) : { q: question };
	const chunks = async (question: string, sessionId?: string) =>
		await readLive(url, body(question, sessionId));
	return {
		id: saved.id,
		url,
		body,
		chunks,
		async say(question, sessionId) {
			if (way !== 'a chat') return textOf(await chunks(question, sessionId));
			const answer = await editor.webhook(`${path}/chat`, body(question, sessionId));
			return String((answer.body as { output?: unknown }).output);
		},
		execution: async (count = 1) => await editor.finishedOf(saved.id, count),
	};
}

/** Version 3 has n8n's engine run its tools, one after another; 2 runs them by itself, all at once. */
export type AgentVersion = 2.2 | 3;

/**
 * Asks n8n's own AI Agent with n8n's own chat model, at a webhook that streams: `[[tool:Name]]` in the question makes it call a tool.
 *
 * @param sessionId Asks in a chat with this ID, in place of the webhook.
 */
export async function askAgent(
	bridge: Bridge,
	question: string,
	tools: WorkflowNode[],
	version: AgentVersion = 3,
	sessionId?: string,
): Promise<{ output: string; chunks: Chunk[]; execution: Execution }> {
	const agent = await publishAgent(bridge, {
		way: sessionId === undefined ? 'a streaming webhook' : 'a streaming chat',
		settings: { typeVersion: version },
		attached: [
			{ node: await chatModel(bridge, 'Chat Model'), as: 'ai_languageModel' },
			...tools.map((tool) => ({ node: asTool(tool), as: 'ai_tool' as const })),
		],
	});
	const chunks = await agent.chunks(question, sessionId);
	const execution = await agent.execution();
	return { output: String(itemsOf(execution, AGENT)[0]?.json['output']), chunks, execution };
}

/** The chat model calls the tool with these arguments, whatever its schema says, as soon as it is asked the next time. */
export function callWith({ service }: Bridge, tool: string, given: Record<string, unknown>) {
	const call = { name: tool, arguments: JSON.stringify(given) };
	const calls = [{ index: 0, id: 'call_1', type: 'function', function: call }];
	answerOnce(service, { content: null, tool_calls: calls });
}

/** What the chat model answers the next time that it is asked. */
export const sayOnce = ({ service }: Bridge, content: string) => answerOnce(service, { content });

/** In the form in which it is asked for: at once, or as a stream. @param said Of the message. */
export function answerOnce({ fault }: Bridge['service'], said: Record<string, unknown>) {
	const finish_reason = said['tool_calls'] ? 'tool_calls' : 'stop';
	const message = { role: 'assistant', ...said };
	const head = { id: 'c', created: 1, model: TEXT_MODEL };
	const whole = {
		...head,
		object: 'chat.completion',
		choices: [{ index: 0, message, finish_reason }],
	};
	const chunks = [
		{ index: 0, delta: message, finish_reason: null },
		{ index: 0, delta: {}, finish_reason },
	].map((choice) => ({ ...head, object: 'chat.completion.chunk', choices: [choice] }));
	const events = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
	fault({
		// what it is to look like is in the body, which is read only if a rule asks for it
		match: { method: 'POST', path: 'chat/completions', bodyIncludes: '"messages"' },
		times: 1,
		do: ({ body }) =>
			(body as { stream?: boolean }).stream
				? {
						type: 'body',
						contentType: 'text/event-stream',
						body: events.map((event) => `data: ${event}\n\n`).join(''),
					}
				: { type: 'body', contentType: 'application/json', body: JSON.stringify(whole) },
	});
}

/** What one model answers to 100 tokens, as a stream. @param delta Of the message. @param completion_tokens Of its answer. */
export function answerAs(
	{ fault }: Bridge['service'],
	id: string,
	delta: Record<string, unknown>,
	completion_tokens = 50,
) {
	const usage = { prompt_tokens: 100, completion_tokens };
	const event = { choices: [{ index: 0, delta, finish_reason: 'stop' }], usage };
	const body = `data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`;
	fault({
		match: { method: 'POST', bodyIncludes: `"${id}"` },
		do: { type: 'body', body, contentType: 'text/event-stream' },
	});
}

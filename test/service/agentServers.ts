import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

import { type Interrupt, interruptsOf } from './interrupts.ts';
import { listen } from './listen.ts';

/** The key that all of them take, in the header of their own. */
export const AGENT_KEY = ['sk', 'agent', '0123456789abcdef'].join('-');

/** What one of them was sent. */
export interface AgentCall {
	method: string;
	/** With the query. */
	path: string;
	headers: IncomingHttpHeaders;
	body: Record<string, unknown>;
}

export interface AgentServers {
	/** Base URL by server, as a user enters it. */
	urlOf(server: keyof typeof paths): string;
	/** What a user enters in the credential. */
	credential(server: keyof typeof paths): Record<string, string>;
	/** All requests, the first one first. */
	calls: AgentCall[];
	/** What the card of an A2A agent has instead. */
	card: Record<string, unknown>;
	/** What A2A says of each task that it has given, once it no longer takes a message for it. */
	gone: { task?: [code: number, message: string] };
	/** From now on, OpenAI Responses has no responses. */
	forgetResponses(): void;
	/** What waits in threads of LangGraph. A test may change it, as another client does. */
	interrupts: Map<string, Interrupt[]>;
	/** Of LangGraph. A test may take one away. */
	assistants: Array<{ assistant_id: string; name: string }>;
	/** LangGraph refuses so many runs, as while it answers another one. */
	refuseRuns(count: number): void;
	/** From now on, Dify lists no conversations. */
	breakConversations(): void;
	/** Holds the next answers back until it is called. */
	hold(): () => void;
	/** The same for all but the first word of the next answers that are streamed. */
	holdRest(): () => void;
	stop(): Promise<void>;
}

const paths = {
	a2a: '/one',
	a2a0: '/zero',
	langGraph: '/graph',
	n8nChat: '/webhook/1/chat',
	agUi: '/ag-ui',
	aiSdk: '/api/chat',
	responses: '/openai/v1',
	dify: '/dify/v1',
};

const KEY_IN = {
	a2a: 'bearer',
	a2a0: 'apiKey',
	langGraph: 'xApiKey',
	n8nChat: 'none',
	agUi: 'bearer',
	aiSdk: 'bearer',
	responses: 'bearer',
	dify: 'bearer',
};

const ASSISTANTS = [
	{ assistant_id: '3f0b0000-0000-4000-8000-000000000000', name: 'Planner' },
	{ assistant_id: '9c1d0000-0000-4000-8000-000000000000', name: 'Writer' },
];

/**
 * Agents of several servers, on loopback. Each says how many messages its session has had, and what it was told:
 *
 * - A2A 1.0 and 0.3 as @a2a-js/sdk 1.3.0 and 0.3.14 answer: with `[own]` by a context of their own, with `[ask]` a task that waits,
 *   with `[auth]` one that waits for a login, with `[code -32603]` an error of JSON-RPC, and with `late` in it after half of an answer, with `[cut]` half of an answer,
 *   and of 0.3 with `[working]` a task that goes on.
 * - LangGraph as @langchain/langgraph-api 1.5.1: it refuses a thread that is no UUID, an assistant that it does not know, and (if asked to) a second
 *   message while it answers one. With `[may]`, a graph that asks whether it may; with `[tools]`, the middleware of LangChain, which asks
 *   for two tools; with `[both]`, two graphs in a graph, which ask at once. They wait until each has its value. After a message, nothing waits.
 * - The Chat Trigger of n8n 2.41.1: with `[stream]` as its agent streams, with `[403]` and the like as a node Respond to Webhook answers, with `[nodes]` as Response Nodes do,
 *   with `[nothing]` as a workflow whose last node returns nothing.
 * - With `[may]`, the AI SDK and OpenAI Responses ask for approval of a tool, AG-UI for two, and Dify for human input.
 * - AG-UI as @ag-ui/encoder 1.0.0 and the AI SDK as ai 7.0.173 answer: both know only the messages that they are sent.
 * - OpenAI Responses after the recordings of `recordings.ndjson` (openai 7.57): it knows responses that it has completed, or cut at a limit
 *   (`[incomplete]`), and none that broke off or failed. With `[uuid]`, its IDs are as xAI's. Its errors are those of https://github.com/dotnet/extensions/issues/7704.
 * - Dify after https://docs.dify.ai/api-reference/chats/send-chat-message (openapi_chat.json): each user has conversations.
 */
export async function agentServers(): Promise<AgentServers> {
	const calls: AgentCall[] = [];
	const said = new Map<string, number>();
	const busy = new Set<string>();
	const card: Record<string, unknown> = {};
	const assistants = [...ASSISTANTS];
	const interrupts = new Map<string, Interrupt[]>();
	let refusals = 0;
	let held: Promise<void> | undefined;
	let heldRest: Promise<void> | undefined;

	/** Streams an answer, of which the first word is in the second piece at the latest. */
	/** @param first How many pieces there are up to the first word. */
	const stream = async (response: ServerResponse, type: string, pieces: string[], first = 2) => {
		response.writeHead(200, { 'content-type': type });
		for (const piece of pieces.splice(0, first)) response.write(piece);
		await heldRest;
		response.end(pieces.join(''));
	};
	/** A refusal that may come from what has run, or be the server's own: `[402]`, `[403 Authorization data is wrong!]`. */
	const refusal = (message: string, response: ServerResponse) => {
		const [, status, words] = /\[(4\d\d)(?: ([^\]]+))?\]/.exec(message) ?? [];
		if (!status) return false;
		const isCode = /^\w+$/.test(words ?? ' ');
		if (isCode)
			sendJson(response, { status: Number(status), code: words, message: 'No' }, Number(status));
		else sendText(response, Number(status), words ?? 'The model says no.');
		return true;
	};
	const sayIn = (session: string, message: string) => {
		said.set(session, (said.get(session) ?? 0) + 1);
		return `I heard: ${message} This is message ${said.get(session)}.`;
	};

	const gone: AgentServers['gone'] = {};
	const answerers: Record<string, (call: AgentCall, response: ServerResponse) => unknown> = {
		'GET /one/.well-known/agent-card.json': (_, response) =>
			sendJson(response, {
				name: 'One',
				capabilities: { streaming: true },
				supportedInterfaces: [
					{ url: `${url}/one/grpc`, protocolBinding: 'GRPC', protocolVersion: '1.0' },
					{ url: `${url}/one/rpc?v=1`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
				],
				...card,
			}),
		'GET /zero/.well-known/agent-card.json': (_, response) =>
			sendJson(response, {
				name: 'Zero',
				url: `${url}/zero/rpc`,
				capabilities: {},
				...card,
			}),
		'POST /one/rpc?v=1': async ({ body, headers }, response) => {
			if (headers['a2a-version'] !== '1.0')
				return sendJson(response, rpcError(body, -32009, 'Version not supported'));
			const { params } = body as { params: { message: A2aMessage } };
			const { contextId = randomUUID(), taskId = randomUUID(), parts } = params.message;
			const message = String(parts[0]?.text);
			await held;
			if (params.message.taskId && gone.task)
				return sendJson(response, rpcError(body, ...gone.task));
			const [, code, isLate] = /\[code (-\d+)( late)?\]/.exec(message) ?? [];
			const error = rpcError(body, Number(code), 'The words of the agent');
			if (code && !isLate) return sendJson(response, error);
			const ids = { taskId, contextId: message.includes('[own]') ? `ctx ${message}` : contextId };
			const [, asks = ''] = /\[(ask|auth)\]/.exec(message) ?? [];
			const state = { ask: 'INPUT_REQUIRED', auth: 'AUTH_REQUIRED' }[asks] ?? 'COMPLETED';
			const piece = (words: string, append: boolean) => ({
				artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ text: words }] }, append },
			});
			const [first, rest] = inTwo(sayIn(ids.contextId, message));
			const results = [
				{ task: { id: taskId, contextId: ids.contextId, status: { state: 'TASK_STATE_WORKING' } } },
				piece(first, false),
				piece(rest, true),
				{ statusUpdate: { ...ids, status: { state: `TASK_STATE_${state}` } } },
			].slice(0, code || message.includes('[cut]') ? 2 : 4);
			const events = results.map((result) => ({ jsonrpc: '2.0', id: body['id'], result }));
			await stream(response, SSE, [...events, ...(code ? [error] : [])].map(toEvent));
		},
		'POST /zero/rpc': async ({ body }, response) => {
			const { params } = body as { params: { message: A2aMessage } };
			const { contextId = randomUUID(), parts } = params.message;
			await held;
			const words = sayIn(`0 ${contextId}`, String(parts[0]?.text));
			if (words.includes('[working]'))
				return sendJson(response, {
					jsonrpc: '2.0',
					id: body['id'],
					result: { kind: 'task', id: 't', contextId, status: { state: 'working' } },
				});
			const inParts = (text: string) => [{ kind: 'text', text }];
			const ids = { taskId: 't', contextId };
			if (body['method'] === 'message/stream') {
				const [first, rest] = inTwo(words);
				const [one, two] = [first, rest].map((text, index) => ({
					kind: 'artifact-update',
					...ids,
					artifact: { artifactId: 'a', parts: inParts(text) },
					append: index > 0,
				}));
				const events = [
					{ kind: 'task', id: 't', contextId, status: { state: 'submitted' } },
					one,
					two,
					{ kind: 'status-update', ...ids, status: { state: 'completed' }, final: true },
				].map((result) => ({ jsonrpc: '2.0', id: body['id'], result }));
				return await stream(response, SSE, events.map(toEvent));
			}
			const messageId = randomUUID();
			const result = {
				kind: 'message',
				role: 'agent',
				messageId,
				contextId,
				parts: inParts(words),
			};
			sendJson(response, { jsonrpc: '2.0', id: body['id'], result });
		},
		'POST /graph/assistants/search': ({ body }, response) =>
			sendJson(response, assistants.slice(0, Number(body['limit'] ?? 10))),
		// as a proxy for all addresses
		'POST /graph/list/assistants/search': (_, response) => sendJson(response, { ok: true }),
		'POST /graph/threads/search': ({ body }, response) => {
			const { ids } = body as { ids: string[] };
			const found = ids.filter((id) => interrupts.has(id));
			const list = found.map((id) => {
				const byTask: Record<string, Interrupt[]> = {};
				const all = interrupts.get(id) ?? [];
				for (const [index, one] of all.entries()) {
					// those of graphs in a graph are in its task (@langchain/langgraph, pregel/runner.js)
					const task = typeof one.value === 'string' ? `task ${index}` : 'task 0';
					byTask[task] = [...(byTask[task] ?? []), one];
				}
				return { thread_id: id, interrupts: byTask };
			});
			sendJson(response, list);
		},
		'POST /webhook/1/chat': async ({ body }, response) => {
			if (body['action'] === 'loadPreviousSession') return sendJson(response, { data: [] });
			await held;
			if (refusal(String(body['chatInput']), response)) return;
			if (String(body['chatInput']).includes('[nothing]'))
				return sendJson(response, {
					message: 'Workflow executed successfully but no data was returned',
				});
			if (String(body['chatInput']).includes('[nodes]'))
				return sendJson(response, { executionStarted: true, executionId: '1', resumeToken: 't' });
			const output = sayIn(String(body['sessionId']), String(body['chatInput']));
			if (!output.includes('[stream]')) return sendJson(response, { output });
			const items = inTwo(output).map((content) => ({ type: 'item', content }));
			const lines = [{ type: 'begin' }, ...items, { type: 'end' }];
			await stream(response, 'application/json', lines.map(toLine));
		},
	};
	/** A server that is sent all messages, and counts those of the user. */
	const answerHistory =
		(
			textOf: (message: HistoryMessage) => string,
			toEvents: (id: string, words: string[], body: AgentCall['body']) => object[],
		) =>
		async ({ body }: AgentCall, response: ServerResponse) => {
			const messages = body['messages'] as HistoryMessage[];
			await held;
			const asked = messages.filter(({ role }) => role === 'user');
			const message = textOf(messages.at(-1)!);
			const words = `I heard: ${message} This is message ${asked.length}.`.split(/(?<= )/);
			if (refusal(message, response)) return;
			const events = toEvents(`answer ${asked.length}`, words, body).map(toEvent);
			const sent = message.includes('[cut]') ? events.slice(0, 3) : events;
			await stream(response, 'text/event-stream', sent, 3);
		};
	/** Threads of AG-UI that wait. */
	const paused = new Set<unknown>();
	answerers['POST /ag-ui'] = answerHistory(
		({ content }) => String(content),
		(messageId, words, { threadId, runId, resume }) => [
			{ type: 'RUN_STARTED', threadId, runId },
			...(paused.has(threadId) !== Boolean(resume)
				? [{ type: 'RUN_ERROR', message: 'Pending interrupts need a resume' }]
				: []),
			{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
			...words.map((delta) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta })),
			{ type: 'TEXT_MESSAGE_END', messageId },
			paused.delete(threadId) || !/ \[may( \d+)?\] /.test(words.join(''))
				? { type: 'RUN_FINISHED', threadId, runId }
				: paused.add(threadId) && {
						type: 'RUN_FINISHED',
						threadId,
						runId,
						outcome: interruptsOfAgUi(words.join('')),
					},
		],
	);
	answerers['POST /api/chat'] = answerHistory(
		({ parts = [] }) => parts.map((part) => part.text).join(''),
		(messageId, words) => [
			{ type: 'start', messageId },
			{ type: 'text-start', id: 't' },
			...words.map((delta) => ({ type: 'text-delta', id: 't', delta })),
			{ type: 'text-end', id: 't' },
			...(words.includes('[may] ') ? APPROVAL_OF_UI : []),
			{ type: 'finish' },
		],
	);
	/** How many messages of the user each response has had before it. */
	const responses = new Map<string, number>();
	answerers['GET /openai/v1/models'] = (_, response) =>
		sendJson(response, {
			object: 'list',
			data: [{ id: 'planner-1', object: 'model', created: 1735689600, owned_by: 'northwind' }],
		});
	answerers['POST /openai/v1/responses'] = async ({ body }, response) => {
		const { model, previous_response_id: previous, input } = body as Record<string, string>;
		const refuse = (message: string, param: string, code: string) =>
			sendJson(response, { error: { message, type: 'invalid_request_error', param, code } }, 400);
		if (model !== 'planner-1')
			return refuse(`The requested model '${model}' does not exist.`, 'model', 'model_not_found');
		const before = previous ? responses.get(previous) : 0;
		if (before === undefined)
			return refuse(
				`Previous response with id '${previous}' not found.`,
				'previous_response_id',
				'previous_response_not_found',
			);
		await held;
		const said = typeof input === 'string' ? input : JSON.stringify(input);
		// the version and the variant of some are none
		const uuid = randomUUID().replace(/-4(...)-./, '-5$1-2');
		const id = said.includes('[uuid]') ? uuid : `resp_${uuid.replaceAll('-', '')}`;
		const words = `I heard: ${said} This is message ${before + 1}.`;
		const [end = 'completed'] = /(?<=\[)(incomplete|failed)(?=\])/.exec(said) ?? [];
		const isCut = said.includes('[cut]');
		const asked = said.includes('[may]') ? [APPROVAL_OF_MCP] : [];
		if (!isCut && end !== 'failed') responses.set(id, before + 1);
		const item = { id: 'msg_1', type: 'message', role: 'assistant' };
		const content = [{ type: 'output_text', annotations: [], text: words }];
		const place = { item_id: item.id, output_index: 0, content_index: 0 };
		const made = { id, object: 'response', status: 'in_progress', error: null, model, output: [] };
		const error = { code: 'server_error', message: 'The model broke in the middle' };
		const output = [{ ...item, status: end, content }, ...asked];
		const events = [
			{ type: 'response.created', response: made },
			{ type: 'response.in_progress', response: made },
			{
				type: 'response.output_item.added',
				output_index: 0,
				item: { ...item, status: 'in_progress', content: [] },
			},
			...words
				.split(/(?<= )/)
				.map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
			...asked.map((one) => ({ type: 'response.output_item.done', output_index: 1, item: one })),
			{
				type: `response.${end}`,
				response: { ...made, status: end, ...(end === 'failed' ? { error } : { output }) },
			},
		].map((event, index) => {
			const numbered = { ...event, sequence_number: index };
			return `event: ${event.type}\n${toEvent(numbered)}`;
		});
		const sent = isCut ? events.slice(0, asked.length ? -1 : 4) : events;
		await stream(response, 'text/event-stream; charset=utf-8', sent, 4);
	};
	/** The conversation of each user: of a further one, nobody here asks for. */
	const conversations = new Map<string, string>();
	answerers['GET /dify/v1/info'] = (_, response) =>
		sendJson(response, { name: 'Planner', description: '', tags: [], mode: 'chat' });
	let isListed = true;
	const listConversations = ({ path }: AgentCall, response: ServerResponse) => {
		if (!isListed) return sendJson(response, { code: 'not_chat_app', status: 400 }, 400);
		const id = conversations.get(new URL(path, url).searchParams.get('user') ?? '');
		const data = id ? [{ id, name: 'New conversation', inputs: {}, status: 'normal' }] : [];
		sendJson(response, { limit: 1, has_more: false, data });
	};
	answerers['POST /dify/v1/chat-messages'] = async ({ body }, response) => {
		const { query = '', user = '', conversation_id: given } = body as Record<string, string>;
		if (given && conversations.get(user) !== given)
			return sendJson(
				response,
				{ status: 404, code: 'not_found', message: 'Conversation Not Exists.' },
				404,
			);
		await held;
		if (refusal(query, response)) return;
		const conversation_id = given ?? randomUUID();
		conversations.set(user, conversation_id);
		const ids = { task_id: 'task-1', id: 'message-1', message_id: 'message-1', conversation_id };
		const words = sayIn(conversation_id, query).split(/(?<= )/);
		const pieces = words.map((answer) => ({ event: 'message', ...ids, answer, created_at: 1 }));
		const form = { form_id: 'f', form_token: 't', form_content: 'May I?' };
		const end = query.includes('[may]')
			? [
					{ event: 'human_input_required', ...ids, data: form },
					{ event: 'workflow_paused', ...ids, data: {} },
				]
			: [{ event: 'message_end', ...ids, metadata: {} }];
		const events = [...pieces, ...end].map(toEvent);
		const sent = query.includes('[cut]') ? events.slice(0, 1) : events;
		await stream(response, 'text/event-stream; charset=utf-8', ['event: ping\n\n', ...sent]);
	};
	const runGraph = async ({ path, body }: AgentCall, response: ServerResponse) => {
		const thread = path.split('/')[3] ?? '';
		const known = assistants.some(({ assistant_id }) => assistant_id === body['assistant_id']);
		if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(thread))
			return sendJson(response, { success: false, error: { name: 'ZodError' } }, 400);
		if (!known) return sendText(response, 404, 'No assistant found for this ID.');
		if ((busy.has(thread) && body['multitask_strategy'] === 'reject') || refusals-- > 0)
			return sendText(response, 422, 'Thread is already running a task. Wait for it to finish.');
		busy.add(thread);
		await held;
		busy.delete(thread);
		const { input, command } = body as {
			input?: { messages: Array<{ content: string }> };
			command?: { resume: Record<string, unknown> };
		};
		const told = input?.messages[0]?.content ?? '';
		const waiting = command
			? (interrupts.get(thread) ?? []).filter(({ id }) => !(id in command.resume))
			: interruptsOf(told);
		interrupts.set(thread, waiting);
		const begun = 'event: metadata\ndata: {"run_id":"1","attempt":1}\n\n';
		const toUpdate = (update: object) => `event: updates\n${toEvent(update)}`;
		if (waiting.length) {
			const updates = waiting.map((one) => toUpdate({ __interrupt__: [one] }));
			return await stream(response, SSE, [begun, ...updates]);
		}
		const values = command && `decided: ${JSON.stringify(Object.values(command.resume))}`;
		const content = sayIn(thread, values ?? told);
		const message = { id: randomUUID(), type: 'AIMessageChunk' };
		const pieces = inTwo(content).map((piece) => [
			{ ...message, content: piece },
			{ langgraph_node: 'a' },
		]);
		await stream(response, SSE, [
			begun,
			...pieces.map((piece) => `event: messages\n${toEvent(piece)}`),
			toUpdate({ a: { messages: [{ ...message, type: 'ai', content }] } }),
		]);
	};

	const server = createServer((request, response) => {
		void text(request).then(async (given) => {
			const { method = '', url: path = '', headers } = request;
			const call = {
				method,
				path,
				headers,
				body: (given ? JSON.parse(given) : {}) as AgentCall['body'],
			};
			calls.push(call);
			const keys = [headers.authorization, headers['x-api-key'], headers['api-key']];
			const isOpen = path.startsWith('/webhook') || path.includes('/.well-known/');
			if (!isOpen && !keys.some((key) => String(key).endsWith(AGENT_KEY)))
				return sendText(response, 401, 'Invalid API key');
			const answer =
				answerers[`${method} ${path}`] ??
				(path.endsWith('/runs/stream') ? runGraph : undefined) ??
				(path.startsWith('/dify/v1/conversations?') ? listConversations : undefined);
			if (answer) await answer(call, response);
			else sendJson(response, { detail: 'Not Found' }, 404);
		});
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	return {
		urlOf: (name) => url + paths[name],
		credential: (name) => ({
			server: name === 'a2a0' ? 'a2a' : name,
			baseUrl: url + paths[name],
			keyIn: KEY_IN[name],
			apiKey: AGENT_KEY,
		}),
		calls,
		gone,
		forgetResponses: () => responses.clear(),
		card,
		interrupts,
		assistants,
		refuseRuns: (count) => void (refusals = count),
		breakConversations: () => void (isListed = false),
		hold() {
			let release = () => {};
			held = new Promise((resolve) => (release = resolve));
			return () => {
				held = undefined;
				release();
			};
		},
		holdRest() {
			let release = () => {};
			heldRest = new Promise((resolve) => (release = resolve));
			return () => {
				heldRest = undefined;
				release();
			};
		},
		async stop() {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
}

/** As docs.ag-ui.com/concepts/interrupts has it: two, or as many as are asked for. */
function interruptsOfAgUi(words: string) {
	const count = Number(/\[may (\d+)\]/.exec(words)?.[1] ?? 2);
	const more = count > 2 ? ' please'.repeat(30) : '';
	const interrupts = Array.from({ length: count }, (_, index) => {
		const id = `i${index + 1}`;
		return { id, reason: 'tool_call', message: `May I ${id}?${more}`, toolCallId: id };
	});
	return { type: 'interrupt', interrupts };
}

/** As https://platform.openai.com/docs/guides/tools-connectors-mcp has it. */
const APPROVAL_OF_MCP = {
	id: 'mcpr_1',
	type: 'mcp_approval_request',
	server_label: 'bank',
	name: 'pay',
	arguments: '{"usd":7}',
};

/** As ai 7.0.173 streams it: `new-approval` in recordings.ndjson. */
const APPROVAL_OF_UI = [
	{ type: 'tool-input-available', toolCallId: 'c', toolName: 'pay', input: { usd: 7 } },
	{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' },
];

interface HistoryMessage {
	role: string;
	content?: string;
	parts?: Array<{ text: string }>;
}

interface A2aMessage {
	contextId?: string;
	taskId?: string;
	parts: Array<{ text?: string }>;
}

const rpcError = ({ id }: Record<string, unknown>, code: number, message: string) => ({
	jsonrpc: '2.0',
	id,
	error: { code, message },
});

const SSE = 'text/event-stream';

const toLine = (value: object) => `${JSON.stringify(value)}\n`;

const toEvent = (value: object | undefined) => `data: ${JSON.stringify(value)}\n\n`;

/** The first word, and the rest. */
function inTwo(words: string): [first: string, rest: string] {
	const [first = '', ...rest] = words.split(/(?<= )/);
	return [first, rest.join('')];
}

const sendJson = (response: ServerResponse, body: unknown, status = 200) =>
	void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const sendText = (response: ServerResponse, status: number, words: string) =>
	void response.writeHead(status, { 'content-type': 'text/plain;charset=UTF-8' }).end(words);

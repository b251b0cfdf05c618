import type { Condition, Path } from './dialect';
import type { AgentServer, Ask, Template } from './server';

/** A version of A2A over JSON-RPC. */
interface Version {
	/** The method that streams, and the one that does not. */
	methods: readonly [string, string];
	headers?: Ask['headers'];
	/** The text as a message, without its IDs. */
	message: Record<string, Template>;
	configuration?: Record<string, Template>;
}

const A2A_1: Version = {
	methods: ['SendStreamingMessage', 'SendMessage'],
	headers: { 'A2A-Version': '1.0' },
	message: { role: 'ROLE_USER', parts: [{ text: '{message}' }] },
};
const A2A_0: Version = {
	methods: ['message/stream', 'message/send'],
	message: { kind: 'message', role: 'user', parts: [{ kind: 'text', text: '{message}' }] },
	configuration: { blocking: true },
};

/**
 * The ways to ask by a version, where a card has its address at this place.
 *
 * @param more What else the card has to have.
 */
function waysOf(version: Version, inCard: Path, more: Condition = {}): Ask[] {
	const { methods, message, headers, configuration = {} } = version;
	const ids = { messageId: '{id}', contextId: '{chat}|{session}', taskId: '{task}' };
	const params = { tenant: '{tenant}', message: { ...message, ...ids }, configuration };
	const hasUrl = { [inCard ? `${inCard}.url` : 'url']: '*', ...more };
	return methods.map((method, index) => ({
		path: '',
		headers,
		body: { jsonrpc: '2.0', id: '{id}', method, params },
		ifCard: index ? hasUrl : { ...hasUrl, 'capabilities.streaming': true },
		inCard,
	}));
}

const JSON_RPC = 'supportedInterfaces[protocolBinding=JSONRPC]';

/**
 * Codes of JSON-RPC: no JSON, no request, no such method, wrong parameters; and of A2A: no such task, a type of content, an extension or a
 * version that it does not have. Not among them: -32004, an operation that is not supported, which @a2a-js/sdk 1.3.0 also says of the first
 * event of an agent that has run (`_advanceStreamPattern`), -32006, a wrong answer of the agent, and -32603.
 */
const NOT_TAKEN = [-32700, -32600, -32601, -32602, -32001, -32005, -32008, -32009];

/** States of a task: in 0.3, and in 1.0. */
const states = (...names: string[]) =>
	names.flatMap((name) => [name, `TASK_STATE_${name.replace('-', '_').toUpperCase()}`]);

/** What n8n says where the last node of a workflow has returned nothing (2.41.1, webhook-helpers.js). */
const WITHOUT_ANSWER = [
	'Workflow executed successfully but no data was returned',
	'Workflow executed successfully but the last node did not return any data',
];

/** A run of LangGraph in a thread. Of the updates, only interrupts are read: the other mode does not have them. */
const toRun = (what: Record<string, Template>): Ask => ({
	path: '/threads/{session}/runs/stream',
	body: {
		assistant_id: '{agent}',
		...what,
		stream_mode: ['messages-tuple', 'updates'],
	},
});

/** To add a server, write a row, and record what its own client sends and what it answers. */
export const SERVERS = [
	{
		name: 'Workspace',
		value: 'workspace',
		source: 'The specification, section 4A',
		baseUrl: 'https://host.example.com/api/v1/workspaces/my-workspace',
		keyIn: 'bearer',
		asks: [{ path: '/session/{session}/messages', body: { content: '{message}' } }],
		// a GET where only POST is specified: it starts no conversation, and the service checks the key first
		probe: { path: '/session/00000000-0000-0000-0000-000000000000/messages' },
	},
	{
		name: 'A2A',
		value: 'a2a',
		source: '@a2a-js/sdk 1.3.0 and 0.3.14',
		baseUrl: 'https://agent.example.com',
		card: '/.well-known/agent-card.json',
		asks: [
			...waysOf(A2A_1, `${JSON_RPC}[protocolVersion=1|1.0|1.0.0]`),
			...waysOf(A2A_0, `${JSON_RPC}[protocolVersion=0.3|0.3.0]`),
			...waysOf(A2A_0, 'additionalInterfaces[transport=JSONRPC]'),
			...waysOf(A2A_0, '', { preferredTransport: 'JSONRPC' }),
			// JSON-RPC is what is meant where a card does not say it
			...waysOf(A2A_0, '', { preferredTransport: null }),
		],
		chatAt: [
			'result.contextId',
			'result.task.contextId',
			'result.message.contextId',
			'result.statusUpdate.contextId',
			'result.artifactUpdate.contextId',
		],
		tasks: {
			waiting: states('input-required', 'auth-required'),
			over: states('completed', 'failed', 'canceled', 'rejected'),
			at: [
				{ state: 'result.status.state', id: ['result.taskId', 'result.id'] },
				{ state: 'result.task.status.state', id: 'result.task.id' },
				{ state: 'result.statusUpdate.status.state', id: 'result.statusUpdate.taskId' },
			],
		},
		refusal: { 'error.code': NOT_TAKEN, result: null },
		probe: { path: '/.well-known/agent-card.json' },
	},
	{
		name: 'LangGraph',
		value: 'langGraph',
		source: '@langchain/langgraph-api 1.5.1',
		baseUrl: 'https://my-deployment.langgraph.app',
		keyIn: 'xApiKey',
		asks: [
			toRun({
				if_not_exists: 'create',
				input: { messages: [{ role: 'user', content: '{message}' }] },
			}),
		],
		ignores: { '#': 'updates', __interrupt__: null },
		approvals: {
			find: {
				path: '/threads/search',
				body: { ids: ['{session}'], limit: 1, select: ['thread_id', 'interrupts'] },
			},
			session: 'thread_id',
			at: 'interrupts.*',
			idsAt: '__interrupt__.id',
			answer: toRun({ command: { resume: '{resume}' } }),
		},
		// with status 422; the client in Python has a conflict, 409: bytedance/deer-flow#1475
		busy: 'Thread is already running a task',
		agents: {
			method: 'POST',
			path: '/assistants/search',
			body: { limit: 1000 },
			list: '',
			id: 'assistant_id',
			label: 'name',
		},
		probe: { method: 'POST', path: '/assistants/search', body: { limit: 1 }, provesKey: true },
	},
	{
		name: 'n8n Chat',
		value: 'n8nChat',
		source: 'n8n 2.41.1 (Chat Trigger)',
		baseUrl: 'https://n8n.example.com/webhook/…/chat',
		keyIn: 'none',
		asks: [
			{
				path: '',
				body: { action: 'sendMessage', sessionId: '{session}', chatInput: '{message}' },
			},
		],
		// n8n itself sends none to a webhook; a node Respond to Webhook may
		mayRunBefore429: true,
		unreadable: [
			{
				if: { executionStarted: true },
				says: 'This Chat Trigger answers by Response Nodes, which only the chat of its n8n can read',
				advice: 'In its options, set Response Mode to When Last Node Finishes, or to Streaming.',
			},
			{
				if: { message: WITHOUT_ANSWER },
				says: 'The workflow has ended without an answer',
				advice: 'Its last node has to return an item with the field "output".',
			},
		],
		// any request may start the workflow: with Load Previous Session: Manually, that one, too
	},
	{
		name: 'AG-UI',
		value: 'agUi',
		source: '@ag-ui/client, @ag-ui/core and @ag-ui/encoder 1.0.0',
		baseUrl: 'https://agent.example.com/agent',
		asks: [
			{
				path: '',
				body: {
					threadId: '{session}',
					runId: '{id}',
					state: {},
					messages: '{history}',
					tools: [],
					context: [],
					forwardedProps: {},
				},
			},
		],
		history: {
			user: { id: '{id}', role: 'user', content: '{message}' },
			agent: { id: '{id}', role: 'assistant', content: '{message}' },
			idAt: '[type=TEXT_MESSAGE_START|TEXT_MESSAGE_CHUNK].messageId',
		},
		// of what its owner has written, it may be that of a model, amid the work
		mayRunBefore429: true,
	},
	{
		name: 'AI SDK',
		value: 'aiSdk',
		source: 'ai 7.0.173',
		baseUrl: 'https://app.example.com/api/chat',
		asks: [
			{ path: '', body: { id: '{session}', trigger: 'submit-message', messages: '{history}' } },
		],
		history: {
			user: { id: '{id}', role: 'user', parts: [{ type: 'text', text: '{message}' }] },
			agent: {
				id: '{id}',
				role: 'assistant',
				parts: [{ type: 'text', text: '{message}', state: 'done' }],
			},
			idAt: '[type=start].messageId',
		},
		// as of AG-UI
		mayRunBefore429: true,
	},
	{
		name: 'OpenAI Responses',
		value: 'responses',
		source: 'A stand-in made from recordings of OpenAI, asked by openai 7.57.0',
		baseUrl: 'https://api.openai.com/v1',
		keyIn: 'bearer',
		asks: [
			{
				path: '/responses',
				body: {
					model: '{agent}',
					input: '{message}',
					previous_response_id: '{chat}',
					stream: true,
					store: true,
				},
			},
		],
		// one that has failed, or broke off, is not stored: the message before it goes on
		chatAt: ['response[status=completed|incomplete].id'],
		tasks: {
			waiting: [],
			over: ['completed', 'incomplete', 'failed', 'cancelled'],
			at: [{ state: 'response.status', id: 'response.id' }],
		},
		agents: { method: 'GET', path: '/models', list: 'data', id: 'id', label: 'id' },
		probe: { method: 'GET', path: '/models', provesKey: true },
	},
	{
		name: 'Dify',
		value: 'dify',
		source: 'A stand-in made from the pages of docs.dify.ai, asked by dify-client 2.3.2',
		baseUrl: 'https://api.dify.ai/v1',
		keyIn: 'bearer',
		asks: [
			{
				path: '/chat-messages',
				body: {
					query: '{message}',
					inputs: {},
					response_mode: 'streaming',
					conversation_id: '{chat}',
					user: '{session}',
				},
			},
		],
		// rate_limit_error is that of a model, which may not be the first thing that an app asks
		mayRunBefore429: true,
		finds: { method: 'GET', path: '/conversations?user={session}&limit=1', at: 'data.0.id' },
		tasks: {
			waiting: [],
			over: ['message_end', 'error'],
			at: [{ state: 'event', id: 'task_id' }],
		},
		probe: { method: 'GET', path: '/info', provesKey: true },
	},
] as const satisfies readonly AgentServer[];

/** The specified one, and the default. */
export const WORKSPACE: AgentServer = SERVERS[0];

export const serverOf = (value: unknown): AgentServer | undefined =>
	SERVERS.find((one) => one.value === value);

import { A2A_ASKS, NOT_TAKEN, states } from './a2aAsks';
import { approvalOfMcp, GONE_RESPONSE } from './openAiResponses';
import type { AgentServer, Ask, Template } from './server';

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
		// without it, LangChain's own servers queue a second message, which nobody would wait for
		multitask_strategy: 'reject',
		...what,
		stream_mode: ['messages-tuple', 'updates'],
	},
});

const ON_INTERRUPT = '[type=CUSTOM][name=on_interrupt]';
const CANCELLED = { interruptId: '{task}', status: 'cancelled' };

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
		asks: A2A_ASKS,
		chatAt: [
			...['', 'task.', 'message.', 'statusUpdate.', 'artifactUpdate.'].map(
				(place) => `result.${place}contextId`,
			),
			// of Agno
			'result.context_id',
		],
		tasks: {
			waits: { input: states('input-required'), approval: states('auth-required') },
			over: states('completed', 'failed', 'canceled', 'rejected'),
			at: [
				{ state: 'result.status.state', id: ['result.taskId', 'result.id'] },
				{ state: 'result.task.status.state', id: 'result.task.id' },
				{ state: 'result.statusUpdate.status.state', id: 'result.statusUpdate.taskId' },
			],
		},
		refusal: { 'error.code': NOT_TAKEN, result: null },
		gone: {
			task: {
				// TaskNotFoundError
				'-32001': '',
				// of a task that has ended: 1.3.0, 0.3.14 and a2a-python
				'-32004': 'is in a terminal state',
				'-32600': 'is in a terminal state',
				'-32602': 'is in terminal state',
			},
		},
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
		repeats: { '#': 'updates', __interrupt__: null },
		approvals: {
			find: {
				path: '/threads/search',
				body: { ids: ['{session}'], limit: 1, select: ['thread_id', 'interrupts'] },
			},
			session: 'thread_id',
			at: 'interrupts.*',
			askedAt: ['__interrupt__'],
			answer: toRun({ command: { resume: '{resume}' } }),
		},
		// with status 422; LangChain's own servers with a conflict, 409: bytedance/deer-flow#1475
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
		// a node Respond to Webhook answers with any status, after an agent has worked: these are n8n's own (ChatTrigger/error.js and
		// GenericFunctions.js, webhook-not-found.error.js)
		notTaken: {
			says: {
				401: /^(Authorization is required!|User not authenticated!|Invalid authentication token)$/,
				403: /^Authorization data is wrong!$/,
				404: /^(The requested webhook "[^"]+" is not registered\.|This webhook is not registered for [A-Z]+ requests\. Did you mean to make an? [A-Z, or]+ request\?)$/,
			},
		},
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
					resume: '{decisions}',
				},
			},
		],
		// docs.ag-ui.com/concepts/interrupts: what a refusal looks like is the agent's own, and an object may pass for a yes; what is cancelled does not
		decides: {
			begins: [{ type: 'RUN_STARTED' }, { type: 'RUN_FINISHED', 'outcome.type': 'interrupt' }],
			askedAt: ['outcome.interrupts', ['rawEvent', 'value'].map((at) => `${ON_INTERRUPT}.${at}`)],
			each: {
				approve: { interruptId: '{task}', status: 'resolved', payload: { approved: true } },
				decline: CANCELLED,
				text: CANCELLED,
			},
		},
		history: {
			user: { id: '{id}', role: 'user', content: '{message}' },
			agent: { id: '{id}', role: 'assistant', content: '{message}' },
			idAt: '[type=TEXT_MESSAGE_START|TEXT_MESSAGE_CHUNK].messageId',
		},
		// of what its owner has written, any status may be that of a model, amid the work
		notTaken: {},
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
		notTaken: {},
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
					input: '{decisions}|{message}',
					previous_response_id: '{chat}',
					stream: true,
					store: true,
				},
			},
		],
		// one that has failed, or broke off, is not stored: the message before it goes on
		chatAt: ['response', '[object==response]'].map(
			(place) => `${place}[status=completed|incomplete].id`,
		),
		gone: { chat: GONE_RESPONSE },
		tasks: {
			waits: {},
			over: ['completed', 'incomplete', 'failed', 'cancelled'],
			at: ['response', '[object==response]'].map((at) => ({
				state: `${at}.status`,
				id: `${at}.id`,
			})),
		},
		decides: {
			askedAt: ['item', 'output', 'response.output'].map(
				(place) => `${place}[type=mcp_approval_request]`,
			),
			each: {
				approve: approvalOfMcp({ approve: true }),
				decline: approvalOfMcp({ approve: false }),
				text: approvalOfMcp({ approve: false, reason: '{message}' }),
			},
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
		// those of its controllers, before an app is run (langgenius/dify, service_api/app/completion.py). Of a model, which may not be the
		// first thing that an app asks: provider_not_initialize, provider_quota_exceeded, model_currently_not_support,
		// completion_request_error, rate_limit_error
		notTaken: {
			codes: [
				'app_unavailable',
				'bad_request',
				'conversation_completed',
				'forbidden',
				'invalid_param',
				'not_chat_app',
				'not_found',
				'unauthorized',
			],
		},
		finds: { method: 'GET', path: '/conversations?user={session}&limit=1', list: 'data', id: 'id' },
		tasks: {
			waits: {},
			over: ['message_end', 'workflow_finished', 'error'],
			at: [{ state: 'event', id: 'task_id' }],
		},
		probe: { method: 'GET', path: '/info', provesKey: true },
	},
] as const satisfies readonly AgentServer[];

/** The specified one, and the default. */
export const WORKSPACE: AgentServer = SERVERS[0];

export const serverOf = (value: unknown): AgentServer | undefined =>
	SERVERS.find((one) => one.value === value);

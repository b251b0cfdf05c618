import { BEGIN, END, FAILURE, type Call, type Dialect } from './dialect';
import { DIFY_APPS } from './dify';
import { RAGFLOW } from './ragflow';

/** How a run of Letta stops that has not failed. */
const LETTA_STOPS = 'end_turn max_steps max_tokens_exceeded tool_rule requires_approval'.split(' ');

const LETTA_APPROVAL: Call = {
	waitsFor: 'approval',
	id: 'tool_call.tool_call_id',
	tool: 'tool_call.name',
	adds: 'tool_call.arguments',
};

/** Of members of a team, whose words are not the answer. */
const OF_MEMBER = { parent_run_id: '*' };
/** What a paused run waits for. A team has it in its requirements alone: its tools have the call of the member. */
const [REQUIRED, NOT_RUN] = [
	'requirements[confirmation=].tool_execution[result=]',
	'tools[result=]',
];
const AGNO_CALL: Call = {
	waitsFor: 'approval',
	id: 'tool_call_id',
	tool: 'tool_name',
	input: 'tool_args',
};
const AGNO: Dialect['events'] = {
	RunStarted: BEGIN,
	RunContent: { unless: OF_MEMBER, piece: 'content' },
	RunCompleted: { unless: OF_MEMBER, all: 'content', ends: 'stream' },
	RunPaused: [
		{ unless: OF_MEMBER, call: { ...AGNO_CALL, each: REQUIRED } },
		{ unless: { ...OF_MEMBER, [REQUIRED]: '*' }, call: { ...AGNO_CALL, each: NOT_RUN } },
		{
			unless: { ...OF_MEMBER, [REQUIRED]: '*', [NOT_RUN]: '*' },
			call: { waitsFor: 'approval' },
		},
		{ unless: OF_MEMBER, ends: 'stream' },
	],
	RunError: { unless: OF_MEMBER, fails: 'content' },
	RunCancelled: { unless: OF_MEMBER, fails: 'reason' },
};

/** Products that serve agents. */
export const PRODUCTS: readonly Dialect[] = [
	{
		name: 'Agno',
		source: 'https://github.com/agno-agi/agno/blob/main/libs/agno/agno/run/agent.py (and team.py)',
		by: 'event',
		// the steps of a workflow are runs, too
		knownBy: ['', 'Team'].map((of) => ({
			event: ['RunStarted', 'RunContent', 'RunError'].map((name) => of + name),
			workflow_run_id: null,
		})),
		events: Object.fromEntries(
			['', 'Team'].flatMap((of) => Object.entries(AGNO).map(([name, one]) => [of + name, one])),
		),
	},
	{
		name: 'Genkit texts',
		source: '@genkit-ai/express 1.42.0',
		isPlain: true,
		by: 'onlyField',
		knownBy: [{ message: String, '#': 'message' }],
		events: {
			message: { opens: 'stream', piece: '' },
			result: { all: '', ends: 'stream' },
			error: FAILURE,
		},
	},
	{
		name: 'AgentKit',
		source: '@inngest/agent-kit 0.13.2',
		by: 'event',
		// others have events of these names, too
		knownBy: [
			{
				event: ['run.started', 'run.failed', 'part.created', 'text.delta', 'stream.ended'],
				sequenceNumber: '*',
			},
		],
		events: {
			'run.started': BEGIN,
			'text.delta': { piece: 'data.delta', id: 'data.partId' },
			'hitl.requested': {
				call: {
					waitsFor: 'approval',
					each: 'data.toolCalls',
					id: 'partId',
					tool: 'toolName',
					input: 'toolInput',
				},
				ends: 'answer',
			},
			'hitl.resolved': { settles: ['*', '?'] },
			'run.failed': { fails: 'data' },
			'stream.ended': END,
		},
	},
	...RAGFLOW,
	...DIFY_APPS,
	{
		name: 'Flowise',
		source: 'flowise 3.1.3 (SSEStreamer)',
		by: 'event',
		knownBy: ['agentFlowEvent', 'nextAgentFlow', { event: 'token', data: String }],
		mayHaveNoText: true,
		events: {
			start: BEGIN,
			agentFlowEvent: BEGIN,
			token: { piece: 'data' },
			action: { asks: ['data.data.input', 'data.data.nodeLabel'] },
			error: { fails: 'data' },
			abort: FAILURE,
			end: END,
		},
	},
	{
		name: 'Coze',
		source: 'https://github.com/coze-dev/coze-py/tree/main/tests/testdata',
		by: 'line',
		knownBy: [
			'conversation.chat.created',
			'conversation.message.delta',
			{ '#': 'Message', node_seq_id: '*' },
		],
		events: {
			'conversation.chat.created': BEGIN,
			'conversation.message.delta': { if: { type: 'answer' }, piece: 'content', id: 'id' },
			'conversation.message.completed': {
				if: { type: 'answer' },
				whole: 'content',
				ends: 'message',
			},
			'conversation.chat.completed': { ends: 'answer' },
			'conversation.chat.failed': { fails: 'last_error' },
			'conversation.chat.requires_action': {
				call: {
					each: 'required_action.submit_tool_outputs.tool_calls',
					id: 'id',
					tool: 'function.name',
					input: 'function.arguments',
				},
				ends: 'answer',
			},
			// a workflow
			Message: { opens: 'stream', piece: 'content' },
			Interrupt: { ends: 'answer' },
			Done: END,
			Error: FAILURE,
			error: FAILURE,
			done: END,
			'[DONE]': END,
		},
	},
	{
		name: 'Letta',
		source: 'https://docs.letta.com/guides/agents/streaming; @letta-ai/letta-client 1.12.1',
		by: 'message_type',
		knownBy: [
			'assistant_message',
			'reasoning_message',
			'tool_call_message',
			'usage_statistics',
			{ 'messages.message_type': '*' },
		],
		events: {
			reasoning_message: { opens: 'message' },
			assistant_message: { opens: 'stream', piece: 'content', id: 'id' },
			approval_request_message: { opens: 'message', call: LETTA_APPROVAL },
			stop_reason: [
				{ unless: { stop_reason: LETTA_STOPS }, fails: '' },
				{ ends: 'answer', stopped: 'stop_reason' },
			],
			error_message: FAILURE,
			'': [
				{
					if: { 'stop_reason.stop_reason': '*' },
					unless: { 'stop_reason.stop_reason': LETTA_STOPS },
					fails: 'stop_reason',
				},
				{
					all: 'messages[message_type=assistant_message].content',
					stopped: 'stop_reason.stop_reason',
				},
				{
					call: {
						...LETTA_APPROVAL,
						each: 'messages[message_type=approval_request_message]',
					},
				},
			],
			'[DONE]': END,
		},
	},
	{
		name: 'AnythingLLM',
		source: 'https://github.com/Mintplex-Labs/anything-llm/blob/master/server/swagger',
		by: 'type',
		knownBy: ['textResponseChunk', 'textResponse', 'finalizeResponseStream', 'agentThought'],
		events: {
			agentThought: { opens: 'message' },
			textResponseChunk: [
				{ opens: 'stream', piece: 'textResponse' },
				{ if: { close: true }, ends: 'answer' },
			],
			textResponse: { whole: 'textResponse', ends: 'message' },
			finalizeResponseStream: END,
			abort: { fails: 'error' },
		},
	},
	{
		name: 'Langflow',
		source: 'https://docs.langflow.org/api-flows-run',
		by: 'event',
		knownBy: [
			{ event: 'log', 'data.component_id': '*' },
			{ event: 'add_message', 'data.sender': '*' },
			{ event: 'token', 'data.chunk': String },
			{ 'outputs.outputs.results': '*' },
		],
		events: {
			log: { opens: 'message' },
			add_message: [
				{ if: { 'data.sender': 'User' }, opens: 'stream' },
				{
					if: { 'data.sender': 'Machine' },
					unless: { 'data.properties.state': 'partial' },
					whole: 'data.text',
					id: 'data.id',
					ends: 'message',
				},
			],
			token: { piece: 'data.chunk', id: 'data.id' },
			error: { fails: 'data' },
			end: {
				all: ['data.result.message', 'data.result.outputs.outputs.results.message.text'],
				ends: 'stream',
			},
			'': { all: 'outputs.outputs.results.message.text' },
		},
	},
	{
		name: 'ChatKit',
		source: 'https://github.com/openai/chatkit-python/blob/main/chatkit/types.py',
		by: 'type',
		knownBy: ['thread.item.added', 'thread.item.updated', 'thread.item.done'],
		events: {
			'thread.item.added': { if: { 'item.type': 'assistant_message' }, opens: 'stream' },
			'thread.item.updated': {
				if: { 'update.type': 'assistant_message.content_part.text_delta' },
				piece: 'update.delta',
				id: 'item_id',
			},
			'thread.item.done': {
				if: { 'item.type': 'assistant_message' },
				whole: 'item.content',
				ends: 'step',
			},
			error: FAILURE,
		},
	},
	{
		name: 'n8n',
		source: 'n8n-core 2.41.1 (sendChunk)',
		by: 'type',
		knownBy: [{ type: ['begin', 'item', 'end', 'error'], 'metadata.nodeId': '*' }],
		events: {
			begin: BEGIN,
			item: { piece: 'content' },
			error: { fails: 'content' },
			// of a step: an agent goes on after its tools (n8n-nodes-langchain 2.41.1, processEventStream.js)
			end: { ends: 'step' },
		},
	},
];

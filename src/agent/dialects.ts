import { A2A } from './a2a';
import { END, FAILURE, type Dialect, type Meaning } from './dialect';
import { MODELS } from './models';
import { PRODUCTS } from './products';

/** Codes of lines that assistant-ui adds. */
const AUI = ['aui-state', 'aui-data', 'aui-text-delta', 'aui-reasoning-part-start'];

/** Types of a message of LangChain that are the model's. */
const AI = ['ai', 'AIMessageChunk'];
/** A run ends the stream that was first to start. */
const OUTERMOST = { ofOpening: 'run_id', ends: 'stream' } as const;
const ASKS = { if: { __interrupt__: '*' }, asks: '__interrupt__.value', ends: 'answer' } as const;
const GROWING = { if: { '0.type': AI }, grows: '0.content', id: '0.id' };

/** A text, a message, a message and where it comes from, or the state of a graph. */
const SERIALIZED: readonly Meaning[] = [
	{ unless: { 0: '*' }, piece: ['', 'kwargs.content'], id: 'kwargs.id' },
	{ piece: '0.kwargs.content', id: '0.kwargs.id' },
	{ piece: '1.0.kwargs.content', id: '1.0.kwargs.id' },
	{ state: 'messages' },
	{ if: { 0: 'values' }, state: '1.messages' },
	{ if: { '1.__interrupt__': '*' }, asks: '1.__interrupt__.value', ends: 'answer' },
];

/** Version 2 of the Agent Client Protocol tells the end of its work in the state of the session. */
const ACP_2: readonly Meaning[] = [
	{
		if: { 'params.update.sessionUpdate': 'agent_message' },
		whole: 'params.update.content',
		ends: 'message',
	},
	{ if: { 'params.update.state': 'running' }, opens: 'stream' },
	{
		if: {
			'params.update.state': 'idle',
			'params.update.stopReason': ['cancelled', 'refusal', 'error'],
		},
		fails: ['params.update.error', 'params.update'],
	},
	{ if: { 'params.update.state': 'idle' }, ends: 'stream' },
];

const OF_SUBAGENT = { parent_tool_use_id: '*' };

/**
 * The forms of answers that are recognized, a row each. To add one, write a row, and record an answer in `test/unit/agent/recordings.ndjson`.
 * Rows that stand earlier are looked for first.
 */
export const DIALECTS: readonly Dialect[] = [
	...MODELS,
	{
		name: 'AI SDK',
		source: 'ai 5.0, 6.0 and 7.0, @mastra/core 1.71, @voltagent/core 2.0, assistant-stream 0.3.57',
		by: 'type',
		knownBy: [
			'start-step',
			'finish-step',
			'text-*',
			'reasoning-*',
			'tool-input-*',
			'data-*',
			'source-*',
			'part-start',
			'part-finish',
			'message-metadata',
			{ type: 'error', errorText: '*' },
			{ type: ['start', 'step-start'], payload: '*' },
		],
		events: {
			start: { opens: 'stream' },
			'part-start': {
				opens: 'stream',
				numberedBelow: 'path',
				isOther: { 'part.type': ['reasoning', 'tool-call', 'source', 'file', 'data'] },
			},
			'text-delta': { piece: ['delta', 'textDelta', 'text', 'payload.text'], id: 'path' },
			'finish-step': { ends: 'message' },
			'step-finish': { ends: 'message' },
			finish: END,
			'message-finish': END,
			error: { fails: ['payload.error', 'payload', ''] },
			abort: FAILURE,
			tripwire: { fails: ['payload', ''] },
			'[DONE]': END,
		},
	},
	{
		name: 'AI SDK 4 data stream',
		source: 'ai 4.3, assistant-stream 0.3.57',
		by: 'line',
		knownBy: [...'0236789abcdefghijk', ...AUI].map((code) => `${code}:`),
		events: {
			'f:': { opens: 'stream' },
			'0:': { piece: '' },
			'aui-text-delta:': { piece: 'textDelta', id: 'parentId' },
			'3:': FAILURE,
			'e:': { ends: 'message' },
			'd:': END,
		},
	},
	{
		name: 'AG-UI',
		source: '@ag-ui/core 1.0, @copilotkit/runtime 1.75, @tanstack/ai 0.58',
		by: 'type',
		knownBy: [
			'RUN_*',
			'STEP_*',
			'TEXT_MESSAGE_*',
			'TOOL_CALL_*',
			'REASONING_*',
			'STATE_*',
			'MESSAGES_*',
			'ACTIVITY_*',
			'SUBAGENT_*',
		],
		events: {
			RUN_STARTED: { opens: 'stream' },
			TEXT_MESSAGE_START: { id: 'messageId' },
			TEXT_MESSAGE_CONTENT: { piece: 'delta', id: 'messageId' },
			TEXT_MESSAGE_CHUNK: { piece: 'delta', id: 'messageId' },
			TEXT_MESSAGE_END: { ends: 'message' },
			MESSAGES_SNAPSHOT: { state: 'messages' },
			RUN_ERROR: FAILURE,
			RUN_FINISHED: [
				{ if: { 'outcome.type': 'cancelled' }, fails: 'outcome' },
				{ if: { 'outcome.type': 'interrupt' }, asks: 'outcome.interrupts.message' },
				END,
				...['metadata.tanstack.finishReason', 'finishReason'].map(
					(reason): Meaning => ({
						if: { [reason]: 'tool_calls' },
						unless: { 'outcome.type': 'interrupt' },
						calls: reason,
					}),
				),
			],
		},
	},
	...A2A,
	{
		name: 'LangGraph',
		source: '@langchain/langgraph-api 1.5.1',
		by: 'line',
		nameUntil: '|',
		knownBy: [
			'messages/partial',
			'messages/metadata',
			'messages/complete',
			'values',
			'updates',
			{ '#': 'messages', '0.type': '*' },
			{ __error__: '*' },
			{ __interrupt__: '*' },
		],
		events: {
			messages: { if: { '0.type': AI }, piece: '0.content', id: '0.id', calls: '0.tool_calls' },
			'messages/partial': { ...GROWING, opens: 'message', calls: '0.tool_calls' },
			'messages/complete': { ...GROWING, ends: 'answer', calls: '0.tool_calls' },
			// with subgraphs, they come in place of messages/complete
			checkpoints: { ends: 'answer' },
			values: [{ state: 'messages' }, ASKS],
			updates: [{ added: '*.messages', ends: 'message' }, ASKS],
			error: FAILURE,
			end: END,
			'': [{ if: { __error__: '*' }, fails: '__error__' }, ASKS],
		},
	},
	{
		name: 'LangChain events',
		source: '@langchain/core 1.4.0, @langchain/langgraph-api 1.5.1',
		by: ['event', 'line'],
		knownBy: [
			'on_chain_*',
			'on_chat_model_*',
			'on_llm_*',
			'on_prompt_*',
			'on_tool_*',
			'on_parser_*',
		],
		events: {
			on_chain_start: { opens: 'stream' },
			on_chat_model_start: { opens: 'stream' },
			on_llm_start: { opens: 'stream' },
			on_chat_model_stream: { piece: ['data.chunk.content', 'data.chunk.kwargs.content'] },
			on_llm_stream: { piece: ['data.chunk.text', 'data.chunk.kwargs.content'] },
			on_chat_model_end: [
				{ whole: ['data.output.content', 'data.output.kwargs.content'], ends: 'message' },
				OUTERMOST,
			],
			on_llm_end: [{ whole: 'data.output.generations.text', ends: 'message' }, OUTERMOST],
			on_chain_end: { ...OUTERMOST, all: 'data.output', state: 'data.output.messages' },
			error: FAILURE,
			end: END,
		},
	},
	{
		name: 'LangChain messages',
		source: '@langchain/core 1.4.0, @langchain/langgraph 1.7.3 (as JSON, and as LangServe)',
		by: 'line',
		knownBy: [
			{ '#': 'data', '': String },
			{ lc: 1, type: 'constructor' },
			{ 'messages.lc': 1 },
			{ '0.lc': 1 },
			{ '1.messages.lc': 1 },
			{ '1.0.lc': 1 },
		],
		events: {
			metadata: { if: { run_id: '*' }, opens: 'stream' },
			data: SERIALIZED,
			error: FAILURE,
			end: END,
			'': SERIALIZED,
		},
	},
	{
		name: 'Genkit',
		source: '@genkit-ai/express 1.42.0',
		by: 'line',
		knownBy: [{ 'message.role': 'model' }, { 'result.message.role': 'model' }],
		events: {
			'': [
				{
					if: { 'message.role': 'model' },
					opens: 'stream',
					piece: 'message.content',
					id: 'message.index',
				},
				{ if: { finishReason: '*' }, ends: 'answer' },
				{ if: { result: '*' }, all: ['result.message.content', 'result'], ends: 'stream' },
				{ if: { error: '*' }, fails: 'error' },
			],
			error: FAILURE,
		},
	},
	{
		name: 'Google ADK',
		source: '@google/adk 2.0.0',
		knownBy: [{ invocationId: '*' }, { invocation_id: '*' }],
		events: {
			'': [
				{ if: { partial: true }, opens: 'stream', piece: 'content.parts' },
				{
					unless: { partial: true, author: 'user', 'content.parts.functionResponse': '*' },
					whole: 'content.parts',
					ends: 'answer',
					calls: 'content.parts.functionCall',
				},
				{ if: { longRunningToolIds: '*' }, ends: 'answer' },
				{ if: { errorCode: '*' }, fails: '' },
				{ if: { error: '*' }, fails: 'error' },
			],
		},
	},
	{
		name: 'OpenAI Agents SDK',
		source: '@openai/agents 0.20.0',
		by: 'type',
		knownBy: ['raw_model_stream_event', 'run_item_stream_event', 'agent_updated_stream_event'],
		events: {
			raw_model_stream_event: [
				{ if: { 'data.type': 'response_started' }, opens: 'stream' },
				{ if: { 'data.type': 'output_text_delta' }, piece: 'data.delta' },
				{
					if: { 'data.type': 'response_done' },
					ends: 'answer',
					calls: 'data.response.output[type=function_call]',
				},
			],
			run_item_stream_event: {
				if: { name: 'message_output_created' },
				whole: ['item.rawItem.content', 'item.rawItem.content.refusal'],
				ends: 'message',
			},
		},
	},
	{
		name: 'Claude Agent SDK',
		source: '@anthropic-ai/claude-agent-sdk 0.3.332',
		by: 'type',
		knownBy: ['stream_event', { type: ['system', 'assistant'], session_id: '*', uuid: '*' }],
		events: {
			system: { if: { subtype: 'init' }, opens: 'stream' },
			stream_event: { unless: OF_SUBAGENT, piece: 'event.delta.text' },
			assistant: { unless: OF_SUBAGENT, whole: 'message.content', ends: 'message' },
			result: [{ if: { is_error: true }, fails: ['result', ''] }, { all: 'result' }, END],
		},
	},
	{
		name: 'MCP and ACP',
		source: '@modelcontextprotocol/sdk 1.32.2, @agentclientprotocol/sdk 2.4.0',
		by: 'method',
		knownBy: [{ jsonrpc: '*' }],
		events: {
			'notifications/progress': { opens: 'stream' },
			'session/update': [
				{
					if: { 'params.update.sessionUpdate': 'agent_message_chunk' },
					opens: 'stream',
					piece: 'params.update.content',
				},
				...ACP_2,
			],
			'': [
				// version 2 of ACP answers the prompt first, and then works
				{ if: { 'result.messageId': '*' }, opens: 'stream' },
				{ if: { error: '*' }, fails: 'error' },
				{ if: { 'result.isError': true }, fails: 'result.content.text' },
				{ if: { 'result.stopReason': ['cancelled', 'refusal'] }, fails: 'result' },
				{
					if: { result: '*' },
					unless: { 'result.messageId': '*' },
					all: 'result.content',
					ends: 'stream',
				},
			],
		},
	},
	...PRODUCTS,
];

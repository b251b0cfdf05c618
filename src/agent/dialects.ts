import type { Condition, Dialect, Meaning } from './dialect';
import { PRODUCTS } from './products';

const END = { ends: 'stream' } as const satisfies Meaning;
const FAILURE = { fails: '' } as const satisfies Meaning;

/** Roles whose messages are not the answer. */
const OTHERS = ['user', 'system', 'developer', 'tool'];

/** States of a task of A2A: in 0.3, and in 1.0. */
const state = (...names: string[]): Condition => ({
	'status.state': names.flatMap((name) => [
		name,
		`TASK_STATE_${name.replace('-', '_').toUpperCase()}`,
	]),
});
const OVER = state('completed');
const WAITS = state('input-required', 'auth-required');
const BROKEN = state('failed', 'canceled', 'rejected');
/** Version 0.3 names the parts of a message `content` over REST. */
const SAID = ['status.message.parts', 'status.message.content'] as const;
const A2A_STATUS: readonly Meaning[] = [
	{ if: OVER, all: SAID, ends: 'stream' },
	{ if: WAITS, asks: SAID, ends: 'stream' },
	{ if: BROKEN, fails: 'status.message' },
	{ if: { final: true }, ends: 'stream' },
];
const A2A_TASK: readonly Meaning[] = [
	{ opens: 'stream' },
	...[OVER, WAITS, BROKEN].map((now): Meaning => ({ if: now, all: 'artifacts.parts' })),
	...A2A_STATUS,
];
const A2A_ARTIFACT: Meaning = {
	...{ opens: 'stream', piece: ['artifact.parts', 'artifact.content'], id: 'artifact.artifactId' },
};
const A2A_MESSAGE: Meaning = {
	if: { role: ['agent', 'ROLE_AGENT'] },
	...{ whole: ['parts', 'content'], ends: 'stream' },
};

/** Types of a message of LangChain that are the model's. */
const AI = ['ai', 'AIMessageChunk'];

/**
 * The forms of answers that are recognized, a row each. To add one, write a row, and record an answer in `test/unit/agent/recordings.ndjson`.
 * Rows that stand earlier are looked for first.
 */
export const DIALECTS: readonly Dialect[] = [
	{
		name: 'Chat completions',
		source: 'openai 7.57, @copilotkit/aimock 1.43 (OpenAI, OpenRouter)',
		seen: 'run',
		knownBy: [{ choices: '*' }],
		events: {
			'': [
				{
					opens: 'stream',
					piece: ['delta.content', 'delta.refusal', 'text'].map((at) => `choices[index=0?].${at}`),
					calls: 'choices[index=0?].delta.tool_calls',
				},
				{ whole: ['choices[index=0?].message.content', 'choices[index=0?].message.refusal'] },
				{ if: { error: '*' }, fails: 'error' },
				{ if: { 'choices.finish_reason': 'error' }, fails: 'choices.error' },
				{ if: { 'choices[index=0?].finish_reason': '*' }, ends: 'answer' },
			],
			'[DONE]': END,
		},
	},
	{
		name: 'Responses',
		source: 'openai 7.57, @copilotkit/aimock 1.43',
		seen: 'run',
		by: ['type', 'object'],
		knownBy: [
			...['response.created', 'response.in_progress', 'response.output_item.added'],
			...['response.output_text.delta', 'response.output_text.done', 'response.completed'],
			{ object: 'response' },
		],
		events: {
			'response.created': { opens: 'stream' },
			'response.output_text.delta': { piece: 'delta' },
			'response.refusal.delta': { piece: 'delta' },
			'response.output_text.done': { whole: 'text' },
			'response.output_item.done': [
				{ if: { 'item.type': 'message' }, whole: 'item.content', ends: 'message' },
				{ if: { 'item.type': 'function_call' }, calls: 'item.name' },
			],
			'response.completed': { all: 'response.output[type=message].content', ends: 'stream' },
			'response.incomplete': { all: 'response.output[type=message].content', ends: 'stream' },
			'response.failed': { fails: 'response.error' },
			error: FAILURE,
			response: [
				{ all: 'output[type=message].content' },
				{ if: { status: ['failed', 'cancelled'] }, fails: 'error' },
				END,
			],
			'[DONE]': END,
		},
	},
	{
		name: 'Messages API',
		source: '@anthropic-ai/sdk 1.14, @copilotkit/aimock 1.43',
		seen: 'run',
		by: ['type', 'line'],
		knownBy: [
			...['content_block_start', 'content_block_delta'],
			{ type: 'message_start', 'message.role': 'assistant' },
			{ type: 'message', role: 'assistant', content: '*' },
		],
		events: {
			message_start: { opens: 'stream' },
			content_block_start: [
				{ piece: 'content_block' },
				{ if: { 'content_block.type': 'tool_use' }, calls: 'content_block.name' },
			],
			content_block_delta: { piece: 'delta.text' },
			message_delta: { if: { 'delta.stop_reason': '*' }, ends: 'answer' },
			message_stop: END,
			message: { whole: 'content', ends: 'stream' },
			error: FAILURE,
		},
	},
	{
		name: 'AI SDK',
		source: 'ai 5.0, 6.0 and 7.0, @mastra/core 1.71, @voltagent/core 2.0, assistant-stream 0.3.57',
		seen: 'run',
		by: 'type',
		knownBy: [
			...['start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'data-*'],
			...['reasoning-start', 'tool-input-start', 'tool-input-available', 'source-url'],
			...['part-start', 'part-finish', 'message-metadata'],
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
		seen: 'run',
		by: 'line',
		knownBy: [...'0236789abcdefghijk'].map((code) => `${code}:`),
		events: {
			'f:': { opens: 'stream' },
			'0:': { piece: '' },
			'3:': FAILURE,
			'e:': { ends: 'message' },
			'd:': END,
		},
	},
	{
		name: 'AG-UI',
		source: '@ag-ui/core 1.0, @copilotkit/runtime 1.75',
		seen: 'run',
		by: 'type',
		knownBy: [
			...['RUN_STARTED', 'RUN_FINISHED', 'RUN_ERROR', 'STEP_STARTED', 'TOOL_CALL_START'],
			...['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_CHUNK', 'REASONING_START'],
			...['MESSAGES_SNAPSHOT', 'STATE_SNAPSHOT', 'STATE_DELTA', 'ACTIVITY_SNAPSHOT'],
		],
		events: {
			RUN_STARTED: { opens: 'stream' },
			TEXT_MESSAGE_START: { id: 'messageId', isOther: { role: OTHERS } },
			TEXT_MESSAGE_CONTENT: { piece: 'delta', id: 'messageId' },
			TEXT_MESSAGE_CHUNK: [
				{ if: { role: '*' }, id: 'messageId', isOther: { role: OTHERS } },
				{ piece: 'delta', id: 'messageId' },
			],
			TEXT_MESSAGE_END: { ends: 'message' },
			MESSAGES_SNAPSHOT: { state: 'messages' },
			RUN_ERROR: FAILURE,
			RUN_FINISHED: [
				{ if: { 'outcome.type': 'cancelled' }, fails: 'outcome' },
				{ if: { 'outcome.type': 'interrupt' }, asks: 'outcome.interrupts.message' },
				END,
			],
		},
	},
	{
		name: 'A2A 0.3',
		source: '@a2a-js/sdk 0.3.14',
		seen: 'run',
		inJsonRpc: true,
		by: 'kind',
		knownBy: [
			...['status-update', 'artifact-update'],
			{ kind: 'task', 'status.state': '*' },
			{ kind: 'message', parts: '*' },
		],
		events: {
			task: A2A_TASK,
			message: A2A_MESSAGE,
			'artifact-update': A2A_ARTIFACT,
			'status-update': A2A_STATUS,
		},
	},
	{
		name: 'A2A 1.0',
		source: '@a2a-js/sdk 1.3.0, and 0.3.14 over REST',
		seen: 'run',
		inJsonRpc: true,
		by: 'onlyField',
		knownBy: [
			{ 'task.status.state': '*' },
			{ 'statusUpdate.status': '*' },
			{ 'artifactUpdate.artifact': '*' },
			{ 'message.role': 'ROLE_AGENT' },
			{ role: 'ROLE_AGENT' },
		],
		events: {
			task: A2A_TASK,
			message: A2A_MESSAGE,
			artifactUpdate: A2A_ARTIFACT,
			statusUpdate: A2A_STATUS,
			'': A2A_MESSAGE,
		},
	},
	{
		name: 'LangGraph',
		source: '@langchain/langgraph-api 1.5.1',
		seen: 'run',
		by: 'line',
		nameUntil: '|',
		knownBy: [
			...['messages/partial', 'messages/metadata', 'messages/complete', 'values', 'updates'],
			{ '#': 'messages', '0.type': '*' },
			{ __error__: '*' },
		],
		events: {
			messages: { if: { '0.type': AI }, piece: '0.content', id: '0.id', calls: '0.tool_calls' },
			'messages/partial': {
				if: { '0.type': AI },
				opens: 'message',
				grows: '0.content',
				id: '0.id',
			},
			'messages/complete': [
				{ if: { '0.type': AI }, grows: '0.content', id: '0.id' },
				{ if: { '0.type': AI }, ends: 'answer', calls: '0.tool_calls' },
			],
			values: { state: 'messages' },
			updates: { added: '*.messages' },
			error: FAILURE,
			end: END,
			'': { if: { __error__: '*' }, fails: '__error__' },
		},
	},
	{
		name: 'LangChain events',
		source: '@langchain/core 1.4.0, @langchain/langgraph-api 1.5.1',
		seen: 'run',
		by: ['event', 'line'],
		knownBy: [
			...['on_chain_start', 'on_chain_stream', 'on_chain_end', 'on_prompt_start'],
			...['on_chat_model_start', 'on_chat_model_stream', 'on_chat_model_end'],
			...['on_llm_start', 'on_llm_stream', 'on_llm_end', 'on_tool_start', 'on_parser_start'],
		],
		events: {
			on_chain_start: { opens: 'stream' },
			on_chat_model_start: { opens: 'stream' },
			on_llm_start: { opens: 'stream' },
			on_chat_model_stream: { piece: ['data.chunk.content', 'data.chunk.kwargs.content'] },
			on_llm_stream: { piece: 'data.chunk.text' },
			on_chat_model_end: [
				{ whole: ['data.output.content', 'data.output.kwargs.content'], ends: 'message' },
				{ ofOpening: 'run_id', ends: 'stream' },
			],
			on_llm_end: { ofOpening: 'run_id', ends: 'stream' },
			on_chain_end: { ofOpening: 'run_id', all: 'data.output', ends: 'stream' },
			error: FAILURE,
			end: END,
		},
	},
	{
		name: 'LangServe',
		source: '@langchain/core 1.4.0 (langserve/messages as they are serialized)',
		seen: 'run',
		by: 'line',
		knownBy: [
			{ '#': 'data', '': String },
			{ lc: 1, type: 'constructor' },
			{ '#': 'data', lc: 1 },
		],
		events: {
			metadata: { if: { run_id: '*' }, opens: 'stream' },
			data: { piece: ['', 'kwargs.content'] },
			error: FAILURE,
			end: END,
			'': { whole: 'kwargs.content', ends: 'stream' },
		},
	},
	{
		name: 'Genkit',
		source: '@genkit-ai/express 1.42.0',
		seen: 'run',
		by: 'line',
		knownBy: [{ 'message.role': 'model' }, { 'result.message.role': 'model' }],
		events: {
			'': [
				{
					if: { 'message.role': 'model' },
					...{ opens: 'stream', piece: 'message.content', id: 'message.index' },
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
		seen: 'run',
		knownBy: [{ invocationId: '*' }],
		events: {
			'': [
				{
					if: { partial: true },
					unless: { author: 'user' },
					opens: 'stream',
					piece: 'content.parts',
				},
				{
					unless: { partial: true, author: 'user' },
					...{ whole: 'content.parts', ends: 'answer', calls: 'content.parts.functionCall' },
				},
				{ if: { errorCode: '*' }, fails: '' },
				{ if: { error: '*' }, fails: 'error' },
			],
		},
	},
	{
		name: 'OpenAI Agents SDK',
		source: '@openai/agents 0.20.0',
		seen: 'run',
		by: 'type',
		knownBy: ['raw_model_stream_event', 'run_item_stream_event', 'agent_updated_stream_event'],
		events: {
			raw_model_stream_event: [
				{ if: { 'data.type': 'response_started' }, opens: 'stream' },
				{ if: { 'data.type': 'output_text_delta' }, piece: 'data.delta' },
				{
					if: { 'data.type': 'response_done' },
					...{ ends: 'answer', calls: 'data.response.output[type=function_call]' },
				},
			],
			run_item_stream_event: {
				if: { name: 'message_output_created' },
				...{ whole: 'item.rawItem.content', ends: 'answer' },
			},
		},
	},
	{
		name: 'MCP and ACP',
		source:
			'@modelcontextprotocol/sdk 1.32.2; https://agentclientprotocol.com/protocol/prompt-turn',
		seen: 'run',
		by: 'method',
		knownBy: [{ jsonrpc: '*' }],
		events: {
			'notifications/progress': { opens: 'stream' },
			'session/update': [
				{ opens: 'stream' },
				{
					if: { 'params.update.sessionUpdate': 'agent_message_chunk' },
					piece: 'params.update.content',
				},
			],
			'': [
				{ if: { error: '*' }, fails: 'error' },
				{ if: { 'result.isError': true }, fails: 'result.content.text' },
				{ if: { 'result.stopReason': ['cancelled', 'refusal'] }, fails: 'result' },
				{ if: { result: '*' }, all: 'result.content', ends: 'stream' },
			],
		},
	},
	...PRODUCTS,
];

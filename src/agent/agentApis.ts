import { BEGIN, END, FAILURE, type Dialect } from './dialect';

const LIFE = 'params.data.event';
const ENTRY = 'outputs[type=message.output]';

/** APIs of those who run agents for others. */
export const AGENT_APIS: readonly Dialect[] = [
	{
		name: 'LangGraph events',
		source: 'https://github.com/langchain-ai/langgraphjs/tree/main/libs/sdk/src/tests/fixtures',
		by: 'method',
		knownBy: [{ type: 'event', method: String, 'params.data': '*', seq: '*' }],
		events: {
			lifecycle: [
				{ if: { [LIFE]: 'running' }, opens: 'stream' },
				{
					if: { [LIFE]: ['completed', 'interrupted'], 'params.namespace': null },
					ends: 'stream',
				},
				{ if: { [LIFE]: 'failed', 'params.namespace': null }, fails: 'params.data.error' },
			],
			messages: [
				{
					if: { 'params.data.role': '*' },
					id: 'params.data.run_id',
					isOther: { 'params.data.role': ['tool', 'human', 'user', 'system'] },
				},
				{
					if: { [LIFE]: ['content-block-start', 'content-block-delta'] },
					piece: ['params.data.delta.text', 'params.data.content'],
					id: 'params.data.run_id',
				},
				{ if: { [LIFE]: 'message-finish' }, ends: 'message' },
			],
			values: { state: 'params.data.messages' },
			'input.requested': {
				call: {
					waitsFor: 'approval',
					id: 'params.data.interrupt_id',
					reason: 'params.data.payload',
				},
			},
		},
	},
	{
		name: 'Snowflake Cortex Agents',
		source: 'https://docs.snowflake.com/en/user-guide/snowflake-cortex/cortex-agents-run',
		by: 'line',
		knownBy: ['response.status', 'response.thinking.delta', 'response.text.delta'],
		events: {
			'response.status': BEGIN,
			'response.text.delta': { opens: 'stream', piece: 'text', id: 'content_index' },
			'response.text': { whole: 'text', ends: 'message' },
			response: { all: 'content', ends: 'answer' },
			error: FAILURE,
			'[DONE]': END,
		},
	},
	{
		name: 'Mistral conversations',
		source: 'https://docs.mistral.ai/agents/agents',
		by: ['type', 'object'],
		knownBy: ['conversation.response', 'conversation.response.*', 'message.output.delta'],
		events: {
			'conversation.response.started': BEGIN,
			'message.output.delta': { piece: 'content', id: 'id' },
			'function.call.delta': { call: { id: 'tool_call_id', tool: 'name', adds: 'arguments' } },
			'conversation.response.error': FAILURE,
			'conversation.response.done': END,
			'conversation.response': [
				{ all: `${ENTRY}.content` },
				{
					call: {
						each: 'outputs[type=function.call]',
						id: 'tool_call_id',
						tool: 'name',
						input: 'arguments',
					},
				},
				END,
			],
		},
	},
	{
		name: 'Gemini interactions',
		source: 'https://github.com/vercel/ai/tree/main/packages/google/src/interactions/__fixtures__',
		by: ['event_type', 'object'],
		knownBy: ['interaction.created', 'step.delta', { object: 'interaction', status: '*' }],
		events: {
			'interaction.created': BEGIN,
			'step.start': {
				if: { 'step.type': 'function_call' },
				call: { id: 'index', tool: 'step.name' },
			},
			'step.delta': [
				{ if: { 'delta.type': 'text' }, piece: 'delta.text', id: 'index' },
				{
					if: { 'delta.type': 'arguments_delta' },
					call: { id: 'index', adds: 'delta.arguments' },
				},
			],
			'step.stop': { ends: 'message' },
			'interaction.completed': [
				{ if: { 'interaction.status': ['failed', 'cancelled'] }, fails: 'interaction' },
				END,
			],
			error: { fails: 'error' },
			interaction: [
				{ if: { status: ['failed', 'cancelled'] }, fails: '' },
				{ all: 'steps[type=model_output].content' },
				{
					call: {
						each: 'steps[type=function_call]',
						id: 'id',
						tool: 'name',
						input: 'arguments',
					},
				},
				{ unless: { status: 'in_progress' }, ends: 'stream' },
			],
		},
	},
	{
		name: 'LibreChat',
		source: 'https://github.com/danny-avila/LibreChat/blob/main/api/server/controllers/agents',
		by: 'event',
		knownBy: [
			'on_message_delta',
			'on_reasoning_delta',
			{ created: true, 'message.isCreatedByUser': true },
		],
		events: {
			on_message_delta: { piece: 'data.delta.content', id: 'data.id' },
			'': [
				{ if: { created: true }, opens: 'stream' },
				{ if: { error: true }, fails: 'text' },
				{ if: { 'responseMessage.error': true }, fails: 'responseMessage.text' },
				{
					if: { final: true },
					unless: { error: true },
					all: ['responseMessage.content', 'responseMessage.text'],
					ends: 'stream',
				},
				{ if: { 'responseMessage.unfinished': true }, fails: '' },
			],
		},
	},
	{
		name: 'Pydantic AI chat app',
		source:
			'https://github.com/pydantic/pydantic-ai/blob/main/examples/pydantic_ai_examples/chat_app.py',
		knownBy: [{ role: 'model', timestamp: String, content: String }],
		events: { '': { grows: 'content', id: 'timestamp' } },
	},
];

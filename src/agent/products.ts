import type { Dialect, Meaning } from './dialect';

const END = { ends: 'stream' } as const satisfies Meaning;
const FAILURE = { fails: '' } as const satisfies Meaning;

/** APIs of models, and products that serve agents. */
export const PRODUCTS: readonly Dialect[] = [
	{
		name: 'Gemini',
		source: '@copilotkit/aimock 1.43',
		seen: 'run',
		knownBy: [{ candidates: '*' }],
		events: {
			'': [
				{
					...{ opens: 'stream', piece: 'candidates[index=0?].content.parts' },
					calls: 'candidates[index=0?].content.parts.functionCall',
				},
				{ if: { error: '*' }, fails: 'error' },
				{ if: { 'candidates[index=0?].finishReason': '*' }, ends: 'answer' },
			],
		},
	},
	{
		name: 'Ollama',
		source: '@copilotkit/aimock 1.43; https://github.com/ollama/ollama/blob/main/docs/api.md',
		seen: 'run',
		knownBy: [{ model: '*', done: [true, false] }],
		events: {
			'': [
				{ opens: 'stream', piece: ['message.content', 'response'] },
				{ if: { error: '*' }, fails: 'error' },
				{ if: { done: true }, ends: 'stream' },
			],
		},
	},
	{
		name: 'Cohere',
		source: '@copilotkit/aimock 1.43 (v2)',
		seen: 'run',
		by: 'type',
		knownBy: ['content-delta', { type: 'message-start', 'delta.message.role': 'assistant' }],
		events: {
			'message-start': { opens: 'stream' },
			'content-delta': { piece: 'delta.message.content.text' },
			'message-end': [{ if: { 'delta.finish_reason': 'ERROR' }, fails: 'delta' }, END],
		},
	},
	{
		name: 'AgentKit',
		source: '@inngest/agent-kit 0.13.2 (src/streaming.ts)',
		seen: 'read',
		by: 'event',
		knownBy: ['run.started', 'run.failed', 'part.created', 'text.delta', 'stream.ended'],
		events: {
			'run.started': { opens: 'stream' },
			'text.delta': { piece: 'data.delta', id: 'data.partId' },
			'part.completed': {
				if: { 'data.type': 'text' },
				whole: 'data.finalContent',
				ends: 'message',
			},
			'run.failed': { fails: 'data' },
			error: { fails: 'data' },
			'stream.ended': END,
		},
	},
	{
		name: 'Dify',
		source: 'https://docs.dify.ai/api-reference/chat/send-chat-message',
		seen: 'read',
		by: 'event',
		knownBy: [
			...['agent_message', 'agent_thought', 'message_end', 'message_replace', 'text_chunk'],
			...['workflow_started', 'node_started', 'node_finished', 'workflow_finished'],
			{ event: 'message', answer: String, task_id: '*' },
		],
		events: {
			message: { opens: 'stream', piece: 'answer' },
			agent_message: { opens: 'stream', piece: 'answer' },
			text_chunk: { piece: 'data.text' },
			message_replace: { all: 'answer' },
			workflow_started: { opens: 'stream' },
			workflow_finished: [
				{ if: { 'data.status': ['failed', 'stopped'] }, fails: ['data.error', 'data'] },
				{ all: ['data.outputs.answer', 'data.outputs.text'], ends: 'answer' },
			],
			message_end: END,
			error: FAILURE,
		},
	},
	{
		name: 'Flowise',
		source: 'https://docs.flowiseai.com/using-flowise/streaming',
		seen: 'read',
		by: 'event',
		knownBy: ['agentFlowEvent', 'nextAgentFlow', { event: 'token', data: String }],
		events: {
			start: { opens: 'stream' },
			token: { piece: 'data' },
			error: { fails: 'data' },
			abort: FAILURE,
			end: END,
		},
	},
];

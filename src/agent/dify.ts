import { BEGIN, END, FAILURE, type Dialect, type Meaning } from './dialect';

const DIFY = { message_end: END, message_replace: { replaces: 'answer' }, error: FAILURE };
const DIFY_RUN: readonly Meaning[] = [
	{ if: { 'data.status': ['failed', 'stopped'] }, fails: ['data.error', 'data'] },
	{ if: { 'data.status': '*' }, all: 'data.outputs.*', ends: 'answer' },
];

/** Agents, chats and workflows of Dify. */
export const DIFY_APPS: readonly Dialect[] = [
	{
		name: 'Dify agent',
		source: 'https://docs.dify.ai/api-reference/chat-messages/send-chat-message',
		by: 'event',
		// others have events of these names, too
		knownBy: [
			{ event: 'agent_message', answer: String },
			{ event: 'agent_thought', task_id: '*', message_id: '*' },
		],
		events: {
			...DIFY,
			agent_thought: { opens: 'message' },
			agent_message: { opens: 'stream', piece: 'answer' },
			// the complete answer once more
			message: { all: 'answer' },
		},
	},
	{
		name: 'Dify',
		source: 'https://docs.dify.ai/api-reference/chat-messages/send-chat-message',
		by: 'event',
		knownBy: [
			'message_end',
			'message_replace',
			'text_chunk',
			'workflow_started',
			'workflow_finished',
			{ event: 'message', answer: String, task_id: '*' },
			{ 'data.workflow_id': '*', 'data.status': '*' },
		],
		events: {
			...DIFY,
			message: { opens: 'stream', piece: 'answer' },
			text_chunk: { piece: 'data.text' },
			workflow_started: BEGIN,
			workflow_finished: DIFY_RUN,
			human_input_required: { asks: 'data.form_content' },
			workflow_paused: END,
			'': DIFY_RUN,
		},
	},
];

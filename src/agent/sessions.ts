import { ERROR, type Dialect, type Meaning } from './dialect';

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
	{
		if: { 'params.update.state': 'idle' },
		ends: 'stream',
		stopped: 'params.update.stopReason',
	},
];

/** Protocols in which a client calls methods in a session, and is called. */
export const SESSIONS: readonly Dialect[] = [
	{
		name: 'MCP and ACP',
		source: '@modelcontextprotocol/sdk 1.32.2, @agentclientprotocol/sdk 2.4.0',
		by: 'method',
		knownBy: [{ jsonrpc: '*' }],
		events: {
			'notifications/progress': { opens: 'message' },
			'session/update': [
				{
					if: { 'params.update.sessionUpdate': 'agent_message_chunk' },
					opens: 'stream',
					piece: 'params.update.content',
				},
				{
					if: { 'params.update.status': ['completed', 'failed'] },
					settles: 'params.update.toolCallId',
				},
				...ACP_2,
			],
			// nobody can answer it over the agent's session
			'session/request_permission': {
				call: {
					waitsFor: 'approval',
					id: 'params.toolCall.toolCallId',
					tool: ['params.toolCall.title', 'params.toolCall.toolCallId'],
					input: 'params.toolCall.rawInput',
				},
				ends: 'answer',
			},
			'elicitation/create': { asks: 'params.message', ends: 'answer' },
			'': [
				// version 2 of ACP answers the prompt first, and then works
				{ if: { 'result.messageId': '*' }, opens: 'stream' },
				ERROR,
				{ if: { 'result.isError': true }, fails: 'result.content.text' },
				{ if: { 'result.stopReason': ['cancelled', 'refusal'] }, fails: 'result' },
				...['content', 'structuredContent', 'stopReason'].map(
					(field): Meaning => ({
						if: { [`result.${field}`]: '*' },
						unless: { 'result.messageId': '*' },
						all: 'result.content',
						ends: 'stream',
						stopped: 'result.stopReason',
					}),
				),
			],
		},
	},
];

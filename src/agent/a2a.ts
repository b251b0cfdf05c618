import { states } from './a2aAsks';
import type { Condition, Dialect, Meaning } from './dialect';

const state = (...names: string[]): Condition => ({ 'status.state': states(...names) });
const WAITING = ['input-required', 'auth-required'];
/** Over REST, version 0.3 writes `CANCELLED`. */
const FAILED = ['failed', 'canceled', 'cancelled', 'rejected'];
const OVER = state('completed');
const WAITS = state(...WAITING);
const BROKEN = state(...FAILED);
/** Version 0.3 names the parts of a message `content` over REST. */
const SAID = ['status.message.parts', 'status.message.content'] as const;
const A2A_STATUS: readonly Meaning[] = [
	// only the last state counts
	{ settles: ['*', '?'] },
	// agent_framework_a2a says its answer before it is done (_a2a_executor.py)
	{ if: state('working'), spare: 'status.message' },
	{ if: OVER, all: SAID, ends: 'stream' },
	{ if: state('input-required'), asks: SAID, call: { waitsFor: 'input', id: [] }, ends: 'stream' },
	{ if: state('auth-required'), asks: SAID, ends: 'stream' },
	{ if: BROKEN, fails: ['status.message', 'status.state'] },
	{ if: { final: true }, ends: 'stream' },
];
const A2A_TASK: readonly Meaning[] = [
	// a task that has ended, and comes again, is no other run
	{ unless: state('completed', ...WAITING, ...FAILED), opens: 'stream' },
	{ if: OVER, spare: 'history' },
	...[OVER, WAITS, BROKEN].map((now): Meaning => ({ if: now, all: 'artifacts.parts' })),
	...A2A_STATUS,
];
/** What is not appended takes the place of the artifact: at the end, Google's ADK sends all of it (google-adk 1.27, from_adk_event.py). */
const A2A_ARTIFACT: Meaning = {
	opens: 'stream',
	piece: ['artifact.parts', 'artifact.content'],
	id: 'artifact.artifactId',
	repeats: { append: null },
};
const BY_AGENT: Condition = { role: ['agent', 'ROLE_AGENT'] };
const PIECE = { piece: ['parts', 'content'], id: ['messageId', 'message_id'] } as const;
const THOUGHT: Condition = { 'metadata.agno_content_category': 'reasoning' };
const A2A_MESSAGE: readonly Meaning[] = [
	// Agno streams a message in pieces, with other names of fields (agno/os/interfaces/a2a/utils.py)
	{
		if: { ...BY_AGENT, message_id: '*' },
		unless: THOUGHT,
		opens: 'stream',
		...PIECE,
	},
	// a message is an end, but Microsoft's Agent Framework for .NET streams it in pieces (A2AAgentHandler.cs, CreateMessageFromUpdate)
	{ if: BY_AGENT, unless: { message_id: '*', ...THOUGHT }, ...PIECE, ends: 'step' },
];

/** The protocol between agents. Its events come alone over REST, and as results of JSON-RPC. */
export const A2A: readonly Dialect[] = [
	{
		name: 'A2A 0.3',
		source: '@a2a-js/sdk 0.3.14',
		inJsonRpc: true,
		by: 'kind',
		knownBy: [
			'status-update',
			'artifact-update',
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
];

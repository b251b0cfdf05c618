import { A2A } from './a2a';
import { ACTIVITIES } from './activities';
import { AGENT_APIS } from './agentApis';
import { AGENT_SDKS } from './agentSdks';
import {
	AG_UI_CALL,
	mastraStop,
	UI_APPROVAL,
	UI_CALL,
	UI_END,
	UI_RESULT,
	UI_RESULTS,
} from './calls';
import { BEGIN, END, ERROR, FAILURE, type Dialect, type Meaning } from './dialect';
import { LANGCHAIN } from './langChain';
import { MODELS } from './models';
import { PRODUCTS } from './products';
import { SESSIONS } from './sessions';

/** Where TanStack AI has why its model has stopped. */
const AG_UI_STOPPED = ['metadata.tanstack.finishReason', 'finishReason'];

/** Codes of lines that assistant-ui adds. */
const AUI = ['aui-state', 'aui-data', 'aui-text-delta', 'aui-reasoning-part-start'];

/**
 * The forms of answers that are recognized, a row each. To add one, write a row, and record an answer in `test/unit/agent/recordings.ndjson`.
 * Rows that stand earlier are looked for first.
 */
export const DIALECTS: readonly Dialect[] = [
	...MODELS,
	...AGENT_APIS,
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
			start: BEGIN,
			// a step follows only where each call of the one before has its result
			'start-step': { settles: '*' },
			'step-start': { settles: '*' },
			'reset-step': { forgets: true, settles: '*', ends: 'message' },
			'part-start': {
				opens: 'stream',
				numberedBelow: 'path',
				isOther: { 'part.type': ['reasoning', 'tool-call', 'source', 'file', 'data'] },
			},
			// what is said after a thought is another part
			'reasoning-start': { ends: 'message' },
			'text-delta': { piece: ['delta', 'textDelta', 'text', 'payload.text'], id: 'path' },
			'tool-input-available': UI_CALL,
			'tool-call': UI_CALL,
			'tool-approval-request': UI_APPROVAL,
			'tool-call-approval': mastraStop('payload', 'approval'),
			'tool-call-suspended': mastraStop('payload', 'answer'),
			'data-tool-call-approval': mastraStop('data', 'approval'),
			'data-tool-call-suspended': mastraStop('data', 'answer'),
			...Object.fromEntries(UI_RESULTS.map((name) => [name, UI_RESULT])),
			'finish-step': { ends: 'message' },
			'step-finish': { ends: 'message' },
			finish: UI_END,
			'message-finish': UI_END,
			error: { fails: ['payload.error', 'payload'] },
			abort: FAILURE,
			tripwire: { fails: 'payload' },
			'[DONE]': END,
		},
	},
	{
		name: 'AI SDK 4 data stream',
		source: 'ai 4.3, assistant-stream 0.3.57',
		by: 'line',
		knownBy: [...'0236789abcdefghijk', ...AUI].map((code) => `${code}:`),
		events: {
			'f:': { opens: 'stream', settles: '*' },
			'0:': { piece: '' },
			'aui-text-delta:': { piece: 'textDelta', id: 'parentId' },
			'9:': UI_CALL,
			'a:': UI_RESULT,
			'3:': FAILURE,
			'e:': { ends: 'message' },
			'd:': UI_END,
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
			// the last run counts: @ag-ui/client, verify.ts and apply/default.ts (pendingInterrupts)
			RUN_STARTED: { opens: 'stream', settles: ['*', '?'] },
			// some servers do not tell the results of tools
			TEXT_MESSAGE_START: { id: 'messageId', settles: '*' },
			TEXT_MESSAGE_CONTENT: { piece: 'delta', id: 'messageId' },
			TEXT_MESSAGE_CHUNK: { piece: 'delta', id: 'messageId', settles: '*' },
			TEXT_MESSAGE_END: { ends: 'message' },
			TOOL_CALL_START: { call: AG_UI_CALL },
			TOOL_CALL_ARGS: { call: AG_UI_CALL },
			TOOL_CALL_CHUNK: { call: AG_UI_CALL },
			TOOL_CALL_RESULT: { settles: 'toolCallId' },
			MESSAGES_SNAPSHOT: { state: 'messages', settles: 'messages[role=tool].toolCallId' },
			// without a setting, ag_ui_langgraph and ag_ui_crewai tell what waits only so; @ag-ui/mastra does, too
			CUSTOM: {
				if: { name: 'on_interrupt' },
				call: {
					waitsFor: 'approval',
					id: ['rawEvent.id', 'value.id'],
					reason: ['value.message', 'value'],
				},
			},
			RUN_ERROR: FAILURE,
			RUN_FINISHED: [
				{ if: { 'outcome.type': 'cancelled' }, fails: 'outcome' },
				{
					if: { 'outcome.type': 'interrupt' },
					// ag_ui_strands has what is asked in the metadata
					asks: ['message', ''],
					call: {
						waitsFor: 'approval',
						each: 'outcome.interrupts',
						id: 'id',
						about: 'toolCallId',
						reason: ['message', ''],
					},
					settles: '?',
				},
				{ if: { 'outcome.type': 'interrupt' }, settles: '*' },
				{ ends: 'stream', stopped: AG_UI_STOPPED },
				...AG_UI_STOPPED.map(
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
	...LANGCHAIN,
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
				{ if: { finishReason: '*' }, ends: 'answer', stopped: 'finishReason' },
				{
					if: { result: '*' },
					all: ['result.message.content', 'result'],
					ends: 'stream',
					stopped: 'result.finishReason',
				},
				ERROR,
			],
			error: FAILURE,
		},
	},
	...AGENT_SDKS,
	...SESSIONS,
	...ACTIVITIES,
	...PRODUCTS,
];

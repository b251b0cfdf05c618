import { BEGIN, END, ERROR, type Dialect, type Meaning } from './dialect';

const ERRORS: Dialect['events'] = {
	error: { fails: 'error' },
	'': ERROR,
};
const OF_SUBAGENT = { parent_tool_use_id: '*' };

/** Fields of Google's ADK for JavaScript and for REST; a server in Python often sends what `model_dump_json()` gives, with other names. */
const adkCalls = (call: string, response: string, waiting: string): readonly Meaning[] => [
	{ unless: { partial: true }, calls: `content.parts.${call}` },
	{
		if: { [waiting]: '*' },
		call: {
			each: `content.parts.${call}`,
			id: 'id',
			tool: ['args.originalFunctionCall.name', 'name'],
			input: ['args.originalFunctionCall.args', 'args'],
			reason: 'args.toolConfirmation.hint',
		},
	},
	{
		if: { [waiting]: '*' },
		call: { waitsFor: 'answer', each: waiting, id: '' },
		ends: 'answer',
	},
	{
		if: { [`content.parts.${call}.name`]: 'adk_request_confirmation' },
		call: { waitsFor: 'approval', each: waiting, id: '' },
	},
	{ settles: `content.parts.${response}.id` },
];

/** The frameworks of those who make or sell models. */
export const AGENT_SDKS: readonly Dialect[] = [
	{
		name: 'Google ADK',
		source: '@google/adk 2.0.0',
		knownBy: [{ invocationId: '*' }, { invocation_id: '*' }],
		events: {
			'': [
				{ if: { partial: true }, opens: 'stream', piece: 'content.parts' },
				{
					unless: {
						partial: true,
						author: 'user',
						'content.parts.functionResponse': '*',
						'content.parts.function_response': '*',
					},
					whole: 'content.parts',
					// another agent may follow (SequentialAgent)
					ends: 'step',
					stopped: ['finishReason', 'finish_reason'],
				},
				...adkCalls('functionCall', 'functionResponse', 'longRunningToolIds'),
				...adkCalls('function_call', 'function_response', 'long_running_tool_ids'),
				{ if: { errorCode: '*' }, fails: '' },
				{ if: { error_code: '*' }, fails: 'error_message' },
				ERROR,
			],
		},
	},
	{
		name: 'OpenAI Agents SDK',
		source: '@openai/agents 0.20.0',
		by: ['type', 'line'],
		knownBy: ['raw_model_stream_event', 'run_item_stream_event', 'agent_updated_stream_event'],
		events: {
			raw_model_stream_event: [
				{ if: { 'data.type': 'response_started' }, opens: 'stream' },
				{ if: { 'data.type': 'output_text_delta' }, piece: 'data.delta' },
				{
					stopped: [
						'data.event.choices[index=0].finish_reason',
						'data.event.response.incomplete_details.reason',
					],
				},
				{
					if: { 'data.type': 'response_done' },
					ends: 'answer',
					calls: 'data.response.output[type=function_call]',
				},
				// the SDK passes on what the model's API reports, before it fails
				{
					if: { 'data.event.type': ['response.failed', 'error'] },
					fails: ['data.event.response.error', 'data.event'],
				},
			],
			run_item_stream_event: [
				{
					if: { name: 'message_output_created' },
					whole: ['item.rawItem.content', 'item.rawItem.content.refusal'],
					ends: 'message',
				},
				{
					if: { name: 'tool_approval_requested' },
					call: {
						waitsFor: 'approval',
						id: ['item.rawItem.callId', 'item.rawItem.id'],
						tool: ['item.toolName', 'item.rawItem.name'],
						input: 'item.rawItem.arguments',
					},
					ends: 'answer',
				},
				{ if: { name: 'tool_output' }, settles: 'item.rawItem.callId' },
			],
			...ERRORS,
		},
	},
	{
		name: 'Claude Agent SDK',
		source: '@anthropic-ai/claude-agent-sdk 0.3.332',
		by: 'type',
		knownBy: ['stream_event', { type: ['system', 'assistant'], session_id: '*', uuid: '*' }],
		events: {
			system: [
				{ if: { subtype: 'init' }, opens: 'stream' },
				{ if: { state: 'requires_action' }, call: { waitsFor: 'approval' }, ends: 'answer' },
			],
			stream_event: { unless: OF_SUBAGENT, piece: 'event.delta.text' },
			assistant: [
				{ unless: OF_SUBAGENT, whole: 'message.content', ends: 'message' },
				{
					call: { each: 'message.content[type=tool_use]', id: 'id', tool: 'name', input: 'input' },
				},
			],
			user: { settles: 'message.content.tool_use_id' },
			result: [
				{ if: { is_error: true }, fails: 'result' },
				// with a limit of turns, `is_error` may be false
				{ if: { subtype: '*' }, unless: { subtype: 'success' }, fails: 'result' },
				{ all: 'result', settles: ['*', '?'] },
				// a hook has put the call off until somebody decides: see its decision `defer`
				{
					if: { deferred_tool_use: '*' },
					call: {
						waitsFor: 'approval',
						id: 'deferred_tool_use.id',
						tool: 'deferred_tool_use.name',
						input: 'deferred_tool_use.input',
					},
				},
				END,
			],
		},
	},
	{
		name: 'Strands Agents',
		source: '@strands-agents/sdk 1.19.0',
		by: ['type', 'line'],
		knownBy: [
			'beforeInvocationEvent',
			'beforeModelCallEvent',
			'modelStreamUpdateEvent',
			'modelMessageEvent',
			'messageAddedEvent',
			'contentBlockEvent',
			'agentResultEvent',
		],
		events: {
			beforeInvocationEvent: BEGIN,
			modelStreamUpdateEvent: {
				if: { 'event.delta.type': 'textDelta' },
				piece: 'event.delta.text',
			},
			modelMessageEvent: { whole: 'message.content', ends: 'message' },
			contentBlockEvent: {
				if: { 'contentBlock.toolUse': '*' },
				call: {
					id: 'contentBlock.toolUse.toolUseId',
					tool: 'contentBlock.toolUse.name',
					input: 'contentBlock.toolUse.input',
				},
			},
			toolResultEvent: { settles: 'result.toolResult.toolUseId' },
			interruptEvent: {
				call: { waitsFor: 'answer', reason: ['interrupt.reason', 'interrupt.name'] },
			},
			agentResultEvent: [
				{ if: { 'result.stopReason': 'cancelled' }, fails: 'result.stopReason' },
				{ all: 'result.lastMessage.content' },
				END,
			],
			...ERRORS,
		},
	},
	{
		name: 'Bedrock AgentCore',
		source:
			'https://docs.aws.amazon.com/bedrock-agentcore (Stream agent responses); https://github.com/strands-agents/sdk-python/blob/main/src/strands/types/_events.py',
		knownBy: [
			{ 'event.messageStart.role': 'assistant' },
			{ 'event.contentBlockDelta': '*' },
			// events of Strands before them
			{ init_event_loop: true },
			{ start_event_loop: true },
		],
		events: {
			'': [
				{ if: { 'event.messageStart': '*' }, opens: 'stream' },
				{ piece: 'event.contentBlockDelta.delta.text' },
				{ if: { 'event.messageStop': '*' }, ends: 'message' },
				{
					if: { 'event.messageStop': '*' },
					unless: { 'event.messageStop.stopReason': 'tool_use' },
					ends: 'answer',
					stopped: 'event.messageStop.stopReason',
				},
				{
					if: { tool_interrupt_event: '*' },
					call: {
						waitsFor: 'answer',
						each: 'tool_interrupt_event',
						id: 'tool_use.toolUseId',
						tool: 'tool_use.name',
						input: 'tool_use.input',
						reason: 'interrupts.reason',
					},
					ends: 'answer',
				},
				{ if: { force_stop: true }, fails: 'force_stop_reason' },
				ERROR,
			],
		},
	},
];

import { BEGIN, END, ERROR, FAILURE, type Dialect } from './dialect';

/** Messages in the output of a response. */
const SAID = 'output[type=message]';
const inMessage = (message: string) => [`${message}.content`, `${message}.content.refusal`];

/** Why Gemini keeps its answer back (ai.google.dev/api/generate-content). */
const GEMINI_REFUSALS =
	'SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII MALFORMED_FUNCTION_CALL'.split(' ');

/** APIs of models, which many agents pass on. */
export const MODELS: readonly Dialect[] = [
	{
		name: 'Chat completions',
		source: 'openai 7.57, @copilotkit/aimock 1.43 (OpenAI, OpenRouter)',
		knownBy: [{ 'choices.delta': '*' }, { 'choices.message': '*' }, { 'choices.text': String }],
		events: {
			'': [
				{
					opens: 'stream',
					piece: ['delta.content', 'delta.refusal', 'text'].map((at) => `choices[index=0].${at}`),
					calls: 'choices[index=0].delta.tool_calls',
				},
				{ whole: ['choices[index=0].message.content', 'choices[index=0].message.refusal'] },
				ERROR,
				// vLLM, up to 0.10, and TensorRT-LLM
				{ if: { object: 'error' }, fails: '' },
				{ if: { 'choices.finish_reason': 'error' }, fails: 'choices.error' },
				// the service has kept back the rest
				{ if: { 'choices.finish_reason': 'content_filter' }, fails: 'choices.finish_reason' },
				{
					if: { 'choices[index=0].finish_reason': '*' },
					ends: 'answer',
					stopped: 'choices[index=0].finish_reason',
				},
			],
			'[DONE]': END,
		},
	},
	{
		name: 'Responses',
		source:
			'openai 7.57, @copilotkit/aimock 1.43; https://platform.openai.com/docs/guides/tools-connectors-mcp (approvals)',
		by: ['type', 'object'],
		knownBy: ['response.*', { object: 'response' }],
		mayHaveNoText: true,
		events: {
			'response.created': BEGIN,
			'response.output_text.delta': { piece: 'delta' },
			'response.refusal.delta': { piece: 'delta' },
			'response.output_text.done': { whole: 'text' },
			'response.output_item.done': [
				{ if: { 'item.type': 'message' }, whole: inMessage('item'), ends: 'message' },
				{ if: { 'item.type': 'function_call' }, calls: 'item.name' },
				{
					if: { 'item.type': 'mcp_approval_request' },
					call: { waitsFor: 'approval', id: 'item.id', tool: 'item.name', input: 'item.arguments' },
				},
				{ settles: 'item.approval_request_id' },
			],
			'response.completed': { all: inMessage(`response.${SAID}`), ends: 'stream' },
			'response.incomplete': [
				{
					if: { 'response.incomplete_details.reason': 'content_filter' },
					fails: 'response.incomplete_details.reason',
				},
				{
					all: inMessage(`response.${SAID}`),
					ends: 'stream',
					stopped: 'response.incomplete_details.reason',
				},
			],
			'response.failed': { fails: 'response.error' },
			error: FAILURE,
			'': ERROR,
			response: [
				{ all: inMessage(SAID) },
				{
					call: {
						waitsFor: 'approval',
						each: 'output[type=mcp_approval_request]',
						id: 'id',
						tool: 'name',
						input: 'arguments',
					},
				},
				{ if: { status: ['failed', 'cancelled'] }, fails: 'error' },
				{
					if: { 'incomplete_details.reason': 'content_filter' },
					fails: 'incomplete_details.reason',
				},
				// in the background, it goes on
				{
					unless: { status: ['queued', 'in_progress'] },
					ends: 'stream',
					stopped: 'incomplete_details.reason',
				},
			],
			'[DONE]': END,
		},
	},
	{
		name: 'Messages API',
		source: '@anthropic-ai/sdk 1.14, @copilotkit/aimock 1.43',
		by: ['type', 'line'],
		knownBy: [
			'content_block_start',
			'content_block_delta',
			{ type: 'message_start', 'message.role': 'assistant' },
			{ type: 'message', role: 'assistant', 'content.type': '*' },
		],
		events: {
			message_start: BEGIN,
			content_block_start: [
				{ piece: 'content_block' },
				{ if: { 'content_block.type': 'tool_use' }, calls: 'content_block.name' },
			],
			content_block_delta: { piece: 'delta.text' },
			message_delta: [
				{ if: { 'delta.stop_reason': 'refusal' }, fails: 'delta.stop_details.explanation' },
				{ if: { 'delta.stop_reason': '*' }, ends: 'answer', stopped: 'delta.stop_reason' },
			],
			message_stop: END,
			message: [
				{ whole: 'content', ends: 'stream', stopped: 'stop_reason' },
				{ if: { stop_reason: 'refusal' }, fails: ['stop_details.explanation', 'stop_reason'] },
			],
			error: FAILURE,
		},
	},
	{
		name: 'Gemini',
		source: '@copilotkit/aimock 1.43',
		knownBy: [{ 'candidates.content': '*' }, { 'candidates.finishReason': '*' }],
		events: {
			'': [
				{
					opens: 'stream',
					piece: 'candidates[index=0].content.parts',
					calls: 'candidates[index=0].content.parts.functionCall',
				},
				ERROR,
				{
					if: { 'candidates[index=0].finishReason': GEMINI_REFUSALS },
					fails: ['candidates.finishMessage', 'candidates.finishReason'],
				},
				{
					if: { 'candidates[index=0].finishReason': '*' },
					ends: 'answer',
					stopped: 'candidates[index=0].finishReason',
				},
			],
		},
	},
	{
		name: 'Ollama',
		source: '@copilotkit/aimock 1.43; https://github.com/ollama/ollama/blob/main/docs/api.md',
		knownBy: [{ model: '*', done: [true, false] }],
		events: {
			'': [
				{ opens: 'stream', piece: ['message.content', 'response'] },
				ERROR,
				{ if: { done: true }, ends: 'stream', stopped: 'done_reason' },
			],
		},
	},
	{
		name: 'Text Generation Inference',
		source: 'https://huggingface.co/docs/text-generation-inference/reference/api_reference',
		knownBy: [{ 'token.text': String, 'token.special': [true, false] }],
		mayHaveNoText: true,
		events: {
			'': [
				{ unless: { 'token.special': true }, opens: 'stream', piece: 'token.text' },
				ERROR,
				{ if: { generated_text: String }, ends: 'stream', stopped: 'details.finish_reason' },
			],
		},
	},
	{
		name: 'Cohere',
		source: '@copilotkit/aimock 1.43 (v2)',
		by: 'type',
		knownBy: ['content-delta', { type: 'message-start', 'delta.message.role': 'assistant' }],
		events: {
			'message-start': BEGIN,
			'content-delta': { piece: 'delta.message.content.text' },
			'message-end': [
				{ if: { 'delta.finish_reason': 'ERROR' }, fails: 'delta' },
				{ ends: 'stream', stopped: 'delta.finish_reason' },
			],
		},
	},
];

import { END, type Call, type Meaning } from './dialect';

const UI_TOOL: Call = {
	id: ['toolCallId', 'payload.toolCallId'],
	tool: ['toolName', 'payload.toolName'],
	input: ['input', 'args', 'payload.args'],
};

/** Parts of the AI SDK about calls of tools; Mastra has the same in a payload. A provider may tell the results of its own tools later. */
export const UI_CALL: readonly Meaning[] = [
	{
		unless: { providerExecuted: true, 'payload.providerExecuted': true },
		call: UI_TOOL,
	},
	{ if: { providerExecuted: true }, call: { ...UI_TOOL, waitsFor: 'nothing' } },
];

/** The result of a call has come, or none will. */
export const UI_RESULT: Meaning = {
	unless: { preliminary: true },
	settles: ['toolCallId', 'payload.toolCallId'],
};

export const UI_RESULTS = [
	'tool-input-error',
	'tool-output-available',
	'tool-output-error',
	'tool-output-denied',
	'tool-result',
	'tool-error',
];

/** The end of a run of the AI SDK, whose model may have been stopped by its provider. */
export const UI_END: readonly Meaning[] = [
	{ if: { finishReason: ['error', 'content-filter'] }, fails: 'finishReason' },
	END,
];

export const UI_APPROVAL: Meaning = {
	unless: { isAutomatic: true },
	call: {
		waitsFor: 'approval',
		id: ['toolCall.toolCallId', 'toolCallId'],
		tool: 'toolCall.toolName',
		input: 'toolCall.input',
		reason: 'reason',
	},
};

/** An agent of Mastra has stopped: the event is the last one, in its own stream and in that of `@mastra/ai-sdk`. */
export const mastraStop = (place: string, waitsFor: NonNullable<Call['waitsFor']>): Meaning => ({
	call: {
		waitsFor,
		id: `${place}.toolCallId`,
		tool: `${place}.toolName`,
		input: `${place}.args`,
		reason: `${place}.suspendPayload`,
	},
	ends: 'answer',
});

/**
 * Calls of tools in a message of LangChain: in pieces, or whole. The number of a piece is unique until the tools have run. Many servers pass
 * on what the model says alone: then the text after a call shows that its tool has run.
 */
export const langChainCalls = (message: string): readonly Meaning[] => [
	{ call: { each: `${message}.tool_call_chunks`, id: 'index', tool: 'name', adds: 'args' } },
	{
		unless: { [`${message}.tool_call_chunks`]: '*' },
		call: { each: `${message}.tool_calls`, id: 'id', tool: 'name', input: 'args' },
	},
	{
		if: { [`${message}.content[type=text|text_delta|output_text]`]: '*' },
		unless: { [`${message}.tool_call_chunks`]: '*', [`${message}.tool_calls`]: '*' },
		settles: '*',
	},
];

/** Events of AG-UI about calls. The arguments come in pieces. */
export const AG_UI_CALL: Call = { id: 'toolCallId', tool: 'toolCallName', adds: 'delta' };

/** Interrupts of LangGraph, each of which waits for a value. */
export const interrupts = (each: string): Call => ({
	waitsFor: 'approval',
	each,
	id: 'id',
	reason: 'value',
});

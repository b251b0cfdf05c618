import type { Call, Meaning } from './dialect';

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
	{ ends: 'stream', stopped: ['finishReason', 'payload.stepResult.reason'] },
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

/** Events of AG-UI about calls. The arguments come in pieces. */
export const AG_UI_CALL: Call = { id: 'toolCallId', tool: 'toolCallName', adds: 'delta' };

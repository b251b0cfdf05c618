import type { INodeProperties } from 'n8n-workflow';

import { onIncompleteOption } from '../../../src/n8n/partialAnswers';

export const streamAnswerParam = {
	displayName: 'Stream Answer',
	name: 'streamAnswer',
	type: 'boolean',
	default: true,
	description:
		'Whether to receive the answer word by word, with the tools that the assistant uses. A chat then shows it live. Turn it off for the complete answer with its "body".',
} as const satisfies INodeProperties;

const ofStreams = { show: { '/streamAnswer': [true] } };

const includeRawEventsOption = {
	displayName: 'Include Raw Events',
	name: 'includeRawEvents',
	type: 'boolean',
	displayOptions: ofStreams,
	default: false,
	description: 'Whether to add every event of the stream, unchanged, as "events"',
} as const satisfies INodeProperties;

const modelOption = {
	displayName: 'Model',
	name: 'model',
	type: 'string',
	default: 'svc_v1.2',
	description: 'Version of the assistant. Without this option, the service uses svc_v1.2.',
} as const satisfies INodeProperties;

const showToolCallsOption = {
	displayName: 'Show Tool Calls in Live Output',
	name: 'showToolCalls',
	type: 'boolean',
	displayOptions: ofStreams,
	default: false,
	description:
		'Whether to write a line for each tool that the assistant uses into the live answer, in a chat or at a streaming webhook. It is not part of "output".',
} as const satisfies INodeProperties;

const toolTitleLanguageOption = {
	displayName: 'Tool Title Language',
	name: 'toolTitleLanguage',
	type: 'string',
	displayOptions: ofStreams,
	default: 'en',
	placeholder: 'e.g. de',
	description:
		'Code of the language for "label" in "toolCalls". If the service has no title in it, the English one is used, or else any.',
} as const satisfies INodeProperties;

/** Options of every question. */
export const answerOptions = [
	includeRawEventsOption,
	modelOption,
	{ ...onIncompleteOption, displayOptions: ofStreams },
	showToolCallsOption,
	toolTitleLanguageOption,
] as const satisfies INodeProperties[];

/** The same with those of a guided question, by label. */
export const guidedOptions = [
	{
		displayName: 'Additional Instructions',
		name: 'instructions',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. Compare it with BTC.',
		description: 'Text that is added at the end of the question',
	},
	{
		displayName: 'Answer Language',
		name: 'answerLanguage',
		type: 'string',
		default: '',
		placeholder: 'e.g. German',
		description: 'Language to ask for in the question',
	},
	includeRawEventsOption,
	{
		displayName: 'Max Entries',
		name: 'maxEntries',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 1000 },
		default: 10,
		description: 'How many entries to ask for in a list of the answer',
	},
	modelOption,
	{ ...onIncompleteOption, displayOptions: ofStreams },
	showToolCallsOption,
	toolTitleLanguageOption,
] as const satisfies INodeProperties[];

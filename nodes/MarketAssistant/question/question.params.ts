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

/** Options of every question. */
export const answerOptions = [
	{
		displayName: 'Include Raw Events',
		name: 'includeRawEvents',
		type: 'boolean',
		displayOptions: ofStreams,
		default: true,
		description: 'Whether to add every event of the stream, unchanged, as "events"',
	},
	{
		displayName: 'Model',
		name: 'model',
		type: 'string',
		default: 'svc_v1.2',
		description: 'Version of the assistant. Without this option, the service uses svc_v1.2.',
	},
	{ ...onIncompleteOption, displayOptions: ofStreams },
	{
		displayName: 'Show Tool Calls in Live Output',
		name: 'showToolCalls',
		type: 'boolean',
		displayOptions: ofStreams,
		default: true,
		description:
			'Whether to write a line for each tool that the assistant uses into the live answer, in a chat or at a streaming webhook. It is not part of "output".',
	},
	{
		displayName: 'Tool Title Language',
		name: 'toolTitleLanguage',
		type: 'string',
		displayOptions: ofStreams,
		default: 'en',
		placeholder: 'e.g. de',
		description:
			'Code of the language for "label" in "toolCalls". If the service has no title in it, the English one is used, or else any.',
	},
] as const satisfies INodeProperties[];

const [includeRawEvents, ...otherOptions] = answerOptions;

/** The same with that of a guided question, in alphabetical order. */
export const guidedOptions = [
	includeRawEvents,
	{
		displayName: 'Instructions',
		name: 'instructions',
		type: 'string',
		typeOptions: { rows: 3 },
		default: '',
		placeholder: 'e.g. Compare it with BTC. Answer in German.',
		description: 'Text that is added at the end of the question',
	},
	...otherOptions,
] as const satisfies INodeProperties[];

/** The collection in which the editor offers them. */
export const optionsParam = <const Options extends INodeProperties[]>(options: Options) =>
	({
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options,
	}) as const;

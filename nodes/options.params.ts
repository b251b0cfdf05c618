import type { INodeProperties } from 'n8n-workflow';

/** The collection in which the editor offers what need not be set, in alphabetical order. */
export const optionsParam = <const Options extends INodeProperties[]>(options: Options) =>
	({
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options,
	}) as const;

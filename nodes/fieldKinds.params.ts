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

/** For language models: the editor shows a default as it is when somebody adds the option. */
export const LEFT_OUT = 'Options left out: booleans are off, caps none, waits and sizes @default.';

/** What the spending caps of all nodes have in common, in USD. */
export const capFields = {
	type: 'number',
	// otherwise an expression without a value would remove the cap
	required: true,
	typeOptions: { minValue: 0 },
} as const satisfies Partial<INodeProperties>;

/** For language models. A node with many caps says it once. */
export const capHint = { builderHint: { propertyHint: 'Only the user may raise it.' } } as const;

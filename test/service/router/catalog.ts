import type { Thinking } from './thinking.ts';

export type Kind = 'text' | 'image' | 'video' | 'music' | 'audio';

/** Section 2C, in USD. Fields without data are left out, never zero. */
export type Pricing =
	| { input_per_mtok?: number; output_per_mtok?: number; cached_input_per_mtok?: number }
	| { unit: 'image' | 'video' | 'second' | 'request' | '1k_characters'; per_unit: number };

/** One entry of the catalog. */
export interface Entry {
	id: string;
	name?: string;
	owned_by: string;
	kind?: Kind;
	context_length?: number;
	max_output_tokens?: number;
	input_modalities?: string[];
	pricing: Pricing;
}

export interface Model {
	entry: Entry;
	/** What it is even when its entry does not say so. */
	kind: Kind;
	/** Whether it spends hidden reasoning tokens. */
	reasoning: boolean;
	/** What it gives beside a call of a tool, and wants back with it. */
	thinking?: Thinking;
	/** How many tokens it writes, whatever it is asked, unless somebody limits it. */
	writes?: number;
}

/** Without the fields that are undefined. */
const defined = <Fields extends object>(fields: Fields) =>
	JSON.parse(JSON.stringify(fields)) as Fields;

const text = (
	id: string,
	name: string | undefined,
	[input_per_mtok, output_per_mtok, cached_input_per_mtok]: [
		input?: number,
		output?: number,
		cached?: number,
	],
	more: { [Field in keyof Entry]?: Entry[Field] | undefined } = {},
): Model => ({
	kind: 'text',
	reasoning: id.includes('reason'),
	entry: defined({
		id,
		name,
		owned_by: id.split('/')[0] ?? '',
		kind: 'text',
		context_length: 128_000,
		max_output_tokens: 16_384,
		input_modalities: ['text'],
		pricing: { input_per_mtok, output_per_mtok, cached_input_per_mtok },
		...more,
	}) as Entry,
});

const media = (id: string, name: string, kind: Kind, pricing: Pricing): Model => ({
	kind,
	reasoning: false,
	entry: { id, name, owned_by: id.split('/')[0] ?? '', kind, input_modalities: ['text'], pricing },
});

export const MODELS: Model[] = [
	text('northwind/quill-2.5', 'Quill 2.5', [0.5, 1.5, 0.05]),
	text('northwind/quill-mini', undefined, [0.1, 0.4]),
	text('Aurora-Labs/Prism-4.1-Turbo', 'Prism 4.1 Turbo', [3, 15, 0.3], {
		input_modalities: ['text', 'image', 'file'],
		context_length: 1_000_000,
	}),
	text('aurora-labs/deep-reason-1', 'Deep Reason 1', [2, 8, 0.5]),
	text('tiny/plain-text-1', 'Plain Text 1', [0.01, 0.02], { kind: undefined }),
	text('tiny/no-context-1', 'No Context 1', [0.01, 0.02], { context_length: undefined }),
	text('aurora-labs/omni-2', 'Omni 2', [2.5, 10, 1.25], {
		input_modalities: ['text', 'image', 'audio', 'video', 'file'],
	}),
	// a price that no binary fraction holds
	text('tiny/odd-price-1', 'Odd Price 1', [0.07, 0.29, 0.007]),
	text('tiny/input-price-1', 'Input Price 1', [0.15]),
	text('tiny/no-price-1', 'No Price 1', [], { input_modalities: undefined }),
	{ ...text('verbose/novelist-1', 'Novelist 1', [1, 10]), writes: 9000 },
	...(['content', 'details', 'signature', 'parts', 'items'] as const).map((thinking) => ({
		...text(`thinker/${thinking}-1`, `Thinker (${thinking})`, [0.5, 1.5]),
		thinking,
	})),
	media('canvas/sketch-1', 'Sketch 1', 'image', { unit: 'image', per_unit: 0.04 }),
	media('canvas/Oil.Paint-2', 'Oil Paint 2', 'image', { unit: 'request', per_unit: 0.015 }),
	media('reel/clip-3', 'Clip 3', 'video', { unit: 'second', per_unit: 0.1 }),
	media('reel/short-1.0', 'Short 1.0', 'video', { unit: 'video', per_unit: 0.35 }),
	media('tune/melody-1', 'Melody 1', 'music', { unit: 'request', per_unit: 0.06 }),
	media('voice/speaker-1', 'Speaker 1', 'audio', { unit: '1k_characters', per_unit: 0.015 }),
];

/** What the catalog lists. In the demo only what a real one could have. */
export const listedModels = (personas: boolean): Model[] =>
	MODELS.filter(({ entry }) => !personas || !/^(tiny|verbose|thinker)\//.test(entry.id));

/** Case and separators are insignificant in a model name (section 2C). */
const plain = (id: string) => id.toLowerCase().replace(/[^a-z0-9/]/g, '');

export const findModel = (id: string): Model | undefined =>
	MODELS.find(({ entry }) => plain(entry.id) === plain(id));

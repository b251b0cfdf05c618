/**
 * What a field of an entry is: of a type, one of these texts, or anything but null. A number is compared as its text; a
 * `*` in a text stands for any letters.
 */
export type KnownField = 'string' | 'number' | 'object' | 'any' | readonly string[];

/** What a token may be. */
export type PriceName = 'input' | 'output' | 'cached' | 'written' | 'writtenForHour' | 'sound';

/**
 * A form in which catalogs have the prices of text models. Units differ by a millionfold under the same names, so a form
 * is known by at least two fields.
 *
 * A path has the names of fields, with dots between them. It goes through each entry of a list that it meets: one entry
 * that fits is enough, and of several prices the dearest counts. A price is a number or a text.
 */
export interface CatalogForm {
	readonly name: string;
	/** Paths of fields that an entry has; with a type where that distinguishes it. */
	readonly knownBy: Readonly<Record<string, KnownField>>;
	readonly input: string;
	readonly output: string;
	readonly cached?: string;
	readonly written?: string;
	/** Of what goes into a cache for an hour, where it is not twice the input. */
	readonly writtenForHour?: string;
	/** Of sound in the prompt. */
	readonly sound?: string;
	/** Lists or objects with prices of the same names that count under a condition (from some prompt length on): the dearest counts. */
	readonly tiers?: string;
	/**
	 * Prices with other names that count under a condition, or for some of the tokens: the dearest counts. A `*` stands for
	 * one word, without `_`, of the last name. 0 is no price here.
	 */
	readonly dearer?: Readonly<Partial<Record<PriceName, readonly string[]>>>;
	/** The price of each picture in the prompt. Where it is more than that of the tokens by which a picture is counted, a model has no price that can be calculated. */
	readonly perPicture?: string;
	/** Prices of what every request pays besides tokens: a model with one above 0 has no price that can be calculated. */
	readonly perRequest?: readonly string[];
	/** Models whose every request pays for something else too, whatever the entry says: an entry that fits one has no price that can be calculated. */
	readonly paysMore?: ReadonlyArray<CatalogForm['knownBy']>;
	/** Whether 0 is no price, unless the service is known by its host or in the own network. */
	readonly hasDoubtfulZero?: true;
	/** By what a price is multiplied to be USD per million tokens. */
	readonly times: number;
	readonly id?: string;
	readonly context?: string;
	readonly maxOutput?: string;
	readonly inputs?: string;
	/** Below the root: where the prices are, for a catalog whose list has none, and by what an entry of the list shows that. */
	readonly priceList?: { readonly path: string; readonly knownBy: CatalogForm['knownBy'] };
}

/**
 * They search the web for each answer, and searches are paid by the request.
 *
 * @see https://openrouter.ai/openai/o3-deep-research/api ("always uses the web_search tool which adds additional cost")
 * @see https://console.groq.com/docs/compound
 * @see https://docs.perplexity.ai/getting-started/pricing (Sonar, whatever a gateway calls it)
 */
export const SEARCHING = [
	'perplexity/*',
	'*sonar*',
	'openai/*-search-preview*',
	'openai/*-search-api*',
	'*deep-research*',
	'groq/compound*',
	'compound-beta*',
];
/** What models that draw or speak put out: it has prices of its own, by the picture or the second. */
export const NOT_TEXT = ['image', 'audio', 'speech', 'video'];

export const PER_TOKEN = 1e6;

/** What OpenRouter calls its prices, and asks its providers to. LLM Gateway lists its providers, and asks any of them. */
export const OF_OPENROUTER = {
	input: 'pricing.prompt',
	output: 'pricing.completion',
	cached: 'pricing.input_cache_read',
	written: 'pricing.input_cache_write',
	writtenForHour: 'pricing.input_cache_write_1h',
	sound: 'pricing.audio',
	// by the prompt's length, and by the time of day
	tiers: 'pricing.overrides',
	dearer: {
		input: ['pricing.image_token', 'providers.pricing.prompt'],
		cached: ['pricing.input_audio_cache'],
		output: [
			'pricing.internal_reasoning',
			'pricing.image_output',
			'pricing.audio_output',
			'providers.pricing.completion',
		],
	},
	perPicture: 'pricing.image',
	perRequest: ['pricing.request'],
	// web_search of other models is paid only if it is asked for
	paysMore: [
		{ id: SEARCHING },
		{ output_modalities: NOT_TEXT },
		{ 'architecture.output_modalities': NOT_TEXT },
	],
	times: PER_TOKEN,
	context: 'context_length',
};

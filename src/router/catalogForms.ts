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
	readonly source: string;
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
	/** By what a price is multiplied to be USD per million tokens. */
	readonly times: number;
	readonly id?: string;
	readonly context?: string;
	readonly maxOutput?: string;
	readonly inputs?: string;
	/** Below the root: where the prices are, for a catalog whose list has none, and by what an entry of the list shows that. */
	readonly priceList?: { readonly path: string; readonly knownBy: CatalogForm['knownBy'] };
}

const PER_TOKEN = 1e6;
const PER_MILLION = 1;
/** Cents per 100 million tokens. */
const CENTS_PER_100_MILLION = 1e-4;

/**
 * They search the web for each answer, and searches are paid by the request.
 *
 * @see https://openrouter.ai/openai/o3-deep-research/api ("always uses the web_search tool which adds additional cost")
 * @see https://console.groq.com/docs/compound
 */
const SEARCHING = [
	'perplexity/*',
	'openai/*-search-preview*',
	'openai/*-search-api*',
	'*deep-research*',
	'groq/compound*',
	'compound-beta*',
];
/** What models that draw or speak put out: it has prices of its own, by the picture or the second. */
const NOT_TEXT = ['image', 'audio', 'speech', 'video'];

/** To add a form, write a row. */
export const CATALOG_FORMS: readonly CatalogForm[] = [
	{
		name: 'OpenRouter',
		source: 'https://openrouter.ai/docs/guides/overview/models#pricing-object',
		// elsewhere these two are numbers per million
		knownBy: {
			'pricing.prompt': 'string',
			'pricing.completion': 'string',
			'architecture.input_modalities': 'object',
			top_provider: 'any',
		},
		input: 'pricing.prompt',
		output: 'pricing.completion',
		cached: 'pricing.input_cache_read',
		written: 'pricing.input_cache_write',
		writtenForHour: 'pricing.input_cache_write_1h',
		sound: 'pricing.audio',
		// by the prompt's length, and by the time of day
		tiers: 'pricing.overrides',
		dearer: {
			input: ['pricing.image_token'],
			cached: ['pricing.input_audio_cache'],
			output: ['pricing.internal_reasoning', 'pricing.image_output', 'pricing.audio_output'],
		},
		perPicture: 'pricing.image',
		perRequest: ['pricing.request'],
		// web_search of other models is paid only if it is asked for
		paysMore: [{ id: SEARCHING }, { 'architecture.output_modalities': NOT_TEXT }],
		times: PER_TOKEN,
		context: 'context_length',
		maxOutput: 'top_provider.max_completion_tokens',
		inputs: 'architecture.input_modalities',
	},
	{
		name: 'LiteLLM',
		source: 'https://docs.litellm.ai/docs/proxy/model_management',
		knownBy: {
			model_name: 'string',
			'model_info.input_cost_per_token': 'number',
			'model_info.output_cost_per_token': 'number',
		},
		input: 'model_info.input_cost_per_token',
		output: 'model_info.output_cost_per_token',
		cached: 'model_info.cache_read_input_token_cost',
		written: 'model_info.cache_creation_input_token_cost',
		writtenForHour: 'model_info.cache_creation_input_token_cost_above_1hr',
		sound: 'model_info.input_cost_per_audio_token',
		tiers: 'model_info.tiered_pricing',
		dearer: {
			input: [
				'model_info.input_cost_per_token_above_*_tokens',
				'model_info.input_cost_per_image_token',
			],
			output: [
				'model_info.output_cost_per_token_above_*_tokens',
				'model_info.output_cost_per_reasoning_token',
				'model_info.output_cost_per_image_token',
				'model_info.output_cost_per_audio_token',
			],
			cached: ['model_info.cache_read_input_token_cost_above_*_tokens'],
			written: ['model_info.cache_creation_input_token_cost_above_*_tokens'],
		},
		perPicture: 'model_info.input_cost_per_image',
		// with these, its price per token is 0 because it has none
		perRequest: [
			'model_info.input_cost_per_request',
			'model_info.input_cost_per_query',
			'model_info.input_cost_per_character',
			'model_info.output_cost_per_character',
			'model_info.input_cost_per_second',
			'model_info.output_cost_per_second',
			'model_info.citation_cost_per_token',
			'model_info.output_cost_per_image',
		],
		paysMore: [
			{ 'model_info.litellm_provider': ['perplexity'] },
			{
				'litellm_params.model': [
					'*-search-preview*',
					'*-search-api*',
					'*deep-research*',
					'groq/*compound*',
				],
			},
		],
		times: PER_TOKEN,
		id: 'model_name',
		context: 'model_info.max_input_tokens',
		maxOutput: 'model_info.max_output_tokens',
		// it is the same for all of its models
		priceList: {
			path: '/model/info',
			knownBy: { created: ['1677610602'], owned_by: ['openai'], object: ['model'] },
		},
	},
	{
		name: 'Vercel AI Gateway',
		source: 'https://vercel.com/docs/ai-gateway/models-and-providers#dynamic-model-discovery',
		// Together has numbers per million under the same names
		knownBy: {
			type: ['language'],
			'pricing.input': 'string',
			'pricing.output': 'string',
			context_window: 'number',
		},
		input: 'pricing.input',
		output: 'pricing.output',
		cached: 'pricing.input_cache_read',
		written: 'pricing.input_cache_write',
		dearer: {
			input: ['pricing.input_tiers.cost'],
			output: ['pricing.output_tiers.cost', 'pricing.reasoning'],
			cached: ['pricing.input_cache_read_tiers.cost'],
			written: ['pricing.input_cache_write_tiers.cost'],
		},
		paysMore: [{ id: SEARCHING }],
		times: PER_TOKEN,
		context: 'context_window',
		maxOutput: 'max_tokens',
	},
	{
		name: 'Together',
		source: 'https://docs.together.ai/reference/models-1',
		// Vercel has texts per token under the same names
		knownBy: {
			type: ['chat', 'language', 'code'],
			'pricing.input': 'number',
			'pricing.output': 'number',
			display_name: 'string',
		},
		input: 'pricing.input',
		output: 'pricing.output',
		cached: 'pricing.cached_input',
		// models on hardware of the user's own are paid by the hour
		perRequest: ['pricing.hourly', 'pricing.base'],
		times: PER_MILLION,
		context: 'context_length',
	},
	{
		name: 'Groq',
		// OpenRouter asks it of all its providers, so Baseten and Chutes have it, too
		source: 'https://openrouter.ai/docs/guides/community/for-providers',
		knownBy: {
			'pricing.prompt': 'string',
			'pricing.completion': 'string',
			input_modalities: 'object',
			output_modalities: 'object',
		},
		input: 'pricing.prompt',
		output: 'pricing.completion',
		cached: 'pricing.input_cache_read',
		perPicture: 'pricing.image',
		perRequest: ['pricing.request'],
		paysMore: [{ id: SEARCHING }, { output_modalities: NOT_TEXT }],
		times: PER_TOKEN,
		context: 'context_length',
		maxOutput: 'max_completion_tokens',
		inputs: 'input_modalities',
	},
	{
		name: 'Requesty',
		source: 'https://router.requesty.ai/v1/models',
		knownBy: { input_price: 'number', output_price: 'number', context_window: 'number' },
		input: 'input_price',
		output: 'output_price',
		cached: 'cached_price',
		written: 'caching_price',
		tiers: 'pricing',
		paysMore: [{ id: SEARCHING }],
		times: PER_TOKEN,
		context: 'context_window',
		maxOutput: 'max_output_tokens',
	},
	{
		name: 'xAI',
		source: 'https://docs.x.ai/docs/api-reference#list-language-models',
		knownBy: { prompt_text_token_price: 'number', completion_text_token_price: 'number' },
		input: 'prompt_text_token_price',
		output: 'completion_text_token_price',
		cached: 'cached_prompt_text_token_price',
		dearer: {
			input: ['prompt_text_token_price_long_context', 'prompt_image_token_price'],
			output: ['completion_text_token_price_long_context'],
			cached: ['cached_prompt_text_token_price_long_context'],
		},
		times: CENTS_PER_100_MILLION,
		context: 'context_length',
		inputs: 'input_modalities',
		// of older answers; since 2026 the list itself has the prices
		priceList: { path: '/language-models', knownBy: { owned_by: ['xai'], object: ['model'] } },
	},
	{
		name: 'Hugging Face',
		source: 'https://huggingface.co/docs/inference-providers/hub-api',
		knownBy: {
			'providers.provider': 'string',
			'providers.pricing.input': 'number',
			'providers.pricing.output': 'number',
		},
		input: 'providers.pricing.input',
		output: 'providers.pricing.output',
		paysMore: [{ 'architecture.output_modalities': NOT_TEXT }],
		times: PER_MILLION,
		context: 'providers.context_length',
		inputs: 'architecture.input_modalities',
	},
];

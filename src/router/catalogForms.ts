import { type CatalogForm, NOT_TEXT, OF_OPENROUTER, PER_TOKEN, SEARCHING } from './catalogForm';

const PER_MILLION = 1;
/** Ten-thousandths of a dollar per million. */
const IN_TEN_THOUSANDTHS = 1e-4;
/** Cents per 100 million tokens. */
const CENTS_PER_100_MILLION = 1e-4;

/** To add a form, write a row with its source. Of rows with the same prices, the first that fits counts. */
export const CATALOG_FORMS: readonly CatalogForm[] = [
	{
		...OF_OPENROUTER,
		name: 'OpenRouter',
		// https://openrouter.ai/docs/guides/overview/models#pricing-object
		// elsewhere these two are numbers per million
		knownBy: {
			'pricing.prompt': 'string',
			'pricing.completion': 'string',
			'architecture.input_modalities': 'object',
			top_provider: 'any',
		},
		maxOutput: 'top_provider.max_completion_tokens',
		inputs: 'architecture.input_modalities',
	},
	{
		name: 'LiteLLM',
		// https://docs.litellm.ai/docs/proxy/model_management
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
			writtenForHour: ['model_info.cache_creation_input_token_cost_above_1hr_above_*_tokens'],
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
			'model_info.input_cost_per_pixel',
			'model_info.output_cost_per_pixel',
		],
		paysMore: [
			{ 'model_info.litellm_provider': ['perplexity'] },
			{ 'model_info.mode': ['image_*', 'video_*', 'audio_*', 'realtime', 'ocr', 'search'] },
			{
				'litellm_params.model': [
					'*perplexity/*',
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
		// https://vercel.com/docs/ai-gateway/models-and-providers#dynamic-model-discovery
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
		// of what it draws
		perRequest: ['pricing.image'],
		paysMore: [{ id: SEARCHING }, { tags: ['image-generation'] }],
		times: PER_TOKEN,
		context: 'context_window',
		maxOutput: 'max_tokens',
	},
	{
		name: 'Together',
		// https://docs.together.ai/reference/models-1
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
		...OF_OPENROUTER,
		name: 'Groq',
		// OpenRouter asks it of all its providers, so Baseten, Nebius and SambaNova have it, too, or a part of it
		// https://openrouter.ai/docs/guides/community/for-providers
		// of a larger unit they would be far too much
		knownBy: { 'pricing.prompt': 'string', 'pricing.completion': 'string' },
		// gateways write it where they know no price
		hasDoubtfulZero: true,
		maxOutput: 'max_completion_tokens',
		inputs: 'input_modalities',
	},
	{
		name: 'Requesty',
		// https://router.requesty.ai/v1/models
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
		// https://docs.x.ai/docs/api-reference#list-language-models
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
		// https://huggingface.co/docs/inference-providers/hub-api
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
	{
		name: 'DeepInfra',
		// https://github.com/RooCodeInc/Roo-Code (fetchers/deepinfra.ts)
		knownBy: {
			'metadata.pricing.input_tokens': 'number',
			'metadata.pricing.output_tokens': 'number',
		},
		input: 'metadata.pricing.input_tokens',
		output: 'metadata.pricing.output_tokens',
		cached: 'metadata.pricing.cache_read_tokens',
		times: PER_MILLION,
		context: 'metadata.context_length',
		maxOutput: 'metadata.max_tokens',
	},
	{
		name: 'Novita',
		// https://github.com/charmbracelet/catwalk (cmd/novita), and Jiekou: https://github.com/anomalyco/models.dev
		knownBy: {
			input_token_price_per_m: 'number',
			output_token_price_per_m: 'number',
			context_size: 'number',
		},
		input: 'input_token_price_per_m',
		output: 'output_token_price_per_m',
		times: IN_TEN_THOUSANDTHS,
		context: 'context_size',
		maxOutput: 'max_output_tokens',
	},
	{
		name: 'Venice',
		// https://github.com/anomalyco/models.dev (sync/providers/venice.ts)
		knownBy: {
			type: ['text'],
			'model_spec.pricing.input.usd': 'number',
			'model_spec.pricing.output.usd': 'number',
		},
		input: 'model_spec.pricing.input.usd',
		output: 'model_spec.pricing.output.usd',
		cached: 'model_spec.pricing.cache_input.usd',
		written: 'model_spec.pricing.cache_write.usd',
		dearer: {
			input: ['model_spec.pricing.extended.input.usd'],
			output: ['model_spec.pricing.extended.output.usd'],
			cached: ['model_spec.pricing.extended.cache_input.usd'],
			written: ['model_spec.pricing.extended.cache_write.usd'],
		},
		times: PER_MILLION,
		context: 'model_spec.availableContextTokens',
		maxOutput: 'model_spec.maxCompletionTokens',
	},
	{
		name: 'NanoGPT',
		// https://docs.nano-gpt.com/api-reference/endpoint/models
		knownBy: {
			'pricing.unit': ['per_million_tokens'],
			'pricing.currency': ['USD'],
			'pricing.prompt': 'number',
			'pricing.completion': 'number',
		},
		input: 'pricing.prompt',
		output: 'pricing.completion',
		paysMore: [{ id: SEARCHING }],
		times: PER_MILLION,
		context: 'context_length',
		maxOutput: 'max_output_tokens',
	},
	{
		name: 'ZenMux',
		// https://github.com/ThinkInAIXYZ/PublicProviderConf (ZenMuxProvider.ts)
		knownBy: {
			'pricings.prompt.unit': ['perMTokens'],
			'pricings.prompt.currency': ['USD'],
			'pricings.completion.unit': ['perMTokens'],
		},
		input: 'pricings.prompt.value',
		output: 'pricings.completion.value',
		cached: 'pricings.input_cache_read.value',
		perRequest: ['pricings.request.value'],
		paysMore: [{ id: SEARCHING }, { output_modalities: NOT_TEXT }],
		times: PER_MILLION,
		context: 'context_length',
	},
];

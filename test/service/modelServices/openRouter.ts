import { BEARER, RECORDED, TOKENS, type Row } from './row.ts';

const CATALOG = {
	data: [
		{
			id: 'openai/gpt-5-mini',
			canonical_slug: 'openai/gpt-5-mini-2025-08-07',
			hugging_face_id: '',
			name: 'OpenAI: GPT-5 Mini',
			created: 1754587407,
			context_length: 400000,
			architecture: {
				modality: 'text+image+file->text',
				input_modalities: ['text', 'image', 'file'],
				output_modalities: ['text'],
				tokenizer: 'GPT',
				instruct_type: null,
			},
			pricing: {
				prompt: '0.00000025',
				completion: '0.000002',
				web_search: '0.01',
				input_cache_read: '0.000000025',
			},
			top_provider: {
				context_length: 400000,
				max_completion_tokens: 128000,
				is_moderated: true,
			},
			per_request_limits: null,
			supported_parameters: ['max_tokens', 'tool_choice', 'tools'],
			default_parameters: { temperature: null },
			supported_voices: null,
			knowledge_cutoff: '2024-05-31',
			expiration_date: null,
			links: { details: '/api/v1/models/openai/gpt-5-mini-2025-08-07/endpoints' },
			reasoning: { mandatory: true },
		},
		{
			id: 'anthropic/claude-sonnet-4.5',
			canonical_slug: 'anthropic/claude-4.5-sonnet-20250929',
			name: 'Anthropic: Claude Sonnet 4.5',
			created: 1759161676,
			context_length: 1000000,
			architecture: {
				input_modalities: ['text', 'image', 'file'],
				output_modalities: ['text'],
			},
			pricing: {
				prompt: '0.000003',
				completion: '0.000015',
				web_search: '0.01',
				input_cache_read: '0.0000003',
				input_cache_write: '0.00000375',
				// a cache that lives for an hour is dearer than the dearest input of the tier
				input_cache_write_1h: '0.000006',
				overrides: [
					{
						min_prompt_tokens: 200000,
						prompt: '0.000006',
						completion: '0.0000225',
						input_cache_read: '0.0000006',
						input_cache_write: '0.0000075',
						input_cache_write_1h: '0.000012',
					},
				],
			},
			top_provider: { context_length: 1000000, max_completion_tokens: 64000 },
		},
		{
			id: 'deepseek/deepseek-v4-pro-0813',
			canonical_slug: 'deepseek/deepseek-v4-pro-20260813',
			name: 'DeepSeek: DeepSeek V4 Pro 0813',
			context_length: 1048576,
			architecture: { input_modalities: ['text'], output_modalities: ['text'] },
			// the price depends on the hour of the day
			pricing: {
				prompt: '0.00000066',
				completion: '0.00000198',
				input_cache_read: '0.000000022',
				overrides: [
					{ utc_start: 1000, utc_end: 100, prompt: '0.00000066', completion: '0.00000198' },
					{ utc_start: 100, utc_end: 400, prompt: '0.00000132', completion: '0.00000396' },
				],
			},
		},
		{
			id: 'openrouter/auto',
			canonical_slug: 'openrouter/auto',
			name: 'Auto Router',
			context_length: 2000000,
			architecture: { input_modalities: ['text', 'image'], output_modalities: ['text', 'image'] },
			pricing: { prompt: '-1', completion: '-1' },
		},
		{
			id: 'perplexity/sonar',
			canonical_slug: 'perplexity/sonar',
			name: 'Perplexity: Sonar',
			context_length: 127072,
			architecture: { input_modalities: ['text'], output_modalities: ['text'] },
			pricing: { prompt: '0.000001', completion: '0.000001', request: '0.005' },
		},
	],
	total_count: 5,
	links: { next: null },
};

const FEES = {
	prompt_tokens_details: {
		cached_tokens: 0,
		cache_write_tokens: 0,
		audio_tokens: 0,
		video_tokens: 0,
	},
	completion_tokens_details: { reasoning_tokens: 0, image_tokens: 0, audio_tokens: 0 },
};

export const OPEN_ROUTER: Row = {
	name: 'OpenRouter',
	base: '/api/v1',
	chat: '/api/v1/chat/completions',
	models: '/api/v1/models',
	keys: [BEARER],
	open: ['/api/v1/models'],
	proof: '/api/v1/key',
	gets: {
		'/api/v1/models': CATALOG,
		'/api/v1/key': {
			data: {
				label: 'sk-or-v1-0fa...240',
				limit: null,
				limit_reset: null,
				limit_remaining: null,
				include_byok_in_limit: false,
				usage: 0.65017511,
				usage_daily: 0,
				usage_weekly: 0,
				usage_monthly: 0,
				byok_usage: 0,
				is_free_tier: false,
			},
		},
	},
	answering: [
		'openai/gpt-5-mini',
		'anthropic/claude-sonnet-4.5',
		'deepseek/deepseek-v4-pro-0813',
		'openrouter/auto',
		'perplexity/sonar',
	],
	answersAs: {
		'openai/gpt-5-mini': 'openai/gpt-5-mini-2025-08-07',
		'anthropic/claude-sonnet-4.5': 'anthropic/claude-4.5-sonnet-20250929',
		'deepseek/deepseek-v4-pro-0813': 'deepseek/deepseek-v4-pro-20260813',
		'openrouter/auto': 'anthropic/claude-4.5-sonnet-20250929',
	},
	otherModel: 'anthropic/claude-4.5-sonnet-20250929',
	streamUsage: 'asked',
	usagePlace: 'with the last choice',
	usage: {
		...TOKENS,
		cost: 0.00045,
		is_byok: false,
		cost_details: {
			upstream_inference_cost: 0.00045,
			upstream_inference_prompt_cost: 0.00025,
			upstream_inference_completions_cost: 0.0002,
		},
		...FEES,
	},
	usages: {
		byok: {
			...TOKENS,
			cost: 0.0000225,
			is_byok: true,
			cost_details: {
				upstream_inference_cost: 0.00045,
				upstream_inference_prompt_cost: 0.00025,
				upstream_inference_completions_cost: 0.0002,
			},
			...FEES,
		},
	},
	refuses: [],
	ignores: [],
	errors: {
		wrongKey: {
			status: 401,
			body: { error: { message: 'User not found.', code: 401 } },
			source:
				'github.com/apurvsinghgautam/robin/issues/103 (a key that is not of its form: ' +
				`"Missing Authentication header", ${RECORDED}/openrouter bad_apiKey)`,
		},
		unknownModel: {
			status: 400,
			body: {
				error: { message: '{model} is not a valid model ID', code: 400 },
				user_id: 'user_2u8FOCxPrw1Boc4GOPuI2ZPR4tY',
			},
			source: `${RECORDED}/openrouter bad_model`,
		},
		broke: [
			{
				status: 402,
				body: {
					error: {
						message: 'Insufficient credits. Add more using https://openrouter.ai/settings/credits',
						code: 402,
						metadata: {
							limit_source: 'openrouter_credits',
							remedy_hint:
								'Add credits at https://openrouter.ai/settings/credits, or lower max_tokens / ' +
								'prompt size to fit your remaining balance.',
						},
					},
				},
				source: 'github.com/open-assistant-org/open-assistant/issues/80',
			},
			{
				status: 402,
				body: {
					error: {
						message:
							'This request requires more credits, or fewer max_tokens. You requested up to ' +
							'65536 tokens, but can only afford 10114. To increase, visit ' +
							'https://openrouter.ai/settings/credits and upgrade to a paid account',
						code: 402,
						metadata: { provider_name: null },
					},
					user_id: 'user_',
				},
				source: 'github.com/babikov/doka-site/issues/7',
			},
		],
		maxPrice: {
			status: 404,
			body: {
				error: { message: 'No endpoints found for {model}.', code: 404 },
				user_id: 'user_2u7zrLB02neVzhe7P3Am4Jhz4cW',
			},
			source:
				'form: github.com/pydantic/pydantic-ai test_openrouter_errors_raised.yaml (no provider is ' +
				'left for a model); that a request without a provider in its price fails: ' +
				'openrouter.ai/docs/features/provider-routing (max_price). No record of the sentence.',
		},
	},
	sources: {
		address: 'openrouter.ai/blog/insights/model-routing (https://openrouter.ai/api/v1)',
		header: 'openrouter.ai/docs/guides/overview/auth/api-keys',
		catalog:
			`${RECORDED}/openrouter Warmup (414 models, 61 with overrides, 5 with -1); ` +
			'request: a price that the recording has for no model, in the field list of the documentation',
		proof:
			'developersdigest.tech/errors/api/openrouter/402 (GET /api/v1/key); its fields: simonw/llm-openrouter README',
		usage: `${RECORDED}/openrouter GenStream: with the finish_reason, names the dated model`,
		byok: 'openrouter.ai/docs usage accounting: cost is the fee, the rest is upstream_inference_cost',
	},
};

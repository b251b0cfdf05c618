import { BEARER, plainModel, TOKENS, type Row, V1 } from './row.ts';

export const X_AI: Row = {
	name: 'xAI',
	...V1,
	keys: [BEARER],
	open: [],
	proof: '/v1/api-key',
	gets: {
		'/v1/models': { object: 'list', data: [plainModel('grok-4.3', 'xai')] },
		'/v1/language-models': {
			models: [
				{
					...plainModel('grok-4.3', 'xai'),
					fingerprint: 'fp_898ae9f31c',
					version: '1.0',
					input_modalities: ['text', 'image'],
					output_modalities: ['text'],
					prompt_text_token_price: 12500,
					cached_prompt_text_token_price: 2000,
					prompt_image_token_price: 12500,
					completion_text_token_price: 25000,
					long_context_threshold: 200000,
					prompt_text_token_price_long_context: 25000,
					cached_prompt_text_token_price_long_context: 4000,
					completion_text_token_price_long_context: 50000,
					search_price: 250000000,
					aliases: ['grok-latest'],
				},
			],
		},
		'/v1/api-key': {
			redacted_api_key: 'xai-...b14o',
			user_id: '59fbe5f2-040b-46d5-8325-868bb8f23eb2',
			name: 'My API Key',
			create_time: '2024-01-01T12:55:18.139305Z',
			modify_time: '2024-08-28T17:20:12.343321Z',
			modified_by: '3d38b4dc-4eb7-4785-ae26-c3fa8997ffc7',
			team_id: '5ea6f6bd-7815-4b8a-9135-28b2d7ba6722',
			acls: ['api-key:model:*', 'api-key:endpoint:*'],
			['api_key_id']: 'ae1e1841-4326-4b36-a8a9-8a1a7237db11',
			team_blocked: false,
			api_key_blocked: false,
			api_key_disabled: false,
		},
	},
	answering: ['grok-4.3', 'grok-latest'],
	answersAs: { 'grok-latest': 'grok-4.3' },
	otherModel: 'grok-4.6',
	streamUsage: 'asked',
	usagePlace: 'in a chunk of its own',
	// 1,000 tokens at $1.25 and 100 at $2.50 per million, in units of 1e-10 USD
	usage: {
		...TOKENS,
		prompt_tokens_details: { text_tokens: 1000, audio_tokens: 0, cached_tokens: 0 },
		completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
		num_sources_used: 0,
		cost_in_usd_ticks: 15000000,
	},
	refuses: [],
	ignores: [],
	errors: {
		// not 401
		wrongKey: {
			status: 400,
			body: {
				code: 'Client specified an invalid argument',
				error:
					'Incorrect API key provided: {keyEnds}. You can obtain an API key from ' +
					'https://console.x.ai.',
			},
			source:
				'status and sentence: github.com/continuedev/continue/issues/10778; form: ' +
				'github.com/nocmt/LLMSearchPlus/issues/2; 400 for a wrong key: xAI OpenAPI, /v1/api-key',
		},
		broke: [
			{
				status: 403,
				body: {
					code: 'permission-denied',
					error:
						'Your team 5ea6f6bd-7815-4b8a-9135-28b2d7ba6722 has either used all available ' +
						'credits or reached its monthly spending limit. To continue making API requests, ' +
						'please purchase more credits or raise your spending limit.',
				},
				source: 'github.com/Anantys-oss/koan/issues/2412, github.com/warpdotdev/warp/issues/14867',
			},
			{
				status: 429,
				body: {
					error:
						'Your team 5ea6f6bd-7815-4b8a-9135-28b2d7ba6722 has either used all available ' +
						'credits or reached its monthly spending limit. To continue making API requests, ' +
						'please purchase more credits or raise your spending limit.',
				},
				source: 'github.com/continuedev/continue/issues/10373 (its code is not recorded)',
			},
		],
	},
	sources: {
		address: 'docs.x.ai/docs/api-reference (https://api.x.ai/v1)',
		header: 'docs.x.ai/docs/api-reference',
		catalog:
			'github.com/api-evangelist/xai openapi (models, not data); unit 1e-4 USD per million: ' +
			'docs.rs/xai-grpc-client LanguageModel; long_context: public copies of the catalog',
		proof: 'github.com/api-evangelist/xai openapi (GET /v1/api-key)',
		usage:
			'github.com/BerriAI/litellm/pull/39441 (cost_in_usd_ticks); asked: zed-industries/zed/pull/45812',
	},
};

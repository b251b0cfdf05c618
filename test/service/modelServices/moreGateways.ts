import { BEARER, plainModel, TOKENS, type Row, V1 } from './row.ts';

const PORTKEY: Row = {
	name: 'Portkey',
	...V1,
	keys: [{ header: 'x-portkey-api-key', prefix: '' }, BEARER],
	open: [],
	proof: '/v1/models',
	gets: {
		'/v1/models': {
			object: 'list',
			data: [
				{
					id: '@openai/gpt-5-mini',
					slug: 'gpt-5-mini',
					canonical_slug: 'gpt-5-mini',
					object: 'model',
				},
			],
		},
	},
	answering: ['@openai/gpt-5-mini'],
	answersAs: { '@openai/gpt-5-mini': 'gpt-5-mini-2025-08-07' },
	otherModel: 'gpt-5-2025-08-07',
	streamUsage: 'asked',
	usagePlace: 'in a chunk of its own',
	usage: TOKENS,
	// fields go on to the provider as they are: the refusals are those of OpenAI
	refuses: [
		{
			field: 'max_tokens',
			models: ['@openai/gpt-5-mini'],
			status: 400,
			body: {
				error: {
					message:
						"openai error: Unsupported parameter: 'max_tokens' is not supported with this model. " +
						"Use 'max_completion_tokens' instead.",
					type: 'invalid_request_error',
					param: 'max_tokens',
					code: 'unsupported_parameter',
				},
				provider: 'openai',
			},
			source:
				'form: github.com/pollinations/pollinations/issues/4580 ("openai error: …", provider); ' +
				'the refusal: that of OpenAI',
		},
	],
	ignores: [],
	errors: { broke: [] },
	sources: {
		address: 'portkey.ai/docs (https://api.portkey.ai/v1)',
		header:
			'github.com/Portkey-AI/gateway src/handlers/modelsHandler.ts (x-portkey-api-key, else Bearer)',
		catalog: 'portkey.ai/docs/api-reference (models: id @provider/model, slug, canonical_slug)',
		answersAs: 'answers are those of the provider: see OpenAI',
	},
};

const REQUESTY: Row = {
	name: 'Requesty',
	...V1,
	keys: [BEARER],
	open: [],
	proof: '/v1/models',
	gets: {
		'/v1/models': {
			object: 'list',
			data: [
				{
					...plainModel('openai/gpt-5-mini', 'openai'),
					input_price: 0.00000025,
					caching_price: 0.00000025,
					cached_price: 0.000000025,
					output_price: 0.000002,
					max_output_tokens: 128000,
					context_window: 400000,
					supports_caching: true,
					supports_vision: true,
				},
				{
					...plainModel('anthropic/claude-sonnet-4-5', 'anthropic'),
					input_price: 0.000003,
					// writing the cache is dearer than the input
					caching_price: 0.00000375,
					cached_price: 0.0000003,
					output_price: 0.000015,
					context_window: 200000,
				},
			],
		},
	},
	answering: ['openai/gpt-5-mini', 'anthropic/claude-sonnet-4-5'],
	otherModel: 'openai/gpt-5',
	streamUsage: 'asked',
	usagePlace: 'in a chunk of its own',
	usage: { ...TOKENS, cost: 0.00045 },
	refuses: [],
	ignores: [],
	errors: { broke: [] },
	sources: {
		address: 'github.com/api-evangelist/requesty openapi (https://router.requesty.ai/v1)',
		header: 'github.com/api-evangelist/requesty openapi (bearerAuth for all paths)',
		catalog:
			'huggingface.co/spaces/cstr/LLMProviders scripts/providers/requesty.js and the Requesty ' +
			'provider of Roo Code multiply by a million: per token. The OpenAPI copy says per million.',
		usage: 'github.com/api-evangelist/requesty openapi (usage.cost: USD)',
	},
};

const helicone = (status: number, message: string) => ({
	status,
	body: {
		success: false,
		error: { code: 'request_failed', message, details: [], param: null },
	},
	source:
		'github.com/Helicone/helicone worker/src/lib/ai-gateway/SimpleAIGateway.ts ' +
		'(createErrorResponse) and errorForwarder',
});

const HELICONE: Row = {
	name: 'Helicone AI Gateway',
	...V1,
	keys: [BEARER],
	open: ['/v1/models'],
	gets: {
		'/v1/models': { object: 'list', data: [plainModel('gpt-5-mini', 'openai')] },
	},
	answering: ['gpt-5-mini'],
	answersAs: { 'gpt-5-mini': 'gpt-5-mini-2025-08-07' },
	otherModel: 'gpt-5-2025-08-07',
	// the gateway itself asks the provider for them
	streamUsage: 'always',
	usagePlace: 'in a chunk of its own',
	usage: TOKENS,
	refuses: [],
	ignores: [],
	errors: {
		wrongKey: helicone(401, 'Authentication failed'),
		broke: [helicone(429, 'Insufficient credits')],
	},
	sources: {
		address: 'github.com/Helicone/helicone/issues/5561 (https://ai-gateway.helicone.ai/v1)',
		header: 'docs.helicone.ai/gateway/overview (the key of Helicone as Bearer)',
		catalog: 'docs.helicone.ai (models); no prices in it',
		usage:
			'github.com/Helicone/helicone SimpleAIGateway.ts (stream_options.include_usage is forced)',
	},
};

const CLOUDFLARE: Row = {
	name: 'Cloudflare AI Gateway',
	base: '/v1/0123456789abcdef/my-gateway/compat',
	chat: '/v1/0123456789abcdef/my-gateway/compat/chat/completions',
	keys: [{ header: 'cf-aig-authorization', prefix: 'Bearer ' }, BEARER],
	open: [],
	gets: {},
	answering: ['openai/gpt-5-mini'],
	answersAs: { 'openai/gpt-5-mini': 'gpt-5-mini-2025-08-07' },
	otherModel: 'gpt-5-2025-08-07',
	streamUsage: 'asked',
	usagePlace: 'in a chunk of its own',
	usage: TOKENS,
	refuses: [],
	ignores: [],
	errors: {
		wrongKey: {
			status: 401,
			// a list under the name "error"
			body: {
				success: false,
				result: [],
				messages: [],
				error: [{ code: 2009, message: 'Unauthorized' }],
				name: 'AiGatewayError',
				internalCode: 2009,
				message: 'Unauthorized',
			},
			source:
				'github.com/cloudflare/cloudflare-docs/pull/31050; success and error: several public logs',
		},
		broke: [],
	},
	sources: {
		address:
			'developers.cloudflare.com/ai-gateway (…/compat/chat/completions, model provider/model)',
		header:
			'developers.cloudflare.com/ai-gateway/configuration/authentication (cf-aig-authorization; the key of the provider in Authorization)',
		models: 'developers.cloudflare.com/ai-gateway: no list of models at this address',
	},
};

export const MORE_GATEWAYS = [PORTKEY, REQUESTY, HELICONE, CLOUDFLARE];

import { BEARER, plainModel, TOKENS, type Row, V1 } from './row.ts';

const deployment = (input: number, output: number, id: string) => ({
	model_name: 'gpt-5-mini',
	litellm_params: { model: `azure/${id}` },
	model_info: {
		id,
		db_model: false,
		['key']: 'azure/gpt-5-mini',
		max_tokens: 128000,
		max_input_tokens: 272000,
		max_output_tokens: 128000,
		input_cost_per_token: input,
		output_cost_per_token: output,
		cache_creation_input_token_cost: null,
		cache_read_input_token_cost: input / 10,
		litellm_provider: 'azure',
		mode: 'chat',
	},
});

const INFO = {
	data: [
		deployment(2.5e-7, 2e-6, 'gpt-5-mini-west'),
		deployment(2.75e-7, 2.2e-6, 'gpt-5-mini-eu'),
		{
			model_name: 'local-llama',
			litellm_params: { model: 'ollama/llama3.2' },
			model_info: {
				id: 'local-llama-1',
				db_model: false,
				input_cost_per_token: 0,
				output_cost_per_token: 0,
				mode: 'chat',
			},
		},
	],
};

const LITE_LLM: Row = {
	name: 'LiteLLM proxy',
	base: '',
	chat: '/v1/chat/completions',
	models: '/v1/models',
	keys: [BEARER],
	open: [],
	proof: '/v1/models',
	gets: {
		'/v1/models': {
			object: 'list',
			data: ['gpt-5-mini', 'local-llama'].map((id) => ({
				...plainModel(id, 'openai'),
				created: 1677610602,
			})),
		},
		'/model/info': INFO,
		'/v1/model/info': INFO,
	},
	answering: ['gpt-5-mini', 'local-llama'],
	otherModel: 'gpt-5',
	streamUsage: 'asked',
	usagePlace: 'in a chunk of its own',
	usage: TOKENS,
	usages: { cost: { ...TOKENS, cost: 0.00045 } },
	wholeHeaders: {
		'x-litellm-call-id': 'd024c191-523a-4f3a-a972-83e3ce32bb90',
		'x-litellm-response-cost': '0.00045',
	},
	refuses: [],
	ignores: [],
	errors: {
		wrongKey: {
			status: 401,
			body: {
				error: {
					message:
						'Authentication Error, Invalid proxy server token passed. Received API Key = ' +
						'sk-...{keyEnd}, Key Hash (Token) =5ea43e256ed93ce3. Unable to find token in cache or ' +
						'`LiteLLM_VerificationTokenTable`',
					type: 'token_not_found_in_db',
					param: 'key',
					code: '401',
				},
			},
			source: 'github.com/BerriAI/litellm/issues/11639',
		},
		unknownModel: {
			status: 400,
			body: {
				error: {
					message:
						'/chat/completions: Invalid model name passed in model={model}. Call `/v1/models` to ' +
						'view available models for your key.',
					type: 'invalid_request_error',
					param: 'model',
					code: '400',
				},
			},
			source:
				'sentence: litellm/proxy/route_llm_request.py; 400 and the envelope: ' +
				'docs.litellm.ai/docs/proxy/error_reference',
		},
		unknownPath: {
			status: 404,
			body: { detail: 'Not Found' },
			source: 'docs.litellm.ai/docs/proxy/error_reference',
		},
		broke: [
			{
				status: 429,
				body: {
					error: {
						message:
							'Budget has been exceeded! Key=analytics-team (sk-...W8TA) Current cost: 0.06, ' +
							'Max budget: 0.05',
						type: 'budget_exceeded',
						param: null,
						code: '429',
					},
				},
				source: 'docs.litellm.ai/docs/proxy/error_reference',
			},
			{
				status: 400,
				body: {
					error: {
						message: 'Budget has been exceeded! Current cost: 0.0010747, Max budget: 0.0',
						type: 'auth_error',
						param: null,
						code: 400,
					},
				},
				source: 'github.com/BerriAI/litellm/issues/4208',
			},
		],
	},
	sources: {
		address: 'docs.litellm.ai/docs/proxy/docker_quick_start (http://localhost:4000)',
		header: 'docs.litellm.ai/docs/proxy/virtual_keys',
		catalog: 'docs.litellm.ai/docs/proxy/model_management (model/info: an entry per deployment)',
		cost: 'header: docs.litellm.ai/docs/proxy/cost_tracking; not in a stream: github.com/BerriAI/litellm/issues/12689; usage.cost: pull/39069',
	},
};

const VERCEL: Row = {
	name: 'Vercel AI Gateway',
	...V1,
	keys: [BEARER],
	open: ['/v1/models'],
	proof: '/v1/credits',
	gets: {
		'/v1/models': {
			object: 'list',
			data: [
				{
					...plainModel('openai/gpt-5-mini', 'openai'),
					name: 'GPT-5 mini',
					description: '',
					context_window: 400000,
					max_tokens: 128000,
					type: 'language',
					tags: ['tool-use'],
					pricing: {
						input: '0.00000025',
						output: '0.000002',
						input_cache_read: '0.00000003',
					},
				},
				{
					...plainModel('openai/text-embedding-3-small', 'openai'),
					name: 'text-embedding-3-small',
					description: '',
					context_window: 8192,
					max_tokens: 1536,
					type: 'embedding',
					pricing: { input: '0.00000002' },
				},
			],
		},
		'/v1/credits': { balance: '95.50', total_used: '4.50' },
	},
	answering: ['openai/gpt-5-mini'],
	otherModel: 'openai/gpt-5',
	streamUsage: 'asked',
	usagePlace: 'in a chunk of its own',
	usage: { ...TOKENS, cost: 0.00045, is_byok: false, market_cost: 0.00045 },
	refuses: [],
	ignores: [],
	errors: {
		wrongKey: {
			status: 401,
			body: { error: { message: 'Invalid API key', type: 'authentication_error' } },
			source:
				'401: community.vercel.com/t/39132; type: github.com/vercel/ai ' +
				'packages/gateway/src/errors/create-gateway-error.ts; the sentence is ours',
		},
		unknownModel: {
			status: 404,
			body: {
				error: {
					message: "Model '{model}' not found",
					type: 'model_not_found',
					param: { modelId: '{model}' },
				},
			},
			source:
				'type and param: github.com/vercel/ai packages/gateway/src/errors/create-gateway-error.ts; ' +
				'the sentence is ours',
		},
		broke: [
			{
				status: 403,
				body: { error: { message: 'Forbidden.', type: 'access_denied' } },
				source: 'community.vercel.com/t/39132 (a team that may not spend; 402 was not recorded)',
			},
		],
	},
	sources: {
		address: 'github.com/danny-avila/LibreChat/discussions/9744 (ai-gateway.vercel.sh/v1)',
		header: 'community.vercel.com/t/39132 (Authorization: Bearer)',
		catalog:
			'vercel.com/docs/ai-gateway (type, context_window, max_tokens, pricing per token as text)',
		proof: 'community.vercel.com/t/39132 (GET /v1/credits: 401 for a wrong key)',
		open: 'vercel.com/docs/ai-gateway (the list needs no key)',
		cost:
			'usage.cost, a number, in a recorded answer of 2026-08; that there is one: ' +
			'github.com/BerriAI/litellm/issues/14002',
	},
};

export const GATEWAYS = [LITE_LLM, VERCEL];

import { BEARER, RECORDED, TOKENS, UNASKED, type Row, V1 } from './row.ts';

export const DEEP_SEEK: Row = {
	name: 'DeepSeek',
	...V1,
	keys: [BEARER],
	open: [],
	proof: '/user/balance',
	gets: {
		'/v1/models': {
			object: 'list',
			data: [
				{ id: 'deepseek-v4-flash', object: 'model', owned_by: 'deepseek' },
				{ id: 'deepseek-v4-pro', object: 'model', owned_by: 'deepseek' },
			],
		},
		'/user/balance': {
			is_available: true,
			balance_infos: [
				{
					currency: 'USD',
					total_balance: '110.00',
					granted_balance: '10.00',
					topped_up_balance: '100.00',
				},
			],
		},
	},
	answering: ['deepseek-v4-flash', 'deepseek-v4-pro'],
	otherModel: 'deepseek-v4-pro',
	streamUsage: 'always',
	usagePlace: 'with the last choice',
	usage: {
		...TOKENS,
		prompt_tokens_details: { cached_tokens: 0 },
		prompt_cache_hit_tokens: 0,
		prompt_cache_miss_tokens: 1000,
	},
	refuses: [],
	ignores: [],
	errors: {
		wrongKey: {
			status: 401,
			body: {
				error: {
					message: 'Authentication Fails, Your api key: ****{keyEnd} is invalid',
					type: 'authentication_error',
					param: null,
					code: 'invalid_request_error',
				},
			},
			source: `${RECORDED}/deepseek bad_apiKey`,
		},
		unknownModel: {
			status: 400,
			// JSON that is not called so
			type: 'application/octet-stream',
			body: {
				error: {
					message:
						'The supported API model names are deepseek-v4-pro or deepseek-v4-flash, but you ' +
						'passed {model}.',
					type: 'invalid_request_error',
					param: null,
					code: 'invalid_request_error',
				},
			},
			source: `${RECORDED}/deepseek bad_model`,
		},
		broke: [
			{
				status: 402,
				body: {
					error: {
						message: 'Insufficient Balance',
						type: 'unknown_error',
						param: null,
						code: 'invalid_request_error',
					},
				},
				source: 'github.com/danilofalcao/jarvis/issues/62',
			},
		],
	},
	sources: {
		address: 'github.com/nextcloud/integration_openai/issues/182 (https://api.deepseek.com/v1)',
		header: `${RECORDED}/deepseek`,
		catalog: `${RECORDED}/deepseek Warmup (no prices)`,
		proof: 'api-docs.deepseek.com/api/get-user-balance',
		usage: `${UNASKED}/deepseek`,
	},
};

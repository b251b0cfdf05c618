import { BEARER, plainModel, RECORDED, TOKENS, UNASKED, type Row, V1 } from './row.ts';

const togetherModel = (id: string, type: string, input: number, output: number) => ({
	id,
	uuid: `endpoint-${id.toLowerCase()}`,
	object: 'model',
	created: 1785049898,
	type,
	running: false,
	display_name: id,
	organization: 'Moonshot AI',
	link: 'https://huggingface.co/moonshotai',
	license: 'other',
	context_length: 1000000,
	config: { chat_template: null, stop: [], bos_token: null, eos_token: null },
	pricing: {
		hourly: 0,
		input,
		output,
		base: 0,
		finetune: 0,
		cached_input: input / 10,
		image_pixel: type === 'image' ? { price_per_megapixel: 0.0027, min_steps: 4 } : 0,
		transcribe: 0,
		image: 0,
		video: 0,
	},
});

const TOGETHER: Row = {
	name: 'Together',
	...V1,
	keys: [BEARER],
	open: [],
	proof: '/v1/models',
	gets: {
		// a bare list
		'/v1/models': [
			togetherModel('moonshotai/Kimi-K3', 'chat', 3, 15),
			togetherModel('zai-org/GLM-5.2', 'chat', 1.4, 4.4),
			// zero here means that another price counts
			togetherModel('black-forest-labs/FLUX.1-schnell', 'image', 0, 0),
		],
	},
	answering: ['moonshotai/Kimi-K3', 'zai-org/GLM-5.2'],
	otherModel: 'zai-org/GLM-5.2',
	streamUsage: 'always',
	usagePlace: 'with the last choice',
	usage: { ...TOKENS, cached_tokens: 0 },
	refuses: [],
	ignores: [],
	errors: {
		wrongKey: {
			status: 401,
			body: {
				id: 'omJGQiH-2kFHot-a04666c029ada2f9',
				error: {
					message:
						'Invalid API key provided. You can find your API key at ' +
						'https://api.together.ai/settings/api-keys.',
					type: 'invalid_request_error',
					param: null,
					code: 'invalid_api_key',
				},
			},
			source: `${RECORDED}/togetherai bad_apiKey`,
		},
		wrongKeyElsewhere: {
			status: 401,
			body: { error: { message: 'Unauthorized' } },
			source: `${RECORDED}/togetherai bad_apiKey ListModels`,
		},
		unknownModel: {
			status: 404,
			body: {
				id: 'omJGRLq-2kFHot-a04666cdad62a2f9',
				error: {
					message:
						'Unable to access model {model}. Please visit https://api.together.ai/models to view ' +
						'the list of supported models.',
					type: 'invalid_request_error',
					param: null,
					code: 'model_not_available',
				},
			},
			source: `${RECORDED}/togetherai bad_model (400 in github.com/can1357/oh-my-pi/pull/8333)`,
		},
		broke: [],
	},
	sources: {
		address: `${RECORDED}/togetherai (https://api.together.xyz/v1)`,
		header: `${RECORDED}/togetherai`,
		catalog: `${RECORDED}/togetherai Warmup (281 entries, USD per million as numbers)`,
		usage: `${UNASKED}/togetherai`,
	},
};

const FIREWORKS: Row = {
	name: 'Fireworks',
	base: '/inference/v1',
	chat: '/inference/v1/chat/completions',
	models: '/inference/v1/models',
	keys: [BEARER],
	open: [],
	proof: '/inference/v1/models',
	gets: {
		'/inference/v1/models': {
			object: 'list',
			data: [
				{
					...plainModel('accounts/fireworks/models/glm-5', 'fireworks'),
					kind: 'HF_BASE_MODEL',
					supports_chat: true,
					supports_image_input: false,
					supports_tools: true,
					context_length: 202752,
				},
				{
					...plainModel('accounts/fireworks/models/flux-1-schnell-fp8', 'fireworks'),
					kind: 'FLUMINA_BASE_MODEL',
					supports_chat: false,
					supports_image_input: false,
					supports_tools: false,
				},
			],
		},
	},
	answering: ['accounts/fireworks/models/glm-5'],
	otherModel: 'accounts/fireworks/models/kimi-k3',
	streamUsage: 'always',
	usagePlace: 'with the last choice',
	usage: TOKENS,
	refuses: [],
	ignores: [],
	errors: {
		unknownModel: {
			status: 404,
			body: {
				error: {
					message: 'Model not found, inaccessible, and/or not deployed',
					param: 'model',
					code: 'NOT_FOUND',
					type: 'error',
				},
			},
			source: 'github.com/warpdotdev/warp/issues/15107',
		},
		broke: [
			{
				status: 412,
				body: {
					error: {
						message:
							'Account pollinations is suspended, possibly due to reaching the monthly spending ' +
							'limit or failure to pay past invoices. Please go to ' +
							'https://fireworks.ai/account/billing for more information.',
						param: null,
						code: 'PRECONDITION_FAILED',
						type: 'error',
					},
					request_id: '11650e2f-ff1b-4aac-9719-98006adf7349',
				},
				source: 'github.com/pollinations/pollinations/issues/12136',
			},
		],
		catalogFails: {
			status: 500,
			body: 'Error listing deployed models',
			source: 'github.com/can1357/oh-my-pi/issues/3219 (accounts without deployments)',
		},
	},
	sources: {
		address: 'github.com/Jeffser/Alpaca/issues/708 (https://api.fireworks.ai/inference/v1)',
		header: 'github.com/Jeffser/Alpaca/issues/708',
		catalog: 'public copies of the list (kind, supports_chat, context_length; no prices)',
		usage: 'docs.fireworks.ai/guides/querying-text-models (usage in the last chunk of a stream)',
	},
};

export const MORE_HOSTS = [TOGETHER, FIREWORKS];

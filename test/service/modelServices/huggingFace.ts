import { BEARER, plainModel, RECORDED, TOKENS, type Row, V1 } from './row.ts';

export const HUGGING_FACE: Row = {
	name: 'Hugging Face router',
	...V1,
	keys: [BEARER],
	open: ['/v1/models'],
	gets: {
		'/v1/models': {
			object: 'list',
			data: [
				{
					...plainModel('deepseek-ai/DeepSeek-V4', 'deepseek-ai'),
					architecture: { input_modalities: ['text'], output_modalities: ['text'] },
					providers: [
						{
							provider: 'novita',
							status: 'live',
							context_length: 1048576,
							pricing: { input: 1.69, output: 3.38 },
							is_free: false,
							supports_tools: true,
							supports_structured_output: false,
							first_token_latency_ms: 1490,
							throughput: 24.69,
							is_model_author: false,
						},
						{
							provider: 'together',
							status: 'live',
							context_length: 512000,
							pricing: { input: 2.1, output: 4.4 },
							is_free: false,
							supports_tools: true,
							supports_structured_output: true,
							is_model_author: false,
						},
						// a provider that is down has no price
						{ provider: 'deepinfra', status: 'error', is_free: false, is_model_author: false },
					],
				},
			],
		},
	},
	answering: ['deepseek-ai/DeepSeek-V4'],
	answersAs: { 'deepseek-ai/DeepSeek-V4': 'deepseek-ai/DeepSeek-V4-fast' },
	otherModel: 'Qwen/Qwen3-235B-A22B',
	streamUsage: 'asked',
	usagePlace: 'in a chunk of its own',
	usage: TOKENS,
	refuses: [],
	ignores: [],
	errors: {
		wrongKey: {
			status: 401,
			body: { error: 'Invalid credentials in Authorization header' },
			source: `${RECORDED}/huggingface bad_apiKey`,
		},
		unknownModel: {
			status: 400,
			body: {
				error: {
					message: "The requested model '{model}' does not exist.",
					type: 'invalid_request_error',
					param: 'model',
					code: 'model_not_found',
				},
			},
			source: `${RECORDED}/huggingface bad_model`,
		},
		broke: [
			{
				status: 402,
				body: {
					error:
						'You have exceeded your monthly included credits for Inference Providers. Subscribe ' +
						'to PRO to get 20x more monthly included credits.',
				},
				source: 'github.com/huggingface/agents-course/issues/386',
			},
		],
	},
	sources: {
		address: `${RECORDED}/huggingface (router.huggingface.co/v1)`,
		header: `${RECORDED}/huggingface`,
		catalog:
			'router.huggingface.co/v1/models as kept by public catalogs (providers[].pricing, USD per million)',
		answersAs: `${RECORDED}/huggingface (Qwen/Qwen3-4B answers as Qwen/Qwen3-4B-fast)`,
	},
};

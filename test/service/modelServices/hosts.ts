import {
	BEARER,
	plainModel,
	RECORDED,
	TOKENS,
	UNASKED,
	type Refused,
	type Row,
	V1,
} from './row.ts';

const GROQ: Row = {
	name: 'Groq',
	base: '/openai/v1',
	chat: '/openai/v1/chat/completions',
	models: '/openai/v1/models',
	keys: [BEARER],
	open: [],
	proof: '/openai/v1/models',
	gets: {
		'/openai/v1/models': {
			object: 'list',
			data: [
				{
					...plainModel('openai/gpt-oss-120b', 'OpenAI'),
					active: true,
					context_window: 131072,
					public_apps: null,
					max_completion_tokens: 65536,
					name: 'GPT OSS 120B',
					input_modalities: ['text'],
					output_modalities: ['text'],
					context_length: 131072,
					max_output_length: 65536,
					pricing: {
						prompt: '0.00000015',
						completion: '0.0000006',
						image: '0',
						request: '0',
						input_cache_read: '0.000000075',
					},
					supported_sampling_parameters: ['temperature', 'top_p', 'stop', 'seed', 'max_tokens'],
					supported_features: ['tools', 'json_mode', 'structured_outputs', 'reasoning'],
				},
				// no price at all: it asks other models and searches
				{
					...plainModel('groq/compound', 'Groq'),
					active: true,
					context_window: 131072,
					public_apps: null,
					max_completion_tokens: 8192,
					output_modalities: ['text'],
				},
				// speech: a price without "completion"
				{
					...plainModel('canopylabs/orpheus-v1-english', 'Canopy Labs'),
					active: true,
					context_window: 4000,
					public_apps: null,
					output_modalities: ['speech'],
					pricing: { prompt: '0.000022', image: '0', request: '0', input_cache_read: '0.000011' },
				},
			],
		},
	},
	answering: ['openai/gpt-oss-120b', 'groq/compound'],
	otherModel: 'openai/gpt-oss-20b',
	streamUsage: 'asked or in x_groq',
	usagePlace: 'in a chunk of its own',
	usage: {
		queue_time: 0.06881657699999999,
		...TOKENS,
		prompt_time: 0.008535832,
		completion_time: 0.010265903,
		total_time: 0.018801735,
	},
	strict: {
		takes: [
			'citation_options',
			'compound_custom',
			'disable_tool_validation',
			'documents',
			'frequency_penalty',
			'function_call',
			'functions',
			'include_reasoning',
			'logit_bias',
			'logprobs',
			'max_completion_tokens',
			'max_tokens',
			'messages',
			'metadata',
			'model',
			'n',
			'parallel_tool_calls',
			'presence_penalty',
			'reasoning_effort',
			'reasoning_format',
			'response_format',
			'search_settings',
			'seed',
			'service_tier',
			'stop',
			'store',
			'stream',
			'stream_options',
			'temperature',
			'tool_choice',
			'tools',
			'top_logprobs',
			'top_p',
			'user',
		],
		status: 400,
		body: ([first]) => ({
			error: {
				message: `property '${first.field}' is unsupported`,
				type: 'invalid_request_error',
			},
		}),
		source:
			"github.com/fanenr/chatbot/issues/21 (\"property 'store' is unsupported, did you mean " +
			"'stop'?\"; store is taken since); fields: console.groq.com/docs/api-reference#chat-create",
	},
	refuses: [],
	ignores: [],
	errors: {
		wrongKey: {
			status: 401,
			body: {
				error: {
					message: 'Invalid API Key',
					type: 'invalid_request_error',
					code: 'invalid_api_key',
				},
			},
			source: `${RECORDED}/groq bad_apiKey`,
		},
		unknownModel: {
			status: 404,
			body: {
				error: {
					message: 'The model `{model}` does not exist or you do not have access to it.',
					type: 'invalid_request_error',
					code: 'model_not_found',
				},
			},
			source: `${RECORDED}/groq bad_model`,
		},
		broke: [],
	},
	sources: {
		address: `${RECORDED}/groq (https://api.groq.com/openai/v1)`,
		header: `${RECORDED}/groq`,
		catalog: `${RECORDED}/groq Warmup (prices per token as text since 2026)`,
		usage: `${UNASKED}/groq (x_groq.usage unasked)`,
	},
};

const mistralDetail = ({ field, value }: Refused) => {
	const usage = field === 'stream_options' && typeof value === 'object' && value !== null;
	return {
		type: 'extra_forbidden',
		loc: usage ? ['body', field, 'include_usage'] : ['body', field],
		msg: 'Extra inputs are not permitted',
		input: usage ? (value as { include_usage?: unknown }).include_usage : value,
	};
};

const MISTRAL: Row = {
	name: 'Mistral',
	...V1,
	keys: [BEARER],
	open: [],
	proof: '/v1/models',
	gets: {
		'/v1/models': {
			object: 'list',
			data: ['mistral-small-2603', 'mistral-small-latest'].map((id) => ({
				id,
				object: 'model',
				created: 1786983164,
				owned_by: 'mistralai',
				capabilities: {
					completion_chat: true,
					function_calling: true,
					reasoning: false,
					vision: true,
				},
				name: 'mistral-small-2603',
				description: '',
				max_context_length: 131072,
				// one model is listed under each of its names
				aliases: ['mistral-small-2603', 'mistral-small-latest'].filter((name) => name !== id),
				deprecation: null,
				default_model_temperature: 0.3,
				type: 'base',
			})),
		},
	},
	answering: ['mistral-small-latest', 'mistral-small-2603'],
	otherModel: 'mistral-medium-3-5',
	streamUsage: 'always',
	usagePlace: 'with the last choice',
	usage: TOKENS,
	strict: {
		takes: [
			'frequency_penalty',
			'guardrails',
			'max_tokens',
			'messages',
			'metadata',
			'model',
			'n',
			'parallel_tool_calls',
			'prediction',
			'presence_penalty',
			'prompt_mode',
			'random_seed',
			'reasoning_effort',
			'response_format',
			'safe_prompt',
			'stop',
			'stream',
			'temperature',
			'tool_choice',
			'tools',
			'top_p',
		],
		status: 422,
		body: (refused) => ({
			object: 'error',
			message: { detail: refused.map(mistralDetail) },
			type: 'invalid_request_error',
			param: null,
			code: null,
		}),
		source:
			'github.com/openai/openai-agents-python/issues/442 (stream_options), ' +
			'editor-code-assistant/eca/issues/315 (max_completion_tokens), ' +
			'Gitlawb/openclaude/issues/739 (several in one answer); fields: docs.mistral.ai/api',
	},
	refuses: [],
	ignores: [],
	errors: {
		wrongKey: {
			status: 401,
			body: { detail: 'Unauthorized' },
			source: `${RECORDED}/mistral bad_apiKey`,
		},
		unknownModel: {
			status: 400,
			body: {
				object: 'error',
				message: 'Invalid model: {model}',
				type: 'invalid_model',
				param: null,
				code: '1500',
			},
			source: `${RECORDED}/mistral bad_model`,
		},
		broke: [],
	},
	sources: {
		address: `${RECORDED}/mistral (https://api.mistral.ai/v1)`,
		header: `${RECORDED}/mistral`,
		catalog: `${RECORDED}/mistral Warmup (no prices; one entry for each alias)`,
		usage: `${UNASKED}/mistral (unasked)`,
	},
};

export const HOSTS = [GROQ, MISTRAL];

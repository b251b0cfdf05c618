import {
	BEARER,
	OPENAI_FIELDS,
	plainModel,
	RECORDED,
	TOKENS,
	UNASKED,
	type Refused,
	type Row,
	type Stated,
	V1,
} from './row.ts';

const openAiError = (message: string, type: string, param: string | null, code: string | null) => ({
	error: { message, type, param, code },
});

const INSTEAD = openAiError(
	"Unsupported parameter: 'max_tokens' is not supported with this model. " +
		"Use 'max_completion_tokens' instead.",
	'invalid_request_error',
	'max_tokens',
	'unsupported_parameter',
);

const unrecognized = ([first]: readonly [Refused, ...Refused[]]) =>
	openAiError(
		`Unrecognized request argument supplied: ${first.field}`,
		'invalid_request_error',
		null,
		null,
	);

const OPENAI_USAGE = {
	...TOKENS,
	prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
	completion_tokens_details: {
		reasoning_tokens: 0,
		audio_tokens: 0,
		accepted_prediction_tokens: 0,
		rejected_prediction_tokens: 0,
	},
};

const NO_QUOTA: Stated = {
	status: 429,
	body: openAiError(
		'You exceeded your current quota, please check your plan and billing details. For more ' +
			'information on this error, read the docs: ' +
			'https://platform.openai.com/docs/guides/error-codes/api-errors.',
		'insufficient_quota',
		null,
		'insufficient_quota',
	),
	source: 'github.com/ChatGPTNextWeb/NextChat/issues/3664',
};

const OPENAI: Row = {
	name: 'OpenAI',
	...V1,
	keys: [BEARER],
	open: [],
	proof: '/v1/models',
	gets: {
		'/v1/models': {
			object: 'list',
			data: [
				{ ...plainModel('gpt-5-mini', 'system'), shutdown_date: null },
				{ ...plainModel('gpt-4.1-nano', 'system'), shutdown_date: null },
				{ ...plainModel('gpt-image-1', 'system'), shutdown_date: null },
				{ ...plainModel('text-embedding-3-small', 'system'), shutdown_date: null },
			],
		},
	},
	answering: ['gpt-5-mini', 'gpt-4.1-nano'],
	answersAs: {
		'gpt-5-mini': 'gpt-5-mini-2025-08-07',
		'gpt-4.1-nano': 'gpt-4.1-nano-2025-04-14',
	},
	otherModel: 'gpt-5-2025-08-07',
	streamUsage: 'asked',
	usagePlace: 'in a chunk of its own',
	usage: OPENAI_USAGE,
	strict: {
		takes: OPENAI_FIELDS,
		status: 400,
		body: unrecognized,
		source: 'github.com/davidmigloz/langchain_dart/issues/712 (param is null)',
	},
	refuses: [
		{
			field: 'max_tokens',
			models: ['gpt-5-mini'],
			status: 400,
			body: INSTEAD,
			source: 'github.com/griptape-ai/ComfyUI-Griptape/issues/312',
		},
	],
	ignores: [],
	errors: {
		wrongKey: {
			status: 401,
			body: openAiError(
				'Incorrect API key provided: {key}. You can find your API key at ' +
					'https://platform.openai.com/account/api-keys.',
				'invalid_request_error',
				null,
				'invalid_api_key',
			),
			source: `${RECORDED}/openaichat bad_apiKey (a short key is told whole)`,
		},
		unknownModel: {
			status: 400,
			body: openAiError('invalid model ID', 'invalid_request_error', null, null),
			source: `${RECORDED}/openaichat bad_model`,
		},
		broke: [NO_QUOTA],
	},
	sources: {
		address: `${RECORDED}/openaichat`,
		header: `${RECORDED}/openaichat`,
		catalog: `${RECORDED}/openaichat Warmup (no prices)`,
		usage: `${UNASKED}/openai (none)`,
		answersAs: 'the same recording: gpt-4.1-nano answers as gpt-4.1-nano-2025-04-14',
	},
};

const AZURE: Row = {
	name: 'Azure OpenAI',
	base: '/openai/v1',
	chat: '/openai/v1/chat/completions',
	models: '/openai/v1/models',
	keys: [{ header: 'api-key', prefix: '' }, BEARER],
	open: [],
	proof: '/openai/v1/models',
	gets: {
		// the models of the region; what was deployed under which name is not told
		'/openai/v1/models': {
			object: 'list',
			data: [
				{
					id: 'gpt-5-mini-2025-08-07',
					object: 'model',
					created_at: 1754587407,
					status: 'succeeded',
					capabilities: { chat_completion: true, embeddings: false },
					lifecycle_status: 'generally-available',
				},
			],
		},
	},
	answering: ['our-mini'],
	answersAs: { 'our-mini': 'gpt-5-mini-2025-08-07' },
	otherModel: 'gpt-5-2025-08-07',
	streamUsage: 'asked',
	usagePlace: 'in a chunk of its own',
	usage: OPENAI_USAGE,
	refuses: [
		{
			field: 'max_tokens',
			models: ['our-mini'],
			status: 400,
			body: INSTEAD,
			source: 'github.com/anomalyco/opencode/issues/37964 (GPT 5.1 on Azure)',
		},
	],
	ignores: [],
	errors: {
		wrongKey: {
			status: 401,
			body: {
				error: {
					code: '401',
					message:
						'Access denied due to invalid subscription key or wrong API endpoint. Make sure to ' +
						'provide a valid key for an active subscription and use a correct regional API ' +
						'endpoint for your resource.',
				},
			},
			source: 'github.com/SciSharp/BotSharp/issues/386',
		},
		unknownModel: {
			status: 404,
			body: {
				error: {
					code: 'DeploymentNotFound',
					message:
						'The API deployment for this resource does not exist. If you created the deployment ' +
						'within the last 5 minutes, please wait a moment and try again.',
				},
			},
			source: 'github.com/BerriAI/litellm/pull/37242 (DeploymentNotFound, 404)',
		},
		broke: [],
	},
	sources: {
		address: 'learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle (…/openai/v1/)',
		header: 'the same page (api-key header, or the key as that of the OpenAI client: Bearer)',
		catalog:
			'learn.microsoft.com/azure/ai-foundry/openai/latest (list models: not the deployments)',
		answersAs: 'a deployment answers with the dated name of its model, as OpenAI does',
	},
};

export const OPEN_AI = [OPENAI, AZURE];

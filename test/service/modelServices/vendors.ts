import { BEARER, OPENAI_FIELDS, RECORDED, TOKENS, type Refused, type Row, V1 } from './row.ts';

/** The error of Anthropic at the address that takes OpenAI's form. */
const anthropicError = (code: string, message: string) => ({
	error: { code, message, type: 'invalid_request_error', param: null },
});

const ENVELOPE = 'envelope: that of the 404 of the same path (see unknownModel)';

const API_KEY = { header: 'x-api-key', prefix: '' };

const ANTHROPIC: Row = {
	name: 'Anthropic (OpenAI form)',
	...V1,
	keys: [BEARER, API_KEY],
	elsewhere: { keys: [API_KEY], needs: ['anthropic-version'] },
	open: [],
	proof: '/v1/models',
	gets: {
		'/v1/models': {
			data: [
				{
					type: 'model',
					id: 'claude-sonnet-4-5-20250929',
					display_name: 'Claude Sonnet 4.5',
					created_at: '2025-09-29T00:00:00Z',
					max_input_tokens: 1000000,
					max_tokens: 64000,
				},
				{
					type: 'model',
					id: 'claude-opus-5',
					display_name: 'Claude Opus 5',
					created_at: '2026-07-24T00:00:00Z',
					max_input_tokens: 1000000,
					max_tokens: 128000,
				},
			],
			has_more: false,
			first_id: 'claude-sonnet-4-5-20250929',
			last_id: 'claude-opus-5',
		},
	},
	answering: ['claude-sonnet-4-5-20250929', 'claude-opus-5'],
	otherModel: 'claude-opus-5',
	streamUsage: 'asked',
	usagePlace: 'in a chunk of its own',
	usage: TOKENS,
	refuses: [],
	ignores: [
		'audio',
		'frequency_penalty',
		'logit_bias',
		'logprobs',
		'metadata',
		'modalities',
		'prediction',
		'presence_penalty',
		'reasoning_effort',
		'response_format',
		'seed',
		'service_tier',
		'store',
		'top_logprobs',
		'user',
	],
	errors: {
		wrongKey: {
			status: 401,
			body: anthropicError('authentication_error', 'invalid x-api-key'),
			source: `status and sentence: ${RECORDED}/anthropic bad_apiKey; ${ENVELOPE}`,
		},
		wrongKeyElsewhere: {
			status: 401,
			body: {
				type: 'error',
				error: { type: 'authentication_error', message: 'invalid x-api-key' },
				request_id: 'req_011CbXcvfEJXcr6SSABkFoMJ',
			},
			source: `${RECORDED}/anthropic bad_apiKey ListModels`,
		},
		missingHeader: {
			status: 400,
			body: {
				type: 'error',
				error: { type: 'invalid_request_error', message: '{header}: header is required' },
			},
			source:
				'platform.claude.com/docs/en/api/versioning (each request must have it); form: that of ' +
				'wrongKeyElsewhere; the sentence is not recorded',
		},
		unknownModel: {
			status: 404,
			body: anthropicError('not_found_error', 'model: {model}'),
			source:
				'a public log of a client: "Status: 404, Body: …not_found_error, model: claude-sonnet-4.6"',
		},
		broke: [
			{
				status: 400,
				body: anthropicError(
					'invalid_request_error',
					'Your credit balance is too low to access the Anthropic API. Please go to Plans & ' +
						'Billing to upgrade or purchase credits.',
				),
				source: `status and sentence: github.com/anthropics/claude-code/issues/66314; ${ENVELOPE}`,
			},
		],
	},
	sources: {
		address: 'platform.claude.com/docs/en/api/openai-sdk (https://api.anthropic.com/v1/)',
		header: 'the same page (the key of the OpenAI client: Bearer)',
		elsewhere: 'platform.claude.com/docs/en/api/models-list (x-api-key, anthropic-version)',
		catalog: `${RECORDED}/anthropic Warmup (no prices, has_more)`,
		ignores: 'docs.anthropic.com/en/api/openai-sdk: stream_options and both limits are supported',
	},
};

const geminiError = (code: number, message: string, status: string, details: unknown[]) => [
	{ error: { code, message, status, details } },
];

const unknownName = (refused: readonly Refused[]) => {
	const texts = refused.map(
		({ field }) => `Invalid JSON payload received. Unknown name "${field}": Cannot find field.`,
	);
	return geminiError(400, texts.join('\n'), 'INVALID_ARGUMENT', [
		{
			'@type': 'type.googleapis.com/google.rpc.BadRequest',
			fieldViolations: texts.map((description) => ({ description })),
		},
	]);
};

/** Fields of OpenAI that were refused by name. */
const UNKNOWN_TO_GEMINI: readonly string[] = ['store', 'web_search_options', 'frequency_penalty'];

const GEMINI: Row = {
	name: 'Gemini (OpenAI form)',
	base: '/v1beta/openai',
	chat: '/v1beta/openai/chat/completions',
	models: '/v1beta/openai/models',
	keys: [BEARER],
	open: [],
	proof: '/v1beta/openai/models',
	gets: {
		'/v1beta/openai/models': {
			object: 'list',
			data: [
				{ id: 'models/gemini-3.7-flash', object: 'model', owned_by: 'google' },
				{ id: 'models/text-embedding-004', object: 'model', owned_by: 'google' },
			],
		},
	},
	answering: ['models/gemini-3.7-flash', 'gemini-3.7-flash'],
	otherModel: 'gemini-3-pro',
	streamUsage: 'asked',
	usagePlace: 'in a chunk of its own',
	usage: TOKENS,
	strict: {
		takes: OPENAI_FIELDS.filter((field) => !UNKNOWN_TO_GEMINI.includes(field)),
		status: 400,
		body: unknownName,
		source:
			'github.com/liliMozi/openhanako/issues/394 (store), FuzzAnything/PromptFuzz/issues/42 ' +
			'(web_search_options), MinLL/SkyrimNet-GamePlugin/issues/77 (several in one answer)',
	},
	refuses: [],
	ignores: [],
	errors: {
		// not 401, and a list
		wrongKey: {
			status: 400,
			body: geminiError(
				400,
				'API key not valid. Please pass a valid API key.',
				'INVALID_ARGUMENT',
				[
					{
						'@type': 'type.googleapis.com/google.rpc.ErrorInfo',
						reason: 'API_KEY_INVALID',
						domain: 'googleapis.com',
						metadata: { service: 'generativelanguage.googleapis.com' },
					},
				],
			),
			source: `${RECORDED}/gemini bad_apiKey; as a list: github.com/liliMozi/openhanako/issues/394`,
		},
		unknownModel: {
			status: 404,
			body: geminiError(
				404,
				'{model} is not found for API version v1beta, or is not supported for generateContent. ' +
					'Call ListModels to see the list of available models and their supported methods.',
				'NOT_FOUND',
				[],
			),
			source: 'sentence: github.com/continuedev/continue/issues/9939; as a list: see wrongKey',
		},
		broke: [],
	},
	sources: {
		address:
			'ai.google.dev/gemini-api/docs/openai (https://generativelanguage.googleapis.com/v1beta/openai/)',
		header: 'ai.google.dev/gemini-api/docs/openai (Authorization: Bearer)',
		catalog:
			'ai.google.dev/gemini-api/docs/openai (list models); IDs models/…: open-webui/mcpo/issues/141',
	},
};

export const VENDORS = [ANTHROPIC, GEMINI];

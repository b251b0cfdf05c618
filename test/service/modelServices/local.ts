import { BEARER, plainModel, RECORDED, TOKENS, type Row, V1 } from './row.ts';

const OLLAMA: Row = {
	name: 'Ollama',
	...V1,
	keys: [],
	open: [],
	gets: {
		'/v1/models': {
			object: 'list',
			data: [plainModel('llama3.2:latest', 'library'), plainModel('qwen3:8b', 'library')],
		},
	},
	answering: ['llama3.2:latest', 'qwen3:8b'],
	otherModel: 'qwen3:8b',
	streamUsage: 'asked',
	usagePlace: 'in a chunk of its own',
	usage: TOKENS,
	refuses: [],
	// the request type has max_tokens only: a limit under the other name is none
	ignores: ['max_completion_tokens'],
	errors: {
		unknownModel: {
			status: 404,
			body: {
				error: {
					message: "model '{model}' not found",
					type: 'not_found_error',
					param: null,
					code: null,
				},
			},
			source: 'recorded.ndjson',
		},
		unknownPath: {
			status: 404,
			body: '404 page not found',
			source: 'github.com/ollama/ollama/issues/3050',
		},
		broke: [],
	},
	sources: {
		address: 'github.com/ollama/ollama docs/openai.md (http://localhost:11434/v1)',
		catalog: 'recorded.ndjson; openai/openai.go (ToListCompletion)',
		ignores: 'Ollama of fb307609 (2026-08-21), run: it answers more than max_completion_tokens',
		usage: 'recorded.ndjson; none unasked, run',
	},
};

const VLLM: Row = {
	name: 'vLLM',
	...V1,
	keys: [BEARER],
	open: [],
	proof: '/v1/models',
	gets: {
		'/v1/models': {
			object: 'list',
			data: [
				{
					...plainModel('Qwen/Qwen3-8B', 'vllm'),
					root: 'Qwen/Qwen3-8B',
					parent: null,
					max_model_len: 40960,
					permission: [{ id: 'modelperm-1', object: 'model_permission', allow_view: true }],
				},
			],
		},
	},
	answering: ['Qwen/Qwen3-8B'],
	otherModel: 'Qwen/Qwen3-4B',
	streamUsage: 'asked',
	usagePlace: 'in a chunk of its own',
	usage: TOKENS,
	refuses: ['max_tokens', 'max_completion_tokens'].map((field) => ({
		field,
		models: ['Qwen/Qwen3-8B'],
		above: 8000,
		status: 400,
		body: {
			error: {
				message:
					"'max_tokens' or 'max_completion_tokens' is too large. This model's maximum context length is " +
					'8192 tokens and your request has 192 input tokens.',
				type: 'BadRequestError',
				param: null,
				code: 400,
			},
		},
		source:
			'github.com/stepfun-ai/Step-Audio-R1/issues/3, a server that was started with 8192 tokens',
	})),
	ignores: [],
	errors: {
		wrongKey: {
			status: 401,
			body: { error: 'Unauthorized' },
			source: 'github.com/vllm-project/vllm vllm/entrypoints/openai/api_server.py (--api-key)',
		},
		unknownModel: {
			status: 404,
			body: {
				object: 'error',
				message: 'The model `{model}` does not exist.',
				type: 'NotFoundError',
				param: null,
				code: 404,
			},
			source: 'github.com/vllm-project/vllm/issues/3485',
		},
		unknownPath: {
			status: 404,
			body: { detail: 'Not Found' },
			source: 'github.com/vllm-project/vllm/issues/5082',
		},
		broke: [],
	},
	sources: {
		address: 'docs.vllm.ai (http://localhost:8000/v1)',
		header: 'docs.vllm.ai (--api-key; without it any key is taken)',
		catalog: 'github.com/vllm-project/vllm vllm/entrypoints/openai/protocol.py (ModelCard)',
		ignores: 'the same file (OpenAIBaseModel): unknown fields are logged, not refused',
	},
};

const LM_STUDIO: Row = {
	name: 'LM Studio',
	...V1,
	keys: [],
	open: [],
	gets: {
		'/v1/models': {
			object: 'list',
			data: [
				{ id: 'google/gemma-3-4b', object: 'model', owned_by: 'organization_owner' },
				{ id: 'text-embedding-nomic-v1.5', object: 'model', owned_by: 'organization_owner' },
			],
		},
	},
	answering: ['google/gemma-3-4b'],
	otherModel: 'qwen/qwen3-8b',
	streamUsage: 'asked',
	usagePlace: 'in a chunk of its own',
	usage: TOKENS,
	refuses: [],
	ignores: [],
	errors: {
		// an error that comes as a success
		unknownPath: {
			status: 200,
			body: { error: 'Unexpected endpoint or method. ({method} {path})' },
			source: 'github.com/lmstudio-ai/lmstudio-bug-tracker/issues/618',
		},
		broke: [],
	},
	sources: {
		address: 'github.com/awaescher/OllamaSharp/issues/356 (http://localhost:1234/v1)',
		catalog: 'lmstudio.ai/docs/app/api/endpoints/openai (list of models)',
		usage: 'github.com/lmstudio-ai/lmstudio-js/issues/320 (none in a stream unasked)',
	},
};

const LLAMA_CPP: Row = {
	name: 'llama.cpp',
	...V1,
	keys: [BEARER, { header: 'x-api-key', prefix: '' }],
	open: [],
	proof: '/v1/models',
	gets: {
		'/v1/models': {
			models: [
				{
					name: 'unsloth/Qwen3.5-2B-GGUF',
					model: 'unsloth/Qwen3.5-2B-GGUF',
					modified_at: '',
					size: '',
					digest: '',
					type: 'model',
					description: '',
					tags: [''],
					capabilities: ['completion', 'multimodal'],
					parameters: '',
				},
			],
			object: 'list',
			data: [
				{
					...plainModel('unsloth/Qwen3.5-2B-GGUF', 'llamacpp'),
					aliases: ['unsloth/Qwen3.5-2B-GGUF'],
					tags: [],
					meta: { vocab_type: 2, n_vocab: 248320, n_ctx: 16384, n_ctx_train: 262144 },
				},
			],
		},
	},
	answering: ['unsloth/Qwen3.5-2B-GGUF'],
	otherModel: 'ggml-org/Qwen3-ASR-0.6B-GGUF',
	streamUsage: 'asked',
	usagePlace: 'in a chunk of its own',
	usage: TOKENS,
	refuses: [],
	ignores: [],
	errors: {
		wrongKey: {
			status: 401,
			body: { error: { message: 'Invalid API Key', type: 'authentication_error', code: 401 } },
			source: 'recorded.ndjson',
		},
		unknownPath: {
			status: 404,
			body: { error: { message: 'File Not Found', type: 'not_found_error', code: 404 } },
			source: 'llama-server 0.7.0 (build 11669), run',
		},
		broke: [],
	},
	sources: {
		address: 'github.com/ggml-org/llama.cpp tools/server/README.md (http://localhost:8080/v1)',
		header:
			'llama-server 0.7.0 (build 11669), run with --api-key: all but /health wants it, in either header',
		catalog: `${RECORDED}/llamacpp ListModels, and recorded.ndjson`,
		usage: 'recorded.ndjson; none unasked, timings only',
	},
};

export const LOCAL = [OLLAMA, VLLM, LM_STUDIO, LLAMA_CPP];

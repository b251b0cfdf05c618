import { BEARER, type KeyPlace, keyPlaceIn, X_API_KEY } from '../core/keyPlace';
import { trimWhitespace } from '../core/urls';

/** A service of models that people have, as far as it differs from the specified router. */
export interface ModelService {
	/** As its users call it. */
	readonly name: string;
	/** Its hosts; `*.` stands for any further labels. Absent for a program that people run themselves. */
	readonly hosts?: readonly string[];
	/** What comes before `/chat/completions`, for the docs and for a base URL that is the host alone, e.g. `/api/v1`. Placeholders of the user's own in capitals, e.g. `/v1/ACCOUNT/GATEWAY/compat`. */
	readonly root: string;
	/** The header of its key, and what comes before the key in it. Absent where it takes none. */
	readonly key?: KeyPlace;
	/** What all but chat completions is asked with, where that is something else. */
	readonly catalog?: KeyPlace;
	/** Below the root: a free request that answers only to a valid key. Absent where nothing is known that proves it. */
	readonly proof?: string;
	/** Whether it has no catalog of models. */
	readonly hasNoCatalog?: true;
	/** The form of its catalog's prices: a name of `CATALOG_FORMS`. Absent where its catalog has none. */
	readonly prices?: string;
	/** Whether it asks no provider that is dearer than `provider.max_price`. */
	readonly limitsPrices?: true;
	/** Why an answer may cost more than its tokens at the price of the model, or have more than were asked for: the bound is then a guess. */
	readonly mayCostMore?: string;
}

const USUAL = { root: '/v1', key: BEARER } as const;

/** To add a service, write a row, below the pages that describe it. */
export const SERVICES: readonly ModelService[] = [
	// https://openrouter.ai/docs/api-reference/overview
	// https://openrouter.ai/docs/api-reference/limits
	// https://openrouter.ai/docs/guides/routing/provider-selection
	// https://openrouter.ai/docs/features/byok
	// https://github.com/LostRuins/lite.koboldai.net/issues/166
	{
		name: 'OpenRouter',
		hosts: ['openrouter.ai', 'eu.openrouter.ai', 'us.openrouter.ai'],
		root: '/api/v1',
		key: BEARER,
		// the catalog answers to anybody
		proof: '/key',
		prices: 'OpenRouter',
		limitsPrices: true,
		mayCostMore:
			'A provider may ignore the maximum of output tokens, and with an own provider key a fee of 5% comes on top.',
	},
	// https://docs.litellm.ai/docs/proxy/user_keys
	// https://docs.litellm.ai/docs/proxy/reliability
	// https://docs.litellm.ai/docs/proxy/provider_margins
	{
		name: 'LiteLLM',
		...USUAL,
		proof: '/models',
		prices: 'LiteLLM',
		mayCostMore: 'Its operator may have set fallbacks to dearer models, or a margin on top.',
	},
	// https://platform.openai.com/docs/api-reference/chat/create
	// https://platform.openai.com/docs/guides/your-data
	{
		name: 'OpenAI',
		hosts: ['api.openai.com', '*.api.openai.com'],
		...USUAL,
		proof: '/models',
		mayCostMore:
			'Long prompts cost more with some models, and a project may be set to a dearer service tier.',
	},
	// https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
	{
		name: 'Azure OpenAI',
		hosts: [
			'*.openai.azure.com',
			'*.services.ai.azure.com',
			'*.cognitiveservices.azure.com',
			'*.openai.azure.us',
			'*.cognitiveservices.azure.us',
		],
		root: '/openai/v1',
		key: { header: 'api-key' },
		proof: '/models',
		// it lists what could be deployed; requests name the user's own deployments
		hasNoCatalog: true,
		mayCostMore: 'Long prompts cost more with some models, and so do some kinds of deployment.',
	},
	// https://platform.claude.com/docs/en/api/openai-sdk
	// https://platform.claude.com/docs/en/api/models/list
	{
		name: 'Anthropic',
		hosts: ['api.anthropic.com'],
		...USUAL,
		// only chat completions have the OpenAI form: elsewhere "401 Invalid bearer token"
		catalog: { header: 'x-api-key', headers: { 'anthropic-version': '2023-06-01' } },
		proof: '/models',
		mayCostMore: 'Long prompts cost more with some models.',
	},
	// https://ai.google.dev/gemini-api/docs/openai
	// https://ai.google.dev/gemini-api/docs/pricing
	{
		name: 'Gemini',
		hosts: ['generativelanguage.googleapis.com'],
		root: '/v1beta/openai',
		key: BEARER,
		proof: '/models',
		mayCostMore: 'Long prompts cost more with some models.',
	},
	// https://api-docs.deepseek.com/api/list-models
	// https://api-docs.deepseek.com/quick_start/pricing
	{
		name: 'DeepSeek',
		hosts: ['api.deepseek.com'],
		...USUAL,
		proof: '/models',
		mayCostMore: 'At peak hours it costs twice as much.',
	},
	// https://console.groq.com/docs/openai
	// https://console.groq.com/docs/api-reference#models-list
	{
		name: 'Groq',
		hosts: ['api.groq.com'],
		root: '/openai/v1',
		key: BEARER,
		proof: '/models',
		prices: 'Groq',
	},
	// https://docs.mistral.ai/api/endpoint/models
	// https://mistral.ai/pricing
	{
		name: 'Mistral',
		hosts: ['api.mistral.ai'],
		...USUAL,
		proof: '/models',
		mayCostMore: 'Sound is paid by the minute.',
	},
	// https://docs.x.ai/docs/api-reference
	// https://docs.x.ai/docs/key-information/regions
	// https://docs.x.ai/developers/pricing
	// https://github.com/0xPlaygrounds/rig (recordings of prompt_caching)
	{
		name: 'xAI',
		hosts: ['api.x.ai', '*.api.x.ai'],
		...USUAL,
		proof: '/api-key',
		prices: 'xAI',
		mayCostMore:
			'Thinking may exceed the maximum of output tokens, and a request against its guidelines costs a fee.',
	},
	// https://docs.together.ai/docs/openai-api-compatibility
	// https://docs.together.ai/reference/models-1
	{
		name: 'Together',
		hosts: ['api.together.xyz', 'api.together.ai'],
		...USUAL,
		proof: '/models',
		prices: 'Together',
	},
	// https://docs.fireworks.ai/tools-sdks/openai-compatibility
	{
		name: 'Fireworks',
		hosts: ['api.fireworks.ai'],
		root: '/inference/v1',
		key: BEARER,
		proof: '/models',
	},
	// https://vercel.com/docs/ai-gateway/openai-compat
	// https://vercel.com/docs/ai-gateway/models-and-providers/provider-options
	{
		name: 'Vercel AI Gateway',
		hosts: ['ai-gateway.vercel.sh'],
		...USUAL,
		// the catalog answers to anybody
		proof: '/credits',
		prices: 'Vercel AI Gateway',
		mayCostMore: 'It may fall back to a dearer provider of the model.',
	},
	// https://portkey.ai/docs/api-reference/inference-api/authentication
	// https://portkey.ai/docs/api-reference/inference-api/models/models
	{
		name: 'Portkey',
		hosts: ['api.portkey.ai'],
		root: '/v1',
		key: { header: 'x-portkey-api-key' },
		proof: '/models',
		mayCostMore: 'A config of its workspace may fall back to a dearer model.',
	},
	// https://docs.requesty.ai/quickstart
	// https://docs.requesty.ai/features/fallback-policies
	{
		name: 'Requesty',
		hosts: ['router.requesty.ai', 'router.eu.requesty.ai'],
		...USUAL,
		// the catalog answers to anybody; what proves a key is at another host
		prices: 'Requesty',
		mayCostMore:
			'Its fee of 5% may come on top of its prices, and a routing policy chooses among models.',
	},
	// https://docs.helicone.ai/gateway/overview
	// https://docs.helicone.ai/gateway/provider-routing
	{
		name: 'Helicone AI Gateway',
		hosts: ['ai-gateway.helicone.ai'],
		...USUAL,
		mayCostMore: 'It asks the cheapest provider of the model first, and dearer ones if that fails.',
	},
	// https://developers.cloudflare.com/ai-gateway/usage/chat-completion/
	// https://developers.cloudflare.com/ai-gateway/usage/rest-api/
	{
		name: 'Cloudflare AI Gateway',
		// the second one's root is /client/v4/accounts/ACCOUNT/ai/v1
		hosts: ['gateway.ai.cloudflare.com', 'api.cloudflare.com'],
		root: '/v1/ACCOUNT/GATEWAY/compat',
		key: BEARER,
		// its list is for tokens of Cloudflare, and the key is mostly that of a provider
		hasNoCatalog: true,
		mayCostMore: 'A route of its dashboard may fall back to a dearer model.',
	},
	// https://huggingface.co/docs/inference-providers/index
	// https://huggingface.co/docs/inference-providers/hub-api
	{
		name: 'Hugging Face',
		hosts: ['router.huggingface.co'],
		...USUAL,
		prices: 'Hugging Face',
		mayCostMore: 'It chooses among providers, and not all of them have a price in the catalog.',
	},
	// https://docs.ollama.com/api/openai-compatibility
	{
		name: 'Ollama',
		root: '/v1',
	},
	// https://docs.vllm.ai/en/latest/serving/openai_compatible_server/
	{
		name: 'vLLM',
		...USUAL,
		proof: '/models',
	},
	// https://lmstudio.ai/docs/developer/openai-compat
	// https://lmstudio.ai/docs/developer/core/authentication
	{
		name: 'LM Studio',
		...USUAL,
	},
	// https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
	{
		name: 'llama.cpp',
		// its key is that of --api-key
		...USUAL,
		proof: '/models',
	},
];

/** By its hosts; of `*.example.com`, by what follows the star. */
const BY_HOST = new Map(
	SERVICES.flatMap((service) =>
		(service.hosts ?? []).map((host): [string, ModelService] => [host.replace('*', ''), service]),
	),
);

/** The service of a host, if it is one that is known. Each request asks that several times. */
export function serviceOf(hostname: string): ModelService | undefined {
	const host = hostname.toLowerCase();
	let found = BY_HOST.get(host);
	for (let dot = host.indexOf('.'); !found && dot >= 0; dot = host.indexOf('.', dot + 1))
		found = BY_HOST.get(host.slice(dot));
	return found;
}

/** What comes before `/chat/completions` at a host alone; undefined where that has parts of the user's own. */
export function rootOf(hostname: string): string | undefined {
	const root = serviceOf(hostname)?.root;
	return root && !/[A-Z]/.test(root) ? root : undefined;
}

const CHAT = '/chat/completions';

/** The host of a base URL; empty if it has none. */
export function hostOf(baseUrl: unknown): string {
	const address = trimWhitespace(String(baseUrl));
	return URL.canParse(address) ? new URL(address).hostname : '';
}

/** The service at a base URL, if its host is known. */
export const serviceAt = (baseUrl: unknown) => serviceOf(hostOf(baseUrl));

/**
 * Where the key of a credential goes. If that is left to us, where the service takes it that is known by its host, else where the
 * specification says.
 *
 * @param path Of the request.
 * @returns undefined if there is none.
 */
export function keyPlaceOf(
	{ keyIn, baseUrl }: Record<string, unknown>,
	path = CHAT,
): KeyPlace | undefined {
	const { key = X_API_KEY, catalog = key } = serviceAt(baseUrl) ?? {};
	return keyPlaceIn(keyIn, path.endsWith(CHAT) ? key : catalog);
}

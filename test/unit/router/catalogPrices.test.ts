import { listModels } from '../../../src/router/catalog';
import { CATALOG_FORMS } from '../../../src/router/catalogForms';
import {
	formOf,
	isSpecified,
	leastPricingOf,
	mergeEntries,
	toSpecifiedEntry,
} from '../../../src/router/catalogPrices';
import { SERVICES, serviceOf } from '../../../src/router/services';
import { ROWS } from '../../service/modelServices/rows';
import { inMemory, json } from '../inMemoryHttp';

/** All entries of the lists that the stand-ins have. */
const entries = ROWS.flatMap(({ name, gets }) =>
	Object.values(gets).flatMap((body) => {
		const lists = [body, ...Object.values(Object(body) as object)].filter(Array.isArray);
		return lists.flat().map((entry: object) => [name, entry as Record<string, unknown>] as const);
	}),
);

it('an entry of one service is never read in the form of another', () => {
	const forms = new Map<string, Set<string>>();
	for (const [name, entry] of entries) {
		const form = formOf(toSpecifiedEntry(entry))?.name;
		if (form) forms.set(form, (forms.get(form) ?? new Set()).add(name));
	}
	expect(Object.fromEntries([...forms].map(([form, names]) => [form, [...names]]))).toEqual({
		OpenRouter: ['OpenRouter'],
		LiteLLM: ['LiteLLM proxy'],
		'Vercel AI Gateway': ['Vercel AI Gateway'],
		Requesty: ['Requesty'],
		'Hugging Face': ['Hugging Face router'],
		xAI: ['xAI'],
		Together: ['Together'],
		// the same unit, without what OpenRouter's own entries have
		Groq: ['OpenRouter', 'Groq'],
	});
});

const OPEN_ROUTER = {
	id: 'a/b',
	architecture: { input_modalities: ['text', 'image'] },
	top_provider: { max_completion_tokens: 64_000 },
	context_length: 200_000,
};
const TEXT_IN = { input_modalities: ['text'] };
const priced = (pricing: object) => toSpecifiedEntry({ ...OPEN_ROUTER, pricing });

it('has the fields of the specification, and keeps its own', () => {
	const pricing = { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' };
	expect(priced(pricing)).toEqual({
		...OPEN_ROUTER,
		kind: 'text',
		max_output_tokens: 64_000,
		input_modalities: ['text', 'image'],
		pricing: {
			...pricing,
			input_per_mtok: '3',
			output_per_mtok: '15',
			cached_input_per_mtok: '0.3',
		},
	});
});

it('of tiers the dearest price counts, and the lowest one is known', () => {
	const tier = { min_prompt_tokens: 200_000, prompt: '0.000006', completion: '0.0000225' };
	const entry = priced({ prompt: '0.000003', completion: '0.000015', overrides: [tier] });
	expect(entry['pricing']).toMatchObject({ input_per_mtok: '6', output_per_mtok: '22.5' });
	expect(leastPricingOf(entry)).toEqual({ input_per_mtok: '3', output_per_mtok: '15' });
});

it('sound, and what stays in a cache for an hour, have prices of their own', () => {
	const { pricing } = priced({
		prompt: '0.0000025',
		completion: '0.00001',
		audio: '0.000032',
		audio_output: '0.000064',
		input_cache_write_1h: '0.000005',
		overrides: [{ min_prompt_tokens: 200_000, audio: '0.00004', input_cache_write_1h: '0.00001' }],
	});
	expect(pricing).toMatchObject({
		input_per_mtok: '2.5',
		output_per_mtok: '64',
		audio_input_per_mtok: '40',
		cache_write_1h_per_mtok: '10',
	});
});

it('a token of a picture that is dearer counts for the prompt', () => {
	const dearer = priced({ prompt: '0.000005', completion: '0.00001', image_token: '0.00001' });
	expect(dearer['pricing']).toMatchObject({ input_per_mtok: '10' });
	const xAi = { prompt_text_token_price: 20_000, completion_text_token_price: 100_000 };
	const { pricing } = toSpecifiedEntry({ id: 'grok', ...xAi, prompt_image_token_price: 30_000 });
	expect(pricing).toMatchObject({ input_per_mtok: '3', output_per_mtok: '10' });
});

it.each([
	['as one token', '0.0000003', '0.3'],
	['as one picture that its tokens pay for', '0.001238', '0.3'],
	['as more than its tokens pay for', '0.02', undefined],
	['as what nobody can read', 'free', undefined],
])('a picture that is listed %s', (_how, image, price) => {
	const { pricing } = priced({ prompt: '0.0000003', completion: '0.0000025', image });
	expect(Object(pricing).input_per_mtok).toBe(price);
});

/** The entry of a model that LiteLLM has in several places. */
const deployed = (...infos: object[]) => {
	const listed = infos.map((info) => ({ model_name: 'a', model_info: info }));
	return mergeEntries(listed.map((entry) => toSpecifiedEntry(entry, 'LiteLLM'))).get('a');
};
const INFO = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };

it('of two deployments the dearest sound counts, also where one has no price for it', () => {
	const cached = { ...INFO, cache_read_input_token_cost: 5e-7 };
	const sound = { ...cached, input_cost_per_audio_token: 9e-6 };
	const pricing = { input_per_mtok: '1', output_per_mtok: '2' };
	const prices = { ...pricing, cached_input_per_mtok: '0.5', audio_input_per_mtok: '9' };
	expect(deployed(sound, cached)?.['pricing']).toEqual(prices);
	expect(deployed(cached, sound)?.['pricing']).toEqual(prices);
	expect(deployed(cached, INFO)?.['pricing']).toEqual(pricing);
});

it('each price that a tier has counts', () => {
	const free = { input_cost_per_token: 0, output_cost_per_token: 0 };
	const tier = { output_cost_per_token: 3.6e-6, output_cost_per_reasoning_token: 1.2e-5 };
	expect(deployed({ ...INFO, tiered_pricing: [tier] })).toMatchObject({
		pricing: { output_per_mtok: '12' },
	});
	const tiers = [{ ...INFO, ...tier }];
	expect(deployed({ ...free, tiered_pricing: tiers })).toMatchObject({
		pricing: { input_per_mtok: '1', output_per_mtok: '12' },
	});
	const forHour = 'cache_creation_input_token_cost_above_1hr';
	const long = { ...INFO, [forHour]: 2e-6, [`${forHour}_above_200k_tokens`]: 4e-6 };
	expect(deployed(long)).toMatchObject({ pricing: { cache_write_1h_per_mtok: '4' } });
});

it.each([
	['api.example', {}, undefined],
	['gateway.internal', {}, '0'],
	['', { ...OPEN_ROUTER }, '0'],
	['api.groq.com', { object: 'model' }, '0'],
])('a price of 0 in a form that others copy: at %s', async (hostname, more, price) => {
	const entry = { id: 'gpt-5', ...more, pricing: { prompt: '0', completion: '0' } };
	const http = { ...inMemory(json({ data: [entry] })), hostname };
	const [model] = (await listModels(http)).models;
	const { input_per_mtok: input, output_per_mtok: output } = Object(model?.pricing);
	expect([input, output]).toEqual([price, price]);
});

it('a deployment that pays for something else leaves its model without a price', () => {
	expect(deployed(INFO, { ...INFO, input_cost_per_request: 0.01 })?.['pricing']).toEqual({});
});

it('2,000 deployments of one model, with 20,000 fields, are one entry at once', () => {
	const indexes = Array.from({ length: 2000 }, (_, index) => index);
	const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`field${at}`, at]));
	const infos = indexes.map((index) => ({
		...(index ? {} : wide),
		max_input_tokens: 30_000 - index,
		input_cost_per_token: `${index + 1}e-9`,
		output_cost_per_token: 1e-6,
		[`price${index}`]: 1,
	}));
	expect(deployed(...infos)).toMatchObject({
		id: 'a',
		context_length: 28_001,
		pricing: { input_per_mtok: '2' },
	});
});

it('of 200,000 providers the one counts that answers the shortest', () => {
	const providers = Array.from({ length: 200_000 }, (_, at) => ({ max_completion_tokens: at + 7 }));
	const entry = {
		...OPEN_ROUTER,
		top_provider: providers,
		pricing: { prompt: '0', completion: '0' },
	};
	expect(toSpecifiedEntry(entry)).toHaveProperty('max_output_tokens', 7);
});

it('a model that searches the web is recognized whatever its ID contains', () => {
	const pricing = { prompt: '0.000003', completion: '0.00001' };
	const ids = ['openai/', '', '\n', '/x'].map(
		(end) => 'openai/x-search-preview'.repeat(250_000) + end,
	);
	for (const id of ['perplexity/', ...ids])
		expect(toSpecifiedEntry({ ...OPEN_ROUTER, id, pricing })['pricing']).toEqual(pricing);
	for (const id of [
		'openai/gpt',
		'x/openai/x-search-preview',
		'openai/search-preview',
		{ toString: 1 },
	])
		expect(toSpecifiedEntry({ ...OPEN_ROUTER, id, pricing })['pricing']).toMatchObject({
			input_per_mtok: '3',
		});
});

it.each([
	['nobody knows before', { prompt: '-1', completion: '-1' }],
	['is in another unit', { prompt: '3', completion: '15000' }],
	[
		'is not all that a request pays',
		{ prompt: '0.000003', completion: '0.00001', request: '0.005' },
	],
])('a price that %s is none', (_what, pricing) => {
	const { pricing: read } = priced(pricing);
	expect(read).not.toHaveProperty('output_per_mtok');
	expect(Object(read).input_per_mtok ?? '3').not.toBe('0');
});

const GROQ = { input_modalities: ['text'], pricing: { prompt: '0.000001', completion: '0' } };
const LITELLM = {
	model_name: 'm',
	pricing: undefined,
	model_info: { input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 },
};
const FREE = { input_cost_per_token: 0, output_cost_per_token: 0 };
const VERCEL = {
	type: 'language',
	context_window: 1,
	pricing: { input: '0.0000003', output: '0.0000025' },
};
const perMillion = [{ value: 1, unit: 'perMTokens', currency: 'USD' }];
const ZENMUX = { pricing: undefined, pricings: { prompt: perMillion, completion: perMillion } };
it.each<[string, object]>([
	['searches at OpenRouter', { ...OPEN_ROUTER, id: 'openai/o4-mini-deep-research' }],
	['draws', { ...OPEN_ROUTER, architecture: { ...TEXT_IN, output_modalities: ['text', 'image'] } }],
	['speaks', { ...OPEN_ROUTER, architecture: { ...TEXT_IN, output_modalities: ['audio'] } }],
	['searches at Groq', { ...GROQ, id: 'groq/compound-mini', output_modalities: ['text'] }],
	['speaks at Groq', { ...GROQ, id: 'orpheus', output_modalities: ['speech'] }],
	['searches behind a proxy', { ...LITELLM, litellm_params: { model: 'openai/o3-deep-research' } }],
	[
		'searches behind two proxies',
		{ ...LITELLM, litellm_params: { model: 'openrouter/perplexity/sonar-pro' } },
	],
	['draws by the pixel', { ...LITELLM, model_info: { ...FREE, input_cost_per_pixel: 1e-8 } }],
	['speaks by its mode', { ...LITELLM, model_info: { ...FREE, mode: 'audio_speech' } }],
	['draws at Vercel', { ...VERCEL, pricing: { ...VERCEL.pricing, image: '0.039' } }],
	['draws at Vercel, by its tags', { ...VERCEL, tags: ['vision', 'image-generation'] }],
	[
		'searches at NanoGPT',
		{
			id: 'sonar-deep-research',
			pricing: { prompt: 2, completion: 8, unit: 'per_million_tokens', currency: 'USD' },
		},
	],
	['searches at ZenMux', { ...ZENMUX, id: 'perplexity/sonar' }],
	['draws at ZenMux', { ...ZENMUX, output_modalities: ['text', 'image'] }],
	[
		'draws behind a proxy',
		{ ...LITELLM, model_info: { ...LITELLM.model_info, output_cost_per_image: 0.04 } },
	],
])('a model that %s has no price by its tokens alone', (_what, entry) => {
	const read = toSpecifiedEntry({
		pricing: { prompt: '0.000001', completion: '0.000002' },
		...entry,
	});
	expect(formOf(read)).toBeDefined();
	expect(read['pricing']).not.toHaveProperty('input_per_mtok');
	expect(read['pricing']).not.toHaveProperty('output_per_mtok');
});

it('prices of the specification stay what they are, whatever else an entry has', () => {
	const pricing = { prompt: '0.1', completion: '0.1', input_per_mtok: 5000, output_per_mtok: 9000 };
	expect(priced(pricing)).toEqual({ ...OPEN_ROUTER, pricing });
});

const PER_TOKEN = { prompt: '0.0000006', completion: '0.0000012' };
const PER_MILLION = { prompt: 0.6, completion: 1.2 };
const OTHER_PROVIDERS = [{ providerId: 'a', pricing: PER_TOKEN }];

// as the sources of the forms have them
it.each<[string, object, string?]>([
	['SambaNova', { context_length: 131072, pricing: { ...PER_TOKEN, duration_seconds: '0' } }],
	['Poe', { context_length: null, architecture: TEXT_IN, pricing: PER_TOKEN }],
	[
		'LLM Gateway, with a dearer provider and no price for its cache',
		{
			...OPEN_ROUTER,
			providers: OTHER_PROVIDERS,
			pricing: { prompt: '0.0000001', completion: '0.0000002', input_cache_read: '0' },
		},
	],
	['DeepInfra', { metadata: { pricing: { input_tokens: 0.6, output_tokens: 1.2 } } }],
	[
		'Novita',
		{ context_size: 163840, input_token_price_per_m: 6000, output_token_price_per_m: 12000 },
	],
	[
		'Venice, where long prompts are dearer',
		{
			type: 'text',
			model_spec: {
				pricing: {
					input: { usd: 0.3, diem: 0.3 },
					output: { usd: 0.6, diem: 0.6 },
					extended: { context_token_threshold: 1, input: { usd: 0.6 }, output: { usd: 1.2 } },
				},
			},
		},
	],
	['NanoGPT', { pricing: { ...PER_MILLION, currency: 'USD', unit: 'per_million_tokens' } }],
	[
		'ZenMux',
		{
			pricings: {
				prompt: [0.3, 0.6].map((value) => ({ value, unit: 'perMTokens', currency: 'USD' })),
				completion: [{ value: 1.2, unit: 'perMTokens', currency: 'USD' }],
			},
		},
	],
	['euros', { pricing: { ...PER_TOKEN, currency: 'EUR' } }, ''],
	['millions as texts', { pricing: { prompt: '0.6', completion: '1.2' } }, ''],
	['Chutes, whose unit nothing tells', { pricing: PER_MILLION }, ''],
	['dollar signs', { pricing: { prompt: '$0.0000006', completion: '$0.0000012' } }, ''],
])('the prices of %s', (_service, entry, input = '0.6') => {
	const { pricing } = toSpecifiedEntry({ id: 'a', ...entry });
	expect(Object(pricing)).toMatchObject(
		input ? { input_per_mtok: input, output_per_mtok: '1.2' } : {},
	);
	if (!input) expect(pricing).not.toHaveProperty('input_per_mtok');
	expect(pricing).not.toHaveProperty('cached_input_per_mtok');
	expect(isSpecified(pricing)).toBe(false);
});

it('an entry that two forms fit has no price', () => {
	const both = { ...OPEN_ROUTER, input_price: 1e-6, output_price: 1e-6, context_window: 1000 };
	const entry = { ...both, pricing: { prompt: '0.000001', completion: '0.000001' } };
	expect(formOf(toSpecifiedEntry(entry))).toBeUndefined();
	expect(formOf(toSpecifiedEntry(entry, 'Requesty'))?.name).toBe('Requesty');
});

it.each([
	['another price', { input_cost_per_token: 3e-6, output_cost_per_token: 1e-6 }, '3'],
	['none', {}, undefined],
	['half a price', { output_cost_per_token: 1e-6 }, undefined],
	['one that is null', { input_cost_per_token: null, output_cost_per_token: null }, undefined],
	['one as texts', { input_cost_per_token: '3e-6', output_cost_per_token: '1e-6' }, '3'],
])(
	'a model of LiteLLM has the dearest price of all its deployments, and their lowest is known: %s',
	async (_what, other, price) => {
		const deployment = (info: object) => ({
			model_name: 'm',
			litellm_params: {},
			model_info: info,
		});
		const one = deployment({ input_cost_per_token: 2e-6, output_cost_per_token: 1e-6 });
		const list = [{ id: 'm', object: 'model', created: 1677610602, owned_by: 'openai' }];
		for (const deployments of [
			[one, deployment(other)],
			[deployment(other), one],
		]) {
			const http = inMemory(json({ data: list }), json({ data: deployments }));
			const [model] = (await listModels(http)).models;
			expect(Object(model?.pricing).input_per_mtok).toBe(price);
			expect(formOf(model!)?.name).toBe('LiteLLM');
		}
	},
);

it('a kind that is not one of the specification is none', () => {
	expect(toSpecifiedEntry({ id: 'a', kind: 'HF_BASE_MODEL' })).toEqual({ id: 'a' });
	expect(toSpecifiedEntry({ id: 'a', kind: 'image' })).toEqual({ id: 'a', kind: 'image' });
});

it('the form of each service that is known by its host exists', () => {
	const names = CATALOG_FORMS.map(({ name }) => name);
	expect(
		SERVICES.flatMap(({ prices }) => prices ?? []).filter((name) => !names.includes(name)),
	).toEqual([]);
});

it.each([
	['openrouter.ai', 'OpenRouter'],
	['API.openai.com', 'OpenAI'],
	['our-resource.openai.azure.com', 'Azure OpenAI'],
	['api.openai.com.evil.example', undefined],
	['evil-openrouter.ai', undefined],
	['openai.azure.com.evil.example', undefined],
	['127.0.0.1', undefined],
])('the host %s is that of %s', (host, name) => {
	expect(serviceOf(host)?.name).toBe(name);
});

import { Big } from '../../src/core/money';

/** What a million tokens cost, in 1/10,000 USD: whole numbers. So much of 1/10,000,000,000 USD is what one token costs. */
export interface Price {
	input: number;
	output: number;
	cached: number;
	written: number;
	/** By what a prompt of more than `LONG` tokens multiplies all of it. */
	long: number;
}

/** Tokens from which on a prompt is long. */
export const LONG = 150;

/** How a service lists its models, written from its documentation and not from the code that reads it. */
export interface PriceForm {
	/** As in the table of services. Absent for the specified router. */
	service?: string;
	/** By which it is known, if it is. */
	hostname?: string;
	/**
	 * What the catalog has: prices of cached tokens, those of written ones, dearer ones for long prompts, none at all, or those of some
	 * providers of a model.
	 */
	has: { cached?: true; written?: true; long?: true; noPrices?: true; somePrices?: true };
	/** How many entries, or providers, one model may have. */
	most?: number;
	/** Where it says what an answer has cost, if it does, in 1/10,000,000,000 USD. */
	report?: (cost: number) => { usage?: object; headers?: Record<string, string> };
	/** Whether it tells the tokens of a stream only if it is asked to. */
	isAsked?: true;
	/** The list of models. @param prices Of each entry or provider; undefined for one without a price. */
	toCatalog(models: ReadonlyArray<{ id: string; prices: Array<Price | undefined> }>): object;
	/** Where the prices are, if not there. */
	priceList?: { path: string; toCatalog: PriceForm['toCatalog'] };
}

const perToken = (price: number) => price / 1e10;
const perTokenText = (price: number) => new Big(price).div(1e10).toFixed();
const perMillion = (price: number) => price / 1e4;

const inUsd: NonNullable<PriceForm['report']> = (cost) => ({ usage: { cost: cost / 1e10 } });

/** A list in which each model has one entry. */
const listOf =
	(toEntry: (price: Price) => object): PriceForm['toCatalog'] =>
	(models) => ({
		data: models.map(({ id, prices: [price] }) => ({ id, ...(price && toEntry(price)) })),
	});

/** All prices, times the same. */
export const timed = ({ input, output, cached, written, long }: Price, times: number): Price => ({
	input: input * times,
	output: output * times,
	cached: cached * times,
	written: written * times,
	long,
});
const ofLong = (price: Price) => timed(price, price.long);

const openRouterPrices = (price: Price) => ({
	prompt: perTokenText(price.input),
	completion: perTokenText(price.output),
	input_cache_read: perTokenText(price.cached),
	input_cache_write: perTokenText(price.written),
});

const requestyPrices = (price: Price) => ({
	input_price: perToken(price.input),
	output_price: perToken(price.output),
	cached_price: perToken(price.cached),
	caching_price: perToken(price.written),
});

const vercelTiers = (one: number, long: number) =>
	long > 1
		? [
				{ cost: perTokenText(one), min: 0, max: LONG },
				{ cost: perTokenText(one * long), min: LONG },
			]
		: [];

export const priceForms: Record<string, PriceForm> = {
	'the specified router': {
		has: { cached: true },
		toCatalog: listOf((price) => ({
			kind: 'text',
			pricing: {
				input_per_mtok: perMillion(price.input),
				output_per_mtok: perMillion(price.output),
				cached_input_per_mtok: perMillion(price.cached),
			},
		})),
	},
	OpenRouter: {
		service: 'OpenRouter',
		hostname: 'openrouter.ai',
		has: { cached: true, written: true, long: true },
		report: inUsd,
		toCatalog: listOf((price) => ({
			architecture: { input_modalities: ['text'] },
			top_provider: { max_completion_tokens: null },
			pricing: {
				...openRouterPrices(price),
				overrides: [{ min_prompt_tokens: LONG, ...openRouterPrices(ofLong(price)) }],
			},
		})),
	},
	LiteLLM: {
		service: 'LiteLLM',
		has: { cached: true, written: true, long: true },
		most: 3,
		report: (cost) => ({ headers: { 'x-litellm-response-cost': String(cost / 1e10) } }),
		isAsked: true,
		toCatalog: (models) => ({
			data: models.map(({ id }) => ({
				id,
				object: 'model',
				created: 1677610602,
				owned_by: 'openai',
			})),
		}),
		priceList: {
			path: '/v1/model/info',
			toCatalog: (models) => ({
				data: models.flatMap(({ id, prices }) =>
					prices.map((price, at) => ({
						model_name: id,
						litellm_params: { model: `azure/${id}` },
						model_info: {
							id: `${id}-${at}`,
							...(price && {
								input_cost_per_token: perToken(price.input),
								output_cost_per_token: perToken(price.output),
								cache_read_input_token_cost: perToken(price.cached),
								cache_creation_input_token_cost: perToken(price.written),
								input_cost_per_token_above_150_tokens: perToken(price.input * price.long),
								output_cost_per_token_above_150_tokens: perToken(price.output * price.long),
								cache_read_input_token_cost_above_150_tokens: perToken(price.cached * price.long),
								cache_creation_input_token_cost_above_150_tokens: perToken(
									price.written * price.long,
								),
							}),
						},
					})),
				),
			}),
		},
	},
	'Vercel AI Gateway': {
		service: 'Vercel AI Gateway',
		hostname: 'ai-gateway.vercel.sh',
		has: { cached: true, written: true, long: true },
		report: inUsd,
		toCatalog: listOf((price) => ({
			type: 'language',
			context_window: 400_000,
			pricing: {
				input: perTokenText(price.input),
				output: perTokenText(price.output),
				input_cache_read: perTokenText(price.cached),
				input_cache_write: perTokenText(price.written),
				input_tiers: vercelTiers(price.input, price.long),
				output_tiers: vercelTiers(price.output, price.long),
				input_cache_read_tiers: vercelTiers(price.cached, price.long),
				input_cache_write_tiers: vercelTiers(price.written, price.long),
			},
		})),
	},
	Together: {
		service: 'Together',
		hostname: 'api.together.xyz',
		has: { cached: true },
		toCatalog: listOf((price) => ({
			type: 'chat',
			display_name: 'A model',
			pricing: {
				input: perMillion(price.input),
				output: perMillion(price.output),
				cached_input: perMillion(price.cached),
				hourly: 0,
				base: 0,
			},
		})),
	},
	Groq: {
		service: 'Groq',
		hostname: 'api.groq.com',
		has: { cached: true },
		isAsked: true,
		toCatalog: listOf((price) => ({
			input_modalities: ['text'],
			output_modalities: ['text'],
			pricing: {
				prompt: perTokenText(price.input),
				completion: perTokenText(price.output),
				input_cache_read: perTokenText(price.cached),
			},
		})),
	},
	Requesty: {
		service: 'Requesty',
		hostname: 'router.requesty.ai',
		has: { cached: true, written: true, long: true },
		report: inUsd,
		isAsked: true,
		toCatalog: listOf((price) => ({
			...requestyPrices(price),
			context_window: 400_000,
			pricing: [requestyPrices(price), requestyPrices(ofLong(price))],
		})),
	},
	xAI: {
		service: 'xAI',
		hostname: 'api.x.ai',
		has: { cached: true, long: true },
		report: (cost) => ({ usage: { cost_in_usd_ticks: cost } }),
		toCatalog: listOf((price) => ({
			prompt_text_token_price: price.input,
			cached_prompt_text_token_price: price.cached,
			completion_text_token_price: price.output,
			prompt_text_token_price_long_context: price.input * (price.long > 1 ? price.long : 0),
			cached_prompt_text_token_price_long_context: price.cached * (price.long > 1 ? price.long : 0),
			completion_text_token_price_long_context: price.output * (price.long > 1 ? price.long : 0),
		})),
	},
	'Hugging Face': {
		service: 'Hugging Face',
		hostname: 'router.huggingface.co',
		has: { somePrices: true },
		most: 3,
		toCatalog: (models) => ({
			data: models.map(({ id, prices }) => ({
				id,
				providers: prices.map((price, at) => ({
					provider: `provider-${at}`,
					status: 'live',
					...(price && {
						pricing: { input: perMillion(price.input), output: perMillion(price.output) },
					}),
				})),
			})),
		}),
	},
	'a catalog without prices': {
		service: 'Fireworks',
		hostname: 'api.fireworks.ai',
		has: { noPrices: true },
		isAsked: true,
		toCatalog: (models) => ({ data: models.map(({ id }) => ({ id, object: 'model' })) }),
	},
};

import { ServiceError } from '../core/errors';
import { isPlainObject, type JsonObject } from '../core/json';
import { readDecimal } from '../core/money';
import { formOf } from './catalogPrices';
import type { Model } from './model';
import { serviceOf } from './services';
import { readTokenPrices } from './tokenPrices';

/** An account may search the web for each request, and read documents by the page, unless the request says otherwise. */
const NO_SEARCH = { id: 'web', enabled: false };
const BY_MODEL = { id: 'file-parser', pdf: { engine: 'native' } };

/**
 * What keeps OpenRouter, which asks several providers, from one that costs more than the price by which the request was bounded, and from
 * what is paid besides tokens.
 *
 * @param hasFiles Whether there may be a file in it.
 * @param hostname Of the service. A model that its catalog does not have is known by it, and OpenRouter behind another host by its catalog.
 * @returns fields of the body; none for another service.
 * @see https://openrouter.ai/docs/guides/routing/provider-selection (`max_price`, in USD per million tokens)
 * @see https://openrouter.ai/docs/guides/features/plugins (defaults of an account; `enabled`: https://openrouter.ai/openapi.json)
 * @see https://openrouter.ai/docs/guides/overview/multimodal/pdfs (`native` is paid by the tokens of the model)
 */
export function maximumPrice(
	entry: Model,
	body: JsonObject,
	hasFiles: boolean,
	hostname = '',
): JsonObject {
	// a provider may charge more than this for what it writes into its cache: the bound has room for that, and no more
	const { input: prompt, output: completion } = readTokenPrices(entry.pricing);
	const isLimited = serviceOf(hostname)?.limitsPrices || formOf(entry)?.name === 'OpenRouter';
	if (!isLimited || !prompt || !completion) return {};
	const provider = isPlainObject(body['provider']) ? body['provider'] : {};
	const given = isPlainObject(provider['max_price']) ? provider['max_price'] : {};
	const least = (price: typeof prompt, own: unknown) => {
		const limit = readDecimal(own);
		return (limit?.lt(price) ? limit : price).toNumber();
	};
	const max_price = {
		...given,
		prompt: least(prompt, given['prompt']),
		completion: least(completion, given['completion']),
	};
	const plugins = hasFiles ? [NO_SEARCH, BY_MODEL] : [NO_SEARCH];
	return { provider: { ...provider, max_price }, plugins };
}

/**
 * OpenRouter says the same of a model without pictures or tools, and of a provider that the privacy settings of an account exclude.
 *
 * @see https://github.com/github/app/issues/2163, https://github.com/zed-industries/zed/issues/36094
 */
const NO_PROVIDER = /no endpoints found(?! (that (support|can handle)|matching your data policy))/i;

/**
 * Says that no provider answers at the price by which a request was bounded. Nothing was started.
 *
 * @param body As it was sent.
 */
export function explainMaximumPrice(error: ServiceError, body: JsonObject): ServiceError {
	const { status, reason = '' } = error.details;
	const isLimited = isPlainObject(body['provider']) && 'max_price' in body['provider'];
	if (!isLimited || status !== 404 || !NO_PROVIDER.test(reason)) return error;
	return new ServiceError(error.kind, 'Every provider of this model is dearer than its price', {
		...error.details,
		advice: `Nothing was sent to them. Choose another model, or allow a dearer price by a line in Prices of the credential, such as "${String(body['model'])} 5 20" (USD per million tokens in and out).`,
	});
}

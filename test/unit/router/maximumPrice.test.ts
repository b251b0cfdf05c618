import { toSpecifiedEntry } from '../../../src/router/catalogPrices';
import { ServiceError } from '../../../src/core/errors';
import { explainMaximumPrice, maximumPrice } from '../../../src/router/maximumPrice';
import type { Model } from '../../../src/router/model';

it('OpenRouter is told the price of a line, too, for a model that its catalog does not have', () => {
	const entry: Model = { id: 'a/b:nitro', pricing: { input_per_mtok: '2', output_per_mtok: '8' } };
	const max_price = { prompt: 2, completion: 8 };
	expect(maximumPrice(entry, {}, false, 'openrouter.ai')).toMatchObject({
		provider: { max_price },
	});
	expect(maximumPrice(entry, {}, false, 'api.x.ai')).toEqual({});
});

it('a provider may not use the room that writing a cache has', () => {
	const entry = toSpecifiedEntry({
		id: 'a/b',
		architecture: { input_modalities: ['text'] },
		top_provider: {},
		pricing: { prompt: '0.000004', completion: '0.00001', input_cache_write: '0.000005' },
	}) as Model;
	expect(maximumPrice(entry, {}, false)).toMatchObject({
		provider: { max_price: { prompt: 4, completion: 10 } },
	});
});

it('what the account of OpenRouter does for every request is off: searches, and reading by the page', () => {
	const entry: Model = { id: 'a/b', pricing: { input_per_mtok: '2', output_per_mtok: '8' } };
	const plugins = (hasFiles: boolean) =>
		maximumPrice(entry, {}, hasFiles, 'openrouter.ai')['plugins'];
	const noSearch = { id: 'web', enabled: false };
	expect(plugins(false)).toEqual([noSearch]);
	expect(plugins(true)).toEqual([noSearch, { id: 'file-parser', pdf: { engine: 'native' } }]);
});

it.each([
	['No endpoints found for a/b.', true],
	['No endpoints found that support image input', false],
	['No endpoints found that support tool use. Try disabling "x".', false],
	['No endpoints found that can handle the requested parameters.', false],
	['No endpoints found matching your data policy (Free model publication).', false],
])('"%s" is a matter of the price: %p', (reason, isPrice) => {
	const error = new ServiceError('refused', 'Not found', { status: 404, reason });
	const body = { model: 'a/b', provider: { max_price: { prompt: 1 } } };
	const { message } = explainMaximumPrice(error, body);
	expect(message.includes('dearer than its price')).toBe(isPrice);
});

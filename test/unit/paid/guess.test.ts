import { isGuess, priceByOwner } from '../../../src/paid/catalog';
import { toSpecifiedEntry } from '../../../src/router/catalogPrices';
import { maximumPrice } from '../../../src/router/maximumPrice';
import type { Model } from '../../../src/router/model';

const SPECIFIED = { id: 'a/b', pricing: { input_per_mtok: '1', output_per_mtok: '2' } };
const atOpenRouter = (pricing: object) =>
	toSpecifiedEntry({
		id: 'a/b',
		architecture: { input_modalities: ['text'] },
		top_provider: {},
		pricing: { prompt: '0.000001', completion: '0.000002', ...pricing },
	}) as Model;
const OPEN_ROUTER = atOpenRouter({});
const PER_REQUEST = atOpenRouter({ request: '0.01' });
const SOUND = atOpenRouter({ audio: '0.000003' });

/** @param line Prices of the credential. */
const found = (entry: Model | undefined, line?: [input: string, output: string]) => {
	const own = line && { input: line[0], output: line[1] };
	const lines = new Map(own ? [['a/b', { model: 'a/b', ...own }]] : []);
	return priceByOwner('a/b', entry, lines, true) ?? { unbounded: 'no price' };
};

it.each([
	['the catalog of the specification', found(SPECIFIED), 'any.example', false],
	['another catalog at a host that nobody knows', found(OPEN_ROUTER), 'any.example', true],
	['a line at a host that nobody knows', found(undefined, ['1', '2']), 'any.example', true],
	['a line that says what the catalog says', found(SPECIFIED, ['1', '2']), 'any.example', true],
	['a service that may charge more', found(undefined, ['1', '2']), 'api.openai.com', true],
	['a service that keeps to its prices', found(SPECIFIED), 'api.groq.com', false],
	['a service whose models think beyond the maximum', found(SPECIFIED), 'api.x.ai', true],
	['a line that its catalog confirms', found(SPECIFIED, ['1', '3']), 'api.groq.com', false],
	['a line below its catalog', found(SPECIFIED, ['0.5', '2']), 'api.groq.com', true],
	['a line below the price of sound', found(SOUND, ['1', '2']), 'api.groq.com', true],
	['a line for what is paid by the request', found(PER_REQUEST, ['9', '9']), 'api.groq.com', true],
	['a line for a model that its catalog lacks', found(undefined, ['9', '9']), 'api.x.ai', true],
	[
		'a service that counts sound by the minute',
		found(undefined, ['1', '2']),
		'api.mistral.ai',
		true,
	],
	['a line where no catalog has prices', found(undefined, ['1', '2']), 'api.fireworks.ai', false],
	[
		'a line below the catalog of OpenRouter',
		found(OPEN_ROUTER, ['0.5', '2']),
		'openrouter.ai',
		true,
	],
	['a service whose providers may answer with more', found(OPEN_ROUTER), 'openrouter.ai', true],
	['no price at all', found(undefined), 'any.example', false],
])('%s (%#)', (_what, of, host, expected) => {
	expect(isGuess(of, host)).toBe(expected);
});

it.each([
	['openrouter.ai', SPECIFIED],
	['proxy.internal', OPEN_ROUTER],
])('at %s a request has the price that it was reckoned with as its limit', (host, entry) => {
	const max_price = { prompt: 1, completion: 2 };
	expect(maximumPrice(entry, {}, false, host)).toMatchObject({ provider: { max_price } });
	expect(maximumPrice(SPECIFIED, {}, false, 'any.example')).toEqual({});
});

it.each([{ input_per_mtok: '1' }, { output_per_mtok: '1' }])(
	'a line for any other model counts where the catalog has one price alone: %j',
	(pricing) => {
		const lines = new Map([['*', { model: '*', input: '3', output: '4' }]]);
		expect(priceByOwner('a/b', { id: 'a/b', pricing }, lines, true)).toMatchObject({
			entry: { pricing: { input_per_mtok: '3', output_per_mtok: '4' } },
		});
	},
);

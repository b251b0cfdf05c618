import { diffCatalogs, takeSnapshot, detectOutage } from '../../../src/router/catalogDiff';

const price = (input: number) => ({ input_per_mtok: input });

it('keeps ids and prices, and that there is none', () => {
	expect(takeSnapshot([{ id: 'a', pricing: price(1), name: 'A' }, { id: 'b' }])).toEqual({
		a: price(1),
		b: null,
	});
});

it.each([
	['nothing', { a: price(1) }, { a: price(1) }, []],
	[
		'another order of fields',
		{ a: { x: 1, y: [1, { z: 2 }] } },
		{ a: { y: [1, { z: 2 }], x: 1 } },
		[],
	],
	[
		'a price that was not there',
		{ a: null },
		{ a: price(1) },
		[{ event: 'priceChanged', model: 'a', oldPricing: null, pricing: price(1) }],
	],
	[
		'a field more',
		{ a: price(1) },
		{ a: { ...price(1), more: 0 } },
		[
			{
				...{ event: 'priceChanged', model: 'a' },
				...{ oldPricing: price(1), pricing: { ...price(1), more: 0 } },
			},
		],
	],
	['another spelling', { 'v/m-1.5': price(1) }, { 'V/M.1-5': price(1) }, []],
	[
		'another spelling with another price',
		{ 'v/m-1': price(1) },
		{ 'v/m.1': price(2) },
		[{ event: 'priceChanged', model: 'v/m.1', oldPricing: price(1), pricing: price(2) }],
	],
	[
		'a second model of nearly the same name',
		{ 'v/m-1': price(1) },
		{ 'v/m-1': price(1), 'v/m.1': price(2) },
		[{ event: 'modelAdded', model: 'v/m.1', pricing: price(2) }],
	],
	[
		'one for another',
		{ a: price(1) },
		{ b: price(1) },
		[
			{ event: 'modelAdded', model: 'b', pricing: price(1) },
			{ event: 'modelRetired', model: 'a', oldPricing: price(1) },
		],
	],
])('%s', (_what, before, after, changes) => {
	expect(diffCatalogs(before, after)).toEqual(changes);
});

it('ten thousand models that all change are compared at once', () => {
	const ids = Array.from({ length: 10_000 }, (_, at) => `v/m${at}`);
	const before = Object.fromEntries(ids.map((id) => [id, price(1)]));
	const after = Object.fromEntries(ids.map((id) => [`w${id}`, price(1)]));
	expect(diffCatalogs(before, after)).toHaveLength(20_000);
});

it.each([
	[10, 10, false],
	[10, 5, false],
	[10, 4, true],
	[10, 0, true],
	[3, 0, false],
])('of %d models %d are left: suspicious %s', (known, left, isSuspicious) => {
	const before = Object.fromEntries(Array.from({ length: known }, (_, at) => [`m${at}`, null]));
	const after = Object.fromEntries(Object.entries(before).slice(0, left));
	expect(detectOutage(before, after) !== undefined).toBe(isSuspicious);
});

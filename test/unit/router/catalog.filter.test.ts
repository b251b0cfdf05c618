import {
	matchesFilter,
	compareByKnownKind,
	readPrice,
	type CatalogFilter,
	type Model,
} from '../../../src/router/model';
import fc from '../../support/fastCheck';

const MODEL: Model = {
	id: 'some-vendor/Model-1.5',
	name: 'The Model',
	owned_by: 'Some Vendor Inc.',
	kind: 'text',
	context_length: 8000,
	input_modalities: ['text', 'image'],
	pricing: { input_per_mtok: 0.5, output_per_mtok: '2' },
};
const IMAGES: Model = { id: 'v/images', kind: 'image', pricing: { unit: 'image', per_unit: 0.04 } };
const BARE: Model = { id: 'bare' };

const all: Array<[string, Model]> = [
	['the model', MODEL],
	['images', IMAGES],
	['bare', BARE],
];
const fitting = (filter: CatalogFilter) =>
	all.filter(([, model]) => matchesFilter(model, filter)).map(([name]) => name);
const EVERY = all.map(([name]) => name);

it.each<[CatalogFilter, string[]]>([
	[{}, EVERY],
	[{ kind: '', inputModality: '', vendor: '', search: '', minContext: 0 }, EVERY],
	[{ kind: 'text' }, ['the model', 'bare']],
	[{ kind: 'image' }, ['images', 'bare']],
	[{ kind: 'music' }, ['bare']],
	[{ inputModality: 'image' }, EVERY],
	[{ inputModality: 'audio' }, ['images', 'bare']],
	[{ vendor: 'Some_Vendor' }, ['the model']],
	[{ vendor: 'some vendor inc' }, ['the model']],
	[{ vendor: 'some' }, []],
	[{ vendor: 'V' }, ['images']],
	[{ vendor: 'bare' }, []],
	[{ vendor: ' ' }, EVERY],
	[{ vendor: '-' }, EVERY],
	[{ search: 'MODEL 1.5' }, ['the model']],
	[{ search: 'model15' }, ['the model']],
	[{ search: 'the mod' }, ['the model']],
	[{ search: '/' }, ['the model', 'images']],
	[{ search: 'vendor/model' }, ['the model']],
	[{ search: ' ' }, EVERY],
	[{ search: '!' }, []],
	[{ search: 'model some' }, []],
	[{ search: 'images' }, ['images']],
	[{ minContext: 8000 }, EVERY],
	[{ minContext: 8001 }, ['images', 'bare']],
	[{ maxInputPrice: 0.5 }, ['the model', 'bare']],
	[{ maxInputPrice: 0.49 }, ['bare']],
	[{ maxInputPrice: 0 }, ['bare']],
	[{ maxOutputPrice: 2 }, ['the model', 'bare']],
	[{ maxOutputPrice: 1.99 }, ['bare']],
	[{ maxUnitPrice: 0.04 }, ['images', 'bare']],
	[{ maxUnitPrice: 0.03 }, ['bare']],
	[{ maxUnitPrice: 1, maxInputPrice: 1 }, ['bare']],
	[{ kind: 'text', search: 'model', vendor: 'some-vendor', maxInputPrice: 1 }, ['the model']],
])('%j leaves %j', (filter, names) => {
	expect(fitting(filter)).toEqual(names);
});

it.each<[string, Partial<Model>, CatalogFilter]>([
	['a kind that nobody knows', { kind: 'new' as never }, { maxUnitPrice: 1 }],
	['a context of another type', { context_length: '8' as never }, { minContext: 9 }],
	['modalities of another type', { input_modalities: 'text' as never }, { inputModality: 'audio' }],
	['prices of another type', { pricing: 'cheap' as never }, { maxInputPrice: 0 }],
	['a kind of null', { kind: null as never }, { maxInputPrice: 1 }],
	['no prices', { pricing: null as never }, { maxInputPrice: 0 }],
	['a price that is no number', { pricing: { input_per_mtok: 'x' } }, { maxInputPrice: 0 }],
	['a negative price', { pricing: { input_per_mtok: -1 } }, { maxInputPrice: 0 }],
])('%s is no reason to leave a model out', (_name, more, filter) => {
	expect(matchesFilter({ ...MODEL, ...more }, filter)).toBe(true);
});

it.each([
	['owned_by', { owned_by: 5 as never }],
	['name', { name: null as never }],
])('an odd %s is not found, and fails nothing', (_field, more) => {
	const model = { ...MODEL, ...more };
	expect(matchesFilter(model, { vendor: 'other' })).toBe(false);
	expect(matchesFilter(model, { vendor: 'some vendor', search: 'model-1' })).toBe(true);
	expect(matchesFilter(model, { search: 'null' })).toBe(false);
});

it.each([
	[0.5, 0.5],
	['0.5', 0.5],
	[0, 0],
	[' ', undefined],
	['', undefined],
	['x', undefined],
	[-1, undefined],
	[NaN, undefined],
	[Infinity, undefined],
	[null, undefined],
	[undefined, undefined],
	[{}, undefined],
	[true, undefined],
])('the price %j is %j', (value, price) => {
	expect(readPrice({ per_unit: value }, 'per_unit')).toBe(price);
	expect(readPrice(undefined, 'per_unit')).toBeUndefined();
});

it('models without a kind come last, the others as they were', () => {
	const models: Model[] = [BARE, MODEL, { ...BARE, id: 'b', kind: '' as never }, IMAGES];
	expect(models.sort(compareByKnownKind)).toEqual([MODEL, IMAGES, models[2], models[3]]);
	expect(models.map(({ id }) => id)).toEqual([MODEL.id, IMAGES.id, 'bare', 'b']);
});

const aFilter: fc.Arbitrary<CatalogFilter> = fc.record(
	{
		kind: fc.constantFrom('text', 'image'),
		inputModality: fc.constantFrom('image', 'audio'),
		vendor: fc.constantFrom('some-vendor', 'v', 'x'),
		search: fc.constantFrom('model', 'e', 'x'),
		minContext: fc.constantFrom(1, 9000),
		maxInputPrice: fc.constantFrom(0, 1),
		maxOutputPrice: fc.constantFrom(0, 3),
		maxUnitPrice: fc.constantFrom(0, 1),
	},
	{ requiredKeys: [] },
);

it('several conditions leave what each of them leaves', () => {
	fc.assert(
		fc.property(aFilter, (filter) => {
			const each = Object.entries(filter).map(([name, value]) => fitting({ [name]: value }));
			expect(fitting(filter)).toEqual(
				EVERY.filter((name) => each.every((left) => left.includes(name))),
			);
		}),
	);
});

import { ServiceError } from '../../../src/core/errors';
import { withAdvice } from '../../../src/router/advice';
import {
	checkKind,
	describeMissingModel,
	explainWrongEndpoint,
	matchesFilter,
	readPrice,
	type CatalogFilter,
	type Model,
	type ModelKind,
} from '../../../src/router/model';

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

/** The filters, and whether they leave the model, the one for images, and the one of which only the ID is known. */
it.each<[CatalogFilter, string]>([
	[{ kind: '', inputModality: '', search: '', minContext: 0 }, 'model images bare'],
	[{ kind: 'text' }, 'model bare'],
	[{ kind: 'image' }, 'images bare'],
	[{ inputModality: 'image' }, 'model images bare'],
	[{ inputModality: 'audio' }, 'images bare'],
	[{ search: 'Some_Vendor' }, 'model'],
	[{ search: 'some vendor inc' }, 'model'],
	[{ search: 'model15' }, 'model'],
	[{ search: 'the mod' }, 'model'],
	[{ search: '/' }, 'model images'],
	[{ search: ' ' }, 'model images bare'],
	[{ search: '!' }, ''],
	[{ search: 'model some' }, ''],
	[{ minContext: 8000 }, 'model images bare'],
	[{ minContext: 8001 }, 'images bare'],
	[{ maxInputPrice: 0.5 }, 'model bare'],
	[{ maxInputPrice: 0.49 }, 'bare'],
	[{ maxInputPrice: 0 }, 'bare'],
	[{ maxOutputPrice: 2 }, 'model bare'],
	[{ maxOutputPrice: 1.99 }, 'bare'],
])('%j leaves %s', (filter, names) => {
	const models = Object.entries({ model: MODEL, images: IMAGES, bare: BARE });
	const left = models.filter(([, model]) => matchesFilter(model, filter)).map(([name]) => name);
	expect(left.join(' ')).toBe(names);
});

it.each<[Model['pricing'], ModelKind, boolean]>([
	[{ input_per_mtok: 1 }, 'image', false],
	[{ output_per_mtok: 1 }, 'video', false],
	[{ input_per_mtok: 1 }, 'text', true],
	[{ input_per_mtok: 1, per_unit: 0.04, unit: 'image' }, 'image', true],
	[{ per_unit: 0.04, unit: 'image' }, 'video', true],
	[{}, 'image', true],
])('a model without a kind, with the price %j, matches %s: %s', (pricing, kind, matches) => {
	expect(matchesFilter({ id: 'v/m', pricing: pricing! }, { kind })).toBe(matches);
});

it.each<[Record<string, unknown>, CatalogFilter]>([
	[{ context_length: '8' }, { minContext: 9 }],
	[{ input_modalities: 'text' }, { inputModality: 'audio' }],
	[{ pricing: 'cheap' }, { maxInputPrice: 0 }],
	[{ pricing: null }, { maxInputPrice: 0 }],
	[{ owned_by: 5 }, { search: 'model-1' }],
	[{ name: null }, { search: 'model-1' }],
])('%j is no reason to leave a model out', (more, filter) => {
	const model = { ...MODEL, ...more };
	expect(matchesFilter(model, filter)).toBe(true);
	for (const other of [{ search: 'other' }, { search: 'null' }])
		expect(matchesFilter(model, other)).toBe(false);
});

it.each([
	['0.5', 0.5],
	[0, 0],
	['x', undefined],
])('the price %j is %j', (value, price) => {
	expect(readPrice({ per_unit: value }, 'per_unit')).toBe(price);
	expect(readPrice(undefined, 'per_unit')).toBeUndefined();
});

const USES: Record<ModelKind, [endpoint: string, does: string, operation: string]> = {
	text: ['chat/completions', 'answers with text', '"Text: Message a Model"'],
	image: ['images/jobs', 'makes images', '"Media" with the Media Type "Image"'],
	video: ['videos/jobs', 'makes videos', '"Media" with the Media Type "Video"'],
	music: ['music/jobs', 'makes music', '"Media" with the Media Type "Music"'],
	audio: ['audio/jobs', 'makes speech and sound', '"Media" with the Media Type "Speech"'],
};
const KINDS = Object.keys(USES) as ModelKind[];
const model = (kind?: unknown) => ({
	id: 'v/m',
	...(kind !== undefined && { kind: kind as never }),
});

it.each(KINDS)(
	'a model of the kind %s is for itself alone, and says where, in the same words before and after',
	(kind) => {
		const [endpoint, does, operation] = USES[kind];
		const message = `The model v/m ${does}`;
		const advice = `Use ${operation} for it.`;
		const told = expect.objectContaining({ kind: 'invalid', message, details: { advice } });
		for (const needed of KINDS) {
			const check = () => checkKind(model(kind), needed);
			if (kind === needed) expect(check).not.toThrow();
			else expect(check).toThrow(told);
		}
		const reason = `Use /v1/${endpoint} for this model.`;
		const refused = new ServiceError('refused', 'x', { code: 'wrong_endpoint', reason });
		const details = { advice, reason };
		expect(explainWrongEndpoint(refused, 'v/m')).toMatchObject({ message, details });
	},
);

it.each([undefined, '', 'embedding', 'toString', null])('the kind %j is not judged', (kind) => {
	for (const needed of KINDS) expect(() => checkKind(model(kind), needed)).not.toThrow();
});

const UNKNOWN = 'is of another kind than this operation needs';

it.each([
	['POST /v1/responses', 'v/m', 'The model v/m answers with text'],
	['see https://host/v1/images/jobs.', 'v/m', 'The model v/m makes images'],
	['/v1/chat/completions or /v1/responses', 'v/m', 'The model v/m answers with text'],
	['use /v1/images/jobs', undefined, 'This model makes images'],
	['use /v1/myimages/jobs', 'v/m', `The model v/m ${UNKNOWN}`],
	['your responses', 'v/m', `The model v/m ${UNKNOWN}`],
	[undefined, '', `This model ${UNKNOWN}`],
	// which of them is the right one is not said
	['/v1/images/jobs does not serve it, use /v1/responses', 'v/m', `The model v/m ${UNKNOWN}`],
	['use /v1/audio/jobs or /v1/music/jobs', 'v/m', `The model v/m ${UNKNOWN}`],
])('the reason %j for the model %j says: %s', (reason, id, message) => {
	const common = { code: 'wrong_endpoint', status: 400, requestId: 'r' };
	const details = { ...common, ...(reason && { reason }) };
	const told = explainWrongEndpoint(new ServiceError('refused', 'x', details), id);
	expect(told).toMatchObject({ kind: 'refused', message, details });
	expect(told.details.advice).toMatch(/^Use .*\.$/);
	expect(explainWrongEndpoint(told, id)).toEqual(told);
});

it('any other error stays as it is', () => {
	const other = new ServiceError('refused', 'x', { code: 'other', reason: 'use /v1/images/jobs' });
	expect(withAdvice(other, 'v/m')).toBe(other);
});

const listed = (...ids: string[]): Model[] => ids.map((id) => ({ id }));
const CATALOG = listed(
	'acme/mini',
	'northwind/quill-2.5',
	'northwind/mini',
	'openai/o1',
	'v/gpt-4o',
);

it.each([
	['northwind/quil-2.5', 'northwind/quill-2.5'],
	['quill 2.5', 'northwind/quill-2.5'],
	['Northwind/Qiull-2.5', 'northwind/quill-2.5'],
	['nortwind/mini', 'northwind/mini'],
	['o1', 'openai/o1'],
	['gpt4', 'v/gpt-4o'],
	['northwind/opal-9', undefined],
	['o3', undefined],
	['x', undefined],
	['!', undefined],
	['x'.repeat(1_000_000), undefined],
])('%.30s: did you mean %s?', (id, nearest) => {
	const missing = `The catalog does not have the model ${id.slice(0, 200)}${id.length > 200 ? '…' : ''}`;
	expect(describeMissingModel(CATALOG, id)).toBe(
		nearest ? `${missing}. Did you mean ${nearest}?` : missing,
	);
});

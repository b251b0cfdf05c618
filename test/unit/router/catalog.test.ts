import { getModel, listModels } from '../../../src/router/catalog';
import { createModelFinder, isSameModel } from '../../../src/router/model';
import fc from '../../support/fastCheck';
import { failureOf, inMemory, json } from '../inMemoryHttp';

const A = {
	id: 'vendor/model-1.5',
	owned_by: 'vendor',
	kind: 'text',
	pricing: { input_per_mtok: 0.5 },
};
const B = { id: 'other/b' };
const list = async (body: unknown) => (await listModels(inMemory(json(body)))).models;
const NOT_FOUND = json({ error: { message: 'no such model' } }, { status: 404 });

it('reads the catalog', async () => {
	const http = inMemory(json([A, B], { headers: { 'x-request-id': 'r' } }));
	expect(await listModels(http)).toEqual({ models: [A, B], requestId: 'r' });
	expect(http.requests).toEqual([{ method: 'GET', path: '/v1/models' }]);
});

it.each<[string, unknown, unknown[]]>([
	['a list', [A, B], [A, B]],
	['an empty list', [], []],
	['data', { object: 'list', data: [A, B] }, [A, B]],
	['models', { models: [A, B], total: 2 }, [A, B]],
	['any name', { whatever: [A, B] }, [A, B]],
	['a list deeper', { result: { items: [A, B] } }, [A, B]],
	[
		'a list for each kind',
		{ text: [A], image: [{ ...B, pricing: {} }] },
		[A, { ...B, pricing: {} }],
	],
	[
		'a list for each vendor, deeper',
		{ data: { vendor: { models: [A] }, other: { models: [{ ...B, pricing: {} }] } } },
		[A, { ...B, pricing: {} }],
	],
	['a list beside one of something else', { vendors: [{ id: 'vendor' }], models: [A] }, [A]],
	['an empty list deeper', { result: { data: [] } }, []],
	['an empty list in a field', { object: 'list', data: [] }, []],
	['an empty list beside the real one', { warnings: [], data: [A, B] }, [A, B]],
	['an empty list beside a deeper one', { errors: [], result: { data: [A] } }, [A]],
	[
		'an object keyed by id',
		{ [A.id]: { kind: 'text', pricing: {} }, 'other/b': { pricing: {} } },
		[
			{ id: A.id, kind: 'text', pricing: {} },
			{ id: 'other/b', pricing: {} },
		],
	],
	[
		'an object keyed by id in a field',
		{ models: { 'other/b': { pricing: {} } } },
		[{ id: 'other/b', pricing: {} }],
	],
	['junk between models', [A, null, 5, 'x', {}, { id: '' }, { id: 7 }, B], [A, B]],
	['fields that nobody knows', [{ ...B, new_field: { a: 1 } }], [{ ...B, new_field: { a: 1 } }]],
])('the wrapper may be %s', async (_name, body, models) => {
	expect(await list(body)).toEqual(models);
});

it.each([
	[{}],
	[null],
	['models'],
	[5],
	[{ data: 'x' }],
	[{ ok: true, error: { message: 'boom' } }],
	[{ numbers: [1, 2] }],
])('%j is no catalog', async (body) => {
	expect(await failureOf(list(body))).toMatchObject({
		kind: 'malformed',
		details: { reason: JSON.stringify(body) },
	});
});

it('finds a model by its id in any spelling, and the exact one first', () => {
	const [one, other] = [{ id: 'v/a-1' }, { id: 'v/A.1' }];
	const find = createModelFinder([one, other, B]);
	expect([find('v/a-1'), find('v/A.1'), find('V/A_1'), find('OTHER/B'), find('none')]).toEqual([
		one,
		other,
		one,
		B,
		undefined,
	]);
});

it('a price that is missing is missing', async () => {
	const [model] = await list([B]);
	expect(model).toEqual({ id: 'other/b' });
});

it('reads ten thousand entries at once', async () => {
	const many = Array.from({ length: 10_000 }, (_, index) => ({ ...A, id: `vendor/${index}` }));
	expect(await list({ data: many })).toHaveLength(10_000);
});

it('never fails but by ServiceError, and gives models only', async () => {
	await fc.assert(
		fc.asyncProperty(fc.jsonValue(), async (body) => {
			const models = await list(body).catch((error: unknown) => error);
			if (models instanceof Error)
				expect(models).toMatchObject({ name: 'ServiceError', kind: 'malformed' });
			else
				expect(
					(models as Array<{ id: string }>).every(({ id }) => typeof id === 'string' && id !== ''),
				).toBe(true);
		}),
	);
});

it.each<[string, unknown]>([
	['bare', A],
	['data', { data: A }],
	['model', { object: 'model', model: A }],
	['a list', [A]],
])('reads one entry: %s', async (_form, body) => {
	const http = inMemory(json(body));
	expect(await getModel(http, A.id)).toEqual({ model: A });
	expect(http.requests).toEqual([{ method: 'GET', path: '/v1/models/vendor%2Fmodel-1.5' }]);
});

it('asks with %2F, then with the slash, then looks into the list', async () => {
	const http = inMemory(NOT_FOUND, NOT_FOUND, json({ data: [B, A] }));
	expect(await getModel(http, 'VENDOR/Model_1-5')).toEqual({ model: A });
	expect(http.requests.map(({ path }) => path)).toEqual([
		'/v1/models/VENDOR%2FModel_1-5',
		'/v1/models/VENDOR/Model_1-5',
		'/v1/models',
	]);
});

it.each([400, 405])('a slash that is refused as %%2F (%d) is sent as it is', async (status) => {
	const http = inMemory({ status }, json(A));
	expect(await getModel(http, A.id)).toEqual({ model: A });
	expect(http.requests).toHaveLength(2);
});

it('400 for a model without a slash ends the search at once', async () => {
	const http = inMemory({ status: 400 }, json([A]));
	expect(await failureOf(getModel(http, 'x'))).toMatchObject({ details: { status: 400 } });
	expect(http.requests).toHaveLength(1);
});

it('what is around an entry may have an id of its own', async () => {
	const http = inMemory(json({ id: 'request-1', data: A }));
	expect(await getModel(http, A.id)).toEqual({ model: A });
});

it('a model that is nowhere is 404, in the words of the service', async () => {
	expect(
		await failureOf(getModel(inMemory(NOT_FOUND, NOT_FOUND, json([B])), 'no/one')),
	).toMatchObject({
		kind: 'refused',
		message: 'The service has nothing under this address or ID (404)',
		details: { status: 404, reason: 'no such model' },
	});
});

it.each([[401], [403], [500]])('%d ends the search at once', async (status) => {
	const http = inMemory(json({}, { status }));
	expect(await failureOf(getModel(http, A.id))).toMatchObject({ details: { status } });
	expect(http.requests).toHaveLength(1);
});

it('an entry that cannot be read is garbled, and no other is taken for it', async () => {
	expect(await failureOf(getModel(inMemory(json({ ok: true })), A.id))).toMatchObject({
		kind: 'malformed',
	});
});

it('an answer that is about another model is not taken for it', async () => {
	// a service that does not know the path may answer with the whole list
	const http = inMemory(json({ data: [B, A] }));
	expect(await getModel(http, A.id)).toEqual({ model: A });
});

it('of several others none is taken for it', async () => {
	const body = { data: [B, { id: 'other/c' }] };
	expect(await failureOf(getModel(inMemory(json(body)), A.id))).toMatchObject({
		kind: 'malformed',
	});
});

it.each([['..'], ['../models'], [''], ['a\0']])(
	'the id %j is refused before any request',
	async (id) => {
		const http = inMemory(json(A));
		expect(await failureOf(getModel(http, id))).toMatchObject({ kind: 'invalid' });
		expect(http.requests).toEqual([]);
	},
);

it.each([
	['vendor/model-1.5', 'Vendor/Model 1_5', true],
	['vendor/model-1.5', 'VENDOR/MODEL15', true],
	['vendor/model', 'vendormodel', false],
	['vendor/model-1.5', 'vendor/model-1.6', false],
	['vendor/é', 'vendor/É', true],
	['a', 'b', false],
])('%s and %s name the same model: %s', (one, other, same) => {
	expect(isSameModel(one, other)).toBe(same);
});

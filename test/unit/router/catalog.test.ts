import { REPORTED } from '../../../src/core/errorResponses';
import { getModel, listModels } from '../../../src/router/catalog';
import { createModelFinder, isSameModel } from '../../../src/router/model';
import fc from '../../support/fastCheck';
import { failureOf, inMemory, json } from '../inMemoryHttp';

const A = { id: 'vendor/model-1.5', owned_by: 'vendor', kind: 'text', pricing: { unit: 'x' } };
const B = { id: 'other/b' };
const C = { id: 'other/c', pricing: {}, new_field: { a: 1 } };
const list = async (body: unknown) => (await listModels(inMemory(json(body)))).models;
const NOT_FOUND = json({ error: { message: 'no such model' } }, { status: 404 });

it('reads the catalog', async () => {
	const http = inMemory(json([A, B], { headers: { 'x-request-id': 'r' } }));
	expect(await listModels(http)).toEqual({ models: [A, B], requestId: 'r' });
	expect(http.requests).toEqual([{ method: 'GET', path: '/v1/models' }]);
});

it.each([
	['an empty list', [], []],
	['data', { object: 'list', data: [A, B] }, [A, B]],
	['any name', { whatever: [A, B], total: 2 }, [A, B]],
	['a list beside one of something else', { vendors: [{ id: 'vendor' }], models: [A] }, [A]],
	['an empty list in a field', { object: 'list', data: [] }, []],
	['Ollama without a model', { object: 'list', data: null }, []],
	['an empty list beside the real one', { warnings: [], data: [A, B] }, [A, B]],
	['junk between models', [A, null, 5, 'x', {}, { id: '' }, { id: 7 }, C], [A, C]],
])('the wrapper may be %s', async (_name, body, models) => {
	expect(await list(body)).toEqual(models);
});

it.each([
	[{}],
	[null],
	[{ numbers: [1, 2] }],
	[{ result: { data: [A] } }],
	[{ data: [null, 1], warnings: [] }],
	[{ [B.id]: { pricing: {} } }],
])('%j is no catalog', async (body) => {
	expect(await failureOf(list(body))).toMatchObject({
		kind: 'malformed',
		details: { reason: JSON.stringify(body) },
	});
});

it.each([
	{ ok: true, error: { message: 'boom' } },
	// Cloudflare's, with 200 at some proxies
	{ success: false, errors: [{ message: 'boom' }], messages: [], result: null },
])('an error in its place is told in its own words: %j', async (body) => {
	expect(await failureOf(list(body))).toMatchObject({
		kind: 'malformed',
		message: REPORTED,
		details: { reason: 'boom' },
	});
});

it('finds a model by its id in any spelling, and the exact one first', () => {
	const [one, other] = [{ id: 'v/a-1' }, { id: 'v/A.1' }];
	const find = createModelFinder([one, other, B]);
	const found = ['v/a-1', 'v/A.1', 'V/A_1', 'OTHER/B', 'none'].map(find);
	expect(found).toEqual([one, other, one, B, undefined]);
});

it('never fails but by ServiceError, and gives models only', async () => {
	await fc.assert(
		fc.asyncProperty(fc.jsonValue(), async (body) => {
			const models = await list(body).catch((error: unknown) => error);
			if (models instanceof Error)
				expect(models).toMatchObject({ name: 'ServiceError', kind: 'malformed' });
			else
				for (const { id } of models as Array<{ id: unknown }>)
					expect(typeof id === 'string' && id !== '').toBe(true);
		}),
	);
});

it.each([
	['bare', A],
	['data', { id: 'request-1', data: A }],
	['model', { object: 'model', model: A }],
	['a list', [A]],
	// a service that does not know the path may answer with the whole list
	['all models', { data: [B, A] }],
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

it.each([
	[403, A.id],
	[400, 'x'],
])('%d ends the search for %s at once', async (status, id) => {
	const http = inMemory(json({}, { status }), json([A]));
	expect(await failureOf(getModel(http, id))).toMatchObject({ details: { status } });
	expect(http.requests).toHaveLength(1);
});

it.each([
	['no/one', 'The catalog does not have the model no/one'],
	['othr/b', `The catalog does not have the model othr/b. Did you mean ${B.id}?`],
])('the model %s is nowhere: 404, in the words of the service', async (id, message) => {
	const http = inMemory(NOT_FOUND, NOT_FOUND, json([B]));
	const advice = 'Choose a model from the list, or correct its ID.';
	expect(await failureOf(getModel(http, id))).toMatchObject({
		kind: 'refused',
		message,
		details: { status: 404, reason: 'no such model', advice },
	});
});

it.each([{ ok: true }, { data: [B, { id: 'other/c' }] }])(
	'no other model is taken for one that cannot be read: %j',
	async (body) => {
		const failure = await failureOf(getModel(inMemory(json(body)), A.id));
		expect(failure).toMatchObject({ kind: 'malformed' });
	},
);

it.each(['..', '../models', '', 'a\0'])('the id %j is refused before any request', async (id) => {
	const http = inMemory(json(A));
	expect(await failureOf(getModel(http, id))).toMatchObject({ kind: 'invalid' });
	expect(http.requests).toEqual([]);
});

it.each([
	['vendor/model-1.5', 'VENDOR/MODEL15', true],
	['vendor/model', 'vendormodel', false],
	['vendor/model-1.5', 'vendor/model-1.6', false],
	['vendor/é', 'vendor/É', true],
])('%s and %s name the same model: %s', (one, other, same) => {
	expect(isSameModel(one, other)).toBe(same);
});

import fc from '../support/fastCheck';

import { client } from './probe.ts';
import type { Entry } from './router/catalog.ts';
import { askRouter, user, without } from './routerProbe.ts';
import { startService, type Forms, type Service } from './service.ts';

let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const get = (path: string) =>
	client(service.router.baseUrl, { 'x-api-key': service.router.keys.main }).get(path);
const list = async () => (await get('/v1/models')).data.data as Entry[];

describe('C catalog (2C)', () => {
	it('has every kind, and one entry without', async () => {
		const kinds = new Set((await list()).map(({ kind }) => kind));
		expect(kinds).toEqual(new Set(['text', 'image', 'video', 'music', 'audio', undefined]));
	});

	it('has all five units, and prices per million tokens', async () => {
		const prices = (await list()).map(({ pricing }) => pricing);
		const units = new Set(prices.flatMap((price) => ('unit' in price ? [price.unit] : [])));
		expect(units).toEqual(new Set(['image', 'video', 'second', 'request', '1k_characters']));
		expect(prices).toContainEqual({
			input_per_mtok: 0.5,
			output_per_mtok: 1.5,
			cached_input_per_mtok: 0.05,
		});
	});

	it('has texts with no price, with one only, and with one that no binary fraction holds', async () => {
		const entries = await list();
		const priceOf = (id: string) => entries.find((entry) => entry.id === id)?.pricing;
		expect(priceOf('tiny/no-price-1')).toEqual({});
		expect(priceOf('tiny/input-price-1')).toEqual({ input_per_mtok: 0.15 });
		expect(priceOf('tiny/odd-price-1')).toEqual({
			input_per_mtok: 0.07,
			output_per_mtok: 0.29,
			cached_input_per_mtok: 0.007,
		});
	});

	it('has every modality', async () => {
		const modalities = new Set((await list()).flatMap((entry) => entry.input_modalities ?? []));
		expect(modalities).toEqual(new Set(['text', 'image', 'audio', 'video', 'file']));
	});

	it('leaves out what is not known, never sends zero', async () => {
		const entries = await list();
		expect(entries.some((entry) => !('context_length' in entry) && entry.kind === 'text')).toBe(
			true,
		);
		expect(entries.some((entry) => !('name' in entry))).toBe(true);
		expect(JSON.stringify(entries)).not.toMatch(/:0[,}]/);
		for (const entry of entries) {
			expect(entry).toMatchObject({ id: expect.any(String), owned_by: expect.any(String) });
		}
	});

	it('a long list', async () => {
		service.forms.moreModels = 10_000;
		const ids = new Set((await list()).map(({ id }) => id));
		expect(ids.size).toBe(10_016);
	});

	it.each<[Forms['list'], (data: unknown) => unknown]>([
		['data', (data) => (data as { data: Entry[] }).data],
		['array', (data) => data],
		['models', (data) => (data as { models: Entry[] }).models],
		['object-by-id', (data) => Object.values(data as object)],
	])('list form %s', async (form, entries) => {
		const expected = await list();
		service.forms.list = form;
		expect(entries((await get('/v1/models')).data)).toEqual(expected);
	});
});

describe('C catalog forms (2C)', () => {
	const entry = async (id: string) => (await get(`/v1/models/${id}`)).data as Entry;
	const ids = ['northwind/quill-2.5', 'tiny/no-price-1', 'reel/clip-3'];

	it('catalogExtras: fields that no one named, beside all that were', async () => {
		const before = await list();
		service.forms.catalogExtras = 'present';
		const after = await list();
		for (const [index, { pricing, ...plain }] of before.entries()) {
			expect(after[index]).toMatchObject(plain);
			expect(after[index]).toMatchObject({ created: expect.any(Number), description: null });
			expect(after[index]?.pricing).toMatchObject({ ...pricing, currency: 'USD' });
		}
		for (const id of ids) expect(after).toContainEqual(await entry(id));
		const { data } = await askRouter(service).chat({ messages: user('hi') });
		expect(data.choices[0].finish_reason).toBe('stop');
	});

	it('inputModalities absent: from every entry, and nothing else', async () => {
		const before = await list();
		service.forms.inputModalities = 'absent';
		const after = await list();
		expect(after).toEqual(before.map((entry) => without('input_modalities', entry)));
		for (const id of ids) expect(after).toContainEqual(await entry(id));
	});

	it('inputModalities absent: a model that lists none takes all', async () => {
		service.forms.inputModalities = 'absent';
		const messages = user([{ type: 'video_url', video_url: { url: 'x' } }]);
		const { data } = await askRouter(service).chat({ messages });
		expect(data.choices[0].message.content).toMatch('I was shown 1 video.');
	});
});

describe('C one entry (4C)', () => {
	it.each([
		'northwind/quill-2.5',
		'northwind%2Fquill-2.5',
		'NORTHWIND/Quill-2-5',
		'northwind/quill_2.5',
	])('%s', async (id) => {
		expect((await get(`/v1/models/${id}`)).data.id).toBe('northwind/quill-2.5');
	});

	it('any spelling by case and separators names the same model (2C)', async () => {
		const entries = await list();
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom(...entries),
				fc.infiniteStream(fc.boolean()),
				fc.infiniteStream(fc.constantFrom('.', '-', '_')),
				async (entry, upper, separators) => {
					const spelled = entry.id
						.replace(/[a-z]/gi, (letter) =>
							upper.next().value ? letter.toUpperCase() : letter.toLowerCase(),
						)
						.replace(/[.\-_]/g, () => separators.next().value as string);
					expect((await get(`/v1/models/${spelled}`)).data.id).toBe(entry.id);
				},
			),
			{ numRuns: 30 },
		);
	});

	it.each<[Forms['entry'], (data: Record<string, unknown>) => unknown]>([
		['bare', (data) => data],
		['data', (data) => data.data],
		['model', (data) => data.model],
	])('entry form %s', async (form, entry) => {
		service.forms.entry = form;
		const { data } = await get('/v1/models/tune/melody-1');
		expect(entry(data)).toMatchObject({ id: 'tune/melody-1', kind: 'music' });
	});

	it('404 for no such model, 405 for POST', async () => {
		expect((await get('/v1/models/no/such')).status).toBe(404);
		const http = client(service.router.baseUrl, { 'x-api-key': service.router.keys.main });
		expect((await http.post('/v1/models', {})).status).toBe(405);
	});
});

import { ServiceError } from '../../../src/core/errors';
import type { Http } from '../../../src/core/http';
import { getModel, listModels } from '../../../src/router/catalog';
import { failureOf, json, response, type Answer } from '../inMemoryHttp';

const model = (number: number) => ({ id: `v/m-${number}`, pricing: {} });
const models = (from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_, at) => model(from + at));
const ids = (from: number, to: number) => models(from, to).map(({ id }) => id);
const page = (from: number, to: number, more: object = {}) =>
	json({ data: models(from, to), ...more });

type Pages = Record<string, Answer | ServiceError>;

/** A catalog in pages: what each query is answered with. */
function catalog(pages: Pages) {
	const asked: string[] = [];
	const http: Http = {
		async send({ path }) {
			asked.push(path);
			const [address, query = ''] = path.split('?');
			const answer = address === '/v1/models' ? pages[query] : undefined;
			if (answer instanceof ServiceError) throw answer;
			return response(answer ?? json({ message: 'no such page' }, { status: 404 }));
		},
	};
	return { http, asked };
}

const read = async (pages: Pages) => {
	const { http, asked } = catalog(pages);
	const { models: all, incompleteReason } = await listModels(http);
	return { ids: all.map(({ id }) => id), incompleteReason, asked };
};

const next = (more: object) => page(1, 2, more);
const PATH = '/api/v1/models?offset=2&limit=2';

// the forms of services that answer at this path
it.each([
	['OpenRouter', next({ links: { next: PATH }, total_count: 4 }), 'offset=2&limit=2'],
	[
		'OpenRouter, by a whole address',
		next({ links: { next: `https://inside.example${PATH}#top` } }),
		'offset=2&limit=2',
	],
	['Comfy Router', next({ has_more: true, next_cursor: 'a=/+' }), 'cursor=a%3D%2F%2B'],
	['Anthropic', next({ has_more: true, first_id: 'v/m-1', last_id: 'v/m-2' }), 'after_id=v%2Fm-2'],
])('goes on where a page says so as %s does', async (_how, first, query) => {
	expect(await read({ '': first, [query]: page(3, 4) })).toEqual({
		ids: ids(1, 4),
		incompleteReason: undefined,
		asked: ['/v1/models', `/v1/models?${query}`],
	});
});

it.each([
	['nothing of pages', { object: 'list', data: models(1, 2) }],
	['no next one', { data: models(1, 2), links: { next: null }, total_count: 2 }],
	['that there are no more', { data: models(1, 2), has_more: false, last_id: 'v/m-2', next: 'x' }],
	['an empty cursor', { data: models(1, 2), next_cursor: '' }],
	['as many as it counts', { data: models(1, 2), total: 2 }],
	['a count that is none', { data: models(1, 2), total: { toString: 1 } }],
	['an empty list', { data: [], total: 0 }],
])('asks for nothing more where a page says %s', async (_what, body) => {
	const { asked, incompleteReason } = await read({ '': json(body) });
	expect([asked, incompleteReason]).toEqual([['/v1/models'], undefined]);
});

const FORM = 'it is not known how to ask for more where the answer has';
it.each([
	['an address in "next"', page(1, 4, { next: PATH }), `${FORM} {"next":"${PATH}"}`],
	['a token', page(1, 4, { nextPageToken: 't' }), `${FORM} {"nextPageToken":"t"}`],
	[
		'an address without a query',
		page(1, 4, { links: { next: '/p/2' } }),
		`${FORM} {"next":"/p/2"}`,
	],
	[
		'an address that is none',
		page(1, 4, { links: { next: { toString: 1 } } }),
		`${FORM} {"next":{"toString":1}}`,
	],
	['"has_more" alone', page(1, 4, { has_more: true, last_id: null }), `${FORM} {"has_more":true}`],
	[
		'a header',
		json(models(1, 4), { headers: { link: '</m?page=2>; rel="next"' } }),
		`${FORM} {"link":"</m?page=2>; rel=\\"next\\""}`,
	],
	['a count', page(1, 4, { total: 9 }), 'the service counts 9'],
	['a count as a text', page(1, 4, { total_count: '9' }), 'the service counts 9'],
])('says that there is more than it can read where a page has %s', async (_what, first, why) => {
	const { ids: all, incompleteReason, asked } = await read({ '': first });
	expect([all, asked]).toEqual([ids(1, 4), ['/v1/models']]);
	expect(incompleteReason).toBe(`Only the first 4 entries of the catalog could be read: ${why}.`);
});

const to = (query: string) => ({ links: { next: `?${query}` } });
const first = { '': page(1, 4, to('page=2')) };

it.each([
	[
		'it leads back',
		{ '': page(1, 2, to('page=2')), 'page=2': page(3, 4, to('page=2')) },
		'lead back',
	],
	[
		'it gives the same again',
		{ ...first, 'page=2': page(1, 4, to('page=3')) },
		'the same entries again',
	],
	[
		'a page is refused',
		{ ...first, 'page=2': json({}, { status: 400 }) },
		'page 2 could not be read',
	],
	['a page is none', { ...first, 'page=2': json({ ok: true }) }, 'page 2 could not be read'],
])('says that it is cut where %s', async (_why, pages, why) => {
	const { ids: all, incompleteReason } = await read(pages);
	expect(all).toEqual(ids(1, 4));
	expect(incompleteReason).toContain('Only the first 4 entries of the catalog could be read');
	expect(incompleteReason).toContain(why);
});

it.each([
	['200 pages', 1, '', 200, 'more than 200 pages'],
	['20,000 models', 15_000, '', 20_000, 'there are more than 20000'],
	['64 MiB', 1, 'x'.repeat(13 * 1024 * 1024), 4, 'its pages have more than 64 MiB together'],
])('reads at most %s', async (_what, entries, name, expected, why) => {
	let at = 0;
	const http: Http = {
		async send() {
			const start = entries * at++ + 1;
			const [one, ...others] = models(start, start + entries - 1);
			return response(
				json({ data: [{ ...one, name }, ...others], links: { next: `?page=${at}` } }),
			);
		},
	};
	const { models: all, incompleteReason } = await listModels(http);
	expect(all).toHaveLength(expected);
	expect(incompleteReason).toContain(why);
});

it('refuses a page of more than 16 MiB', async () => {
	const { http } = catalog({ '': { chunks: Array(17).fill('x'.repeat(1024 * 1024)) } });
	expect(await failureOf(listModels(http))).toMatchObject({
		kind: 'malformed',
		details: { reason: 'more than 16 MiB' },
	});
});

it.each(['unreachable', 'cancelled'] as const)(
	'a page that is %s is no end of a catalog',
	async (kind) => {
		const { http } = catalog({ ...first, 'page=2': new ServiceError(kind, 'x') });
		expect(await failureOf(listModels(http))).toMatchObject({ kind });
	},
);

it('a model that is not found says that the catalog was cut', async () => {
	const { http } = catalog({ '': next({ total: 9 }) });
	expect(await failureOf(getModel(http, 'v/m-7'))).toMatchObject({
		kind: 'refused',
		details: { status: 404, advice: expect.stringContaining('Only the first 2 entries') },
	});
});

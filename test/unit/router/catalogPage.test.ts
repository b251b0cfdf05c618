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
const link = (header: string): Answer => json(models(1, 2), { headers: { link: header } });
const PATH = '/v1/models?page=2';

it.each<[string, Answer, string]>([
	['a path in "next"', next({ next: PATH }), 'page=2'],
	['an address', next({ next: `https://inside.example${PATH}#top` }), 'page=2'],
	['a query in "next"', next({ next: '?page=2&limit=2' }), 'page=2&limit=2'],
	['"next_page"', next({ next_page: PATH }), 'page=2'],
	['"nextUrl"', next({ nextUrl: PATH }), 'page=2'],
	['links', next({ links: { next: '/v1/models?cursor=c' } }), 'cursor=c'],
	['a link with an address', next({ _links: { next: { href: '/m?cursor=c' } } }), 'cursor=c'],
	['a cursor', next({ next_cursor: 'a=/+' }), 'cursor=a%3D%2F%2B'],
	['a cursor in "next"', next({ next: 'abc' }), 'cursor=abc'],
	['a cursor beside "has_more"', next({ has_more: true, next_cursor: 'c' }), 'cursor=c'],
	['a page token', next({ nextPageToken: 't' }), 'pageToken=t'],
	['a number', next({ meta: { next_page: 2 } }), 'page=2'],
	['a number in "next"', next({ next: 2 }), 'page=2'],
	['an address beside a cursor', next({ next_cursor: 'c', next: PATH }), 'page=2'],
	['"has_more"', next({ has_more: true }), 'after=v%2Fm-2'],
	['"has_more" as a text', next({ has_more: 'True' }), 'after=v%2Fm-2'],
	['"hasMore" beside the list', next({ pagination: { hasMore: true } }), 'after=v%2Fm-2'],
	['a header', link(`<https://x/m?page=1>; rel="first", <${PATH}>; rel="next"`), 'page=2'],
	['a header with a comma', link('</v1/models?fields=a,b;c>; rel="next"'), 'fields=a,b;c'],
	['a header in other words', link('</m?page=2>; title="x"; REL = "last next" , </m>'), 'page=2'],
])('goes on where a page says so by %s', async (_how, first, query) => {
	expect(await read({ '': first, [query]: page(3, 4) })).toEqual({
		ids: ids(1, 4),
		incompleteReason: undefined,
		asked: ['/v1/models', `/v1/models?${query}`],
	});
});

it.each<[string, unknown]>([
	['nothing of pages', { data: models(1, 2) }],
	['no next one', { data: models(1, 2), next: null, has_more: false }],
	['that there are no more', { data: models(1, 2), has_more: false, next_cursor: 'c', total: 99 }],
	['so as a text', { data: models(1, 2), has_more: 'false', next_cursor: 'c' }],
	['that it is the last one', { data: models(1, 2), page: 1, total_pages: 1, total: 2 }],
	['an empty cursor', { data: models(1, 2), next_cursor: '' }],
	['an empty list', { data: [], page: 1, total_pages: 0 }],
])('asks for nothing more where a page says %s', async (_what, body) => {
	const { asked, incompleteReason } = await read({ '': json(body) });
	expect([asked, incompleteReason]).toEqual([['/v1/models'], undefined]);
});

it.each<[string, object]>([
	['a value of another kind', { next: true }],
	['an address without a query', { next: 'https://x/v1/models/pages/2' }],
	['a total', { total: 9 }],
	['a total beside the list', { meta: { total_count: '9' } }],
	['pages that are counted', { page: 1, total_pages: 2 }],
	['pages that are counted beside the list', { meta: { current_page: 1, last_page: 2 } }],
])('says that there is more than it can read where a page has %s', async (_what, more) => {
	const { ids: all, incompleteReason, asked } = await read({ '': page(1, 4, more) });
	expect([all, asked]).toEqual([ids(1, 4), ['/v1/models']]);
	expect(incompleteReason).toBe(
		'Only the first 4 entries of the catalog could be read: the service does not say where the next page is.',
	);
});

it('says so after an empty page, too, behind which there is no last id', async () => {
	const { incompleteReason } = await read({ '': json({ data: [], has_more: true }) });
	expect(incompleteReason).toContain('Only the first 0 entries');
});

it('reads a hostile "Link" header as fast as any other', async () => {
	const first = link(`${'<'.repeat(5000)}>;${' rel='.repeat(2000)}`);
	expect(await read({ '': first })).toMatchObject({ ids: ids(1, 2), incompleteReason: undefined });
});

it('follows pages to the last one', async () => {
	const pages: Pages = { '': page(1, 10, { next: '?page=2', total: 90 }) };
	for (let at = 2; at <= 9; at++)
		pages[`page=${at}`] = page(at * 10 - 9, at * 10, at < 9 ? { next: `?page=${at + 1}` } : {});
	expect(await read(pages)).toMatchObject({ ids: ids(1, 90), incompleteReason: undefined });
});

const first = { '': page(1, 4, { next: '?page=2' }) };

it.each<[string, Pages, string]>([
	[
		'it leads back',
		{ '': page(1, 2, { next: '?page=2' }), 'page=2': page(3, 4, { next: '?page=2' }) },
		'lead back',
	],
	[
		'it gives the same again',
		{ ...first, 'page=2': page(1, 4, { next: '?page=3' }) },
		'the same entries again',
	],
	[
		'a cursor is sent as no parameter that the service knows',
		{ '': page(1, 4, { next_cursor: 'c' }), 'cursor=c': page(1, 4, { next_cursor: 'c' }) },
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
			return response(json({ data: [{ ...one, name }, ...others], next: `?page=${at}` }));
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

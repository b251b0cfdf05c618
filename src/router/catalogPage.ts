import { isPlainObject } from '../core/json';
import type { Model } from './model';

/** The models in a body, whatever contains them; undefined if there are none. */
export function findModels(body: unknown): Model[] | undefined {
	if (Array.isArray(body)) {
		const models = body.filter(isModel);
		// entries of another kind: each may contain a list of models
		const nested = models.some(hasPricing) ? [] : findNestedModels(body);
		if (nested.length) return nested;
		return models.length || !body.length ? models : undefined;
	}
	if (!isPlainObject(body)) return undefined;
	const fields = Object.values(body);
	const lists = fields.filter((field) => Array.isArray(field));
	const listed = mergeModelLists(lists);
	const nested = listed?.some(hasPricing) ? [] : findNestedModels(lists.flat());
	if (nested.length) return nested;
	if (listed) return listed;
	const keyed = Object.entries(body).flatMap(([id, entry]) =>
		isPlainObject(entry) ? [{ id, ...entry }] : [],
	);
	if (keyed.some((entry) => isPlainObject((entry as Record<string, unknown>)['pricing'])))
		return keyed.filter(isModel);
	const deeper = fields
		.filter(isPlainObject)
		.map(findModels)
		.filter((entries) => entries !== undefined);
	return (
		mergeModelLists(deeper) ??
		deeper[0] ??
		(lists.some((entries) => entries.length === 0) ? [] : undefined)
	);
}

/** Entries with prices in lists inside other entries, e.g. the models of each vendor. */
function findNestedModels(entries: unknown[]): Model[] {
	const lists = entries
		.filter(isPlainObject)
		.flatMap((entry) => Object.values(entry).filter(Array.isArray));
	return lists.flat().filter(isModel).filter(hasPricing);
}

const hasPricing = ({ pricing }: Model) => isPlainObject(pricing);

/** All lists with prices, since there may be one per kind or vendor; without any, the first list with ids. */
function mergeModelLists(lists: unknown[][]): Model[] | undefined {
	const priced = lists.filter((entries) =>
		entries.some((entry) => isModel(entry) && hasPricing(entry)),
	);
	const list = priced.length ? priced.flat() : lists.find((entries) => entries.some(isModel));
	return list?.filter(isModel);
}

/** Counts invalid entries as well, as the service does. */
export function longestListLength(body: unknown): number {
	if (Array.isArray(body)) return body.length;
	const lists = isPlainObject(body)
		? Object.values(body).filter((field) => Array.isArray(field))
		: [];
	return Math.max(0, ...lists.map(({ length }) => length));
}

export function isModel(value: unknown): value is Model {
	return isPlainObject(value) && typeof value['id'] === 'string' && value['id'] !== '';
}

/** Fields that may contain the pagination data, besides the body itself. */
const PAGINATION_FIELDS = [
	'pagination',
	'paging',
	'page_info',
	'pageInfo',
	'meta',
	'links',
	'_links',
];

/** Fields with the cursor of the next page, and the query parameter that takes it. */
const CURSOR_FIELDS: Array<[field: string, parameter: string]> = [
	['next_cursor', 'cursor'],
	['nextCursor', 'cursor'],
	['end_cursor', 'after'],
	['endCursor', 'after'],
	['next_page_token', 'page_token'],
	['nextPageToken', 'pageToken'],
	['next_token', 'next_token'],
	['nextToken', 'nextToken'],
	['continuation_token', 'continuation_token'],
];

/** What follows a page: nothing, the query of the next page, or a page that cannot be requested. */
type NextPage = 'nothing' | 'unknown' | { query: string };

/** A page of a list. */
export interface PageInfo {
	/** The `Link` header. */
	link: string | undefined;
	/** The query of this page. */
	query: string;
	/** Entries on this page. */
	count: number;
	/** Entries on the pages before. */
	countBefore: number;
	/** The id of its last entry. */
	lastId: string | undefined;
}

/**
 * Finds the next page in the data of a page. Of a link, only the query is used: the next page is requested from the service
 * itself, on the same path, whatever address the link names.
 */
export function findNextPage(body: unknown, page: PageInfo): NextPage {
	const { link, query } = page;
	const linkHeader = /<([^>]*)>\s*;[^,]*\brel\s*=\s*"?[^",]*\bnext\b/i.exec(link ?? '')?.[1];
	if (linkHeader !== undefined) return nextByLink(linkHeader);
	if (!isPlainObject(body)) return 'nothing';
	const objects = [body, ...PAGINATION_FIELDS.map((name) => body[name])].filter(isPlainObject);
	const find = (...names: string[]) =>
		objects.flatMap((object) => names.map((name) => object[name])).find(isNonEmpty);

	const hasMore = find('has_more', 'hasMore', 'has_next', 'has_next_page', 'hasNextPage', 'more');
	if (hasMore === false) return 'nothing';
	const next = find('next', 'next_url', 'nextUrl', 'next_link', 'nextLink', '@odata.nextLink');
	const href = isPlainObject(next) ? (next['href'] ?? next['url']) : next;
	if (typeof href === 'string' && href) return nextByLink(href);
	for (const [field, parameter] of CURSOR_FIELDS) {
		const cursor = find(field);
		if (isTextOrNumber(cursor))
			return { query: addQueryParameters(query, { [parameter]: cursor }) };
	}
	const nextNumber = [next, find('next_page', 'nextPage')].find(isTextOrNumber);
	if (typeof nextNumber === 'string' && /[/?]/.test(nextNumber)) return nextByLink(nextNumber);
	if (nextNumber !== undefined) return { query: addQueryParameters(query, { page: nextNumber }) };
	return nextByNumbers(find, page, hasMore === true);
}

/** Finds the next page by page numbers, or by counts of entries. */
function nextByNumbers(
	find: (...names: string[]) => unknown,
	{ query, count, countBefore, lastId }: PageInfo,
	hasMore: boolean,
): NextPage {
	const findNumber = (...names: string[]) => {
		const value = find(...names);
		return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))
			? Number(value)
			: undefined;
	};
	const page = findNumber('page', 'current_page', 'currentPage', 'page_number', 'pageNumber');
	const pageCount = findNumber(
		'total_pages',
		'totalPages',
		'page_count',
		'pageCount',
		'last_page',
		'lastPage',
		'pages',
	);
	if (page !== undefined && (hasMore || (pageCount !== undefined && page < pageCount)))
		return { query: addQueryParameters(query, { page: page + 1 }) };
	if (page !== undefined && pageCount !== undefined) return 'nothing';

	const countSoFar = countBefore + count;
	const total = findNumber('total', 'total_count', 'totalCount', 'total_items', 'totalItems');
	const offset = findNumber('offset', 'skip');
	const hasRemaining = total !== undefined && countSoFar < total && count > 0;
	if (offset !== undefined && (hasMore || hasRemaining)) {
		const limit = findNumber('limit', 'page_size', 'pageSize', 'per_page');
		return {
			query: addQueryParameters(query, {
				offset: offset + count,
				...(limit !== undefined && { limit }),
			}),
		};
	}
	const lastEntryId = find('last_id', 'lastId') ?? lastId;
	if (hasMore && isTextOrNumber(lastEntryId))
		return { query: addQueryParameters(query, { after: lastEntryId }) };
	if (page !== undefined && hasRemaining)
		return { query: addQueryParameters(query, { page: page + 1 }) };
	return hasMore || hasRemaining ? 'unknown' : 'nothing';
}

function nextByLink(link: string): NextPage {
	const [address = ''] = link.split('#');
	const [path = '', ...queries] = address.split('?');
	const query = queries.join('?');
	if (query) return { query };
	// a link that is neither an address nor a path is a cursor
	return /[/:]/.test(path) ? 'unknown' : { query: addQueryParameters('', { cursor: path }) };
}

function addQueryParameters(query: string, more: Record<string, unknown>): string {
	const parameters = new URLSearchParams(query);
	for (const [name, value] of Object.entries(more)) parameters.set(name, String(value));
	return parameters.toString();
}

const isNonEmpty = (value: unknown) => value !== undefined && value !== null && value !== '';

const isTextOrNumber = (value: unknown): value is string | number =>
	(typeof value === 'string' && value !== '') || typeof value === 'number';

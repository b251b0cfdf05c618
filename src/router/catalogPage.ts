import { isPlainObject } from '../core/json';
import type { Model } from './model';

/** Objects around the list of models. */
const MAX_WRAPPERS = 4;

/**
 * The models in a body, whatever contains them: a list, lists in fields of any name, e.g. one per kind or vendor, or an object
 * keyed by id. Lists with prices come before others, because every model has prices.
 *
 * @returns undefined if there is neither a model nor an empty list.
 */
export function findModels(body: unknown, depth = 0): Model[] | undefined {
	if (depth > MAX_WRAPPERS || typeof body !== 'object' || body === null) return undefined;
	const isList = Array.isArray(body);
	const models = (isList ? body : withIdsFromKeys(body)).filter(isModel);
	if (models.some(hasPricing)) return models;
	const inner = Object.values(body)
		.map((value) => findModels(value, depth + 1))
		.filter((found) => found !== undefined);
	const priced = inner.filter((found) => found.some(hasPricing)).flat();
	if (priced.length) return priced;
	if (isList && (models.length || !body.length)) return models;
	return inner.find(({ length }) => length) ?? inner[0];
}

const withIdsFromKeys = (body: object) =>
	Object.entries(body).map(([id, entry]) => isPlainObject(entry) && { id, ...entry });

const hasPricing = ({ pricing }: Model) => isPlainObject(pricing);

export function isModel(value: unknown): value is Model {
	return isPlainObject(value) && typeof value['id'] === 'string' && value['id'] !== '';
}

/** What follows a page: nothing, a page with this query, or more entries that cannot be requested. */
type NextPage = 'nothing' | 'unknown' | { query: string };

/** What is known about a page besides its body. */
interface PageInfo {
	/** The `Link` header. */
	link: string | undefined;
	/** Entries on this page and the pages before. */
	count: number;
	/** Pages that were read, with this one. */
	pageCount: number;
	/** The id of the last entry of this page. */
	lastId: string | undefined;
}

/** Fields that name the next page. Only an address with a query can be requested. */
const NEXT_FIELD = /^next(_?(page|url|link|cursor|token))*$/i;
const MORE_FIELD = /^has_?(more|next(_?page)?)$/i;
const TOTAL_FIELD = /^total(_?(count|items))?$/i;
const PAGE_COUNT_FIELD = /^(total_?pages|page_?count|last_?page)$/i;

/**
 * Finds the next page: by the `Link` header, by an address in a field such as `next`, or after the last id where the service
 * says that there is more. Of an address, only the query is used: the next page is requested from the service itself, on the
 * same path.
 */
export function findNextPage(body: unknown, page: PageInfo): NextPage {
	const { link, lastId } = page;
	const linked = findNextLink(link);
	if (linked !== undefined) return toNextPage(linked) ?? 'unknown';
	if (!isPlainObject(body)) return 'nothing';
	const fields = [body, ...Object.values(body).filter(isPlainObject)].flatMap(Object.entries);
	const find = (names: RegExp) =>
		fields.filter(([name, value]) => names.test(name) && value !== null).map(([, value]) => value);
	const [hasMore] = find(MORE_FIELD);
	if (hasMore === false) return 'nothing';
	const nextFields = find(NEXT_FIELD);
	const next = nextFields.map(toNextPage).find(Boolean);
	if (next) return next;
	if (hasMore === true && lastId !== undefined)
		return { query: new URLSearchParams({ after: lastId }).toString() };
	const saysMore =
		hasMore === true ||
		nextFields.some(Boolean) ||
		find(TOTAL_FIELD).some((total) => Number(total) > page.count) ||
		find(PAGE_COUNT_FIELD).some((count) => Number(count) > page.pageCount);
	return saysMore ? 'unknown' : 'nothing';
}

/** The address of the next page in a `Link` header: `<address>; rel="next", <address>; rel="last"`. */
function findNextLink(link = ''): string | undefined {
	return link
		.split('<')
		.map((part) => part.split('>'))
		.find(([, parameters = '']) => parameters.split(/[;,]/).some(isNextRelation))?.[0];
}

function isNextRelation(parameter: string): boolean {
	const [name = '', value = ''] = parameter.split('=');
	return name.trim().toLowerCase() === 'rel' && /\bnext\b/i.test(value);
}

function toNextPage(address: unknown): { query: string } | undefined {
	const [, query] = (typeof address === 'string' && /\?([^#]+)/.exec(address)) || [];
	return query ? { query } : undefined;
}

import { MAX_JSON_BYTES, readJson, readSizedJson } from '../core/body';
import { malformedResponseError, getRequestId } from '../core/errorResponses';
import { mapServiceError, ServiceError, withDetails } from '../core/errors';
import type { Http } from '../core/http';
import { isPlainObject } from '../core/json';
import { encodePathSegment } from '../core/urls';
import { type Model, createModelFinder, isSameModel } from './model';

interface Catalog {
	models: Model[];
	requestId?: string;
	/** Why entries are missing, as a sentence. Absent if the catalog is complete. */
	incompleteReason?: string;
}

/** Far more than any catalog has: a service with more is broken. */
const MAX_PAGES = 200;
const MAX_MODELS = 20_000;
/** Of all pages together. */
const MAX_BYTES = 4 * MAX_JSON_BYTES;

/**
 * Lists the catalog with the caller's own prices. Of entries with the same id, the first one counts.
 *
 * If the catalog has pages, all of them are requested, always from the service's own address. A page may have 16 MiB, and all
 * together 64 MiB and 20,000 models.
 *
 * @throws ServiceError
 * @see GET /v1/models
 */
export async function listModels(http: Http): Promise<Catalog> {
	const pages: ReadPages = { models: new Map(), queries: new Set(['']), size: 0 };
	const firstPage = await readCatalogPage(http, '');
	let next = addPage(pages, firstPage);
	while (next && 'query' in next) {
		const { query } = next;
		pages.queries.add(query);
		try {
			next = addPage(pages, await readCatalogPage(http, query));
		} catch (cause) {
			if (!(cause instanceof ServiceError) || !TOLERATED_PAGE_FAILURES.has(cause.kind))
				throw mapServiceError(cause);
			next = { reason: `page ${pages.queries.size} could not be read (${cause.message})` };
		}
	}
	const models = [...pages.models.values()].slice(0, MAX_MODELS);
	const incompleteReason =
		next && `Only the first ${models.length} entries of the catalog could be read: ${next.reason}.`;
	return { models, ...firstPage.request, ...(incompleteReason && { incompleteReason }) };
}

/** Failures of one page after which the pages before it are still used. */
const TOLERATED_PAGE_FAILURES = new Set<ServiceError['kind']>([
	'refused',
	'malformed',
	'truncated',
]);

/** What was read of a catalog. */
interface ReadPages {
	/** By their ids. */
	models: Map<string, Model>;
	/** The query of every page that was requested. */
	queries: Set<string>;
	/** Characters of all bodies. */
	size: number;
}

/** The query of the next page, or why it cannot be requested although the catalog has more; undefined at its end. */
type NextPage = { query: string } | { reason: string } | undefined;

function addPage(pages: ReadPages, page: CatalogPage): NextPage {
	const { models, queries } = pages;
	const countBefore = models.size;
	for (const model of page.models) if (!models.has(model.id)) models.set(model.id, model);
	pages.size += page.size;
	if (queries.size > 1 && page.models.length && models.size === countBefore)
		return { reason: 'the service gave the same entries again' };
	if (models.size > MAX_MODELS) return { reason: `there are more than ${MAX_MODELS}` };
	const next = findNextPage(page, pages);
	if (!next || 'reason' in next) return next;
	if (queries.has(next.query)) return { reason: 'its pages lead back to one that was read' };
	if (queries.size === MAX_PAGES) return { reason: `there are more than ${MAX_PAGES} pages` };
	if (pages.size > MAX_BYTES - MAX_JSON_BYTES)
		return { reason: 'its pages have more than 64 MiB together' };
	return next;
}

type CatalogPage = Awaited<ReturnType<typeof readCatalogPage>>;

async function readCatalogPage(http: Http, query: string) {
	const path = query ? `/v1/models?${query}` : '/v1/models';
	const response = await http.send({ method: 'GET', path });
	const { value: body, size } = await readSizedJson(response, MAX_JSON_BYTES);
	const models = findModels(body);
	if (!models) throw malformedResponseError(response, JSON.stringify(body));
	const { headers } = response;
	return { models, body, size, link: headers['link'], request: getRequestId(headers) };
}

/**
 * Reads one entry by its id. Case and separators do not matter.
 *
 * @throws ServiceError `refused` with status 404 if it is not in the catalog.
 * @see GET /v1/models/{model}
 */
export async function getModel(
	http: Http,
	id: string,
): Promise<{ model: Model; requestId?: string }> {
	const encoded = encodePathSegment(id, 'Model');
	// the specification does not say whether the slash of an id is encoded as %2F
	const paths = [...new Set([encoded, encoded.replaceAll('%2F', '/')])];
	let notFound: ServiceError | undefined;
	for (const path of paths) {
		try {
			return await readModel(http, `/v1/models/${path}`, id);
		} catch (cause) {
			if (!(cause instanceof ServiceError) || !isModelNotFound(cause, path))
				throw mapServiceError(cause);
			notFound = cause;
		}
	}
	const { models, incompleteReason, ...request } = await listModels(http);
	const model = createModelFinder(models)(id);
	if (model) return { model, ...request };
	const notFoundError =
		notFound ?? new ServiceError('refused', 'The catalog does not have this model');
	throw incompleteReason ? withDetails(notFoundError, { advice: incompleteReason }) : notFoundError;
}

/** Some servers reject an encoded slash with another status, before they look up the id. */
const isModelNotFound = ({ details: { status } }: ServiceError, path: string) =>
	status === 404 || (path.includes('%2F') && (status === 400 || status === 405));

/** The entry may be in a field or a list; of several, the requested one counts. */
async function readModel(http: Http, path: string, id: string) {
	const response = await http.send({ method: 'GET', path });
	const body = await readJson(response);
	const request = getRequestId(response.headers);
	// the object that contains the entry may also have an id
	const entries = [body, ...(isPlainObject(body) ? Object.values(body) : [])]
		.flat()
		.filter(isModel);
	const match = entries.find((entry) => isSameModel(entry.id, id));
	const entry = match ?? (entries.length === 1 || isModel(body) ? entries[0] : undefined);
	if (!entry) throw malformedResponseError(response, JSON.stringify(body));
	return { model: entry, ...request };
}

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

function isModel(value: unknown): value is Model {
	return isPlainObject(value) && typeof value['id'] === 'string' && value['id'] !== '';
}

const UNKNOWN_PAGE: NextPage = { reason: 'the service does not say where the next page is' };

/** Fields that name the next page, by its address or by a value. Of an address, only the query can be requested. */
const NEXT_FIELD = /^next(_?(page|url|link|cursor|token))*$/i;
const MORE_FIELD = /^has_?(more|next(_?page)?)$/i;
const TOTAL_FIELD = /^total(_?(count|items))?$/i;
const PAGE_COUNT_FIELD = /^(total_?pages|page_?count|last_?page)$/i;

/**
 * Finds the next page: by the `Link` header, by an address or a value in a field such as `next`, or after the last id where the
 * service says that there is more. Of an address, only the query is used: the next page is requested from the service itself, on the
 * same path.
 *
 * @param read All that was read, with this page.
 */
function findNextPage({ body, link, models }: CatalogPage, read: ReadPages): NextPage {
	const linked = findNextLink(link);
	if (linked !== undefined) return toNextPage(linked) ?? UNKNOWN_PAGE;
	if (!isPlainObject(body)) return undefined;
	const fields = [body, ...Object.values(body).filter(isPlainObject)].flatMap(Object.entries);
	const find = (names: RegExp) =>
		fields.filter(([name, value]) => names.test(name) && value !== null).map(([, value]) => value);
	const [hasMore] = find(MORE_FIELD).map((value) => String(value).toLowerCase());
	if (hasMore === 'false') return undefined;
	const nextFields = fields.filter(([name, value]) => NEXT_FIELD.test(name) && value);
	const next =
		nextFields.map(([, value]) => toNextPage(value)).find(Boolean) ??
		nextFields.map(toCursorQuery).find(Boolean);
	if (next) return next;
	const last = models.at(-1);
	if (hasMore === 'true' && last)
		return { query: new URLSearchParams({ after: last.id }).toString() };
	const saysMore =
		hasMore === 'true' ||
		nextFields.length > 0 ||
		find(TOTAL_FIELD).some((total) => Number(total) > read.models.size) ||
		find(PAGE_COUNT_FIELD).some((count) => Number(count) > read.queries.size);
	return saysMore ? UNKNOWN_PAGE : undefined;
}

/** The address of the next page in a `Link` header: `<address>; rel="next", <address>; rel="last"`. */
function findNextLink(link = ''): string | undefined {
	return link
		.split('<')
		.map((part) => part.split('>'))
		.find(([, parameters = '']) => parameters.split(/[;,]/).some(isNextRelation))?.[0];
}

const isNextRelation = (parameter: string) => /^\s*rel\s*=.*\bnext\b/i.test(parameter);

function toNextPage(given: unknown): NextPage {
	const address = isPlainObject(given) ? given['href'] : given;
	const [, query] = (typeof address === 'string' && /\?([^#]+)/.exec(address)) || [];
	return query ? { query } : undefined;
}

/**
 * A value is sent as the parameter that its field names, such as `cursor` for `next_cursor`. If the service calls the parameter otherwise,
 * it gives the same entries again, which ends the catalog.
 */
function toCursorQuery([field, value]: [string, unknown]): NextPage {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
	if (!text || /^(https?:|\/)/i.test(text)) return undefined;
	const name = field.replace(/^next_?/i, '') || (typeof value === 'number' ? 'page' : 'cursor');
	const parameter = name.charAt(0).toLowerCase() + name.slice(1);
	return { query: new URLSearchParams({ [parameter]: text }).toString() };
}

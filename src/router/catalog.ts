import { MAX_JSON_BYTES, readJson, readSizedJson } from '../core/body';
import { getRequestId, reportsError, unexpectedBodyError } from '../core/errorResponses';
import { mapServiceError, ServiceError, type ServiceErrorKind, shortenText } from '../core/errors';
import type { Http } from '../core/http';
import { isPlainObject } from '../core/json';
import { readCount } from '../core/money';
import { encodePathSegment, isOwnHost } from '../core/urls';
import { CATALOG_FORMS } from './catalogForms';
import { fits, isText, mergeEntries, toSpecifiedEntry } from './catalogPrices';
import { type Model, createModelFinder, describeMissingModel, isSameModel } from './model';
import { serviceOf } from './services';
import { stringOrEmpty } from './textAnswer';

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
 * @returns also why entries are missing, as a sentence, unless the catalog is complete.
 * @throws ServiceError
 * @see GET /v1/models
 */
export async function listModels(http: Http) {
	const pages: ReadPages = { models: new Map(), queries: new Set(['']), size: 0 };
	const firstPage = await readCatalogPage(http, '');
	let next = addPage(pages, firstPage);
	while (next && 'query' in next) {
		const { query } = next;
		pages.queries.add(query);
		try {
			next = addPage(pages, await readCatalogPage(http, query));
		} catch (cause) {
			if (!(cause instanceof ServiceError) || !TOLERATED_PAGE_FAILURES.includes(cause.kind))
				throw mapServiceError(cause);
			next = { reason: `page ${pages.queries.size} could not be read (${cause.message})` };
		}
	}
	const listed = [...pages.models.values()].slice(0, MAX_MODELS);
	const models = await addListedPrices(http, listed);
	const incompleteReason =
		next && `Only the first ${models.length} entries of the catalog could be read: ${next.reason}.`;
	return { models, ...firstPage.request, ...(incompleteReason && { incompleteReason }) };
}

/** Failures of one page after which the pages before it are still used. */
const TOLERATED_PAGE_FAILURES: ServiceErrorKind[] = ['refused', 'malformed', 'truncated'];

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
	const next = findNextPage(page, models.size);
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
	const models = findModels(body, formNameOf(http), mayBeFreeAt(http));
	if (!models) throw unexpectedBodyError(response, body);
	const { headers } = response;
	return { models, body, size, link: headers['link'], request: getRequestId(headers) };
}

/** The form of the catalog of a service that is known by its host. */
const formNameOf = ({ hostname = '' }: Http) => serviceOf(hostname)?.prices;

const mayBeFreeAt = ({ hostname = '' }: Http) =>
	serviceOf(hostname) !== undefined || isOwnHost(hostname);

/**
 * Adds prices that a service has in another list. Where that cannot be read with this key, the models have none.
 *
 * @throws ServiceError if the service cannot be reached.
 */
async function addListedPrices(http: Http, models: Model[]): Promise<Model[]> {
	const known = formNameOf(http);
	const form = CATALOG_FORMS.find(
		({ name, priceList }) =>
			priceList &&
			(!known || name === known) &&
			models.every((model) => fits(model, priceList.knownBy)),
	);
	if (!form?.priceList || !models.length || models.some(hasPricing)) return models;
	const response = await http.send({ method: 'GET', path: `/v1${form.priceList.path}` });
	const body = await readJson(response).catch((cause: unknown) => {
		if (cause instanceof ServiceError && cause.kind === 'refused') return undefined;
		throw mapServiceError(cause);
	});
	const priced = mergeEntries(findModels(body, form.name) ?? []);
	return models.map((model) => ({ ...model, ...priced.get(model.id) }));
}

/**
 * Reads one entry by its id. Case and separators do not matter.
 *
 * @throws ServiceError `refused` with status 404 if it is not in the catalog.
 * @see GET /v1/models/{model}
 */
export async function getModel(http: Http, id: string) {
	const encoded = encodePathSegment(id, 'Model');
	// the specification does not say whether the slash of an id is encoded as %2F
	const paths = [...new Set([encoded, encoded.replaceAll('%2F', '/')])];
	let notFound: unknown;
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
	throw mapServiceError(notFound, ({ kind, details }) => {
		const advice = incompleteReason ?? CORRECT_MODEL;
		return new ServiceError(kind, describeMissingModel(models, id), { ...details, advice });
	});
}

/** What to do about a model that the catalog does not have. */
export const CORRECT_MODEL = 'Choose a model from the list, or correct its ID.';

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
		.filter(isPlainObject)
		.map((each) => toSpecifiedEntry(each, formNameOf(http), mayBeFreeAt(http)))
		.filter(isModel);
	const match = entries.find((entry) => isSameModel(entry.id, id));
	const entry = match ?? (entries.length === 1 || isModel(body) ? entries[0] : undefined);
	if (!entry) throw unexpectedBodyError(response, body);
	const [model = entry] = await addListedPrices(http, [entry]);
	return { model, ...request };
}

/**
 * The models in a body: a list (Together), or the list in one of its fields, which is `data` almost everywhere (OpenAI, OpenRouter, Vercel
 * AI Gateway, LiteLLM). The specification does not show it. A list with prices comes first, because every model has prices.
 *
 * @param formName As for `toSpecifiedEntry`, like `mayBeFree`.
 * @returns undefined if there is neither a model nor an empty list.
 */
export function findModels(
	body: unknown,
	formName?: string,
	mayBeFree?: boolean,
): Model[] | undefined {
	const lists = [body, ...(isPlainObject(body) ? Object.values(body) : [])].filter(Array.isArray);
	const found = lists.map((list) =>
		list
			.filter(isPlainObject)
			.map((entry) => toSpecifiedEntry(entry, formName, mayBeFree))
			.filter(isModel),
	);
	// Ollama's without a model is null
	const isNull = isPlainObject(body) && body['object'] === 'list' && body['data'] === null;
	const isEmpty = isNull || (lists.length && lists.every((list) => !list.length));
	return (
		found.find((models) => models.some(hasPricing)) ??
		found.find((models) => models.length) ??
		(isEmpty && !reportsError(body) ? [] : undefined)
	);
}

const hasPricing = ({ pricing }: Model) => isPlainObject(pricing);

function isModel(value: unknown): value is Model {
	return isPlainObject(value) && typeof value['id'] === 'string' && value['id'] !== '';
}

/**
 * How the page after one is asked for, by the services that answer at this path: OpenRouter gives an address in `links.next`, Comfy Router
 * a `next_cursor`, and Anthropic and those that follow it a `last_id`. Of an address, only the query is used: the next page is requested
 * from the service itself, on the same path. Whatever else says that there is more is not followed, but said.
 *
 * @param count How many models were read, with those of this page.
 */
function findNextPage({ body, link = '' }: CatalogPage, count: number): NextPage {
	const { links, has_more: hasMore, ...fields } = isPlainObject(body) ? body : {};
	const { next } = isPlainObject(links) ? links : {};
	const [, query] = /\?([^#]+)/.exec(stringOrEmpty(next)) ?? [];
	if (query) return { query };
	if (hasMore === false) return undefined;
	const { next_cursor: cursor, last_id: lastId } = fields;
	if (isText(cursor)) return { query: new URLSearchParams({ cursor }).toString() };
	if (hasMore && isText(lastId))
		return { query: new URLSearchParams({ after_id: lastId }).toString() };
	// OpenRouter, then nexos.ai
	const total = fields['total_count'] ?? fields['total'];
	const signs = { next, has_more: hasMore, ...(link.includes('next') && { link }), ...fields };
	const [name, value] = Object.entries(signs).find(isSignOfMore) ?? [];
	if (name !== undefined) {
		const sign = shortenText(JSON.stringify({ [name]: value }), 100);
		return { reason: `it is not known how to ask for more where the answer has ${sign}` };
	}
	const counted = Number(readCount(total));
	return counted > count ? { reason: `the service counts ${counted}` } : undefined;
}

const isSignOfMore = ([name, value]: [string, unknown]) =>
	Boolean(value) && /next|more|^link$/i.test(name);

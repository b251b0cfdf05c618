import { MAX_JSON_BYTES, readJson, readSizedJson } from '../core/body';
import { malformedResponseError, getRequestId } from '../core/errorResponses';
import { mapServiceError, ServiceError, withDetails } from '../core/errors';
import type { Http } from '../core/http';
import { isPlainObject } from '../core/json';
import { encodePathSegment } from '../core/urls';
import { findModels, findNextPage, isModel } from './catalogPage';
import { type Model, createModelFinder, isSameModel, type ModelKind } from './model';

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

/** @returns the query of the next page, or why there is none although the catalog has more; undefined at its end. */
function addPage(
	pages: ReadPages,
	page: CatalogPage,
): { query: string } | { reason: string } | undefined {
	const { models, queries } = pages;
	const countBefore = models.size;
	for (const model of page.models) if (!models.has(model.id)) models.set(model.id, model);
	pages.size += page.size;
	if (queries.size > 1 && page.models.length && models.size === countBefore)
		return { reason: 'the service gave the same entries again' };
	if (models.size > MAX_MODELS) return { reason: `there are more than ${MAX_MODELS}` };
	const next = findNextPage(page.body, {
		link: page.link,
		count: models.size,
		pageCount: queries.size,
		lastId: page.models.at(-1)?.id,
	});
	if (next === 'nothing') return undefined;
	if (next === 'unknown') return { reason: 'the service does not say where the next page is' };
	if (queries.has(next.query)) return { reason: 'its pages lead back to one that was read' };
	if (queries.size === MAX_PAGES) return { reason: `there are more than ${MAX_PAGES} pages` };
	if (pages.size > MAX_BYTES - MAX_JSON_BYTES)
		return { reason: 'its pages have more than 64 MiB together' };
	return next;
}

interface CatalogPage {
	models: Model[];
	body: unknown;
	/** Characters of the body. */
	size: number;
	/** The `Link` header. */
	link: string | undefined;
	request: { requestId?: string };
}

async function readCatalogPage(http: Http, query: string): Promise<CatalogPage> {
	const path = query ? `/v1/models?${query}` : '/v1/models';
	const response = await http.send({ method: 'GET', path });
	const { value: body, size } = await readSizedJson(response, MAX_JSON_BYTES);
	const models = findModels(body);
	if (!models) throw malformedResponseError(response, JSON.stringify(body));
	const { headers } = response;
	return { models, body, size, link: headers['link'], request: getRequestId(headers) };
}

/** One entry, and the ID of the request that returned it. */
interface FoundModel {
	model: Model;
	requestId?: string;
}

/**
 * Reads one entry by its id. Case and separators do not matter.
 *
 * @throws ServiceError `refused` with status 404 if it is not in the catalog.
 * @see GET /v1/models/{model}
 */
export async function getModel(http: Http, id: string): Promise<FoundModel> {
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
async function readModel(http: Http, path: string, id: string): Promise<FoundModel> {
	const response = await http.send({ method: 'GET', path });
	const body = await readJson(response);
	const request = getRequestId(response.headers);
	// the object that contains the entry may have an id of its own
	const entries = [body, ...(isPlainObject(body) ? Object.values(body) : [])]
		.flat()
		.filter(isModel);
	const match = entries.find((entry) => isSameModel(entry.id, id));
	const entry = match ?? (entries.length === 1 || isModel(body) ? entries[0] : undefined);
	if (!entry) throw malformedResponseError(response, JSON.stringify(body));
	return { model: entry, ...request };
}

/** Criteria for models. Absent ones match every model. */
export interface CatalogFilter {
	kind?: ModelKind | '';
	/** One of the catalog's `input_modalities`. */
	inputModality?: string;
	/** Matches `owned_by`, or the id before the slash. Case and separators do not matter. */
	vendor?: string;
	/** Part of the id or the name. */
	search?: string;
	/** Tokens. */
	minContext?: number;
	/** USD per million tokens; only text models have it. */
	maxInputPrice?: number;
	/** USD per million tokens; only text models have it. */
	maxOutputPrice?: number;
	/** USD per unit, whatever the unit; only media models have it. */
	maxUnitPrice?: number;
}

/**
 * Whether a model matches. Missing data is no reason to leave a model out: one without a kind matches every kind, one without
 * a price every limit of its price.
 */
export function matchesFilter(model: Model, filter: CatalogFilter): boolean {
	return FILTER_CRITERIA.every((matches) => matches(model, filter));
}

const FILTER_CRITERIA: Array<(model: Model, filter: CatalogFilter) => boolean> = [
	(model, { kind }) => !kind || !model.kind || model.kind === kind,
	({ input_modalities: accepted }, { inputModality }) =>
		!inputModality || !Array.isArray(accepted) || accepted.includes(inputModality),
	(model, { vendor }) => !vendor || isFromVendor(model, vendor),
	(model, { search }) => !search || matchesSearch(model, search),
	({ context_length: tokens }, { minContext }) =>
		!minContext || !isFiniteNumber(tokens) || tokens >= minContext,
	(model, { maxInputPrice }) => isWithinPrice(model, maxInputPrice, 'input_per_mtok'),
	(model, { maxOutputPrice }) => isWithinPrice(model, maxOutputPrice, 'output_per_mtok'),
	(model, { maxUnitPrice }) => isWithinPrice(model, maxUnitPrice, 'per_unit'),
];

/** Sorts models without a kind last. */
export function compareByKnownKind(one: Model, other: Model): number {
	return Number(!one.kind) - Number(!other.kind);
}

function isWithinPrice(
	{ kind, pricing }: Model,
	limit: number | undefined,
	field: string,
): boolean {
	if (limit === undefined) return true;
	const isOfOtherKind = field === 'per_unit' ? kind === 'text' : kind && kind !== 'text';
	if (isOfOtherKind) return false;
	const price = readPrice(pricing, field);
	return price === undefined || price <= limit;
}

/** A price in USD. Undefined, not zero, if there is none. */
export function readPrice(pricing: Model['pricing'], field: string): number | undefined {
	const value = pricing?.[field];
	const price = typeof value === 'string' && value.trim() ? Number(value) : value;
	return isFiniteNumber(price) && price >= 0 ? price : undefined;
}

const isFiniteNumber = (value: unknown): value is number =>
	typeof value === 'number' && Number.isFinite(value);

function isFromVendor({ id, owned_by: owner }: Model, vendor: string): boolean {
	const prefix = id.includes('/') ? id.split('/')[0] : undefined;
	const wanted = normalizeName(vendor);
	return (
		!wanted ||
		[owner, prefix].some((name) => typeof name === 'string' && normalizeName(name) === wanted)
	);
}

const normalizeName = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function matchesSearch({ id, name }: Model, search: string): boolean {
	const wanted = normalizeName(search);
	return [name, id].some(
		(candidate) =>
			typeof candidate === 'string' &&
			(wanted ? normalizeName(candidate).includes(wanted) : candidate.includes(search.trim())),
	);
}

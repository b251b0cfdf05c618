import { explained, ServiceError } from '../service/errors';
import { garbled, requestIdOf } from '../service/refusals';
import type { Http } from '../service/http';
import { readJson } from '../service/readBody';
import { isObject } from '../service/json';
import { pathSegment } from '../service/pathSegment';

export type ModelKind = 'text' | 'image' | 'video' | 'music' | 'audio';

/** A catalog entry. Fields without data are absent, never zero; fields that the specification does not name are kept. */
export interface Model {
	/** Value for the request field `model`. */
	id: string;
	name?: string;
	owned_by?: string;
	kind?: ModelKind;
	/** Context window in tokens, prompt and answer together. */
	context_length?: number;
	/** What it takes: `text`, `image`, `audio`, `video`, `file`. */
	input_modalities?: string[];
	/** The caller's own price in USD. */
	pricing?: Record<string, unknown>;
	[field: string]: unknown;
}

export interface Catalog {
	models: Model[];
	requestId?: string;
}

/**
 * Lists the catalog with the caller's own prices.
 *
 * The wrapper around the list is not in the specification: a bare list, a list in any field, and an object keyed by id are
 * all read.
 *
 * @throws ServiceError
 * @see GET /v1/models
 */
export async function listModels(http: Http): Promise<Catalog> {
	const response = await http.send({ method: 'GET', path: '/v1/models' });
	const body = await readJson(response);
	const models = entriesOf(body);
	if (!models) throw garbled(response, JSON.stringify(body));
	return { models, ...requestIdOf(response.headers) };
}

/** One entry, and the request that it came with. */
export interface Found {
	model: Model;
	requestId?: string;
}

/**
 * Reads one entry by its id, in any spelling: case and separators do not matter.
 *
 * @throws ServiceError `refused` with status 404 when the catalog does not have it.
 * @see GET /v1/models/{model}
 */
export async function getModel(http: Http, id: string): Promise<Found> {
	const encoded = pathSegment(id, 'Model');
	// whether the slash of an id is sent as %2F or as it is, is not specified
	const paths = [...new Set([encoded, encoded.replaceAll('%2F', '/')])];
	let notFound: ServiceError | undefined;
	for (const path of paths) {
		try {
			return await readEntry(http, `/v1/models/${path}`, id);
		} catch (cause) {
			if (!(cause instanceof ServiceError) || !isUnknown(cause, path)) throw explained(cause);
			notFound = cause;
		}
	}
	const { models, ...request } = await listModels(http);
	const model = modelFinder(models)(id);
	if (!model) throw notFound ?? new ServiceError('refused', 'The catalog does not have this model');
	return { model, ...request };
}

/** Some servers refuse an encoded slash as such, before they look for anything. */
const isUnknown = ({ details: { status } }: ServiceError, path: string) =>
	status === 404 || (path.includes('%2F') && (status === 400 || status === 405));

/** Makes a search for models by their ids in any spelling; one that is spelled exactly so goes first. */
export function modelFinder(models: readonly Model[]): (id: string) => Model | undefined {
	const exact = new Map(models.map((model) => [model.id, model]));
	const alike = new Map([...models].reverse().map((model) => [plainId(model.id), model]));
	return (id) => exact.get(id) ?? alike.get(plainId(id));
}

/** Whether two spellings name the same model. The slash between vendor and model does count. */
export function spelledAlike(one: string, other: string): boolean {
	return plainId(one) === plainId(other);
}

/** What is the same for all spellings of an id. */
export const plainId = (id: string) => id.toLowerCase().replace(/[^\p{L}\p{N}/]/gu, '');

/** The entry may be in a field or a list; of several the one that was asked for counts. */
async function readEntry(http: Http, path: string, id: string): Promise<Found> {
	const response = await http.send({ method: 'GET', path });
	const body = await readJson(response);
	const request = requestIdOf(response.headers);
	// what is around the entry may have an id of its own
	const entries = [body, ...(isObject(body) ? Object.values(body) : [])].flat().filter(isModel);
	const named = entries.find((entry) => spelledAlike(entry.id, id));
	const entry = named ?? (entries.length === 1 || isModel(body) ? entries[0] : undefined);
	if (!entry) throw garbled(response, JSON.stringify(body));
	return { model: entry, ...request };
}

function entriesOf(body: unknown): Model[] | undefined {
	if (Array.isArray(body)) return body.filter(isModel);
	if (!isObject(body)) return undefined;
	const fields = Object.values(body);
	const lists = fields.filter((field) => Array.isArray(field));
	const listed = joined(lists);
	if (listed) return listed;
	const keyed = Object.entries(body).flatMap(([id, entry]) =>
		isObject(entry) ? [{ id, ...entry }] : [],
	);
	if (keyed.some((entry) => isObject((entry as Record<string, unknown>)['pricing'])))
		return keyed.filter(isModel);
	const deeper = fields
		.filter(isObject)
		.map(entriesOf)
		.filter((entries) => entries !== undefined);
	return (
		joined(deeper) ?? deeper[0] ?? (lists.some((entries) => entries.length === 0) ? [] : undefined)
	);
}

/** All lists with prices, since there may be one for each kind or vendor; without any, the first that has ids. */
function joined(lists: unknown[][]): Model[] | undefined {
	const priced = lists.filter((entries) =>
		entries.some((entry) => isModel(entry) && isObject(entry.pricing)),
	);
	const list = priced.length ? priced.flat() : lists.find((entries) => entries.some(isModel));
	return list?.filter(isModel);
}

function isModel(value: unknown): value is Model {
	return isObject(value) && typeof value['id'] === 'string' && value['id'] !== '';
}

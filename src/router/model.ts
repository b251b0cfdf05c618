import { invalidInputError, ServiceError, shortenText, withDetails } from '../core/errors';
import { normalizeModelId } from '../core/modelLists';
import { readDecimal } from '../core/money';

/** What a media job makes: the path segment of its start. */
export const mediaTypes = ['images', 'videos', 'music', 'audio'] as const;
export type MediaType = (typeof mediaTypes)[number];

/** The model kind of a media type. */
export function kindOfMediaType(mediaType: MediaType): 'image' | 'video' | 'music' | 'audio' {
	return mediaType === 'images' ? 'image' : mediaType === 'videos' ? 'video' : mediaType;
}

/** What models of a kind do, and which operation to use for them. */
const KIND_DESCRIPTIONS: Record<ModelKind, { does: string; operation: string }> = {
	text: { does: 'answers with text', operation: '"Text: Message a Model"' },
	image: { does: 'makes images', operation: '"Media" with the Media Type "Image"' },
	video: { does: 'makes videos', operation: '"Media" with the Media Type "Video"' },
	music: { does: 'makes music', operation: '"Media" with the Media Type "Music"' },
	audio: { does: 'makes speech and sound', operation: '"Media" with the Media Type "Speech"' },
};

/**
 * Rejects a model of another kind than the operation needs. A model without a kind in the catalog is accepted.
 *
 * @param where A sentence about the operation that the advice names, for another node than the one that has it.
 * @throws ServiceError `invalid`.
 */
export function checkKind({ id, kind }: Model, needed: ModelKind, where?: string): void {
	if (!kind || kind === needed || !Object.hasOwn(KIND_DESCRIPTIONS, kind)) return;
	const error = wrongKindError(id, kind);
	throw where ? withDetails(error, { advice: `${error.details.advice} ${where}` }) : error;
}

/** Explains the router's `wrong_endpoint` as `checkKind` does; the router's message names the right endpoint, hence the kind. */
export function explainWrongEndpoint(error: ServiceError, id = ''): ServiceError {
	const { reason = '' } = error.details;
	const { message, details } = wrongKindError(id, findKindInMessage(reason));
	return withDetails(new ServiceError(error.kind, message, error.details), details);
}

/** The kind of the endpoint that a message names; undefined if it names several. */
function findKindInMessage(reason: string): ModelKind | undefined {
	const isText = /\/(chat\/completions|responses)\b/.test(reason);
	const [media, another] = mediaTypes.filter((one) => new RegExp(`\\b${one}/jobs`).test(reason));
	if (isText) return media ? undefined : 'text';
	return media && !another ? kindOfMediaType(media) : undefined;
}

function wrongKindError(id: string, kind: ModelKind | undefined): ServiceError {
	const name = id ? `The model ${id}` : 'This model';
	if (!kind)
		return invalidInputError(
			`${name} is of another kind than this operation needs`,
			`Use ${KIND_DESCRIPTIONS.text.operation} for text models, "Media" for image, video, music and audio models.`,
		);
	const { does, operation } = KIND_DESCRIPTIONS[kind];
	return invalidInputError(`${name} ${does}`, `Use ${operation} for it.`);
}

export type ModelKind = 'text' | 'image' | 'video' | 'music' | 'audio';

/** A catalog entry. Fields without data are absent, never zero. Fields that are not in the specification are kept. */
export interface Model {
	/** Value for the request field `model`. */
	id: string;
	name?: string;
	owned_by?: string;
	kind?: ModelKind;
	/** Context window in tokens, prompt and answer together. */
	context_length?: number;
	/** The longest answer in tokens. */
	max_output_tokens?: number;
	/** Accepted inputs: `text`, `image`, `audio`, `video`, `file`. */
	input_modalities?: string[];
	/** The caller's own prices in USD. */
	pricing?: Record<string, unknown>;
	[field: string]: unknown;
}

/** Creates a lookup of models by id in any spelling. An exact match comes first. */
export function createModelFinder(models: readonly Model[]): (id: string) => Model | undefined {
	const byId = new Map(models.map((model) => [model.id, model]));
	const byNormalizedId = new Map(
		[...models].reverse().map((model) => [normalizeModelId(model.id), model]),
	);
	return (id) => byId.get(id) ?? byNormalizedId.get(normalizeModelId(id));
}

/** Whether two ids name the same model. */
export function isSameModel(one: string, other: string): boolean {
	return one === other || normalizeModelId(one) === normalizeModelId(other);
}

/**
 * The IDs that the model of an answer may have in a catalog: the answer names the day of a model, and behind a gateway it names it without
 * its vendor.
 *
 * @param asked The ID that was asked for, e.g. `openai/gpt-5-mini`.
 * @see test/service/modelServices: OpenAI (`gpt-5-mini-2025-08-07`), Anthropic (`claude-haiku-4-5-20251001`), Portkey
 */
export function idsOfAnswered(answered: string, asked: string): string[] {
	const vendor = asked.slice(0, asked.lastIndexOf('/') + 1);
	const ids = [answered, answered.replace(DAY, '')];
	return [...ids, ...ids.map((id) => vendor + id)];
}

const DAY = /-(\d{4}-\d{2}-\d{2}|\d{8})$/;

/** Says that a model is not among those of the catalog, and which one is meant, if one is near. */
export function describeMissingModel(models: readonly Model[], id: string): string {
	const nearest = findNearestModel(models, id);
	const sentence = `The catalog does not have the model ${shortenText(id, 200)}`;
	return nearest ? `${sentence}. Did you mean ${nearest.id}?` : sentence;
}

/** The model whose ID, or whose ID without its vendor, differs least: in a third of the letters of the name at most. */
function findNearestModel(models: readonly Model[], id: string): Model | undefined {
	const wanted = normalizeModelId(id);
	const most = Math.floor(nameOf(wanted).length / 3);
	const [nearest] = models
		.map((model) => {
			const other = normalizeModelId(model.id);
			const whole = editDistance(wanted, other, most);
			return {
				model,
				whole,
				least: Math.min(whole, editDistance(nameOf(wanted), nameOf(other), most)),
			};
		})
		.filter(({ least }) => least <= most)
		.sort((one, other) => one.least - other.least || one.whole - other.whole);
	return nearest?.model;
}

/** What comes after the vendor. */
const nameOf = (id: string) => id.slice(id.lastIndexOf('/') + 1);

/** How many letters have to be changed, added or removed (Levenshtein). Not counted on beyond the most. */
function editDistance(one: string, other: string, most: number): number {
	if (Math.abs(one.length - other.length) > most) return most + 1;
	let row = Array.from({ length: other.length + 1 }, (_, at) => at);
	for (let at = 1; at <= one.length; at++) {
		const above = row;
		row = [at];
		for (let to = 1; to <= other.length; to++) {
			const replaced = above[to - 1]! + Number(one[at - 1] !== other[to - 1]);
			row.push(Math.min(replaced, above[to]! + 1, row[to - 1]! + 1));
		}
		if (row.every((count) => count > most)) return most + 1;
	}
	return row[other.length]!;
}

/** Criteria for models. Absent ones match every model. */
export interface CatalogFilter {
	kind?: ModelKind | '';
	/** One of the catalog's `input_modalities`. */
	inputModality?: string;
	/** Part of the id, the name or `owned_by`. Case and separators do not matter. */
	search?: string;
	/** Tokens. */
	minContext?: number;
	/** USD per million tokens; only text models have it. */
	maxInputPrice?: number;
	/** USD per million tokens; only text models have it. */
	maxOutputPrice?: number;
}

/**
 * Whether a model matches. Missing data is no reason to leave a model out: one without a kind matches every kind that its
 * price allows, one without a price every limit of its price.
 */
export function matchesFilter(model: Model, filter: CatalogFilter): boolean {
	const { input_modalities: inputs, context_length: tokens } = model;
	const { kind, inputModality, search, minContext } = filter;
	return (
		(!kind || (model.kind || kindOfPrice(model) || kind) === kind) &&
		(!inputModality || !Array.isArray(inputs) || inputs.includes(inputModality)) &&
		(!search || matchesSearch(model, search)) &&
		(!minContext || typeof tokens !== 'number' || tokens >= minContext) &&
		isWithinPrice(model, filter.maxInputPrice, 'input_per_mtok') &&
		isWithinPrice(model, filter.maxOutputPrice, 'output_per_mtok')
	);
}

/** Only text models have prices per token; a unit may be of any other kind. */
function kindOfPrice({ pricing }: Model): ModelKind | undefined {
	const hasPrice = (field: string) => readPrice(pricing, field) !== undefined;
	const perToken = hasPrice('input_per_mtok') || hasPrice('output_per_mtok');
	return perToken && !hasPrice('per_unit') ? 'text' : undefined;
}

function isWithinPrice({ kind, pricing }: Model, limit: number | undefined, field: string) {
	if (limit === undefined) return true;
	if (kind && kind !== 'text') return false;
	const price = readPrice(pricing, field);
	return price === undefined || price <= limit;
}

/** A price in USD. Undefined, not zero, if there is none. */
export const readPrice = (pricing: Model['pricing'], field: string): number | undefined =>
	readDecimal(pricing?.[field])?.toNumber();

const normalizeName = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function matchesSearch({ id, name, owned_by: vendor }: Model, search: string): boolean {
	const wanted = normalizeName(search);
	return [name, id, vendor].some(
		(candidate) =>
			typeof candidate === 'string' &&
			(wanted ? normalizeName(candidate).includes(wanted) : candidate.includes(search.trim())),
	);
}

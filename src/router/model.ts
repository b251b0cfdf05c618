import { invalidInputError, ServiceError, withDetails } from '../core/errors';

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
	const [message, advice] = describeWrongKind(id, kind);
	throw invalidInputError(message, where ? `${advice} ${where}` : advice);
}

/** Explains the router's `wrong_endpoint` as `checkKind` does; the router's message names the right endpoint, hence the kind. */
export function explainWrongEndpoint(error: ServiceError, model: unknown): ServiceError {
	const { code, reason = '' } = error.details;
	if (code !== 'wrong_endpoint') return error;
	const [message, advice] = describeWrongKind(
		typeof model === 'string' ? model : '',
		findKindInMessage(reason),
	);
	return withDetails(new ServiceError(error.kind, message, error.details), { advice });
}

const ENDPOINT_KINDS: Array<[endpoint: RegExp, kind: ModelKind]> = [
	[/\/(chat\/completions|responses)\b/, 'text'],
	...mediaTypes.map((mediaType): [RegExp, ModelKind] => [
		new RegExp(`\\b${mediaType}/jobs`),
		kindOfMediaType(mediaType),
	]),
];

/** The kind of the endpoint that a message names; undefined if it names several. */
function findKindInMessage(reason: string): ModelKind | undefined {
	const [match, secondMatch] = ENDPOINT_KINDS.filter(([endpoint]) => endpoint.test(reason));
	return secondMatch ? undefined : match?.[1];
}

function describeWrongKind(
	id: string,
	kind: ModelKind | undefined,
): [message: string, advice: string] {
	const name = id ? `The model ${id}` : 'This model';
	if (!kind) {
		return [
			`${name} is of another kind than this operation needs`,
			`Use ${KIND_DESCRIPTIONS.text.operation} for text models, "Media" for image, video, music and audio models.`,
		];
	}
	return [
		`${name} ${KIND_DESCRIPTIONS[kind].does}`,
		`Use ${KIND_DESCRIPTIONS[kind].operation} for it.`,
	];
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

/** Whether two ids name the same model. The slash between vendor and model is significant. */
export function isSameModel(one: string, other: string): boolean {
	return normalizeModelId(one) === normalizeModelId(other);
}

/** The same text for all spellings of an id. */
const normalizeModelId = (id: string) => id.toLowerCase().replace(/[^\p{L}\p{N}/]/gu, '');

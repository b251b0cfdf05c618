import { invalid, ServiceError, withDetails } from '../service/errors';
import type { Model, ModelKind } from './models';
import { kindOf, segments } from './segments';

/** What a kind is to the user, and which operation serves it. */
const KINDS: Record<ModelKind, { does: string; operation: string }> = {
	text: { does: 'answers with text', operation: '"Chat: Complete" or "Response: Create"' },
	image: { does: 'makes images', operation: '"Media Job" with the segment "Images"' },
	video: { does: 'makes videos', operation: '"Media Job" with the segment "Videos"' },
	music: { does: 'makes music', operation: '"Media Job" with the segment "Music"' },
	audio: { does: 'makes speech and sound', operation: '"Media Job" with the segment "Audio"' },
};

/**
 * Refuses a model that is of another kind than an operation serves. A kind that the catalog does not say is not judged.
 *
 * @throws ServiceError `invalid`.
 */
export function checkKind({ id, kind }: Model, needed: ModelKind): void {
	if (!kind || kind === needed || !Object.hasOwn(KINDS, kind)) return;
	throw invalid(...wrongKind(id, kind));
}

/** The router's `wrong_endpoint` in the words of `checkKind`; its message names the right endpoint, and so the kind. */
export function explainWrongEndpoint(error: ServiceError, model: unknown): ServiceError {
	const { code, reason = '' } = error.details;
	if (code !== 'wrong_endpoint') return error;
	const [message, advice] = wrongKind(typeof model === 'string' ? model : '', kindNamedIn(reason));
	return withDetails(new ServiceError(error.kind, message, error.details), { advice });
}

const ENDPOINTS: Array<[endpoint: RegExp, kind: ModelKind]> = [
	[/\/(chat\/completions|responses)\b/, 'text'],
	...segments.map((segment): [RegExp, ModelKind] => [
		new RegExp(`\\b${segment}/jobs`),
		kindOf(segment),
	]),
];

/** The kind whose endpoint is named. Where those of several are, which one is right is not said. */
function kindNamedIn(reason: string): ModelKind | undefined {
	const [named, other] = ENDPOINTS.filter(([endpoint]) => endpoint.test(reason));
	return other ? undefined : named?.[1];
}

function wrongKind(id: string, kind: ModelKind | undefined): [message: string, advice: string] {
	const name = id ? `The model ${id}` : 'This model';
	if (!kind) {
		return [
			`${name} is of another kind than this operation serves`,
			`Use ${KINDS.text.operation} for text models, "Media Job" for image, video, music and audio models.`,
		];
	}
	return [`${name} ${KINDS[kind].does}`, `Use ${KINDS[kind].operation} for it.`];
}

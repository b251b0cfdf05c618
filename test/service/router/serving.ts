import type { Answer } from '../answer.ts';
import type { World } from '../world.ts';
import { findModel, type Kind, type Model } from './catalog.ts';
import { invalid, routerError } from './error.ts';
import { servedEntry } from './servedEntry.ts';

/** Section 4C: the segment of the jobs path by kind. */
export const SEGMENTS: Record<Exclude<Kind, 'text'>, string> = {
	image: 'images',
	video: 'videos',
	music: 'music',
	audio: 'audio',
};

const endpointOf = (kind: Kind) =>
	kind === 'text'
		? 'POST /v1/chat/completions or POST /v1/responses'
		: `POST /v1/${SEGMENTS[kind]}/jobs`;

export const isAnswer = (value: object): value is Answer => 'status' in value && 'body' in value;

/** The model a request names, or the refusal when it is unknown or of another kind. */
export function modelFor(world: World, id: unknown, kind: Kind): Model | Answer {
	if (typeof id !== 'string' || id === '') return invalid('model is required, a string');
	const model = findModel(id);
	// not specified: status and code for an unknown model
	if (!model) return routerError(404, 'model_not_found', `There is no model ${id}`);
	if (model.kind === kind) return { ...model, entry: servedEntry(model.entry, world.forms) };
	return routerError(
		world.forms.wrongEndpointStatus,
		'wrong_endpoint',
		`${model.entry.id} is a model of kind ${model.kind}: use ${endpointOf(model.kind)}`,
	);
}

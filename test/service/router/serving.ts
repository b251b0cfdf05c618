import { type Answer, json } from '../answer.ts';
import type { World } from '../world.ts';
import { findModel, type Kind, type Model, listedModels } from './catalog.ts';
import { invalid, routerError } from './error.ts';

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
	if (model.kind === kind) return model;
	return routerError(
		400,
		'wrong_endpoint',
		`${model.entry.id} is a model of kind ${model.kind}: use ${endpointOf(model.kind)}`,
	);
}

/** GET /v1/models; the wrapper around the list is not shown (section 4C). */
export function listModels(world: World): Answer {
	const entries = listedModels(world.personas).map((model) => model.entry);
	return json(
		world.forms.list === 'data' ? { object: 'list', data: entries } : { models: entries },
	);
}

/** GET /v1/models/{model}; the slash of the name may be plain or %2F. */
export function readModel(id: string): Answer {
	const model = findModel(id);
	return model ? json(model.entry) : routerError(404, 'model_not_found', `There is no model ${id}`);
}

import { json, type Answer } from '../answer.ts';
import type { World } from '../world.ts';
import { findModel, MODELS } from './catalog.ts';
import { routerError } from './error.ts';
import { servedEntry } from './servedEntry.ts';

/** GET /v1/models; the wrapper around the list is not shown (section 4C). */
export function listModels(world: World): Answer {
	const entries = MODELS.map(({ entry }) => servedEntry(entry, world.forms));
	switch (world.forms.list) {
		case 'data':
			return json({ object: 'list', data: entries });
		case 'array':
			return json(entries);
		case 'models':
			return json({ models: entries });
		case 'object-by-id':
			return json(Object.fromEntries(entries.map((entry) => [entry.id, entry])));
	}
}

/** GET /v1/models/{model}; the slash of the name may be plain or %2F. */
export function readModel(world: World, id: string): Answer {
	const model = findModel(id);
	if (!model) return routerError(404, 'model_not_found', `There is no model ${id}`);
	const entry = servedEntry(model.entry, world.forms);
	return json(world.forms.entry === 'bare' ? entry : { [world.forms.entry]: entry });
}

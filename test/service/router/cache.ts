import { wordsOf } from '../directives.ts';
import type { World } from '../world.ts';
import type { Ask } from './ask.ts';
import type { Model } from './catalog.ts';
import type { Plan } from './plan.ts';

/**
 * Keeps the tools and the prompt up to a marked part in the cache of an account, as Anthropic's models do, and counts what was in it. The
 * tools are compared as they were written. Section 8 says nothing of what writing costs: here, what any input costs.
 */
export function useCache(world: World, key: string, model: Model, ask: Ask, plan: Plan) {
	if (ask.marked === undefined) return;
	const entry = JSON.stringify([key, model.entry.id, ask.tools, ask.marked]);
	plan.cachedTokens = world.cached.has(entry) ? wordsOf(ask.marked).length : 0;
	world.cached.add(entry);
}

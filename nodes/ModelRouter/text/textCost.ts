import { leftIn, type Caps } from '../../../src/core/budget';
import type { Model } from '../../../src/router/model';
import { type CostBound, maximumTextCost, type NoCostBound } from '../../../src/router/pricing';
import { type Protocol, protocols } from './protocols';

/** The entry of a model in the catalog, or why there is none. */
export type FoundModel = { entry: Model } | { missing: string };

/** A request as it is sent, and the most that it can cost then. */
export interface LimitedRequest<Body> {
	body: Body;
	cost: CostBound | NoCostBound;
}

/** Limits the output tokens of a request to what its caps afford, unless it sets a maximum itself. */
export function limitOutput<Body extends Record<string, unknown>>(
	found: FoundModel,
	body: Body,
	{ protocol, caps }: { protocol: Protocol; caps: Caps },
): LimitedRequest<Body> {
	if ('missing' in found) return { body, cost: { unbounded: found.missing } };
	const cost = maximumTextCost(found.entry, body, leftIn(caps));
	const maxTokens = 'maxTokens' in cost && { [protocols[protocol].maxTokens]: cost.maxTokens };
	return { body: { ...body, ...maxTokens }, cost };
}

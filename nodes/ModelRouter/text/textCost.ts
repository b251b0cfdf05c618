import { type Bound, type Caps, leftIn } from '../../../src/core/budget';
import { mapServiceError, ServiceError, withDetails } from '../../../src/core/errors';
import type { Http } from '../../../src/core/http';
import { explainBalance } from '../../../src/router/advice';
import type { Model } from '../../../src/router/model';
import {
	type CostBound,
	maximumTextCost,
	type NoCostBound,
	textCost,
	toTextBound,
} from '../../../src/router/pricing';
import { type Protocol, protocols } from './protocols';
import { type PricedAnswer, toCostFields } from './textOutput';

/** The entry of a model in the catalog, or why there is none. */
export type FoundModel = { entry: Model } | { missing: string };

/** A request as it is sent, and the most that it can cost then. */
interface LimitedRequest<Body> {
	body: Body;
	cost: CostBound | NoCostBound;
	/** The same for its caps. */
	bound: Bound;
}

/** Limits the output tokens of a request to what its caps afford, unless it sets a maximum itself. */
export function limitOutput<Body extends Record<string, unknown>>(
	found: FoundModel,
	body: Body,
	{ protocol, caps }: { protocol: Protocol; caps: Caps },
): LimitedRequest<Body> {
	const cost =
		'entry' in found
			? maximumTextCost(found.entry, body, leftIn(caps))
			: { unbounded: found.missing };
	const { maxTokens } = cost;
	const limit = maxTokens !== undefined && { [protocols[protocol].maxTokens]: maxTokens };
	return { body: { ...body, ...limit }, cost, bound: toTextBound(cost) };
}

interface PaidRequest {
	protocol: Protocol;
	body: object;
	/** Of the catalog, if it has the model. */
	model: Model | undefined;
	onText(text: string): unknown;
	/** Other requests of the account that are under way. */
	countOthers(): number;
}

/** Asks a model. The answer has its cost; one that broke off has it in `details.partial`. */
export async function askWithCost(
	http: Http,
	{ protocol, body, model, onText, countOthers }: PaidRequest,
): Promise<PricedAnswer> {
	const addCost = <Answer extends object>(answer: Answer) => ({
		...answer,
		...toCostFields(costOfAnswer(answer, model)),
	});
	try {
		return addCost(await protocols[protocol].ask(http, body as never, onText as never));
	} catch (cause) {
		throw mapServiceError(cause, (error) => {
			const { partial } = error.details;
			const request = { body: body as Record<string, unknown>, model, others: countOthers() };
			const explained = explainBalance(error, request);
			return partial ? withDetails(explained, { partial: addCost(partial) }) : explained;
		});
	}
}

/** What an answer has cost, also one that broke off, in micro-dollars. Undefined if it is not known. */
export function costOfAnswer(
	ended: object | ServiceError,
	model: Model | undefined,
): number | undefined {
	const answer = ended instanceof ServiceError ? ended.details.partial : ended;
	return textCost(model?.pricing, answer && 'usage' in answer ? answer.usage : undefined);
}

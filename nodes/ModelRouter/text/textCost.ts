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
import type { OnText } from '../../../src/router/textStream';
import { type Protocol, protocols } from './protocols';
import { type PricedAnswer, toCostFields } from './textOutput';

/** The entry of a model in the catalog, or why there is none. */
export type FoundModel = { entry: Model } | MissingModel;

export interface MissingModel {
	missing: string;
	/** What to do about it, where it is not only to allow an unknown cost. */
	remedy?: string;
}

/**
 * Limits the output tokens of a request to what its caps afford, unless it sets a maximum itself.
 *
 * @returns the request as it is sent, and the most that it can cost then: in figures, and for its caps.
 */
export function limitOutput<Body extends Record<string, unknown>>(
	found: FoundModel,
	body: Body,
	{ protocol, caps }: { protocol: Protocol; caps: Caps },
): { body: Body; cost: CostBound | NoCostBound; bound: Bound } {
	const cost =
		'entry' in found
			? maximumTextCost(found.entry, body, leftIn(caps))
			: { unbounded: found.missing, remedy: found.remedy };
	const { maxTokens } = cost;
	const field = protocol === 'responses' ? 'max_output_tokens' : 'max_tokens';
	const limit = maxTokens !== undefined && { [field]: maxTokens };
	return { body: { ...body, ...limit }, cost, bound: toTextBound(cost) };
}

/** How a text request is sent, and what of its answer is kept. */
interface Asking {
	/** Of the catalog, if it has the model. */
	model: Model | undefined;
	onText: OnText;
	/** Counts other requests of the account that are under way. */
	countOthers(): number;
	/** Whether the answer keeps the protocol's own object. */
	keepRaw: boolean;
}

/** Asks a model. The answer has its cost; one that broke off has it in `details.partial`. */
export async function askWithCost(
	http: Http,
	protocol: Protocol,
	body: Record<string, unknown>,
	{ model, onText, countOthers, keepRaw }: Asking,
): Promise<PricedAnswer> {
	const { ask, raw } = protocols[protocol];
	const toPriced = (answer: object): PricedAnswer => {
		const cost = toCostFields(costOfAnswer(answer, model));
		const priced = { ...(answer as PricedAnswer), ...cost };
		if (!keepRaw) delete priced[raw];
		return priced;
	};
	try {
		return toPriced(await ask(http, body as never, onText));
	} catch (cause) {
		throw mapServiceError(cause, (error) => {
			const { partial } = error.details;
			const explained = explainBalance(error, { body, model, others: countOthers() });
			return partial ? withDetails(explained, { partial: toPriced(partial) }) : explained;
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

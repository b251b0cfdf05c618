import { type Bound, reserve, type WaitForOthers } from '../core/reserve';
import { type Caps, checkCaps, checkKnown, leftIn } from '../core/caps';
import type { Decimal } from '../core/money';
import type { FoundModel } from './catalog';
import { invalidInputError, type ServiceError } from '../core/errors';
import { isSpecified } from '../router/catalogPrices';
import { checkInputs, type Modality } from '../router/messages';
import { checkKind, type Model, kindOfMediaType, type MediaType } from '../router/model';
import { unifyOutputLimits } from '../router/outputLimits';
import { ASK_FOR_USAGE } from '../router/ownFields';
import { type CostBound, maximumTextCost, type NoCostBound, PRICED_MODEL } from '../router/pricing';
import { estimatePromptTokens, TEMPLATE_TOKENS } from '../router/promptTokens';
import { type Protocol, protocols } from '../router/protocols';
import { CORRECT_MODEL } from '../router/catalog';
import { minimumJobCost } from '../router/jobPricing';

export type Body = Record<string, unknown> & { model: string };

/** What is sent to one model, and what limits it: the value that is chosen, paid for and read. */
export interface Call<Price extends Priced = Priced> {
	/** As it is sent. */
	model: string;
	found: FoundModel;
	/** Finds another model, in case that one has answered. */
	find(model: string): FoundModel;
	/** Without a limit of our own. */
	body: Body;
	caps: Caps;
	/** Whether it is sent even if its cost cannot be calculated. Absent if it is only estimated. */
	allowUnknownCost?: boolean | undefined;
	/** For the record of spending. */
	label?: string | undefined;
	/** What it may cost. @param left Micro-dollars that are left for it; undefined if nothing limits it. */
	price(left?: Decimal): Price;
}

/** A model to which a request may be sent, as it is sent. */
export type Candidate = Pick<Call, 'model' | 'found' | 'find'>;

/** What a call may cost, and its body as it is then sent. */
type Priced = Bound & { body: Body };

/** What a call may cost within its caps. The only place that says so. @param free Micro-dollars that a shared budget leaves. */
export const bound = <Price extends Priced>(
	{ caps, price }: Pick<Call<Price>, 'caps' | 'price'>,
	free?: Decimal,
): Price => price(leftIn(caps, free));

/** @throws ServiceError `invalid` for a call whose cost is not known or does not fit its caps. Nothing is reserved. */
const checkCall = (call: Call): void =>
	checkCaps(call.caps, bound(call), call.allowUnknownCost ?? false);

/**
 * Reserves what a call may cost in its caps, in the budget and in the record.
 *
 * @returns also the bound that was reserved: its body is to be sent.
 * @throws ServiceError `invalid` if it is not allowed.
 */
export async function reserveCall<Price extends Priced>(
	call: Call<Price>,
	scopes: Parameters<typeof reserve>[0],
	wait?: WaitForOthers,
) {
	// a budget takes longer to ask
	if (scopes.shared) checkCall(call);
	const boundWithin = (free?: Decimal) => {
		const price = bound(call, free);
		checkKnown(price, call.allowUnknownCost ?? false);
		return price;
	};
	return await reserve({ ...call.caps, ...scopes }, boundWithin, wait);
}

/** What a text may cost, in figures too. The body has the output tokens that the caps afford, if it sets no maximum. */
type PricedText = (CostBound | NoCostBound) & { body: Body };

export interface TextCall extends Call<PricedText> {
	protocol: Protocol;
}

/** What limits a text request, whatever the model. */
export type TextLimits = Pick<TextCall, 'protocol' | 'caps' | 'allowUnknownCost' | 'label'>;

/** What of a text request models are judged by, besides its body. */
interface Judged extends TextLimits {
	/** As for `checkInputs`. */
	inputs: ReadonlyArray<Modality | undefined>;
	/** Where these are, in the editor. Absent for a chat model. */
	place?: string;
	/** Those that are parts of messages, if there are others. */
	parts?: readonly Modality[];
}

/**
 * The call of a model that can carry out a text request.
 *
 * @param body As it is sent to the model, except for its output limit and the contents of its files.
 * @throws ServiceError `invalid` for one of another kind, an input that it does not take, and a request that could cost more than the caps,
 *   or an amount that is not known.
 */
export function judgeText(
	{ inputs, place, parts = [], ...limits }: Judged,
	candidate: Candidate,
	body: Body,
	isOfList: boolean,
): TextCall {
	const { entry } = candidate.found;
	const call = withBody({ ...limits, ...candidate }, body);
	if (entry) {
		const where = place ? '' : 'That is an operation of the Model Router node.';
		checkKind(entry, 'text', where);
		checkInputs(entry, inputs, place);
		checkInputs(entry, parts);
		if (isOfList) checkWindow(entry, body);
	}
	// an estimate of one model, where it is absent, shows what it costs, however much that is
	if (isOfList || limits.allowUnknownCost !== undefined) checkCall(call);
	return call;
}

/** Rejects a prompt that is too long at about four bytes per token, as in most languages. @throws ServiceError `invalid`. */
function checkWindow({ context_length: window }: Model, body: Body): void {
	const tokens = estimatePromptTokens(body);
	if (typeof window !== 'number' || tokens === undefined || tokens <= window) return;
	throw invalidInputError(
		`The prompt has about ${tokens} tokens, more than its context window of ${window}`,
	);
}

/** A call with its body, or with another one: the prompt is measured. */
export const withBody = <Of extends Pick<TextCall, 'found' | 'protocol'>>(
	call: Of,
	body: Body,
) => ({
	...call,
	body,
	price: priceText(call.found, body, call.protocol),
});

/** Limits the output tokens of a request: to the maximum that it sets, by whatever name, or else to what its caps allow. */
function priceText(found: FoundModel, body: Body, protocol: Protocol): TextCall['price'] {
	const { limit: own } = protocols[protocol];
	const unified = unifyOutputLimits(body, own);
	const pricing = found.entry?.pricing;
	// where prices are as the specification says, so is the service
	const isSpecifiedService = pricing !== undefined && isSpecified(pricing);
	// the specified router holds the prompt and the maximum output before it asks a model (section 8, cost rule 4)
	const template = isSpecifiedService ? 0 : TEMPLATE_TOKENS;
	const costWithin = found.entry
		? maximumTextCost(found.entry, unified, own, template)
		: () => found;
	const usage = protocol === 'chat' && !isSpecifiedService && ASK_FOR_USAGE;
	return (left) => {
		const cost = costWithin(left);
		const { maxTokens } = cost;
		const limit = maxTokens !== undefined && { [own]: maxTokens };
		return { ...cost, body: { ...unified, ...limit, ...usage } };
	};
}

/** What a job costs at least. */
type PricedJob = Priced & {
	/** In micro-dollars. Undefined without a price. */
	least: Decimal | undefined;
};

/** The start of a media job. */
export interface JobCall extends Call<PricedJob> {
	mediaType: MediaType;
	/** Why nothing may be sent, although the job that the key has started is to be returned. */
	refusal?: ServiceError;
}

/** What limits a start, whatever the model. */
type JobLimits = Pick<JobCall, 'mediaType' | 'caps' | 'allowUnknownCost' | 'label' | 'refusal'>;

/**
 * The call of a model that can make what is asked for.
 *
 * @param body Without its inputs.
 * @throws ServiceError `invalid` for one of another kind, and where even the lowest price exceeds a cap or is not known.
 */
export function judgeJob(
	limits: JobLimits,
	candidate: Candidate,
	body: Record<string, unknown>,
): JobCall {
	const { entry } = candidate.found;
	if (entry) checkKind(entry, kindOfMediaType(limits.mediaType));
	const call = toJobCall(limits, candidate, body);
	checkCall(call);
	return call;
}

export function toJobCall(
	limits: JobLimits,
	candidate: Candidate,
	given: Record<string, unknown>,
): JobCall {
	const { model, found } = candidate;
	const body: Body = { ...given, model };
	const minimum = found.entry && minimumJobCost(found.entry.pricing, body);
	// a line in Prices is for text models
	const remedy = !found.entry && found.trouble === 'model' && { remedy: CORRECT_MODEL };
	const unpriced = found.entry ? NO_PRICE : { ...found, ...remedy };
	const price = { ...(minimum ?? unpriced), body, least: minimum?.microUsd };
	return { ...limits, ...candidate, body, price: () => price };
}

const NO_PRICE = {
	unbounded: 'The catalog has no price for this model',
	remedy: PRICED_MODEL,
};

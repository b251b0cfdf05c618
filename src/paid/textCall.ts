import { invalidInputError } from '../core/errors';
import { isSpecified } from '../router/catalogPrices';
import { checkInputs, type Modality } from '../router/messages';
import { checkKind, type Model } from '../router/model';
import { unifyOutputLimits } from '../router/outputLimits';
import { ASK_FOR_USAGE } from '../router/ownFields';
import { type CostBound, maximumTextCost, type NoCostBound, toTextBound } from '../router/pricing';
import { estimatePromptTokens, TEMPLATE_TOKENS } from '../router/promptTokens';
import { type Protocol, protocols } from '../router/protocols';
import { type Body, type Call, checkCall, type Priced } from './call';
import type { FoundModel } from './catalog';
import type { Candidate } from './choose';

/** What a text may cost, in figures too. The body has the output tokens that the caps afford, if it sets no maximum. */
type PricedText = Priced & { cost: CostBound | NoCostBound };

export interface TextCall extends Call<PricedText> {
	protocol: Protocol;
}

/** What limits a text request, whatever the model. */
export type TextLimits = Pick<TextCall, 'protocol' | 'caps' | 'allowUnknownCost' | 'label'>;

/** A text request, as models are judged by it. */
export interface TextRequest extends TextLimits {
	/** As it is sent to a model, except for its output limit and its files. */
	toBody(model: string): Body;
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
 * @throws ServiceError `invalid` for one of another kind, an input that it does not take, and a request that could cost more than the caps,
 *   or an amount that is not known.
 */
export function judgeText(
	{ toBody, inputs, place, parts = [], ...limits }: TextRequest,
	candidate: Candidate,
	isOfList: boolean,
): TextCall {
	const { found } = candidate;
	const call = toTextCall(limits, candidate, toBody(candidate.model));
	if ('entry' in found) {
		const where = place ? '' : 'That is an operation of the Model Router node.';
		checkKind(found.entry, 'text', where);
		checkInputs(found.entry, inputs, place);
		checkInputs(found.entry, parts);
		if (isOfList) checkWindow(found.entry, call.body);
	}
	// an estimate of one model shows what it costs, however much that is
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

export function toTextCall(
	{ protocol, caps, allowUnknownCost, label }: TextLimits,
	{ model, found, find }: Candidate,
	body: Body,
): TextCall {
	const price = priceText(found, body, protocol);
	return { model, found, find, body, protocol, caps, allowUnknownCost, label, price };
}

/** The same call with another body. The same value for the one that it has, whose prompt is measured. */
export const withBody = (call: TextCall, body: Body): TextCall =>
	body === call.body ? call : toTextCall(call, call, body);

/** Whether a model has its prices as the specification says, so that its service is one that follows it. */
const isOfSpecification = (found: FoundModel) =>
	'entry' in found && found.entry.pricing !== undefined && isSpecified(found.entry.pricing);

/** Limits the output tokens of a request: to the maximum that it sets, by whatever name, or else to what its caps allow. */
function priceText(found: FoundModel, body: Body, protocol: Protocol): TextCall['price'] {
	const { limit: own } = protocols[protocol];
	const unified = unifyOutputLimits(body, own);
	const isSpecifiedService = isOfSpecification(found);
	// the specified router holds the prompt and the maximum output before it asks a model (section 8, cost rule 4)
	const template = isSpecifiedService ? 0 : TEMPLATE_TOKENS;
	const costWithin =
		'entry' in found ? maximumTextCost(found.entry, unified, own, template) : () => found;
	const usage = protocol === 'chat' && !isSpecifiedService && ASK_FOR_USAGE;
	return (left) => {
		const cost = costWithin(left);
		const { maxTokens } = cost;
		const limit = maxTokens !== undefined && { [own]: maxTokens };
		return { ...toTextBound(cost), cost, body: { ...unified, ...limit, ...usage } };
	};
}

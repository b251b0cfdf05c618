import type { ServiceError } from '../core/errors';
import type { Decimal } from '../core/money';
import { CORRECT_MODEL } from '../router/catalog';
import { minimumJobCost } from '../router/jobPricing';
import { checkKind, kindOfMediaType, type MediaType } from '../router/model';
import { type NoCostBound, PRICED_MODEL } from '../router/pricing';
import { type Body, type Call, checkCall, type Priced } from './call';
import type { Candidate } from './choose';

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
export type JobLimits = Pick<JobCall, 'mediaType' | 'caps' | 'allowUnknownCost' | 'label'>;

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
	const { found } = candidate;
	if ('entry' in found) checkKind(found.entry, kindOfMediaType(limits.mediaType));
	const call = toJobCall(limits, candidate, body);
	checkCall(call);
	return call;
}

export function toJobCall(
	{ mediaType, caps, allowUnknownCost, label }: JobLimits,
	{ model, found, find }: Candidate,
	given: Record<string, unknown>,
): JobCall {
	const body: Body = { ...given, model };
	const minimum = 'entry' in found ? minimumJobCost(found.entry.pricing, body) : undefined;
	const unpriced = 'unbounded' in found ? { ...found, ...ofMedia(found) } : NO_PRICE;
	const price = { ...(minimum ?? unpriced), body, least: minimum?.microUsd };
	return { model, found, find, body, mediaType, caps, allowUnknownCost, label, price: () => price };
}

/** A line in Prices is for text models. */
const ofMedia = ({ trouble }: NoCostBound) => trouble === 'model' && { remedy: CORRECT_MODEL };

const NO_PRICE = {
	unbounded: 'The catalog has no price for this model',
	remedy: PRICED_MODEL,
};

import { withDetails, type ServiceError } from '../service/errors';
import { isBalanceTooSmall, dollars } from './advice';
import { readWhole } from './decimal';
import type { Model } from './models';
import { largestOutput } from './prices';

export interface Refused {
	/** What was sent. */
	body: Record<string, unknown>;
	/** The model's entry in the catalog, where it is known. */
	model: Model | undefined;
	/** Requests of the same account that this n8n process had under way at that time. */
	others: number;
}

/**
 * A refusal for lack of balance, with what follows from the router's figures: who holds the money, and the largest cap on
 * output tokens that would fit. Any other error is given back as it is.
 *
 * @see section 7C, `insufficient_balance`
 */
export function explainBalance(
	error: ServiceError,
	{ body, model, others }: Refused,
): ServiceError {
	if (!isBalanceTooSmall(error)) return error;
	const { required, balance, held } = figuresOf(error);
	const largest = largestOutput({
		requiredMicroUsd: required,
		balanceMicroUsd: balance,
		heldMicroUsd: held,
		pricing: model?.pricing,
		body,
	});
	return withDetails(error, {
		advice: [error.details.advice, holderSentence(held, others), capSentence(largest)]
			.filter(Boolean)
			.join(' '),
		computed: {
			...inDollars({ requiredUsd: required, balanceUsd: balance, heldUsd: held }),
			ownRequestsUnderWay: others,
			...(largest !== undefined && { largestMaximumOutputTokens: largest }),
		},
	});
}

/**
 * The same for the start of a media job, where what is held is the job's cost, and more for a configuration that is new.
 *
 * @param leastMicroUsd What the job costs at least by the catalog, where that is known.
 * @param others Requests of the same account that this n8n process had under way at that time.
 * @see section 8, cost rule 4
 */
export function explainJobBalance(
	error: ServiceError,
	{ leastMicroUsd, others }: { leastMicroUsd: bigint | undefined; others: number },
): ServiceError {
	if (!isBalanceTooSmall(error)) return error;
	const { required, balance, held } = figuresOf(error);
	const least = leastMicroUsd === undefined ? undefined : String(leastMicroUsd);
	const atLeast = least === undefined ? '' : ` By the catalog it costs ${dollars(least)} at least.`;
	const margin = `What is needed is the job's cost, and at the first use of a configuration (a new model, a first 4K clip) a margin, which the next start does not need.${atLeast}`;
	return withDetails(error, {
		advice: [error.details.advice, holderSentence(held, others), margin].filter(Boolean).join(' '),
		computed: {
			...inDollars({
				requiredUsd: required,
				balanceUsd: balance,
				heldUsd: held,
				leastCostUsd: least,
			}),
			ownRequestsUnderWay: others,
		},
	});
}

function figuresOf({ details: { meta = {} } }: ServiceError) {
	return {
		required: meta['required_micro_usd'],
		balance: meta['balance_micro_usd'],
		held: meta['held_micro_usd'],
	};
}

function inDollars(amounts: Record<string, unknown>): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(amounts)
			.map(([name, amount]) => [name, dollars(amount)])
			.filter(([, amount]) => amount !== undefined),
	);
}

function holderSentence(held: unknown, others: number): string | undefined {
	if ((readWhole(held) ?? 0n) <= 0n) return undefined;
	if (!others)
		return 'What is held belongs to media jobs that are not finished, or to requests from outside of this n8n process.';
	const requests =
		others === 1 ? 'One more of your own requests is' : `${others} more of your own requests are`;
	return `${requests} under way in this n8n and ${others === 1 ? 'holds' : 'hold'} money: lower "Items at Once" in Request Settings, or send this one later.`;
}

function capSentence(largest: number | undefined): string {
	if (largest === undefined) return 'A lower "Maximum Output Tokens" needs less.';
	return largest
		? `The largest "Maximum Output Tokens" that fits now is ${largest}.`
		: 'Not even one output token fits: lowering "Maximum Output Tokens" does not help.';
}

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
	const { meta = {} } = error.details;
	const { required_micro_usd: required, balance_micro_usd: balance } = meta;
	const held = meta['held_micro_usd'];
	const largest = largestOutput({
		requiredMicroUsd: required,
		balanceMicroUsd: balance,
		heldMicroUsd: held,
		pricing: model?.pricing,
		body,
	});
	const figures = Object.entries({ requiredUsd: required, balanceUsd: balance, heldUsd: held })
		.map(([name, amount]) => [name, dollars(amount)])
		.filter(([, amount]) => amount !== undefined);
	return withDetails(error, {
		advice: [error.details.advice, holderSentence(held, others), capSentence(largest)]
			.filter(Boolean)
			.join(' '),
		computed: {
			...Object.fromEntries(figures),
			ownRequestsUnderWay: others,
			...(largest !== undefined && { largestMaximumOutputTokens: largest }),
		},
	});
}

function holderSentence(held: unknown, others: number): string | undefined {
	if ((readWhole(held) ?? 0n) <= 0n) return undefined;
	if (!others) return 'What is held belongs to requests from outside of this n8n process.';
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

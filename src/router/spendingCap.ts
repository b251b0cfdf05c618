import { invalidInputError, type ServiceError } from '../core/errors';
import { formatUsd, floorToMicroUsd, readInteger, ZERO, type Decimal } from './money';
import type { CostBound, MinimumJobCost, NoCostBound } from './pricing';

/** The estimated costs of the jobs of one execution. Plain data: it is stored with the execution. */
interface Spending {
	/** The sum so far, as digits. */
	microUsd: string;
	/** Why the sum is incomplete, as the end of a sentence. The name is stored in executions. */
	untold?: string;
}

/** The state before the first start. */
export const emptySpending = (): Spending => ({ microUsd: '0' });

/**
 * Adds the estimated cost of a started job, in micro-dollars. If it is missing or not a whole number, the sum becomes unknown.
 *
 * @param minimum The minimum cost of the job by the catalog. It replaces a lower estimate, which would weaken the cap.
 */
export function addEstimate(spending: Spending, estimate: unknown, minimum = ZERO): void {
	const amount = readInteger(estimate);
	if (amount?.gte(0)) {
		spending.microUsd = (amount.gt(minimum) ? amount : minimum).plus(spending.microUsd).toFixed();
	} else {
		spending.untold ??=
			estimate === undefined
				? 'the service did not report the estimated cost of an earlier job'
				: 'the estimated cost of an earlier job is not a whole number of micro-dollars';
	}
}

/** Records that the outcome of a start, and so its cost, is unknown. */
export function markSpendingUnknown(spending: Spending): void {
	spending.untold ??= 'it is not known whether an earlier job was started';
}

/** @throws ServiceError `invalid` when this execution may not start more jobs. @param cap USD. */
export function checkExecutionCap({ microUsd, untold }: Spending, cap: number): void {
	if (untold !== undefined) {
		throw invalidInputError(
			`The spending cap for this execution cannot be enforced: ${untold}`,
			'Nothing was sent for this item. Check what was started; remove "Spending Cap per Execution" to start the rest anyway.',
		);
	}
	if (allowedMicroUsd(cap).gt(microUsd)) return;
	throw invalidInputError(
		`The spending cap of ${formatCap(cap)} for this execution is reached`,
		`Nothing was sent for this item. The jobs that were started before are estimated at ${formatUsd(microUsd)}, by the service or, where that is more, by the catalog. Raise "Spending Cap per Execution", or start the rest in another execution.`,
	);
}

/**
 * Rejects a job whose minimum cost exceeds a cap.
 *
 * @param cap USD.
 * @param name The label of the cap in the editor.
 * @throws ServiceError `invalid`.
 */
export function checkMinimumCost(
	{ microUsd, counted }: MinimumJobCost,
	cap: number,
	name: string,
): void {
	if (microUsd.lte(allowedMicroUsd(cap))) return;
	throw invalidInputError(
		`This costs at least ${formatUsd(microUsd)}, more than the spending cap of ${formatCap(cap)}`,
		`Nothing was sent. The catalog has the price of the cheapest configuration: ${counted}. Ask for less, or raise "${name}".`,
	);
}

/**
 * Rejects a text request that could cost more than a cap, or whose cost is not known.
 *
 * @param bound The most that it can cost.
 * @throws ServiceError `invalid`.
 */
export function checkMaximumCost(
	bound: CostBound | NoCostBound,
	{
		cap,
		name,
		allowUnknownCost,
	}: {
		/** USD. */
		cap: number;
		/** The label of the cap in the editor. */
		name: string;
		allowUnknownCost: boolean;
	},
): void {
	const allowed = allowedMicroUsd(cap);
	if ('unbounded' in bound) {
		if (!allowUnknownCost) throw unknownCostError(lowerFirst(bound.unbounded));
		if (allowed.gt(0)) return;
		throw invalidInputError(
			`The spending cap of ${formatCap(cap)} allows no cost, and this cost is unknown: ${lowerFirst(bound.unbounded)}`,
			`Nothing was sent. To send it anyway, raise "${name}".`,
		);
	}
	if (allowed.gte(bound.microUsd)) return;
	const prompt =
		bound.promptCountedBy === 'bytes'
			? `At most ${bound.promptTokens} tokens go in`
			: `The prompt is counted as the whole context window of the model, ${bound.promptTokens} tokens,`;
	throw invalidInputError(
		`This could cost up to ${formatUsd(bound.microUsd)}, more than the spending cap of ${formatCap(cap)}`,
		`Nothing was sent. ${prompt} and ${bound.outputTokens} come out: lower "Maximum Output Tokens", shorten the input, or raise "${name}".`,
	);
}

const lowerFirst = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1);

/**
 * The error for an item whose cost is unknown: its cap cannot be enforced.
 *
 * @param why The end of a sentence.
 */
export function unknownCostError(why: string): ServiceError {
	return invalidInputError(
		`The cost cannot be calculated beforehand: ${why}`,
		'Nothing was sent. To send it anyway, turn on "Allow Unknown Cost" in Options.',
	);
}

/** Whole micro-dollars that a cap in USD allows. */
export const allowedMicroUsd = (cap: number): Decimal => floorToMicroUsd(cap) ?? ZERO;
/** Formats a cap in USD as it is enforced: rounded down to whole micro-dollars. */
export const formatCap = (cap: number) => formatUsd(allowedMicroUsd(cap)) ?? '';

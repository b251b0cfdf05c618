import { invalidInputError } from '../core/errors';
import { formatUsd, readInteger, ZERO } from './money';
import type { CostBound, NoCostBound } from './pricing';
import { allowedMicroUsd, formatCap } from './spendingCap';

/** What the text requests of one execution have cost. Plain data: it is stored with the execution. */
export interface CallSpending {
	/** The sum, as digits. A request counts with the most that it can cost until its real cost is known. */
	microUsd: string;
	/** Requests whose cost is not known and could not be calculated beforehand. */
	uncounted: number;
}

/** The state before the first request. */
export const emptyCallSpending = (): CallSpending => ({ microUsd: '0', uncounted: 0 });

/** The share of one request in the sum. */
export interface Reservation {
	/**
	 * Replaces the most that the request can cost by what it did cost.
	 *
	 * @param microUsd Undefined if it is not known: the most that it can cost stays in the sum.
	 */
	settle(microUsd: number | undefined): void;
	/** Takes the request out of the sum: it was certainly not carried out. */
	release(): void;
}

/**
 * Counts a request before it is sent, with the most that it can cost. So requests that run at the same time cannot exceed a cap
 * together, and one that was interrupted stays counted.
 *
 * @param bound The most that it can cost.
 * @param cap USD.
 * @throws ServiceError `invalid` if the sum could exceed the cap.
 */
export function reserveCall(
	spending: CallSpending,
	bound: CostBound | NoCostBound,
	cap: number,
): Reservation {
	const before = readInteger(spending.microUsd) ?? ZERO;
	const most = 'unbounded' in bound ? undefined : bound.microUsd;
	if (before.plus(most ?? 0).gt(allowedMicroUsd(cap))) {
		const next =
			most === undefined
				? 'The cost of this call is unknown'
				: `This call could cost up to ${formatUsd(most)}`;
		throw invalidInputError(
			`The spending cap of ${formatCap(cap)} for this execution is reached`,
			`Nothing was sent. The calls before cost ${formatUsd(before)}. ${next}: raise "Spending Cap per Execution", or lower "Maximum Output Tokens".`,
		);
	}
	const add = (amount: number) => {
		spending.microUsd = (readInteger(spending.microUsd) ?? ZERO).plus(amount).toFixed();
	};
	add(most ?? 0);
	if (most === undefined) spending.uncounted += 1;
	return {
		settle(microUsd) {
			if (microUsd === undefined) return;
			add(microUsd - (most ?? 0));
			if (most === undefined) spending.uncounted -= 1;
		},
		release() {
			add(-(most ?? 0));
			if (most === undefined) spending.uncounted -= 1;
		},
	};
}

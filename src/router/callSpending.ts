import { invalidInputError } from '../core/errors';
import { formatUsd, readInteger, ZERO } from './money';
import type { CostBound, NoCostBound } from './pricing';
import { allowedMicroUsd, formatCap } from './spendingCap';

/** What the text requests of one execution have cost. Plain data: it is stored with the execution. */
export interface CallSpending {
	/** The sum, as digits. A request counts with the most that it can cost until its real cost is known. */
	microUsd: string;
	/** Requests that count with the most that they can cost. */
	atMost: number;
	/** Requests whose cost is not known and could not be calculated beforehand. */
	uncounted: number;
}

/** The state before the first request. */
export const emptyCallSpending = (): CallSpending => ({
	microUsd: '0',
	atMost: 0,
	uncounted: 0,
});

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
	const allowed = allowedMicroUsd(cap);
	if (most === undefined ? before.gte(allowed) : before.plus(most).gt(allowed)) {
		const next =
			most === undefined
				? 'The cost of this call is unknown'
				: `This call could cost up to ${formatUsd(most)}`;
		throw invalidInputError(
			`The spending cap of ${formatCap(cap)} for this execution is reached`,
			`Nothing was sent. ${describeSum(spending)} ${next}: raise "Spending Cap per Execution", or lower "Maximum Output Tokens".`,
		);
	}
	const counted = most === undefined ? 'uncounted' : 'atMost';
	const add = (amount: number, requests: 1 | -1) => {
		spending.microUsd = (readInteger(spending.microUsd) ?? ZERO).plus(amount).toFixed();
		spending[counted] += requests;
	};
	add(most ?? 0, 1);
	return {
		settle(microUsd) {
			if (microUsd !== undefined) add(microUsd - (most ?? 0), -1);
		},
		release: () => add(-(most ?? 0), -1),
	};
}

function describeSum({ microUsd, atMost }: CallSpending): string {
	const sum = formatUsd(microUsd);
	if (!atMost) return `The calls before cost ${sum}.`;
	return `The calls before count with ${sum}, ${atMost} of them with the most that ${atMost === 1 ? 'it' : 'they'} can cost.`;
}

import { invalid, type ServiceError } from '../service/errors';
import { dollars } from './advice';
import { microUsdWithin, readWhole } from './decimal';
import type { JobBound } from './jobPrice';

/** What the jobs of one execution cost by the service's own forecasts. Plain data: it is kept with the execution. */
export interface Spending {
	/** Digits of the sum so far. */
	microUsd: string;
	/** Why the sum is not the whole truth, as the end of a sentence. */
	untold?: string;
}

/** Nothing yet. */
export const noSpending = (): Spending => ({ microUsd: '0' });

/**
 * Adds a started job's forecast, which is read as micro-dollars. One that is no whole number of them is not guessed at: then
 * the sum is not known any more.
 *
 * @param least What the job costs for certain, by the catalog: a forecast below it would let the cap be passed by unnoticed.
 */
export function addEstimate(spending: Spending, estimate: unknown, least = 0n): void {
	const amount = readWhole(estimate);
	if (amount !== undefined && amount >= 0n) {
		spending.microUsd = String(BigInt(spending.microUsd) + (amount > least ? amount : least));
	} else {
		spending.untold ??=
			estimate === undefined
				? 'the service said no estimated cost of an earlier job'
				: 'the estimated cost of an earlier job is no whole number of micro-dollars';
	}
}

/** An earlier start may have been received: what it costs is not known. */
export function addUnknown(spending: Spending): void {
	spending.untold ??= 'it is not known whether an earlier job was started';
}

/** @throws ServiceError `invalid` once nothing more may be started in this execution. @param cap USD */
export function checkSpent({ microUsd, untold }: Spending, cap: number): void {
	if (untold !== undefined) {
		throw invalid(
			`The spending cap for this execution cannot be kept: ${untold}`,
			'Nothing was sent for this item. Check what was started; remove "Spending Cap per Execution" to start the rest all the same.',
		);
	}
	if (BigInt(microUsd) < allowed(cap)) return;
	throw invalid(
		`The spending cap of ${shown(cap)} for this execution is reached`,
		`Nothing was sent for this item. The jobs that were started before are estimated at ${dollars(microUsd)}, by the service or, where that is more, by the catalog. Raise "Spending Cap per Execution", or start the rest in another execution.`,
	);
}

/**
 * Refuses a job that costs more than a cap for certain.
 *
 * @param cap USD.
 * @param name Of the cap, in the editor.
 * @throws ServiceError `invalid`.
 */
export function checkBound({ microUsd, counted }: JobBound, cap: number, name: string): void {
	if (microUsd <= allowed(cap)) return;
	throw invalid(
		`This costs at least ${dollars(String(microUsd))}, more than the spending cap of ${shown(cap)}`,
		`Nothing was sent. The catalog says the price of the cheapest configuration: ${counted}. Ask for less, or raise "${name}".`,
	);
}

/** A cap on what an item may cost cannot be kept where nothing tells what it costs. */
export function boundMissing(why: string): ServiceError {
	return invalid(
		`The spending cap cannot be kept: ${why}`,
		'Nothing was sent. Remove "Spending Cap per Item" to send it all the same.',
	);
}

const allowed = (cap: number) => microUsdWithin(cap) ?? 0n;
const shown = (cap: number) => dollars(String(allowed(cap))) ?? '$0.00';

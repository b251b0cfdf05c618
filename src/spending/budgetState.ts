import { isPlainObject, tryParseJson } from '../core/json';
import { type Decimal, readDecimal, ZERO } from '../core/money';
import type { JobFactors } from './jobFactors';
import { type PeriodLength, periodOf, toDay } from './periods';

/*
 * What one row of the ledger says about a budget, and the changes of it. Nothing here waits or sends: a change is calculated again when
 * another process was quicker.
 */

/** A budget, as the credential sets it. */
export interface BudgetLimit {
	/** Whole micro-dollars. */
	amount: Decimal;
	length: PeriodLength;
	/** How many micro-dollars all raises of a period may add. Undefined for none. */
	mayRaiseBy?: Decimal | undefined;
}

/** What is reserved of the budget: for a node run, for a start of a job, or for a job. */
export interface Reservation {
	/** Micro-dollars that may still be spent of it, as digits. */
	most: string;
	/** Micro-dollars that its holder has spent so far and that are part of `spent`. Absent if it is nothing. */
	counted?: string;
	/** When it was made, in ISO 8601: it counts in the periods of that day. */
	at: string;
	executionId: string;
	/** The workflow that holds it, for people. */
	workflow: string;
	/** Of a start of unknown outcome, which counts until a person decides: the catalog's minimum, in micro-dollars, and the key of its configuration. */
	unknown?: { least: string; key: string };
	/** Of a job, until its cost is known: the catalog's minimum, in micro-dollars, and the key of its configuration. */
	of?: { least: string; key: string };
	/** Of a start of a configuration without a factor: until when others without one wait for it, in milliseconds since 1970. */
	unprovenUntil?: number;
	/** A person has released it: it no longer counts, and what it costs is still added. */
	isReleased?: true;
}

/** Who has done something with a budget, why, and when: in ISO 8601, by the clock of n8n. */
export type Done = Record<'reason' | 'workflow' | 'workflowId' | 'executionId' | 'at', string>;
/** What a workflow has added to a period. */
type Raise = Done & { /** Micro-dollars, as digits. */ amount: string };

/** The state of a budget, as it is stored. Amounts are digits of micro-dollars. */
export interface BudgetState {
	/** The last day on which it was changed, by the clock of n8n. It never moves back. */
	day: string;
	/** By day. */
	spent: Record<string, string>;
	/** By ID. */
	reservations: Record<string, Reservation>;
	/** What jobs cost. They outlive the period. */
	factors: JobFactors;
	/** The models of the factors, for people, by what their keys begin with. */
	models?: Record<string, string>;
	/** Thresholds whose alarms were entered: the day, by the job ID of the alarm. */
	announced?: Record<string, string>;
	/** The latest ones, by the ID of the refused request, which begins with its period. The oldest comes first. */
	raises?: Record<string, Raise>;
}

export const EMPTY_STATE: BudgetState = { day: '', spent: {}, reservations: {}, factors: {} };

/** Days whose spending is kept: a month, and a week that began before it. */
const MAX_DAYS = 40;
/** Milliseconds. */
const DAY = 24 * 3_600_000;

/** @returns undefined for a record that this package cannot have written. */
export function parseBudget(record: string): BudgetState | undefined {
	const state = tryParseJson(record);
	if (!isPlainObject(state)) return undefined;
	const { day, spent, reservations, factors, announced = {}, models = {}, raises = {} } = state;
	const isRead =
		(day === '' || isDay(day)) &&
		isRecordOf(spent, isAmount) &&
		isRecordOf(reservations, isReservation) &&
		isRecordOf(factors, isAmount) &&
		isRecordOf(raises, (raise) => isPlainObject(raise) && isAmount(raise['amount'])) &&
		[announced, models].every((record) => isRecordOf(record, (value) => typeof value === 'string'));
	return isRead ? (state as unknown as BudgetState) : undefined;
}

const isRecordOf = (value: unknown, is: (each: unknown) => boolean) =>
	isPlainObject(value) && Object.values(value).every(is);

const isAmount = (value: unknown) => typeof value === 'string' && readDecimal(value) !== undefined;

const isReservation = (value: unknown) =>
	isPlainObject(value) &&
	isAmount(value['most']) &&
	isAmount(value['counted'] ?? '0') &&
	isDay(String(value['at']).slice(0, 10));

const isDay = (day: unknown) => Date.parse(`${String(day)}T00:00:00Z`) > 0;

/** On which day a reservation was made, e.g. `2026-11-24`. */
export const dayOf = ({ at }: Pick<Reservation, 'at'>): string => at.slice(0, 10);

/**
 * Moves the state forward to the day of a time, and removes the reservations of other periods. What was spent is kept for the longest period,
 * since the length may be changed later.
 *
 * @returns false if the state is more than a day ahead: a clock was wrong when it was written, or is wrong now.
 */
export function moveOn(state: BudgetState, now: number, length: PeriodLength): boolean {
	const today = toDay(now);
	if (state.day > toDay(now + DAY)) return false;
	if (today > state.day) state.day = today;
	const { start } = periodOf(state.day, length);
	for (const day of Object.keys(state.spent).sort().slice(0, -MAX_DAYS)) delete state.spent[day];
	const { start: month } = periodOf(state.day, 'month');
	const { start: week } = periodOf(state.day, 'week');
	for (const [alarm, day] of Object.entries(state.announced ?? {}))
		if (day < month && day < week) delete state.announced?.[alarm];
	for (const [id, reservation] of Object.entries(state.reservations))
		if (dayOf(reservation) < start) delete state.reservations[id];
	return true;
}

const sum = (amounts: readonly string[]) =>
	amounts.reduce((total, amount) => total.plus(amount), ZERO);

/** How the IDs of requests begin that a budget refuses in a period. @param start Its first day. */
export const requestPrefix = (length: PeriodLength, start: string): string => `${length}:${start}:`;

/** What is spent and reserved in the current period, in micro-dollars. */
export function figuresOf({ day, ...state }: BudgetState, limit: BudgetLimit) {
	const { amount, length, mayRaiseBy = ZERO } = limit;
	const { start, end } = periodOf(day, length);
	const isOfPeriod = ([request]: [string, Raise]) =>
		request.startsWith(requestPrefix(length, start));
	const raises = Object.entries(state.raises ?? {}).filter(isOfPeriod);
	const added = sum(raises.map(([, raise]) => raise.amount));
	// whatever is in the row, the credential decides how much of it counts
	const raised = added.gt(mayRaiseBy) ? mayRaiseBy : added;
	const most = amount.plus(raised);
	const days = Object.keys(state.spent).filter((on) => on >= start && on < end);
	const spent = sum(days.map((on) => state.spent[on] ?? '0'));
	const counting = Object.values(state.reservations).filter(({ isReleased }) => !isReleased);
	const reserved = sum(counting.map(({ most }) => most));
	return {
		/** The budget with what was raised. */
		most,
		raised,
		/** How many raises there are. */
		raises: raises.length,
		spent,
		reserved,
		start,
		end,
		/** What is neither spent nor reserved. */
		left: most.minus(spent).minus(reserved),
		/** How many reservations count. */
		open: counting.length,
	};
}

export type Figures = ReturnType<typeof figuresOf>;

/** Counts micro-dollars that were spent on a day. */
export function addSpent(state: BudgetState, day: string, more: Decimal): void {
	if (more.gt(0)) state.spent[day] = more.plus(state.spent[day] ?? 0).toFixed();
}

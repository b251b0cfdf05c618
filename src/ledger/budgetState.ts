import { isPlainObject, tryParseJson } from '../core/json';
import { Big, type Decimal, readDecimal, ZERO } from '../core/money';
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
}

/** What is reserved of the budget: for a node run, for a start of a job, or for a job. */
export interface Reservation {
	/** Micro-dollars that may still be spent of it, as digits. */
	most: string;
	/** Micro-dollars that its holder has spent so far and that are part of `spent`. Absent if it is nothing. */
	counted?: string;
	/** The day on which it was made, e.g. `2026-11-24`: it counts in the periods of that day. Absent if `at` says the same. */
	day?: string;
	/** When it was made, in ISO 8601. */
	at: string;
	execution: string;
	/** The workflow that holds it, for people. */
	workflow: string;
	/** Of a start of unknown outcome, which counts until a person decides: the catalog's minimum, in micro-dollars, and the key of its configuration. */
	unknown?: { least: string; key: string };
	/** Of a start of a configuration without a factor: until when others without one wait for it, in milliseconds since 1970. */
	unprovenUntil?: number;
	/** A person has released it: it no longer counts, and what it costs is still added. */
	isReleased?: true;
}

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
	/** Thresholds whose alarms were entered: the day, by the job ID of the alarm. */
	announced?: Record<string, string>;
}

export const EMPTY_STATE: BudgetState = { day: '', spent: {}, reservations: {}, factors: {} };

/**
 * Reservations with which no more jobs are started: the row stays below 100 kB, of which factors take 8, unless most are of unknown outcome.
 * Texts are not refused for it.
 */
export const MAX_RESERVATIONS = 500;
/** Bytes of a workflow's name in a reservation. A character that does not fit is left out whole. */
const MAX_NAME_BYTES = 40;
/** Days whose spending is kept: a month, and a week that began before it. */
const MAX_DAYS = 40;
/** Milliseconds. */
const DAY = 24 * 3_600_000;

/** @returns undefined for a record that this package cannot have written. */
export function parseBudget(record: string): BudgetState | undefined {
	const state = tryParseJson(record);
	if (!isPlainObject(state)) return undefined;
	const { day, spent, reservations, factors, announced = {} } = state;
	const isRead =
		(day === '' || isDay(day)) &&
		isRecordOf(spent, isAmount) &&
		isRecordOf(reservations, isReservation) &&
		isRecordOf(factors, isAmount) &&
		isRecordOf(announced, (value) => typeof value === 'string');
	return isRead ? (state as unknown as BudgetState) : undefined;
}

const isRecordOf = (value: unknown, is: (each: unknown) => boolean) =>
	isPlainObject(value) && Object.values(value).every(is);

const isAmount = (value: unknown) => typeof value === 'string' && readDecimal(value) !== undefined;

const isReservation = (value: unknown) =>
	isPlainObject(value) &&
	isAmount(value['most']) &&
	isAmount(value['counted'] ?? '0') &&
	isDay(dayOf(value as unknown as Reservation));

const isDay = (day: unknown) => Date.parse(`${String(day)}T00:00:00Z`) > 0;

/** On which day a reservation was made. */
const dayOf = ({ day, at }: Pick<Reservation, 'day' | 'at'>): string =>
	day ?? String(at).slice(0, 10);

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

/** What is spent and reserved in the current period, in micro-dollars. */
export function figuresOf({ day, spent, reservations }: BudgetState, length: PeriodLength) {
	const { start, end } = periodOf(day, length);
	const counting = Object.values(reservations).filter(({ isReleased }) => !isReleased);
	const isInPeriod = ([on]: readonly [string, string]) => on >= start && on < end;
	return {
		spent: sum(
			Object.entries(spent)
				.filter(isInPeriod)
				.map(([, amount]) => amount),
		),
		reserved: sum(counting.map(({ most }) => most)),
		/** How many reservations count. */
		open: counting.length,
		...{ start, end },
	};
}

export type Figures = ReturnType<typeof figuresOf>;

/**
 * Micro-dollars that a holder may reserve now, and those that it might if all others gave back what they have reserved.
 *
 * @param holder With what it has spent, and what its requests under way may still cost.
 */
export function findFree(
	state: BudgetState,
	{ amount, length }: BudgetLimit,
	{ id, spent: own, held }: { id: string; spent: Decimal; held: Decimal },
): Record<'free' | 'unspent', Decimal> {
	const { spent, reserved } = figuresOf(state, length);
	const reservation = state.reservations[id];
	const ofOthers =
		reservation && !reservation.isReleased ? reserved.minus(reservation.most) : reserved;
	const unspent = amount.minus(spent).minus(own.minus(reservation?.counted ?? 0));
	return { free: unspent.minus(ofOthers).minus(held), unspent };
}

/** Why a reservation was not enlarged: what is spent leaves no room, or only what is reserved does, or the row is full. */
export type Refused = 'spent' | 'reserved' | 'estimate' | 'full';

/** The holder of a reservation, whose ID is unique. */
export type Holder = Pick<Reservation, 'execution' | 'workflow'> & { id: string };

/** What a holder has spent of its reservation, and what it needs. In micro-dollars. */
interface Wanted {
	/** What it has spent in all. */
	counted?: Decimal;
	/** What its requests under way may still cost. */
	held?: Decimal;
	/** What it needs now: that, and one more request. */
	need: Decimal;
	/** What it could use soon. It gets as much of it as is a tenth of what is left. */
	wish?: Decimal;
	/** Of a start of a job. */
	start?: StartNeed;
}

/** What the start of a job adds to a reservation. */
interface StartNeed {
	kept: Pick<Reservation, 'unprovenUntil'>;
	/** The ID of another start whose estimate has to come first, if it has to. */
	waitsFor: string | undefined;
}

/**
 * Counts what the holder of a reservation has spent, and makes or enlarges it. A second time changes nothing.
 *
 * @param now Milliseconds since 1970, by the clock of n8n.
 * @returns micro-dollars that the holder may spend from now on, and why these are not as many as it needs.
 */
export function claimReservation(
	state: BudgetState,
	{ amount, length }: BudgetLimit,
	{ id, execution, workflow }: Holder,
	{ counted = ZERO, held = ZERO, need, wish = need, start }: Wanted,
	now: number,
) {
	const known = state.reservations[id];
	if (known) countSpent(state, known, counted);
	const figures = figuresOf(state, length);
	const before = known && !known.isReleased ? new Big(known.most) : ZERO;
	const unspent = amount.minus(figures.spent);
	const left = unspent.minus(figures.reserved);
	const claim = { figures, need, waitsFor: start?.waitsFor };
	const open = known ? 0 : figures.open;
	const refused = refuseAmount(need.minus(before), unspent, left) ?? refuseStart(start, open);
	if (refused) {
		const isMeant = (other: string) => refused !== 'estimate' || other === claim.waitsFor;
		const ids = Object.keys(state.reservations).filter(isMeant);
		const holders = ids.flatMap((other) => state.reservations[other] ?? []);
		// others may wait for the rest; a reservation without requests under way is not needed, not even to count what they cost
		const most = smaller(before, held);
		if (held.eq(0)) delete state.reservations[id];
		else if (known) known.most = most.toFixed();
		return { ...claim, most, refused, holders };
	}
	if (!known) makeRoom(state);
	const tenth = left.times('0.1').round(0, Big.roundDown);
	const most = larger(larger(need, before), smaller(wish, before.plus(tenth)));
	const made = known ? { at: known.at, day: dayOf(known) } : { at: toTime(now), day: state.day };
	state.reservations[id] = makeReservation({ most, counted, ...made, execution, workflow }, start);
	return { ...claim, most, reservation: state.reservations[id] };
}

function refuseAmount(missing: Decimal, unspent: Decimal, left: Decimal): Refused | undefined {
	if (missing.lte(0) || missing.lte(left)) return undefined;
	return missing.gt(unspent) ? 'spent' : 'reserved';
}

function refuseStart(start: StartNeed | undefined, open: number): Refused | undefined {
	if (start && open >= MAX_RESERVATIONS) return 'full';
	return start?.waitsFor === undefined ? undefined : 'estimate';
}

/** A released reservation only waits for its cost: beyond the limit, the oldest one is removed. */
function makeRoom({ reservations }: BudgetState): void {
	const ids = Object.keys(reservations);
	const released = ids.find((id) => reservations[id]?.isReleased);
	if (released !== undefined && ids.length >= MAX_RESERVATIONS) delete reservations[released];
}

/** In ISO 8601, to the second. @param time Milliseconds since 1970. */
const toTime = (time: number) => `${new Date(time).toISOString().slice(0, 19)}Z`;

/** Leaves out what need not be said: the row must not grow. */
function makeReservation(
	reservation: Pick<Reservation, 'at' | 'execution' | 'workflow'> & {
		most: Decimal;
		counted: Decimal;
		day: string;
	},
	start: StartNeed | undefined,
): Reservation {
	const { most, counted, day, at, execution, workflow } = reservation;
	const name = Buffer.from(workflow).subarray(0, MAX_NAME_BYTES);
	return {
		most: most.toFixed(),
		...(counted.gt(0) && { counted: counted.toFixed() }),
		...(day !== at.slice(0, 10) && { day }),
		...{ at, execution, workflow: new TextDecoder().decode(name, { stream: true }) },
		...start?.kept,
	};
}

/** What the row says to a holder. */
export type Claim = ReturnType<typeof claimReservation>;

export const larger = (one: Decimal, other: Decimal) => (one.gt(other) ? one : other);
const smaller = (one: Decimal, other: Decimal) => (one.lt(other) ? one : other);

function countSpent(state: BudgetState, reservation: Reservation, counted: Decimal): void {
	const more = counted.minus(reservation.counted ?? 0);
	addSpent(state, dayOf(reservation), more);
	reservation.counted = counted.toFixed();
	reservation.most = larger(new Big(reservation.most).minus(more), ZERO).toFixed();
}

function addSpent(state: BudgetState, day: string, more: Decimal): void {
	if (more.gt(0)) state.spent[day] = more.plus(state.spent[day] ?? 0).toFixed();
}

/**
 * Gives a reservation back, and counts what was spent of it. One that is gone changes nothing.
 *
 * @param spent By its holder in all. Undefined if it is not known: all of it counts.
 * @returns whether it is gone.
 */
export function closeReservation(
	state: BudgetState,
	id: string,
	spent: Decimal | undefined,
): Closed {
	const reservation = state.reservations[id];
	if (!reservation) return { isMissing: true };
	delete state.reservations[id];
	addSpent(
		state,
		dayOf(reservation),
		spent?.minus(reservation.counted ?? 0) ?? new Big(reservation.most),
	);
	return { isMissing: false };
}

/** What became of a reservation. */
export interface Closed {
	isMissing: boolean;
}

import { Big, type Decimal, ZERO } from '../core/money';
import {
	addSpent,
	type BudgetLimit,
	type BudgetState,
	dayOf,
	type Figures,
	figuresOf,
	type Reservation,
} from './budgetState';

/*
 * What holders reserve of a budget, and give back.
 */

/**
 * Reservations with which no more jobs are started: the row stays below 130 kB, of which factors take 12, unless most are of unknown outcome.
 * Texts are not refused for it.
 */
export const MAX_RESERVATIONS = 500;
/** Bytes of a workflow's name in a reservation. A character that does not fit is left out whole. */
const MAX_NAME_BYTES = 40;

/**
 * Micro-dollars that a holder may reserve now, and those that it might if all others gave back what they have reserved.
 *
 * @param holder With what it has spent, and what its requests under way may still cost.
 */
export function findFree(
	state: BudgetState,
	limit: BudgetLimit,
	{ id, spent, held }: { id: string; spent: Decimal; held: Decimal },
): Record<'free' | 'unspent', Decimal> {
	const { reserved, left } = figuresOf(state, limit);
	const known = state.reservations[id];
	// one that is gone was counted before it was given back
	const uncounted = known ? spent.minus(known.counted ?? 0) : ZERO;
	return {
		free: left.plus(reservedBy(known)).minus(uncounted).minus(held),
		unspent: left.plus(reserved).minus(uncounted),
	};
}

/** What a holder has reserved, in micro-dollars. A reservation that was released counts no more. */
export const reservedBy = (known: Reservation | undefined): Decimal =>
	known && !known.isReleased ? new Big(known.most) : ZERO;

/** Why a reservation was not enlarged: what is spent leaves no room, or only what is reserved does, or the row is full. */
export type Refused = 'spent' | 'reserved' | 'estimate' | 'full';

/** The holder of a reservation, whose ID is unique. */
export type Holder = Pick<Reservation, 'executionId' | 'workflow'> & { id: string };

/** What a holder has spent of its reservation, and what it needs. In micro-dollars. */
interface Wanted {
	/** What it has spent in all. */
	counted?: Decimal;
	/** What it needs now: what its requests under way may still cost, and one more request. */
	need: Decimal;
	/** What it could use soon. It gets as much of it as is a tenth of what is left. */
	wish?: Decimal;
	/** Of a start of a job. */
	start?: StartNeed;
}

/** What the start of a job adds to a reservation. */
interface StartNeed {
	kept: Pick<Reservation, 'unprovenUntil'>;
	/** The key of its configuration. */
	key: string;
	/** The ID of another start whose estimate has to come first, if it has to. */
	waitsFor: string | undefined;
}

/**
 * Counts what the holder of a reservation has spent, and makes it as large as is needed, or smaller. A second time changes nothing.
 *
 * @param now Milliseconds since 1970, by the clock of n8n.
 * @returns the reservation, or why it stays as it is.
 */
export function claimReservation(
	state: BudgetState,
	limit: BudgetLimit,
	{ id, executionId, workflow }: Holder,
	{ counted = ZERO, need, wish = need, start }: Wanted,
	now: number,
) {
	const known = state.reservations[id];
	countSpent(state, known, counted);
	const own = reservedBy(known);
	const figures = figuresOf(state, limit);
	const more = need.minus(own);
	const missing = more.minus(figures.left);
	const claim = { figures, need, missing, waitsFor: start?.waitsFor, key: start?.key };
	const refused = refuseAmount(more, figures) ?? refuseStart(start, known, figures);
	if (refused) {
		const isMeant = (other: string) => refused !== 'estimate' || other === claim.waitsFor;
		const ids = Object.keys(state.reservations).filter(isMeant);
		const holders = ids.flatMap((other) => state.reservations[other] ?? []);
		// it was not sent: n8n's answer to an earlier attempt, which did fit, may have been lost
		if (start) delete state.reservations[id];
		return { ...claim, refused, holders };
	}
	if (!known) makeRoom(state);
	const least = start ? larger(need, own) : need;
	const tenth = figures.left.times('0.1').round(0, Big.roundDown);
	const most = larger(least, smaller(wish, own.plus(tenth)));
	const claimed: Reservation = {
		...toAmounts(most, counted),
		// that of a process lasts as long as it has requests: its time says when it was last written
		at: start && known ? known.at : toTime(now, state.day),
		executionId,
		workflow: shorten(workflow),
		...start?.kept,
	};
	if (start || most.gt(0)) state.reservations[id] = claimed;
	else delete state.reservations[id];
	return { ...claim, claimed };
}

function refuseAmount(more: Decimal, { left, reserved }: Figures): Refused | undefined {
	if (more.lte(0) || more.lte(left)) return undefined;
	return more.gt(left.plus(reserved)) ? 'spent' : 'reserved';
}

function refuseStart(
	start: StartNeed | undefined,
	known: Reservation | undefined,
	{ open }: Figures,
): Refused | undefined {
	if (start && !known && open >= MAX_RESERVATIONS) return 'full';
	return start?.waitsFor === undefined ? undefined : 'estimate';
}

/** Leaves out what need not be said: the row must not grow. */
const toAmounts = (most: Decimal, counted: Decimal) => ({
	most: most.toFixed(),
	...(counted.gt(0) && { counted: counted.toFixed() }),
});

/** A released reservation only waits for its cost: beyond the limit, the oldest one is removed. */
function makeRoom({ reservations }: BudgetState): void {
	const ids = Object.keys(reservations);
	const released = ids.find((id) => reservations[id]?.isReleased);
	if (released !== undefined && ids.length >= MAX_RESERVATIONS) delete reservations[released];
}

/** In ISO 8601, to the second. @param time Milliseconds since 1970. @param day Of the state, which never moves back. */
function toTime(time: number, day: string): string {
	const at = `${new Date(time).toISOString().slice(0, 19)}Z`;
	return at < day ? `${day}T00:00:00Z` : at;
}

function shorten(name: string): string {
	const bytes = Buffer.from(name).subarray(0, MAX_NAME_BYTES);
	return new TextDecoder().decode(bytes, { stream: true });
}

/** What the row says to a holder. */
export type Claim = ReturnType<typeof claimReservation>;

export const larger = (one: Decimal, other: Decimal) => (one.gt(other) ? one : other);
const smaller = (one: Decimal, other: Decimal) => (one.lt(other) ? one : other);

function countSpent(
	state: BudgetState,
	reservation: Reservation | undefined,
	counted: Decimal,
): void {
	if (!reservation) return;
	const more = counted.minus(reservation.counted ?? 0);
	addSpent(state, dayOf(reservation), more);
	Object.assign(
		reservation,
		toAmounts(larger(new Big(reservation.most).minus(more), ZERO), counted),
	);
}

/**
 * Gives a reservation back, and counts what was spent of it. One that is gone changes nothing.
 *
 * @param spent By its holder in all. Undefined if it is not known: all of it counts.
 * @returns whether it is gone.
 */
export function closeReservation(state: BudgetState, id: string, spent: Decimal | undefined) {
	const known = state.reservations[id];
	if (!known) return { isMissing: true };
	delete state.reservations[id];
	addSpent(state, dayOf(known), spent?.minus(known.counted ?? 0) ?? new Big(known.most));
	return { isMissing: false };
}

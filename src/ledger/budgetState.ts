import { isPlainObject, tryParseJson } from '../core/json';
import { Big, type Decimal, readDecimal, ZERO } from '../core/money';

/*
 * What one row of the ledger says about a budget, and the changes of it. Nothing here waits or sends: a change is calculated again when
 * another process was quicker.
 */

/** The length of a period, in UTC. A week begins on Monday. */
export type PeriodLength = 'day' | 'week' | 'month';

/** A budget, as the credential sets it. */
export interface BudgetLimit {
	/** Whole micro-dollars. */
	amount: Decimal;
	length: PeriodLength;
}

/** A part of the budget that is reserved: for a node run, for a start of a job, or for a job. */
interface Lump {
	/** Micro-dollars that may still be spent of it, as digits. */
	most: string;
	/** Micro-dollars that its holder has spent so far and that are part of `spent`. */
	counted: string;
	/** The day on which it was made, e.g. `2026-11-24`: it counts in the periods of that day. */
	day: string;
	/** When it was made, in ISO 8601. */
	at: string;
	execution: string;
	/** The workflow that holds it, for people. */
	workflow: string;
	/** Of a start whose estimate is not known yet: other starts without one wait for it. */
	awaitsEstimate?: true;
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
	lumps: Record<string, Lump>;
	/** The highest estimate of a job in this period, by model. */
	estimates: Record<string, { most: string; day: string }>;
	/** Thresholds whose alarms were entered: the day, by the job ID of the alarm. */
	told?: Record<string, string>;
}

export const EMPTY_STATE: BudgetState = { day: '', spent: {}, lumps: {}, estimates: {} };

/** More parts than any use of a budget has. A row must not grow without a limit. */
export const MAX_LUMPS = 500;
/** Milliseconds after which others no longer wait for the estimate of a start: its process was killed. */
const MAX_ESTIMATE_WAIT = 15 * 60_000;

/** @returns undefined for a record that this package cannot have written. */
export function parseBudget(record: string): BudgetState | undefined {
	const state = tryParseJson(record);
	if (!isPlainObject(state)) return undefined;
	const { day, spent, lumps, estimates, told = {} } = state;
	const isRead =
		(day === '' || Date.parse(`${String(day)}T00:00:00Z`) > 0) &&
		isRecordOf(spent, isAmount) &&
		isRecordOf(lumps, isLump) &&
		isRecordOf(estimates, (value) => isPlainObject(value) && isAmount(value['most'])) &&
		isRecordOf(told, (value) => typeof value === 'string');
	return isRead ? (state as unknown as BudgetState) : undefined;
}

const isRecordOf = (value: unknown, is: (each: unknown) => boolean) =>
	isPlainObject(value) && Object.values(value).every(is);

const isAmount = (value: unknown) => typeof value === 'string' && readDecimal(value) !== undefined;

const isLump = (value: unknown) =>
	isPlainObject(value) &&
	isAmount(value['most']) &&
	isAmount(value['counted']) &&
	typeof value['day'] === 'string';

/** A day in UTC, e.g. `2026-11-24`. @param time Milliseconds since 1970. */
export const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The first day of a period, and the first one after it. */
export function periodOf(day: string, length: PeriodLength): { start: string; end: string } {
	const start = new Date(`${day}T00:00:00Z`);
	if (length === 'month') start.setUTCDate(1);
	if (length === 'week') start.setUTCDate(start.getUTCDate() - ((start.getUTCDay() + 6) % 7));
	const end = new Date(start);
	if (length === 'month') end.setUTCMonth(end.getUTCMonth() + 1);
	else end.setUTCDate(end.getUTCDate() + (length === 'week' ? 7 : 1));
	return { start: toDay(start.getTime()), end: toDay(end.getTime()) };
}

/** Moves the state forward to the day of a time, and removes what belongs to none of its periods. */
export function moveOn(state: BudgetState, now: number, length: PeriodLength): void {
	const today = toDay(now);
	if (today > state.day) state.day = today;
	const { start } = periodOf(state.day, length);
	const isOver = ({ day }: { day: string }) => day < start;
	// the length of the period may be changed later: what was spent is kept for the longest one
	const longest = [periodOf(state.day, 'week'), periodOf(state.day, 'month')];
	const isForgotten = (day: string) => longest.every((period) => day < period.start);
	for (const day of Object.keys(state.spent)) if (isForgotten(day)) delete state.spent[day];
	for (const [alarm, day] of Object.entries(state.told ?? {}))
		if (isForgotten(day)) delete state.told?.[alarm];
	for (const [id, lump] of Object.entries(state.lumps)) if (isOver(lump)) delete state.lumps[id];
	for (const [model, estimate] of Object.entries(state.estimates))
		if (isOver(estimate)) delete state.estimates[model];
}

const sum = (amounts: readonly string[]) =>
	amounts.reduce((total, amount) => total.plus(amount), ZERO);

/** What is spent and reserved in the current period, in micro-dollars. */
export function figuresOf({ day, spent, lumps }: BudgetState, length: PeriodLength) {
	const { start, end } = periodOf(day, length);
	const counting = Object.values(lumps).filter(({ isReleased }) => !isReleased);
	return {
		spent: sum(Object.entries(spent).flatMap(([on, amount]) => (on < start ? [] : [amount]))),
		reserved: sum(counting.map(({ most }) => most)),
		/** How many parts are reserved. */
		open: counting.length,
		...{ start, end },
	};
}

export type Figures = ReturnType<typeof figuresOf>;

/** Why a part was not enlarged: what is spent leaves no room, or only what is reserved does, or the row is full. */
export type Refused = 'spent' | 'reserved' | 'estimate' | 'full';

/** The holder of a part. Its ID is unique among all parts. */
export type Holder = Pick<Lump, 'execution' | 'workflow'> & { id: string };

/** What a holder has spent of its part, and what it needs. In micro-dollars. */
interface Wanted {
	/** What it has spent in all. */
	counted?: Decimal;
	/** What its requests under way may still cost. */
	held?: Decimal;
	/** What it needs now: that, and one more request. */
	need: Decimal;
	/** What it could use soon. It gets as much of it as is a tenth of what is left. */
	wish?: Decimal;
	/** Whether its start waits for an estimate. */
	awaitsEstimate?: boolean;
}

/**
 * Counts what the holder of a part has spent, and makes or enlarges its part. A second time changes nothing.
 *
 * @param now Milliseconds since 1970, by the clock of n8n.
 * @returns micro-dollars that the holder may spend from now on, and why these are not as many as it needs.
 */
export function claimLump(
	state: BudgetState,
	{ amount, length }: BudgetLimit,
	{ id, ...holder }: Holder,
	{ counted = ZERO, held = ZERO, need, wish = need, awaitsEstimate }: Wanted,
	now: number,
) {
	const known = state.lumps[id];
	if (known) countSpent(state, known, counted);
	const figures = figuresOf(state, length);
	const before = known && !known.isReleased ? new Big(known.most) : ZERO;
	const unspent = amount.minus(figures.spent);
	const left = unspent.minus(figures.reserved);
	const findRefusal = (missing: Decimal): Refused | undefined => {
		if (missing.lte(0)) return undefined;
		if (missing.gt(unspent)) return 'spent';
		if (missing.gt(left)) return 'reserved';
		if (!known && Object.keys(state.lumps).length >= MAX_LUMPS) return 'full';
		return awaitsEstimate && hasOtherStart(state, id, now) ? 'estimate' : undefined;
	};
	const refused = findRefusal(need.minus(before));
	if (refused) {
		// others may wait for the rest; a part without requests under way is not needed, not even to count what they cost
		const most = smaller(before, held);
		if (held.eq(0)) delete state.lumps[id];
		else if (known) known.most = most.toFixed();
		return { most, figures, refused };
	}
	const tenth = left.times('0.1').round(0, Big.roundDown);
	const most = larger(larger(need, before), smaller(wish, before.plus(tenth)));
	state.lumps[id] = {
		...{ most: most.toFixed(), counted: counted.toFixed() },
		...{ day: known?.day ?? state.day, at: known?.at ?? new Date(now).toISOString(), ...holder },
		...(awaitsEstimate && { awaitsEstimate }),
	};
	return { most, figures };
}

/** What the row says to a holder. */
export type Claim = ReturnType<typeof claimLump>;

export const larger = (one: Decimal, other: Decimal) => (one.gt(other) ? one : other);
const smaller = (one: Decimal, other: Decimal) => (one.lt(other) ? one : other);

function countSpent(state: BudgetState, lump: Lump, counted: Decimal): void {
	const more = counted.minus(lump.counted);
	addSpent(state, lump.day, more);
	lump.counted = counted.toFixed();
	lump.most = larger(new Big(lump.most).minus(more), ZERO).toFixed();
}

function addSpent(state: BudgetState, day: string, more: Decimal): void {
	if (more.gt(0)) state.spent[day] = more.plus(state.spent[day] ?? 0).toFixed();
}

const hasOtherStart = ({ lumps }: BudgetState, id: string, now: number) =>
	Object.entries(lumps).some(
		([other, { awaitsEstimate, isReleased, at }]) =>
			other !== id && awaitsEstimate && !isReleased && Date.parse(at) > now - MAX_ESTIMATE_WAIT,
	);

/**
 * Gives a part back, and counts what it was spent on. A part that is gone changes nothing.
 *
 * @param spent By its holder in all. Undefined if it is not known: all of the part counts.
 */
export function closeLump(state: BudgetState, id: string, spent: Decimal | undefined): void {
	const lump = state.lumps[id];
	if (!lump) return;
	delete state.lumps[id];
	addSpent(state, lump.day, spent?.minus(lump.counted) ?? new Big(lump.most));
}

/** The part of a job, from its start on until its cost is known. */
export const jobLump = (mediaType: string, jobId: string): string => `job:${mediaType}:${jobId}`;

/** Makes the part of a start into the one of its job. */
export function startJobLump(
	state: BudgetState,
	id: string,
	{ job, model, estimate }: { job: string; model: string; estimate: Decimal | undefined },
): void {
	const lump = state.lumps[id];
	if (!lump) return;
	delete state.lumps[id];
	state.lumps[job] = { ...lump, most: estimate?.toFixed() ?? lump.most };
	delete state.lumps[job].awaitsEstimate;
	delete state.lumps[job].isReleased;
	if (estimate?.gt(state.estimates[model]?.most ?? 0))
		state.estimates[model] = { most: estimate.toFixed(), day: state.day };
}

import { Big, type Decimal } from '../core/money';
import type { BudgetLimit, BudgetState, Reservation } from './budgetState';
import { cutText } from '../core/errors';
import {
	canCost,
	findFactor,
	shortHash,
	learnCost,
	learnEstimate,
	modelOfKey,
	timesFactor,
} from './jobFactors';
import { claimReservation, closeReservation, type Holder, larger } from './reservations';

/*
 * The reservations of starts of jobs: what they reserve before anybody knows what they cost, and what becomes of them.
 */

/** Characters of a job ID in the ID of a reservation: of a longer one its hash is kept. */
const MAX_JOB_ID_LENGTH = 40;

/** The ID of the reservation of a job, from its start on until its cost is known. */
export const jobReservationId = (mediaType: string, jobId: string): string =>
	`job:${mediaType}:${jobId.length > MAX_JOB_ID_LENGTH ? shortHash(jobId, MAX_JOB_ID_LENGTH) : jobId}`;

/** The ID of the reservation of a start. @param claim Of its row in the job ledger, or another unique text. */
export const startReservationId = (claim: string): string => `start:${claim}`;

/**
 * Reserves what a start may cost: its minimum, times the highest factor of its configuration. Of all starts whose configuration has
 * none, one is under way at a time: whatever they cost, the budget is exceeded by the difference of one.
 *
 * @param lease Milliseconds after which its process counts as killed, unless the claim is renewed.
 */
export function claimStartReservation(
	state: BudgetState,
	limit: BudgetLimit,
	holder: Holder,
	{ key, least, lease }: Pick<StartedJob, 'key' | 'least'> & { lease: number },
	now: number,
) {
	const { factor, isProven } = findFactor(state.factors, key);
	const kept = isProven ? {} : { unprovenUntil: now + lease };
	const waitsFor = isProven ? undefined : findUnproven(state, holder.id, now);
	const wanted = { need: timesFactor(least, factor), start: { kept, key, waitsFor } };
	return claimReservation(state, limit, holder, wanted, now);
}

/** Another start whose configuration has no factor and that is under way. */
const findUnproven = ({ reservations }: BudgetState, id: string, now: number): string | undefined =>
	Object.entries(reservations).find(
		([other, { unprovenUntil = 0, isReleased }]) =>
			other !== id && !isReleased && unprovenUntil > now,
	)?.[0];

/**
 * Makes the reservation of a start into the one of its job, and learns from the estimate. A second time changes nothing. If it is gone,
 * since a person has decided that nothing was started, the job gets a new one.
 *
 * @param claimed What the start had reserved, and when.
 */
export function startJobReservation(
	state: BudgetState,
	{ id, job, model, key, least, estimate: given, claimed }: StartedJob,
): void {
	const estimate = given && canCost(given, least) ? given : undefined;
	learnEstimate(state.factors, key, { least, estimate });
	nameModel(state, key, model);
	raiseUnknown(state);
	const start = state.reservations[id] ?? claimed;
	delete state.reservations[id];
	state.reservations[job] ??= toJob(start, { least: least.toFixed(), key }, estimate?.toFixed());
}

/** What a start has reserved, for its job. */
const toJob = (
	{ at, executionId, workflow, ...start }: Reservation,
	of = start.unknown,
	most = start.most,
): Reservation => ({ most, at, executionId, workflow, ...(of && { of }) });

/** Characters of the name of a model. */
const MAX_MODEL = 40;

/** Keeps the names of models that have factors. */
function nameModel(state: BudgetState, key: string, model: string): void {
	const used = new Set(Object.keys(state.factors).map(modelOfKey));
	const models = { ...state.models, [modelOfKey(key)]: cutText(model, MAX_MODEL) };
	const named = Object.entries(models).filter(([of]) => used.has(of));
	state.models = Object.fromEntries(named);
}

/**
 * Counts what a job has cost, and learns from it. A second time changes nothing.
 *
 * @param cost Undefined if it is not known: then what is reserved for it counts. So it does if the cost cannot be.
 * @returns whether the cost cannot be, and whether the reservation is gone.
 */
export function endJobReservation(state: BudgetState, id: string, cost: Decimal | undefined) {
	const { most, of } = state.reservations[id] ?? {};
	const estimate = new Big(most ?? 0);
	const isOdd = cost !== undefined && !canCost(cost, estimate);
	const paid = isOdd ? undefined : cost;
	const { isMissing } = closeReservation(state, id, paid);
	// what is free, such as a job that has failed, says nothing about others
	if (of && paid?.gt(0))
		learnCost(state.factors, of.key, { least: new Big(of.least), estimate, cost: paid });
	return { isMissing, isOdd };
}

/** A job that was started, and the reservation of its start. */
interface StartedJob {
	id: string;
	job: string;
	model: string;
	/** The key of its configuration. */
	key: string;
	/** The catalog's minimum, in micro-dollars. */
	least: Decimal;
	estimate: Decimal | undefined;
	claimed: Reservation;
}

/**
 * Nobody knows whether a start was received: its reservation stays until a person decides, and no other start waits for it. If it is
 * gone, since a person has decided too early, it is made again.
 */
export function keepUnknownStart(
	state: BudgetState,
	{ id, key, least, claimed }: Pick<StartedJob, 'id' | 'key' | 'least' | 'claimed'>,
): void {
	const reservation = (state.reservations[id] ??= { ...claimed });
	delete reservation.unprovenUntil;
	reservation.unknown = { least: least.toFixed(), key };
	raiseUnknown(state);
}

/** What starts of unknown outcome count rises with what others of their configuration cost, or else of their model. */
function raiseUnknown({ reservations, factors }: BudgetState): void {
	for (const reservation of Object.values(reservations)) {
		if (!reservation.unknown) continue;
		const { least, key } = reservation.unknown;
		const most = timesFactor(new Big(least), findFactor(factors, key).factor);
		reservation.most = larger(new Big(reservation.most), most).toFixed();
	}
}

/**
 * A person has decided about a start of unknown outcome. If its reservation is gone, nothing changes.
 *
 * @param job The ID of its reservation from now on. Undefined if nothing was started: then it is given back.
 * @returns whether it is gone.
 */
export function decideStart(state: BudgetState, id: string, job: string | undefined) {
	const start = state.reservations[id];
	if (!start) return { isMissing: true };
	delete state.reservations[id];
	if (job) state.reservations[job] ??= toJob(start);
	return { isMissing: false };
}

import { Big, type Decimal } from '../core/money';
import {
	type BudgetLimit,
	type BudgetState,
	claimLump,
	type Closed,
	type Holder,
	larger,
	type Lump,
} from './budgetState';
import { findFactor, hash, learnFactor, timesFactor } from './jobFactors';

/*
 * The parts of a budget that are for starts of jobs: what they reserve before anybody knows what they cost, and what becomes of them.
 */

/** Characters of a job ID in a part: of a longer one its hash is kept. */
const MAX_JOB_ID_LENGTH = 40;

/** The part of a job, from its start on until its cost is known. */
export const jobLump = (mediaType: string, jobId: string): string =>
	`job:${mediaType}:${jobId.length > MAX_JOB_ID_LENGTH ? hash(jobId, MAX_JOB_ID_LENGTH) : jobId}`;

/** The part of a start. @param claim Of its row in the job ledger, or another unique text. */
export const startLump = (claim: string): string => `start:${claim}`;

/** The start of a job, as the row knows it. */
export interface Start {
	/** The key of its configuration. */
	key: string;
	/** The catalog's minimum, in micro-dollars. */
	least: Decimal;
	/** Milliseconds after which its process counts as killed, unless the claim is renewed. */
	lease: number;
}

/**
 * Reserves what a start may cost: its minimum, times the highest factor of its configuration. Of all starts whose configuration has
 * none, one is under way at a time: whatever they cost, the budget is exceeded by the difference of one.
 */
export function claimStartLump(
	state: BudgetState,
	limit: BudgetLimit,
	holder: Holder,
	{ key, least, lease }: Start,
	now: number,
) {
	const { factor, isProven } = findFactor(state.factors, key);
	const kept = isProven ? {} : { unprovenUntil: now + lease };
	const waitsFor = isProven ? undefined : findUnproven(state, holder.id, now);
	const wanted = { need: timesFactor(least, factor), start: { kept, waitsFor } };
	return claimLump(state, limit, holder, wanted, now);
}

/** Another start whose configuration has no factor and that is under way. */
const findUnproven = ({ lumps }: BudgetState, id: string, now: number): string | undefined =>
	Object.entries(lumps).find(
		([other, { unprovenUntil = 0, isReleased }]) =>
			other !== id && !isReleased && unprovenUntil > now,
	)?.[0];

/**
 * Makes the part of a start into the one of its job, and learns from the estimate. A second time changes nothing. If the part is gone,
 * since a person has decided that nothing was started, the job gets a new one.
 *
 * @param claimed What the start had reserved, and when.
 */
export function startJobLump(
	state: BudgetState,
	{ id, job, key, least, estimate, claimed }: StartedJob,
): void {
	learnFactor(state.factors, key, { least, estimate });
	raiseUnknown(state);
	const lump = state.lumps[id] ?? claimed;
	delete state.lumps[id];
	state.lumps[job] ??= toJobPart(lump, estimate?.toFixed());
}

/** What a start has reserved, for its job. */
const toJobPart = ({ day, at, execution, workflow, ...start }: Lump, most = start.most): Lump => ({
	...{ most, ...(day !== undefined && { day }) },
	...{ at, execution, workflow },
});

/** A job that was started, and the part of its start. */
interface StartedJob {
	id: string;
	job: string;
	key: string;
	least: Decimal;
	estimate: Decimal | undefined;
	claimed: Lump;
}

/**
 * Nobody knows whether a start was received: its part stays until a person decides, and no other start waits for it. If the part is
 * gone, since a person has decided too early, it is made again.
 */
export function keepUnknownStart(
	state: BudgetState,
	{ id, key, least, claimed }: Pick<StartedJob, 'id' | 'key' | 'least' | 'claimed'>,
): void {
	const lump = (state.lumps[id] ??= { ...claimed });
	delete lump.unprovenUntil;
	lump.unknown = { least: least.toFixed(), key };
	raiseUnknown(state);
}

/** What starts of unknown outcome count rises with what others of their configuration cost, or else of their model. */
function raiseUnknown({ lumps, factors }: BudgetState): void {
	for (const lump of Object.values(lumps)) {
		if (!lump.unknown) continue;
		const { least, key } = lump.unknown;
		const most = timesFactor(new Big(least), findFactor(factors, key).factor);
		lump.most = larger(new Big(lump.most), most).toFixed();
	}
}

/**
 * A person has decided about a start of unknown outcome. A part that is gone changes nothing.
 *
 * @param job Its part, from now on. Undefined if nothing was started: then the part is given back.
 * @returns whether the part is gone.
 */
export function decideStart(state: BudgetState, id: string, job: string | undefined): Closed {
	const lump = state.lumps[id];
	if (!lump) return { isMissing: true };
	delete state.lumps[id];
	if (job) state.lumps[job] ??= toJobPart(lump);
	return { isMissing: false };
}

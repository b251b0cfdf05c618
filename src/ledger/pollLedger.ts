import { groupBy } from '../core/grouping';
import { checkDueJobs, type PollOptions } from './dueJobs';
import { type Entry, type EntryState, groupByJob, jobKey, ownedBy, type Owner } from './entry';
import {
	applyTransition,
	applyUpdate,
	changeRows,
	findRowsOfJobs,
	type Ledger,
	retryingBriefly,
} from './ledger';
import { retryTransient, SHORT_RETRY_ATTEMPTS } from '../tables/retries';
import {
	above,
	anyOf,
	atMost,
	below,
	type Condition,
	equal,
	findAllRows,
	where,
} from '../tables/table';
import { transitions } from './transitions';

/**
 * Polls the ledger once: releases expired leases, checks the due jobs, and claims those that are finished and wanted.
 *
 * A claimed job that `beginDelivery` does not mark within the lease is claimed again, so no job is lost when the execution never
 * starts.
 *
 * @returns what a trigger passes to one execution.
 * @throws ServiceError when the ledger cannot be used.
 */
export async function pollLedger(ledger: Ledger, options: PollOptions, claim: string) {
	const { clock } = ledger;
	await Promise.all([releaseExpiredLeases(ledger), repairSchedule(ledger)]);
	const ready = await findFinishedJobs(ledger, options, options.maxJobs);
	const remaining = options.maxJobs - ready.length;
	const round = remaining > 0 ? await checkDueJobs(ledger, options, remaining) : undefined;
	const jobs = [...ready, ...(round?.wanted ?? [])].slice(0, options.maxJobs);
	const inTime = clock.now() <= options.claimsUntil;
	return {
		/** The jobs, with the rows that were claimed for them. */
		jobs: inTime ? await claimJobs(ledger, claim, jobs.flat(), options.lease) : [],
		/** The error of the service as a whole; undefined when there is none. */
		serviceError: round?.serviceError,
		/** The number of jobs whose status was read nevertheless. */
		answered: round?.answered ?? 0,
	};
}

/**
 * Reads the finished jobs that the trigger wants, the most overdue first.
 *
 * @returns at most `limit` jobs, with their rows.
 */
async function findFinishedJobs(
	{ table, clock }: Ledger,
	{ eventFilters, ...owner }: Owner & Pick<PollOptions, 'eventFilters'>,
	limit: number,
): Promise<Entry[][]> {
	const now = clock.now();
	const found = await Promise.all(
		eventFilters.map(async ({ outcome, minimumAge, isAlarm }) => {
			const isReady = where({
				...ownedBy(owner),
				...(isAlarm && { triggerGroup: owner.triggerGroup }),
				state: 'pending',
				outcome,
				checkAt: atMost(now),
				startedAt: minimumAge ? atMost(now - minimumAge) : undefined,
			});
			return await table.find(isReady, { by: 'checkAt', limit });
		}),
	);
	const rows = found.flat().sort((one, other) => one.checkAt - other.checkAt);
	return groupByJob(rows).slice(0, limit);
}

/** Milliseconds before a contended job is checked again. */
const CONTENTION_DELAY = 5000;
/** Random milliseconds added to it, so that the two polls do not contend again. */
const CONTENTION_JITTER = 40_000;

/**
 * Claims jobs for one execution. Of several concurrent polls, one gets each row.
 *
 * If a job was entered twice, two polls may still get one row each. Every poll reads all rows of a job after claiming, so at least
 * one of the two sees the other and releases its row. A job that was already delivered is not delivered again.
 *
 * @param claim Random text of this poll.
 * @param rows Rows of finished jobs.
 * @returns the jobs to deliver, with the claimed rows.
 */
async function claimJobs(ledger: Ledger, claim: string, rows: readonly Entry[], lease: number) {
	if (!rows.length) return [];
	const { table, clock } = ledger;
	const repeatable = retryingBriefly(ledger);
	await changeRows(repeatable, rows, { proposal: claim });
	const claimed = groupByJob(await claimCandidates(ledger, claim, lease));
	const ids = claimed.flat().map(({ jobId }) => jobId);
	const all = await findRowsOfJobs(repeatable, ids);
	const ofOthers = all.filter((row) => row.claim !== claim);
	const others = groupBy(ofOthers, jobKey);
	const deliverable: Entry[][] = [];
	for (const job of claimed) {
		const rivals = (job[0] && others.get(jobKey(job[0]))) ?? [];
		const held = rivals.filter(isHeld);
		if (rivals.some(({ state }) => state === 'delivered')) {
			const note = ALREADY_DELIVERED;
			for (const { id } of job)
				await applyTransition(table, 'closeDuplicate', { id, claim }, { note });
		} else if (held.length) {
			const delay = CONTENTION_DELAY + clock.random() * CONTENTION_JITTER;
			const checkAt = endOfConfirmation(held, clock.now()) + delay;
			for (const { id } of job)
				await applyTransition(table, 'yieldJob', { id, claim }, { checkAt });
		} else deliverable.push(job);
	}
	return deliverable;
}

async function claimCandidates({ table, clock }: Ledger, claim: string, lease: number) {
	let isRetry = false;
	return await retryTransient(clock, SHORT_RETRY_ATTEMPTS, async () => {
		// the change may have succeeded although its response was lost
		const claimed = isRetry ? await findAllRows(table, { claim }) : [];
		isRetry = true;
		if (claimed.length) return claimed;
		const leaseUntil = clock.now() + lease;
		return await applyTransition(table, 'claimJob', { proposal: claim }, { claim, leaseUntil });
	});
}

/** Whether an execution has the job, or a workflow has to confirm it. */
const isHeld = ({ state }: Entry) => transitions.releaseJob.from.some((held) => held === state);

/** Until when a workflow may confirm the job, in milliseconds since 1970; now, if none has to. */
function endOfConfirmation(rows: readonly Entry[], now: number): number {
	const unconfirmed = rows.filter(({ state }) => state === 'unconfirmed');
	const end = Math.max(now, ...unconfirmed.map(({ leaseUntil }) => leaseUntil));
	return Math.min(end, now + MAX_LEASE);
}

const ALREADY_DELIVERED = 'Another entry of the same job was delivered.';

/** Of a cell that a person has emptied: n8n compares it with no number. */
const EMPTIED = equal(null);

/** Longest lease, in milliseconds. A longer one was written by a wrong clock. */
const MAX_LEASE = 24 * 3_600_000;
/** Longest time until a check, in milliseconds: Generate waits for a day at most. A longer one was written by a wrong clock. */
const MAX_CHECK_DELAY = 48 * 3_600_000;

/** Releases jobs whose execution did not finish: it was stopped, killed or never started. */
async function releaseExpiredLeases({ table, clock }: Ledger): Promise<void> {
	const now = clock.now();
	const tooLate = now + 2 * MAX_LEASE;
	const claimedStates = transitions.releaseJob.from;
	const isClaimed = anyOf('state', claimedStates);

	const [first] = await table.find(isClaimed, { by: 'leaseUntil', limit: 1 });
	if (!first) return;
	const [last] = await table.find(isClaimed, { by: 'leaseUntil', limit: 1, last: true });
	const release = async (state: EntryState, leaseUntil: Condition) =>
		await applyTransition(table, 'releaseJob', { state, leaseUntil }, { checkAt: now });
	for (const state of claimedStates) {
		if (first.leaseUntil < now) await release(state, below(now));
		if (last && last.leaseUntil > tooLate) await release(state, above(tooLate));
		if (!first.leaseUntil || !last?.leaseUntil) await release(state, EMPTIED);
	}
}

/** Makes jobs due that a fast clock has postponed for too long, or that have no time. */
async function repairSchedule({ table, clock }: Ledger): Promise<void> {
	const now = clock.now();
	const wrong = [above(now + MAX_CHECK_DELAY), EMPTIED];
	const any = wrong.map(({ condition, value }) => ['checkAt', condition, value] as const);
	const [found] = await table.find({ any }, { limit: 1 });
	for (const checkAt of found ? wrong : [])
		await applyUpdate(table, 'repairSchedule', { checkAt }, { checkAt: now });
}

import { ServiceError } from '../core/errors';
import { type Entry, groupByJob, groupBy } from './entry';
import { atMost, changeRows, type Ledger, MAX_CLAUSES, retryingBriefly, where } from './ledger';
import {
	MAX_CONSECUTIVE_FAILURES,
	createRound,
	recordOutcome,
	recordFailures,
	type PollRound,
	type PollOptions,
} from './pollRound';

/**
 * Requests the status of all due jobs, the most overdue first, until enough jobs are found or the time is up. Each job is
 * rescheduled before its request, so that a failing job is not checked again before all others had their turn.
 *
 * @param limit Stop after this many wanted jobs.
 */
export async function checkDueJobs(
	ledger: Ledger,
	options: PollOptions,
	limit: number,
): Promise<PollRound> {
	const { table, clock } = ledger;
	const round = createRound(clock.now());
	const isOver = () =>
		round.serviceError !== undefined ||
		round.consecutiveFailures >= MAX_CONSECUTIVE_FAILURES ||
		round.wanted.length >= limit ||
		clock.now() >= options.asksUntil;

	while (!isOver()) {
		const { account, label } = options;
		const checkAt = atMost(round.startedAt);
		// a job with a known outcome needs no request
		const rows = await table.find(
			where({ state: 'pending', outcome: '', account, checkAt, label: label || undefined }),
			{ by: 'checkAt', limit: MAX_CLAUSES },
		);
		if (!rows.length) break;
		await reschedule(ledger, rows, round.startedAt);
		const unchecked = await checkConcurrently(
			groupByJob(rows),
			options.concurrency,
			isOver,
			async (job) => {
				await checkJob(ledger, options, round, job);
			},
		);
		await restoreSchedule(ledger, unchecked.flat());
	}
	await recordFailures(ledger, options, round);
	return round;
}

async function reschedule(ledger: Ledger, rows: readonly Entry[], now: number): Promise<void> {
	const table = retryingBriefly(ledger);
	// a row that a person added may have no start time
	const groups = groupBy(rows, ({ startedAt, failures }) =>
		startedAt ? checkInterval(now - startedAt, failures) : 'noStartTime',
	);
	for (const [interval, group] of groups) {
		if (interval !== 'noStartTime') await changeRows(table, group, { checkAt: now + interval });
		else await changeRows(table, group, { checkAt: now + checkInterval(0, 0), startedAt: now });
	}
}

/**
 * Restores the due time of jobs that were not checked: they were the most overdue ones. With the time of this round they would
 * come after jobs of earlier rounds, which had their turn.
 */
async function restoreSchedule(ledger: Ledger, rows: readonly Entry[]): Promise<void> {
	const checkAt = Math.min(...rows.map((row) => row.checkAt));
	await changeRows(retryingBriefly(ledger), rows, { checkAt });
}

/** @returns the jobs that were not checked. @throws the first error, after all running checks have ended. */
async function checkConcurrently(
	jobs: Entry[][],
	concurrency: number,
	isOver: () => boolean,
	check: (job: Entry[]) => Promise<void>,
): Promise<Entry[][]> {
	const failures: unknown[] = [];
	let next = 0;
	const worker = async () => {
		for (let job = jobs[next]; job && !isOver() && !failures.length; job = jobs[next]) {
			next++;
			try {
				await check(job);
			} catch (cause) {
				failures.push(cause);
			}
		}
	};
	await Promise.all(Array.from({ length: concurrency }, worker));
	if (failures.length) throw failures[0];
	return jobs.slice(next);
}

async function checkJob(
	ledger: Ledger,
	options: PollOptions,
	round: PollRound,
	job: Entry[],
): Promise<void> {
	const [entry] = job;
	if (!entry) return;
	const status = await options.readStatus(entry).catch((cause: unknown) => ({ cause }));
	if ('cause' in status) return await recordFailure(ledger, options, round, job, status.cause);
	round.answered++;
	round.consecutiveFailures = 0;
	const { outcome, record } = status;
	if (outcome !== 'unfinished')
		return await recordOutcome(ledger, options, round, entry, { outcome, record });
	if (entry.failures) await changeRows(ledger.table, job, { failures: 0, note: '' });
}

async function recordFailure(
	ledger: Ledger,
	options: PollOptions,
	round: PollRound,
	job: Entry[],
	cause: unknown,
): Promise<void> {
	const [entry] = job;
	if (!(cause instanceof ServiceError) || isServiceWide(cause)) {
		round.deferred.push(job);
		round.serviceError ??= cause;
	} else if (cause.kind === 'invalid') {
		// such an ID never fits into a path, so a retry cannot succeed
		const note = [cause.message, cause.details.advice].filter(Boolean).join('. ');
		if (entry) await recordOutcome(ledger, options, round, entry, { outcome: 'lost', note });
	} else if (cause.details.status === 404) round.notFound.push(job);
	else {
		round.failed.push({ job, cause });
		round.consecutiveFailures++;
	}
}

/** Whether the request of every other job would fail in the same way. */
const isServiceWide = ({ kind, details: { status, permanent } }: ServiceError) =>
	kind === 'cancelled' || permanent === true || status === 401 || status === 429;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Age of a job and the interval of its checks from that age on, the oldest first; milliseconds. */
const INTERVALS = [
	[7 * 24 * HOUR, 6 * HOUR],
	[24 * HOUR, HOUR],
	[HOUR, 10 * MINUTE],
	[10 * MINUTE, 2 * MINUTE],
	[0, MINUTE],
] as const;

/** Milliseconds by which a job is due earlier, so that a slightly early poll does not skip it. */
const POLL_TOLERANCE = 15_000;

/** After this many consecutive failed checks, a job is checked at most once an hour. */
const FAILURES_BEFORE_HOURLY = 5;

/** Milliseconds until the next check of a job. */
function checkInterval(age: number, failures: number): number {
	const [, interval] = INTERVALS.find(([from]) => age >= from) ?? [0, MINUTE];
	return Math.max(interval, failures >= FAILURES_BEFORE_HOURLY ? HOUR : 0) - POLL_TOLERANCE;
}

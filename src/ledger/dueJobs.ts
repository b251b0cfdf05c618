import { sentencesOf, ServiceError } from '../core/errors';
import { groupBy } from '../core/grouping';
import { type Entry, groupByJob, identifyJob, ownedBy, type Owner } from './entry';
import { applyUpdate, changeRows, type Ledger, retryingBriefly, toNote } from './ledger';
import { atMost, MAX_ROWS, noneOf, where } from '../tables/table';

/** The outcomes of a job. The values are stored and never change. */
const OUTCOMES = [
	'completed',
	'failed',
	/** The service repeatedly answered that it does not know the job. */
	'lost',
	/** Completed, but its file no longer exists. */
	'expired',
	/** Not a job: an alarm. A budget has reached a threshold, the outcome of a start is unknown, or the record of spending is nearly full. */
	'threshold',
	'outcomeUnknown',
	'nearlyFull',
] as const;
type Outcome = (typeof OUTCOMES)[number];

/** Also finds a cell that a person has emptied: it may be null, which n8n does not take for ''. */
const UNDECIDED = noneOf(...OUTCOMES);

/** The result of a status request. */
export interface JobStatus {
	outcome: 'completed' | 'failed' | 'unfinished';
	/** The service's record of the job, as JSON. Empty for an unfinished job of which it is not to be stored. */
	record: string;
	note?: string | undefined;
}

/** Selects finished jobs that a trigger reports. */
export interface EventFilter {
	outcome: Outcome;
	/** Minimum milliseconds since the start. */
	minimumAge?: number;
	/** Whether it is about alarms, which are entered for each group. */
	isAlarm?: boolean;
}

/** The jobs that one trigger watches, and the limits of a poll. */
export interface PollOptions extends Owner {
	eventFilters: readonly EventFilter[];
	/** The most jobs that one poll claims. */
	maxJobs: number;
	/** Milliseconds after which a job is claimed again if its execution did not finish. */
	lease: number;
	/** Concurrent status requests. */
	concurrency: number;
	/** Milliseconds since 1970, after which no more status requests are sent. */
	asksUntil: number;
	/** Milliseconds since 1970, after which no jobs are claimed. */
	claimsUntil: number;
	/** @throws ServiceError */
	readStatus(entry: Entry): Promise<JobStatus>;
	/**
	 * Requests something that the service always has, to distinguish a service failure from failures of single jobs.
	 *
	 * @throws ServiceError
	 */
	checkAlive(): Promise<unknown>;
}

/** Consecutive failed requests after which the service itself is checked. */
const MAX_CONSECUTIVE_FAILURES = 5;
/** Consecutive polls that answer 404 or 410 before a job counts as lost. */
const MAX_NOT_FOUND = 5;

/**
 * Requests the status of all due jobs, the most overdue first, until enough jobs are found or the time is up. Each job is
 * rescheduled before its request, so that a failing job is not checked again before all others had their turn.
 *
 * @param limit Stop after this many wanted jobs.
 */
export async function checkDueJobs(ledger: Ledger, options: PollOptions, limit: number) {
	const { table, clock } = ledger;
	const { concurrency, asksUntil } = options;
	const round = new PollRound(ledger, options);
	const check = async (job: Entry[]) => await round.check(job);
	const isOver = () =>
		round.serviceError !== undefined ||
		round.consecutiveFailures >= MAX_CONSECUTIVE_FAILURES ||
		round.wanted.length >= limit ||
		clock.now() >= asksUntil;

	for (let isLast = false; !isLast && !isOver(); ) {
		const checkAt = atMost(round.startedAt);
		// a job with a known outcome needs no request
		const isDue = where({ ...ownedBy(options), state: 'pending', outcome: UNDECIDED, checkAt });
		const rows = await table.find(isDue, { by: 'checkAt' });
		isLast = rows.length < MAX_ROWS;
		await reschedule(ledger, rows, round.startedAt);
		const unchecked = await checkConcurrently(groupByJob(rows), concurrency, isOver, check);
		await restoreSchedule(ledger, unchecked.flat());
	}
	await round.recordFailures();
	return round;
}

/** A round of status requests, with its results. */
class PollRound {
	readonly #ledger: Ledger;
	readonly #options: PollOptions;
	/** Milliseconds since 1970. */
	readonly startedAt: number;
	/** Finished jobs that the trigger reports, with the rows that were updated. Others may be many, and are not kept. */
	readonly wanted: Entry[][] = [];
	/** The number of jobs whose status was read. */
	answered = 0;
	/** Jobs that the service does not know. */
	readonly #notFound: Entry[][] = [];
	/** Jobs whose status request failed. */
	readonly #failed: Array<{ job: Entry[]; cause: ServiceError }> = [];
	/** Jobs whose request failed because the service as a whole failed. */
	readonly #deferred: Entry[][] = [];
	/** The number of failed requests since the last success. */
	consecutiveFailures = 0;
	/** An error that concerns all jobs: of the service, the API key, the ledger or Stop; undefined when there is none. */
	serviceError: unknown;

	constructor(ledger: Ledger, options: PollOptions) {
		this.#ledger = ledger;
		this.#options = options;
		this.startedAt = ledger.clock.now();
	}

	/** Reads the status of a job, and records its outcome. */
	async check(job: Entry[]): Promise<void> {
		const [entry] = job;
		if (!entry) return;
		const status = await this.#options.readStatus(entry).catch((cause: unknown) => ({ cause }));
		if ('cause' in status) return await this.#addFailure(job, entry, status.cause);
		this.answered++;
		this.consecutiveFailures = 0;
		const { outcome, record, note = '' } = status;
		if (outcome !== 'unfinished')
			return await this.#recordOutcome(entry, { outcome, record, note });
		if (record) {
			// its outcome may be known by now
			const unfinished = { ...identifyJob(entry), outcome: '' };
			const changes = { record, note, failures: 0 };
			await applyUpdate(retryingBriefly(this.#ledger), 'recordStatus', unfinished, changes);
		} else if (entry.failures || (note && entry.note !== note))
			await changeRows(this.#ledger.table, job, { failures: 0, note });
	}

	async #addFailure(job: Entry[], entry: Entry, cause: unknown): Promise<void> {
		if (!(cause instanceof ServiceError) || isServiceWide(cause)) {
			this.#deferred.push(job);
			this.serviceError ??= cause;
		} else if (cause.kind === 'invalid') {
			// such an ID never fits into a path, so a retry cannot succeed
			const note = sentencesOf(cause, 'advice');
			await this.#recordOutcome(entry, { outcome: 'lost', note });
		} else if ([404, 410].includes(cause.details.status ?? 0)) this.#notFound.push(job);
		else {
			this.#failed.push({ job, cause });
			this.consecutiveFailures++;
		}
	}

	/** Records the outcome of a job in all of its unclaimed rows, and adds the job to `wanted`. */
	async #recordOutcome(
		entry: Entry,
		result: { outcome: Outcome } & Partial<Pick<Entry, 'record' | 'note'>>,
	): Promise<void> {
		const job = identifyJob(entry);
		const changes = { failures: 0, note: '', checkAt: this.startedAt, ...result };
		const rows = await applyUpdate(retryingBriefly(this.#ledger), 'recordOutcome', job, changes);
		const [first] = rows;
		if (first && this.#isWanted(first)) this.wanted.push(rows);
	}

	/** Whether the trigger reports a finished job. */
	#isWanted({ outcome, startedAt }: Entry): boolean {
		return this.#options.eventFilters.some(
			({ outcome: wanted, minimumAge }) =>
				wanted === outcome && (!minimumAge || startedAt + minimumAge <= this.startedAt),
		);
	}

	/**
	 * Counts a failure for each job whose request failed. If the service itself fails, no failures are counted, and the jobs are
	 * checked again in the next poll. If no job was read or many requests in a row failed, `checkAlive` decides which of the two it is.
	 */
	async recordFailures(): Promise<void> {
		const jobs = [...this.#deferred, ...this.#notFound, ...this.#failed.map(({ job }) => job)];
		if (!jobs.length) return;
		const { table } = this.#ledger;
		const isDoubtful = !this.answered || this.consecutiveFailures >= MAX_CONSECUTIVE_FAILURES;
		if (this.serviceError === undefined && isDoubtful)
			this.serviceError = await this.#options.checkAlive().then(
				() => undefined,
				(cause: unknown) => cause,
			);
		if (this.serviceError !== undefined)
			return await changeRows(table, jobs.flat(), { checkAt: this.startedAt });

		for (const { job, cause } of this.#failed)
			await changeRows(table, job, { failures: highestFailures(job) + 1, note: toNote(cause) });
		for (const [before, group] of groupBy(this.#notFound, timesNotFound)) {
			const changes = { failures: before + 1, note: NOT_FOUND_NOTE };
			if (changes.failures < MAX_NOT_FOUND) await changeRows(table, group.flat(), changes);
			else
				for (const [entry] of group)
					if (entry) await this.#recordOutcome(entry, { outcome: 'lost', note: NOT_FOUND_NOTE });
		}
	}
}

const NOT_FOUND_NOTE = 'The service does not know this job (any more).';

/** How often in a row the service has answered so. Failures of another kind do not count. */
const timesNotFound = (job: readonly Entry[]) =>
	highestFailures(job.filter(({ note }) => note === NOT_FOUND_NOTE));

/** Whether the request of every other job would fail in the same way. */
const isServiceWide = ({ kind, details: { status, permanent } }: ServiceError) =>
	kind === 'cancelled' || permanent === true || status === 401 || status === 429;

const highestFailures = (rows: readonly Entry[]) =>
	Math.max(0, ...rows.map(({ failures }) => failures));

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
			await check(job).catch((cause: unknown) => failures.push(cause));
		}
	};
	await Promise.all(Array.from({ length: concurrency }, worker));
	if (failures.length) throw failures[0];
	return jobs.slice(next);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Age of a job and the interval of its checks from that age on, the oldest first; milliseconds. A younger one is checked each minute. */
const INTERVALS = [
	[7 * 24 * HOUR, 6 * HOUR],
	[24 * HOUR, HOUR],
	[HOUR, 10 * MINUTE],
	[10 * MINUTE, 2 * MINUTE],
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

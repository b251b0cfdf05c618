import { mapServiceError, ServiceError } from '../core/errors';
import { type Entry, groupBy } from './entry';
import { applyUpdate, changeRows, type Ledger, retryingBriefly, toNote } from './ledger';

/** The outcome of a job. The values are stored and never change. */
type Outcome =
	| 'completed'
	| 'failed'
	/** The service repeatedly answered that it does not know the job. */
	| 'lost'
	/** Completed, but its file no longer exists. */
	| 'expired';

/** The result of a status request. */
export interface JobStatus {
	outcome: 'completed' | 'failed' | 'unfinished';
	/** The service's record of the job, as JSON. */
	record: string;
}

/** Selects finished jobs that a trigger reports. */
export interface EventFilter {
	outcome: Outcome;
	/** Minimum milliseconds since the start; 0 for none. */
	minimumAge: number;
}

/** The jobs that one trigger watches, and the limits of a poll. */
export interface PollOptions {
	account: string;
	/** Empty for all jobs of the account. */
	label: string;
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

/** Whether a trigger reports a finished job. */
function isWanted(
	{ eventFilters }: Pick<PollOptions, 'eventFilters'>,
	{ outcome, startedAt }: Entry,
	now: number,
): boolean {
	return eventFilters.some(
		(filter) =>
			filter.outcome === outcome && (!filter.minimumAge || startedAt + filter.minimumAge <= now),
	);
}

/** The results of a round of status requests. */
export interface PollRound {
	/** Milliseconds since 1970. */
	readonly startedAt: number;
	/** Finished jobs that the trigger reports, with the rows that were updated. Others may be many, and are not kept. */
	readonly wanted: Entry[][];
	/** The number of jobs whose status was read. */
	answered: number;
	/** Jobs that the service does not know. */
	readonly notFound: Entry[][];
	/** Jobs whose status request failed. */
	readonly failed: Array<{ job: Entry[]; cause: ServiceError }>;
	/** Jobs whose request failed because the service as a whole failed. */
	readonly deferred: Entry[][];
	/** The number of failed requests since the last success. */
	consecutiveFailures: number;
	/** An error that concerns all jobs: of the service, the API key, the ledger or Stop; undefined when there is none. */
	serviceError: unknown;
}

export const createRound = (startedAt: number): PollRound => ({
	startedAt,
	wanted: [],
	answered: 0,
	notFound: [],
	failed: [],
	deferred: [],
	consecutiveFailures: 0,
	serviceError: undefined,
});

/** Consecutive failed requests after which the service itself is checked. */
export const MAX_CONSECUTIVE_FAILURES = 5;
/** Consecutive polls that answer 404 before a job counts as lost. */
const MAX_NOT_FOUND = 5;

/** Records the outcome of a job in all of its unclaimed rows, and adds the job to `wanted`. */
export async function recordOutcome(
	ledger: Ledger,
	options: PollOptions,
	round: PollRound,
	{ account, segment, jobId }: Entry,
	result: { outcome: Outcome } & Partial<Pick<Entry, 'record' | 'note'>>,
): Promise<void> {
	const job = { jobId, segment, account };
	const changes = { failures: 0, note: '', checkAt: round.startedAt, ...result };
	const rows = await applyUpdate(retryingBriefly(ledger), 'recordOutcome', job, changes);
	const [first] = rows;
	if (first && isWanted(options, first, round.startedAt)) round.wanted.push(rows);
}

/**
 * Counts a failure for each job whose request failed. If the service itself fails, no failures are counted, and the jobs are
 * checked again in the next poll. If no job was read or many requests in a row failed, `checkAlive` decides which of the two it is.
 */
export async function recordFailures(
	ledger: Ledger,
	options: PollOptions,
	round: PollRound,
): Promise<void> {
	const { failed, notFound, deferred, answered } = round;
	if (!failed.length && !notFound.length && !deferred.length) return;
	if (
		round.serviceError === undefined &&
		(!answered || round.consecutiveFailures >= MAX_CONSECUTIVE_FAILURES)
	)
		round.serviceError = await findServiceError(options);
	const jobs = [...deferred, ...notFound, ...failed.map(({ job }) => job)];
	if (round.serviceError !== undefined)
		return await changeRows(ledger.table, jobs.flat(), { checkAt: round.startedAt });

	for (const { job, cause } of failed) {
		const failures = highestFailures(job) + 1;
		await changeRows(ledger.table, job, { failures, note: toNote(cause) });
	}
	for (const [failures, group] of groupBy(notFound, highestFailures)) {
		if (failures + 1 < MAX_NOT_FOUND) {
			const note = NOT_FOUND_NOTE;
			await changeRows(ledger.table, group.flat(), { failures: failures + 1, note });
			continue;
		}
		for (const [entry] of group)
			if (entry)
				await recordOutcome(ledger, options, round, entry, {
					outcome: 'lost',
					note: NOT_FOUND_NOTE,
				});
	}
}

async function findServiceError({ checkAlive }: PollOptions): Promise<unknown> {
	try {
		await checkAlive();
		return undefined;
	} catch (cause) {
		return mapServiceError(cause);
	}
}

const highestFailures = (job: readonly Entry[]) => Math.max(...job.map(({ failures }) => failures));

const NOT_FOUND_NOTE = 'The service does not know this job (404).';

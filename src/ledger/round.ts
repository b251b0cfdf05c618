import { explained, ServiceError } from '../service/errors';
import type { Entry } from './entry';
import { insist } from './insist';
import { changeRows, grouped } from './jobRows';
import type { Ledger } from './ledger';
import { isWanted, type Watching } from './watching';

/** What has come of a round of status requests. */
export interface Round {
	/** Milliseconds since 1970. */
	readonly since: number;
	/** Jobs that are done, with the rows that say so. */
	readonly finished: Entry[][];
	/** How many of them the trigger wants. */
	wanted: number;
	/** How many jobs the service told something of. */
	answered: number;
	/** Jobs that the service does not know. */
	readonly unknown: Entry[][];
	/** Jobs of which nothing was told. */
	readonly missed: Array<{ job: Entry[]; cause: ServiceError }>;
	/** Jobs that were asked for when the service showed that it has trouble. */
	readonly refused: Entry[][];
	/** How many of the last ones told nothing. */
	inARow: number;
	/** What the service as a whole has, or we have. */
	trouble: unknown;
}

export const newRound = (since: number): Round => ({
	since,
	finished: [],
	wanted: 0,
	answered: 0,
	unknown: [],
	missed: [],
	refused: [],
	inARow: 0,
	trouble: undefined,
});

/** Jobs in a row of which nothing is told, after which the service itself is looked at. */
export const MANY_MISSED = 5;
/** Polls in a row in which the service does not know a job, before it counts as lost. */
const MOST_UNKNOWN = 5;
/** n8n restarts in seconds; a poll cannot wait longer. */
export const ATTEMPTS = 3;

/** Writes down what a job came to, in all of its rows, and takes it along. */
export async function settleJob(
	{ table, clock }: Ledger,
	watching: Watching,
	round: Round,
	{ account, segment, jobId }: Entry,
	came: Pick<Entry, 'outcome'> & Partial<Entry>,
): Promise<void> {
	const rows = await insist(
		clock,
		ATTEMPTS,
		async () =>
			await table.change(
				{
					all: [
						['jobId', 'eq', jobId],
						['segment', 'eq', segment],
						['account', 'eq', account],
						['state', 'eq', 'pending'],
					],
				},
				{ failures: 0, note: '', checkAt: round.since, ...came },
			),
	);
	const [first] = rows;
	if (!first) return;
	round.finished.push(rows);
	if (isWanted(watching, first, round.since)) round.wanted++;
}

/**
 * Counts against a job that nothing was told of it, unless it is the service itself that has trouble: then the jobs are asked for
 * again in the next poll. Where no answer shows that the service is well, something is asked for that it always has.
 */
export async function settleMissed(
	ledger: Ledger,
	watching: Watching,
	round: Round,
): Promise<void> {
	const { missed, unknown, refused, answered } = round;
	if (!missed.length && !unknown.length && !refused.length) return;
	if (round.trouble === undefined && (!answered || round.inARow >= MANY_MISSED))
		round.trouble = await troubleOf(watching);
	const jobs = [...refused, ...unknown, ...missed.map(({ job }) => job)];
	if (round.trouble !== undefined)
		return await changeRows(ledger.table, jobs.flat(), { checkAt: round.since });

	for (const { job, cause } of missed) {
		const note = [cause.message, cause.details.reason].filter(Boolean).join('. ').slice(0, 500);
		await changeRows(ledger.table, job, { failures: failuresOf(job) + 1, note });
	}
	for (const [failures, some] of grouped(unknown, failuresOf)) {
		if (failures + 1 < MOST_UNKNOWN) {
			const note = NOT_KNOWN;
			await changeRows(ledger.table, some.flat(), { failures: failures + 1, note });
			continue;
		}
		for (const [entry] of some)
			if (entry)
				await settleJob(ledger, watching, round, entry, { outcome: 'lost', note: NOT_KNOWN });
	}
}

async function troubleOf({ checkAlive }: Watching): Promise<unknown> {
	try {
		await checkAlive();
		return undefined;
	} catch (cause) {
		return explained(cause);
	}
}

const failuresOf = (job: readonly Entry[]) => Math.max(...job.map(({ failures }) => failures));

const NOT_KNOWN = 'The service does not know this job (404).';

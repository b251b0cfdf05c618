import { ServiceError } from '../service/errors';
import { checkInterval } from './checkInterval';
import type { Entry } from './entry';
import { insist } from './insist';
import { byJob, changeRows, grouped } from './jobRows';
import type { Ledger } from './ledger';
import { ATTEMPTS, MANY_MISSED, newRound, settleJob, settleMissed, type Round } from './round';
import { MOST_CLAUSES, type Clause } from './table';
import type { Watching } from './watching';

/**
 * Asks for all jobs whose time has come, the most overdue first, until there are enough or the time is up. Every job is put off
 * before it is asked for, so that one that makes trouble is not asked for again before all others have had their turn.
 *
 * @param room How many wanted jobs are enough.
 */
export async function checkDue(ledger: Ledger, watching: Watching, room: number): Promise<Round> {
	const { table, clock } = ledger;
	const round = newRound(clock.now());
	const isOver = () =>
		round.trouble !== undefined ||
		round.inARow >= MANY_MISSED ||
		round.wanted >= room ||
		clock.now() >= watching.asksUntil;

	while (!isOver()) {
		const rows = await table.find(due(watching, round.since), {
			by: 'checkAt',
			limit: MOST_CLAUSES,
		});
		if (!rows.length) break;
		await insist(clock, ATTEMPTS, async () => await putOff(ledger, rows, round.since));
		const left = await askForAll(byJob(rows), watching.concurrency, isOver, async (job) => {
			await askFor(ledger, watching, round, job);
		});
		await putFirst(ledger, left.flat());
	}
	await settleMissed(ledger, watching, round);
	return round;
}

/** Jobs that are to be asked for; what is known to be done needs no asking. */
function due({ account, label }: Watching, since: number): { all: Clause[] } {
	return {
		all: [
			['state', 'eq', 'pending'],
			['outcome', 'eq', ''],
			['account', 'eq', account],
			['checkAt', 'lte', since],
			...(label ? [['label', 'eq', label] as const] : []),
		],
	};
}

async function putOff({ table }: Ledger, rows: readonly Entry[], since: number): Promise<void> {
	// a row that was added by hand may not say when its job was started
	const classes = grouped(rows, ({ startedAt, failures }) =>
		startedAt ? checkInterval(since - startedAt, failures) : 'young',
	);
	for (const [interval, some] of classes) {
		if (interval !== 'young') await changeRows(table, some, { checkAt: since + interval });
		else await changeRows(table, some, { checkAt: since + checkInterval(0, 0), startedAt: since });
	}
}

/**
 * Gives back their turn to jobs that were not asked for: they were the most overdue ones. With the time of this round they would
 * come after those of earlier rounds, which have had their turn.
 */
async function putFirst({ table, clock }: Ledger, rows: readonly Entry[]): Promise<void> {
	const checkAt = Math.min(...rows.map((row) => row.checkAt));
	await insist(clock, ATTEMPTS, async () => await changeRows(table, rows, { checkAt }));
}

/** @returns the jobs that were not asked for. @throws what one threw, once all are at rest. */
async function askForAll(
	jobs: Entry[][],
	concurrency: number,
	isOver: () => boolean,
	askForOne: (job: Entry[]) => Promise<void>,
): Promise<Entry[][]> {
	const failures: unknown[] = [];
	let next = 0;
	const work = async () => {
		for (let job = jobs[next]; job && !isOver() && !failures.length; job = jobs[next]) {
			next++;
			try {
				await askForOne(job);
			} catch (cause) {
				failures.push(cause);
			}
		}
	};
	await Promise.all(Array.from({ length: concurrency }, work));
	if (failures.length) throw failures[0];
	return jobs.slice(next);
}

async function askFor(
	ledger: Ledger,
	watching: Watching,
	round: Round,
	job: Entry[],
): Promise<void> {
	const [entry] = job;
	if (!entry) return;
	const told = await watching.ask(entry).catch((cause: unknown) => ({ cause }));
	if ('cause' in told) return await miss(ledger, watching, round, job, told.cause);
	round.answered++;
	round.inARow = 0;
	const { outcome, record } = told;
	if (outcome !== 'unfinished')
		return await settleJob(ledger, watching, round, entry, { outcome, record });
	if (entry.failures) await changeRows(ledger.table, job, { failures: 0, note: '' });
}

async function miss(
	ledger: Ledger,
	watching: Watching,
	round: Round,
	job: Entry[],
	cause: unknown,
): Promise<void> {
	const [entry] = job;
	if (!(cause instanceof ServiceError) || isOfService(cause)) {
		round.refused.push(job);
		round.trouble ??= cause;
	} else if (cause.kind === 'invalid') {
		// no path can hold such an id, today or tomorrow
		const note = [cause.message, cause.details.advice].filter(Boolean).join('. ');
		if (entry) await settleJob(ledger, watching, round, entry, { outcome: 'lost', note });
	} else if (cause.details.status === 404) round.unknown.push(job);
	else {
		round.missed.push({ job, cause });
		round.inARow++;
	}
}

/** What would happen to every other job, too. */
const isOfService = ({ kind, details: { status, permanent } }: ServiceError) =>
	kind === 'stopped' || permanent === true || status === 401 || status === 429;

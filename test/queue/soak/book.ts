import type { Entry } from '../../../src/ledger/entry';
import type { Service } from '../../service/service';
import { aligned } from '../../support/aligned';
import { fileOf, keyIn, sha256 } from './wanted';

/** What n8n has said of one wanted job. */
export interface Said {
	key: string;
	jobId?: string;
	/** Of a failed start: `unknown` or `not_started`. */
	outcome?: string;
}

export type Row = Pick<
	Entry,
	'state' | 'jobId' | 'triggerGroup' | 'leaseUntil' | 'failures' | 'note'
>;

/** What n8n and the workflows know at the end. */
export interface Evidence {
	wanted: Array<{ key: string; hasKey: boolean }>;
	/** Keys of starts that were sent again although the service might have received them before. */
	sentAgain: string[];
	/** Of the job ledger. */
	rows: Row[];
	said: Said[];
	/** IDs that stand in a log of n8n. */
	logged: Set<string>;
	/** Items that came to the end of a workflow, with the SHA-256 of their file. */
	arrivals: Array<{ jobId: string; sha256?: string }>;
}

/** What the service itself knows. */
export interface Book {
	booked: Array<{ key: string; jobId: string }>;
	/** The SHA-256 of the file of each completed job. */
	files: Map<string, string>;
}

export async function bookOf({ world }: Service): Promise<Book> {
	const completed = [...world.jobs.values()].filter(({ state }) => state === 'completed');
	const hashes = completed.map(async (job) => [job.id, sha256(await fileOf(job))] as const);
	return {
		booked: world.starts.map(({ prompt, jobId }) => ({ key: keyIn(prompt), jobId })),
		files: new Map(await Promise.all(hashes)),
	};
}

/** Goals: lists of keys or job IDs on which there must be nothing, whatever goes wrong. */
const LISTS = {
	twice: 'started twice',
	sentAgain: 'sent again, though it may have arrived',
	lost: 'lost: booked, no ID anywhere, not called unknown',
	unsaid: 'booked, and the ledger has neither job nor doubt',
	phantom: 'IDs that the service never gave',
	silent: 'items of which nothing was said',
	undelivered: 'jobs in the ledger that were not delivered',
	lostItems: 'delivered, and never at the end of the workflow',
	withoutFile: 'completed and known, and never with its file',
	wrongFiles: 'files that are not the bytes of their job',
	unexpected: 'requests outside of the specification',
	leaks: 'places where a key came to light',
};
export type Lists = Record<keyof typeof LISTS, string[]>;

const HAS_JOB = /^(pending|emitting|delivering|unconfirmed|delivered)$/;

/** Compares what the service has booked with what n8n knows of it. */
export function compare(
	{ wanted, sentAgain, rows, said, logged, arrivals }: Evidence,
	{ booked, files }: Book,
	now = Date.now(),
) {
	const idsOf = Map.groupBy(booked, ({ key }) => key);
	const rowsOf = Map.groupBy(rows, ({ triggerGroup }) => triggerGroup);
	const saidOf = Map.groupBy(said, ({ key }) => key);
	const arrived = Map.groupBy(arrivals, ({ jobId }) => jobId);
	const withJob = rows.filter(({ state }) => HAS_JOB.test(state));
	const entered = new Set(withJob.map(({ jobId }) => jobId));
	const open = new Set(
		withJob.filter(({ state }) => state !== 'delivered').map(({ jobId }) => jobId),
	);

	const isDoubtful = (key: string) =>
		(rowsOf.get(key) ?? []).some(
			({ state, leaseUntil }) => state === 'unknown' || (state === 'sending' && leaseUntil < now),
		);
	const isCalledUnknown = (key: string) =>
		(saidOf.get(key) ?? []).some(({ outcome }) => outcome === 'unknown');
	const isKnown = (jobId: string) => said.some((each) => each.jobId === jobId) || logged.has(jobId);
	const isGiven = (key: string, jobId: string) =>
		(idsOf.get(key) ?? []).some((each) => each.jobId === jobId);
	const notEntered = booked.filter(({ jobId }) => !entered.has(jobId));
	const told = [...said, ...rows.map(({ triggerGroup, jobId }) => ({ key: triggerGroup, jobId }))];
	const unknown = wanted.filter(({ key }) => {
		const own = rowsOf.get(key);
		return own
			? isDoubtful(key) && !own.some(({ jobId }) => entered.has(jobId))
			: isCalledUnknown(key);
	});
	const keys = (entries: Array<{ key: string }>) => entries.map(({ key }) => key);
	const lists = {
		twice: [...idsOf].filter(([, ids]) => ids.length > 1).map(([key]) => key),
		sentAgain,
		lost: keys(
			notEntered.filter(
				({ key, jobId }) => !isKnown(jobId) && !isDoubtful(key) && !isCalledUnknown(key),
			),
		),
		unsaid: keys(notEntered.filter(({ key }) => !isDoubtful(key))),
		phantom: keys(told.filter(({ key, jobId }) => jobId && !isGiven(key, jobId))),
		// `lost` and `unsaid` judge what is booked
		silent: keys(
			wanted.filter(
				({ key, hasKey }) => hasKey && !rowsOf.has(key) && !saidOf.has(key) && !idsOf.has(key),
			),
		),
		undelivered: withJob
			.filter(({ jobId }) => open.has(jobId))
			.map(({ jobId, state, failures, note }) =>
				`${jobId} (${state}, failures ${failures}) ${note}`.trim(),
			),
		lostItems: [...entered].filter((id) => !open.has(id) && !arrived.has(id)),
		withoutFile: [...arrived.keys()].filter(
			(id) => files.has(id) && !arrived.get(id)?.some((each) => each.sha256),
		),
		wrongFiles: arrivals
			.filter((each) => each.sha256 && each.sha256 !== files.get(each.jobId))
			.map(({ jobId }) => jobId),
	};
	const started = unknown.filter(({ key }) => idsOf.has(key));
	return { lists, unknown: { called: unknown.length, started: started.length } };
}

/** What a soak came to. */
export interface Soaked {
	lists: Lists;
	/** Starts whose outcome is open, and how many of them have really started a job. */
	unknown: { called: number; started: number };
	/** Counts by name, such as how often each trouble struck. */
	tables: Record<string, Map<string, number>>;
	/** Further numbers by name. */
	facts: Record<string, number>;
}

export const missed = ({ lists }: Soaked): string[] =>
	Object.entries(LISTS)
		.filter(([list]) => lists[list as keyof Lists].length > 0)
		.map(([, what]) => what);

/** What a person reads at the end: counts, numbers, and the goals with those that each missed one is about. */
export function reportOf({ lists, unknown, tables, facts }: Soaked): string {
	const named = (entries: Iterable<[string, number]>) =>
		[...entries].map(([name, number]) => [String(name), String(number)]);
	const goals = Object.entries(LISTS).map(([list, what]) => ({
		what,
		which: lists[list as keyof Lists],
	}));
	return [
		...Object.entries(tables).map(([title, counts]) =>
			aligned([[title, 'times'], ...named(counts).sort()]),
		),
		aligned([
			['', 'figure'],
			...named(Object.entries(facts)),
			['called unknown, and really started', `${unknown.called}, ${unknown.started}`],
		]),
		aligned([
			['', 'figure, to be 0', ''],
			...goals.map(({ what, which }) => [
				what,
				String(which.length),
				which.length ? 'MISSED' : 'met',
			]),
		]),
		...goals
			.filter(({ which }) => which.length)
			.map(({ what, which }) => `${what}: ${which.slice(0, 20).join(', ')}`),
	].join('\n\n');
}

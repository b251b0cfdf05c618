import type { Service } from '../service/service';
import { fileOf, sha256 } from './files';
import type { Row } from './queue/ledgerRows';
import { keyIn } from './wanted';

/** What n8n has said of one wanted job. */
export interface Said {
	key: string;
	jobId?: string;
	/** Of a failed start: `unknown` or `not_started`. */
	outcome?: string;
}

/** An item that came to the end of a workflow. */
export interface Arrival {
	jobId: string;
	/** Of its file; absent without one. */
	sha256?: string;
}

/** Everything that is known at the end, from wherever it stands. */
export interface Evidence {
	wanted: Array<{ key: string; hasKey: boolean }>;
	/** The service's own book. */
	booked: Array<{ key: string; jobId: string }>;
	/** Jobs that the service has completed. */
	completed: Set<string>;
	/** The SHA-256 of the file of each job. */
	files: Map<string, string>;
	/** Keys of starts that were sent again although the service might have received them before. */
	sentAgain: string[];
	/** Of the job ledger; absent where there is none. */
	rows?: Row[];
	said: Said[];
	/** IDs that stand in a log of n8n. */
	logged?: Set<string>;
	arrivals: Arrival[];
}

/** Lists are of keys or job IDs, those of `undelivered` with what the ledger says of them. */
export interface Findings {
	/** Booked more than once. */
	twice: string[];
	sentAgain: string[];
	/** Booked, and the ID is neither in the ledger nor in an output or a log, and the start is not called unknown. */
	lost: string[];
	/** Booked, and the ledger has neither the job nor a start whose outcome is open. */
	unsaid: string[];
	/** In the ledger or an output, and not given by the service for this key. */
	phantom: string[];
	/** With a unique key, and neither in the ledger nor in an output nor booked. */
	silent: string[];
	/** In the ledger as a job, and not delivered. */
	undelivered: string[];
	/** Delivered, and never written down by the workflow behind the trigger. */
	lostItems: string[];
	/** Completed and written down, and never with its file. */
	withoutFile: string[];
	/** Written down with other bytes than those of the job. */
	wrongFiles: string[];
	/** Starts whose outcome is open, and how many of them have really started a job. */
	unknown: { called: number; started: number };
	notStarted: number;
	/** Without a unique key, and nothing of them is anywhere: the execution was killed before. */
	neverReached: number;
	/** IDs that are not in the ledger, and why they are not lost. */
	onlySaid: number;
	onlyLogged: number;
	arrivedAgain: number;
}

const HAS_JOB = ['pending', 'emitting', 'delivering', 'unconfirmed', 'delivered'];

/** What the service itself knows. */
export async function bookOf({
	world,
}: Service): Promise<Pick<Evidence, 'booked' | 'completed' | 'files'>> {
	const jobs = [...world.jobs.values()];
	const hashes = jobs.map(async (job) => [job.id, sha256(await fileOf(job))] as const);
	return {
		booked: world.starts.map(({ prompt, jobId }) => ({ key: keyIn(prompt), jobId })),
		completed: new Set(jobs.filter(({ state }) => state === 'completed').map(({ id }) => id)),
		files: new Map(await Promise.all(hashes)),
	};
}

/** Compares what the service has booked with what n8n knows of it. */
export function compare(evidence: Evidence, now = Date.now()): Findings {
	const { wanted, booked, rows = [], said, logged = new Set() } = evidence;
	const bookedIds = groupBy(booked, 'key', 'jobId');
	const rowsOf = Map.groupBy(rows, ({ label }) => label);
	const isOpen = ({ state, leaseUntil }: Row) =>
		state === 'unknown' || (state === 'sending' && leaseUntil < now);
	const isDoubtful = (key: string) => (rowsOf.get(key) ?? []).some(isOpen);
	const entered = new Set(
		rows.filter(({ state }) => HAS_JOB.includes(state)).map(({ jobId }) => jobId),
	);
	const saidIds = new Set(said.flatMap(({ jobId }) => jobId ?? []));
	const keysSaid = (wanted: string) =>
		new Set(said.filter(({ outcome }) => outcome === wanted).map(({ key }) => key));
	const [saidUnknown, saidNotStarted] = [keysSaid('unknown'), keysSaid('not_started')];
	const saidKeys = new Set(said.map(({ key }) => key));
	const notEntered = booked.filter(({ jobId }) => !entered.has(jobId));
	const open = wanted.filter(({ key }) =>
		rowsOf.has(key)
			? isDoubtful(key) && !rowsOf.get(key)?.some(({ jobId }) => entered.has(jobId))
			: saidUnknown.has(key),
	);
	const unheard = wanted.filter(
		({ key }) =>
			!rowsOf.has(key) &&
			!saidKeys.has(key) &&
			// with a ledger, `lost` and `unsaid` judge what is booked
			!(evidence.rows && bookedIds.has(key)),
	);
	const isGiven = (key: string, jobId: string) => Boolean(bookedIds.get(key)?.has(jobId));
	return {
		twice: [...bookedIds].filter(([, ids]) => ids.size > 1).map(([key]) => key),
		sentAgain: evidence.sentAgain,
		lost: notEntered
			.filter(
				({ key, jobId }) =>
					!saidIds.has(jobId) && !logged.has(jobId) && !isDoubtful(key) && !saidUnknown.has(key),
			)
			.map(({ key }) => key),
		unsaid: notEntered.filter(({ key }) => evidence.rows && !isDoubtful(key)).map(({ key }) => key),
		phantom: [
			...rows
				.filter(({ label, jobId }) => jobId && !isGiven(label, jobId))
				.map(({ label }) => label),
			...said.filter(({ key, jobId }) => jobId && !isGiven(key, jobId)).map(({ key }) => key),
		],
		silent: unheard.filter(({ hasKey }) => hasKey).map(({ key }) => key),
		...deliveries(evidence, entered),
		unknown: {
			called: open.length,
			started: open.filter(({ key }) => bookedIds.has(key)).length,
		},
		notStarted: wanted.filter(({ key }) => {
			const states = rowsOf.get(key)?.map(({ state }) => state);
			return (
				states?.every((state) => /^(notStarted|withdrawn)$/.test(state)) ?? saidNotStarted.has(key)
			);
		}).length,
		neverReached: unheard.filter(({ hasKey }) => !hasKey).length,
		onlySaid: notEntered.filter(({ jobId }) => saidIds.has(jobId)).length,
		onlyLogged: notEntered.filter(({ jobId }) => !saidIds.has(jobId) && logged.has(jobId)).length,
	};
}

/** What has become of the jobs of which the ledger knows. */
function deliveries({ rows = [], arrivals, completed, files }: Evidence, entered: Set<string>) {
	const arrived = Map.groupBy(arrivals, ({ jobId }) => jobId);
	const undelivered = rows.filter(
		({ jobId, state }) => entered.has(jobId) && state !== 'delivered',
	);
	const open = new Set(undelivered.map(({ jobId }) => jobId));
	return {
		undelivered: undelivered.map(({ jobId, state, failures, note }) =>
			`${jobId} (${state}, failures ${failures}) ${note}`.trim(),
		),
		lostItems: [...entered].filter((id) => !open.has(id) && !arrived.has(id)),
		withoutFile: [...arrived]
			.filter(([id, all]) => completed.has(id) && !all.some((each) => each.sha256))
			.map(([id]) => id),
		wrongFiles: arrivals
			.filter(({ jobId, sha256 }) => sha256 && sha256 !== files.get(jobId))
			.map(({ jobId }) => jobId),
		arrivedAgain: [...arrived.values()].filter((all) => all.length > 1).length,
	};
}

function groupBy<Key extends string, Value extends string>(
	entries: Array<Record<Key | Value, string>>,
	key: Key,
	value: Value,
): Map<string, Set<string>> {
	const groups = new Map<string, Set<string>>();
	for (const entry of entries)
		groups.set(entry[key], (groups.get(entry[key]) ?? new Set()).add(entry[value]));
	return groups;
}

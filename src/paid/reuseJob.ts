import { isUnstarted, mapServiceError, ServiceError } from '../core/errors';
import type { Http } from '../core/http';
import { type Clock, retry } from '../core/retry';
import type { Entry } from '../ledger/entry';
import { asNotStarted, isoTime } from '../ledger/keyClaim';
import { enterRow, type Ledger, type LedgerTable } from '../ledger/ledger';
import type { Job } from '../router/jobRecord';
import { type JobAddress, openContent, readJob } from '../router/jobs';
import { LONG_RETRY_ATTEMPTS, retryTransient } from '../tables/retries';
import { above, anyOf, MAX_CLAUSES, noneOf, where } from '../tables/table';
import { readStoredRecord, type StartedJob } from './payJob';

/** A request of an execution that builds a workflow. */
interface BuildingRequest {
	/** Opens where such requests are kept. @throws ServiceError */
	open(): Promise<Ledger>;
	/** The account, and what is the same for the same request. */
	row: Pick<Entry, 'credentialId' | 'uniqueKey'>;
	/** Milliseconds since 1970. What is older does not count. */
	since: number;
	mediaType: JobAddress['mediaType'];
	/** Whether what another execution has paid for is given. Otherwise this one is only kept for later ones. */
	reuses: boolean;
	/** Whether one of unknown outcome is sent again. */
	resendIfUnknown: boolean;
	http: Http;
	clock: Clock;
	/** Counts what an ended job has cost: the execution that paid for it may have been stopped. */
	countEnded(job: Job): void;
	addHint(sentence: string): void;
}

/**
 * Gives the job that another execution has paid for with the same request, or pays for one and keeps it for later executions.
 *
 * @throws ServiceError as `pay`; `unknown` where the other execution does not know whether it has started one; `not_started` where that
 *   cannot be read.
 */
export async function reuseOrPay(
	building: BuildingRequest,
	pay: () => Promise<StartedJob>,
): Promise<StartedJob> {
	const earlier = building.reuses && (await findEarlier(building));
	if (earlier) return earlier;
	const keep = async (record: object) =>
		await enter(building, JSON.stringify(record)).catch(() => building.addHint(NOT_KEPT));
	try {
		const started = await pay();
		await keep({ jobId: started.job.jobId, model: started.model });
		return started;
	} catch (cause) {
		// a person decides about the start in its own row
		if (cause instanceof ServiceError && !isUnstarted(cause))
			await keep({ entryId: cause.details.ids?.['entryId'] });
		throw mapServiceError(cause);
	}
}

async function findEarlier(building: BuildingRequest): Promise<StartedJob | undefined> {
	const { open, row, since, mediaType, resendIfUnknown, addHint } = building;
	try {
		const { table, n8nTime, executionId: own } = await open();
		const ofOthers = {
			state: 'reusable',
			startedAt: above(since),
			// version 2 of n8n's engine remembers nothing of a node that runs again
			executionId: noneOf(own),
		} as const;
		const [entry] = await table.find(where({ ...row, ...ofOthers }), { last: true, limit: 1 });
		if (!entry) return undefined;
		const { executionId, startedAt } = entry;
		const kept = readStoredRecord(entry);
		const decided = await findDecided(table, kept['entryId']);
		const { jobId, model } = { ...kept, ...decided };
		if (decided?.state === 'notStarted') return undefined;
		if (typeof jobId !== 'string' || !jobId) {
			if (resendIfUnknown) return undefined;
			throw startUnknown(entry);
		}
		const isNew = n8nTime() - startedAt < MAX_LAG;
		const job = await readPaidJob(building, { mediaType, jobId }, isNew);
		if (!job)
			addHint(
				`The job ${jobId} that execution ${executionId} has paid for is gone at the service, so a new one is started.`,
			);
		if (!job || job.state === 'failed') return undefined;
		const reusedFrom = { time: isoTime(startedAt), executionId };
		return { job, model: String(model), reusedFrom };
	} catch (cause) {
		throw asNotStarted(cause);
	}
}

/** The row of a start whose outcome was unknown: by now it may have the job, or never have been started. */
async function findDecided(table: LedgerTable, entryId: unknown): Promise<Entry | undefined> {
	if (typeof entryId !== 'string') return undefined;
	const [start] = await table.find(where<Entry>({ id: Number(entryId) }));
	return start;
}

/** Milliseconds for which the service may not know a job that it has started, or not have its file. */
const MAX_LAG = 60_000;

/** @returns undefined if the job, or its file, is gone. @throws ServiceError if that is not known. */
async function readPaidJob(
	{ http, clock, countEnded }: BuildingRequest,
	address: JobAddress,
	isNew: boolean,
): Promise<Job | undefined> {
	try {
		const job = await readJob(http, address);
		countEnded(job);
		if (job.state !== 'completed') return job;
		const open = async () => await openContent(http, address);
		const pauses = { attempts: 3, clock, minimumPause: 500 };
		const { body } = await retry(open, { ...pauses, isRetryable: isLate });
		// it is read by what needs it
		await body[Symbol.asyncIterator]().return?.();
		return job;
	} catch (cause) {
		const { status } = cause instanceof ServiceError ? cause.details : {};
		if (isNew && status === 404) return { ...address, state: 'unfinished', record: {} };
		if (status === 404 || status === 410) return undefined;
		throw mapServiceError(cause);
	}
}

/** Right after a job has completed, its file may be late, however long the job took. */
const isLate = (cause: unknown) =>
	cause instanceof ServiceError && [404, 409].includes(cause.details.status ?? 0);

/** Rows per account. The oldest ones go. */
const MAX_ROWS = 200;

/** Keeps what this execution has paid for, also after Stop. @throws ServiceError when the ledger cannot be used. */
async function enter({ open, row }: BuildingRequest, record: string): Promise<void> {
	const { table, n8nTime, uncancellableClock, executionId } = await open();
	const entry = { ...row, record, executionId, startedAt: n8nTime() };
	// one that is added twice is found once
	await retryTransient(uncancellableClock, LONG_RETRY_ATTEMPTS, async () => {
		await enterRow(table, 'enterReusable', entry);
	});
	// if n8n does not answer, or the key may not delete rows, they stay
	await forgetOldest(table, row).catch(() => undefined);
}

async function forgetOldest(
	table: LedgerTable,
	{ credentialId }: BuildingRequest['row'],
): Promise<void> {
	const isOfAccount = where<Entry>({ credentialId, state: 'reusable' });
	const old = await table.find(isOfAccount, { last: true, offset: MAX_ROWS, limit: MAX_CLAUSES });
	const ids = old.map(({ id }) => id);
	if (ids.length) await table.remove(anyOf('id', ids));
}

const startUnknown = ({ executionId, startedAt }: Entry) =>
	new ServiceError(
		'timeout',
		`It is not known whether execution ${executionId} has started this job`,
		{
			outcome: 'unknown',
			reason: `It was sent on ${isoTime(startedAt)}.`,
			advice:
				'Nothing was sent now. Check at the service. If the job is there, use its ID in Wait for Job or Download File. If not, choose "While Building: Always Start Anew" in Options once, or turn on "Resend If Outcome Is Unknown".',
		},
	);

const NOT_KEPT =
	'What was sent could not be recorded for later executions by hand: they start and pay for new jobs.';

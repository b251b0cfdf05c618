import type { Accounts } from '../core/accounts';
import type { Http } from '../core/http';
import { isPlainObject, type JsonObject, omitMissing, tryParseJson } from '../core/json';
import type { Clock } from '../core/retry';
import type { Sent, SendAttempts, StartLedger, StartPaid } from '../core/startPaid';
import type { Entry } from '../ledger/entry';
import { asNotStarted, type ClaimOptions } from '../ledger/keyClaim';
import type { Ledger } from '../ledger/ledger';
import { claimStart } from '../ledger/startOnce';
import { explainJobBalance, explainMissingText } from '../router/advice';
import { describeJobSettings } from '../router/jobPricing';
import { describeOddAmount, type Job, readEstimate, readJobRecord } from '../router/jobRecord';
import { startJob } from '../router/jobStart';
import type { MediaType } from '../router/model';
import { reserveCall, type JobCall } from './call';
import { toEnded } from './choose';

/** What a paid start needs of its operation. */
interface JobContext {
	http: Http;
	accounts: Accounts;
	startPaid: StartPaid;
	ledger: StartLedger<StartedJob> | undefined;
	/** What is asked for, without the contents of its inputs. */
	asked: { body: Record<string, unknown>; inputs: readonly string[] };
	/** Milliseconds without a renewal after which the start counts as interrupted. */
	lease: number;
	clock: Pick<Clock, 'now'>;
	/** Paid requests that this process has in flight for the same account. */
	countInFlight(): number;
	/** Gets the ID of the job as soon as it is known. */
	recordId(name: 'mediaJob', id: string): void;
	addHint(sentence: string): void;
}

type Price = ReturnType<JobCall['price']>;
type Started = ReturnType<Accounts['openStart']>;

/**
 * Starts a job within the caps of its call, unless its key has started one.
 *
 * @throws ServiceError with an outcome.
 */
export async function payJob(call: JobCall, context: JobContext): Promise<StartedJob> {
	const { accounts, startPaid, ledger, asked, lease } = context;
	const { found, mediaType, label = '', refusal } = call;
	const { entry } = found;
	const model = entry?.id ?? call.model;
	const settings = describeJobSettings(entry?.pricing, asked.body, asked.inputs);
	return await startPaid({
		...(ledger && { ledger }),
		async reserve(claim) {
			if (refusal) throw refusal;
			const of = { model, settings: `${mediaType} ${settings}`, claim, label, lease };
			const start = accounts.openStart(of);
			return { ...(await reserveCall(call, start.scopes)), start };
		},
		send: async ({ bound, start }, attempts) =>
			await send(call, { price: bound, start, attempts }, context),
	});
}

async function send(
	{ mediaType, model }: JobCall,
	{ price, start, attempts }: { price: Price; start: Started; attempts: SendAttempts },
	{ http, clock, asked, countInFlight, recordId, addHint }: JobContext,
): Promise<Sent<StartedJob>> {
	const sentAt = clock.now();
	const beforeAttempt = async () => {
		await start.renew();
		return await attempts.beforeAttempt();
	};
	const { body, least } = price;
	const job = await toEnded(startJob(http, mediaType, body, { beforeAttempt }));
	if ('failure' in job) {
		const balance = { leastMicroUsd: least, others: countInFlight() - 1 };
		return { failure: explainMissingText(explainJobBalance(job.failure, balance), asked.body) };
	}
	recordId('mediaJob', job.jobId);
	start.setJob(mediaType, job.jobId);
	const estimate = readEstimate(job, least);
	const odd = describeOddAmount(job.jobId, ['estimate', job.estimatedCostMicroUsd], estimate);
	if (odd) addHint(odd);
	// an estimate below the catalog's minimum would weaken a cap
	const cost = estimate && least?.gt(estimate) ? least : estimate;
	return { result: { job, model, sentAt, ...(cost && { estimate: cost.toFixed() }) }, cost };
}

/** A job that was started. Plain data: it is stored with the execution. */
export interface StartedJob {
	job: Job;
	/** As it was sent. */
	model: string;
	/** Milliseconds since 1970. Undefined if an earlier start with the same key has started it. */
	sentAt?: number;
	/** Digits of micro-dollars that it counts with. */
	estimate?: string;
	/** Undefined if the job ledger is not used. */
	ledgered?: LedgerResult;
	/** The execution that has paid for it, if it was another one. */
	reusedFrom?: ReusedFrom;
}

/** The execution that has paid for what is given again, and when: ISO 8601. */
export interface ReusedFrom {
	time: string;
	executionId: string;
}

/** The result of a start in the ledger. */
export interface LedgerResult {
	/** Undefined if the ledger could not be reached after the start. */
	entry: Entry | undefined;
	/** Whether an earlier start with the same key started the job. Undefined without a key. */
	startedBefore?: boolean;
}

/** Adapts the job ledger to the pipeline of paid starts. @param open Throws ServiceError. */
export const createStartLedger = (
	open: () => Promise<Ledger>,
	start: ClaimOptions,
): StartLedger<StartedJob> => ({
	async claim() {
		const ledger = await open().catch((cause: unknown) => {
			throw asNotStarted(cause);
		});
		const claim = await claimStart(ledger, start);
		if ('earlier' in claim) {
			const { earlier: entry } = claim;
			const ledgered = { entry, startedBefore: true };
			return { earlier: { job: toJob(entry), model: entry.model || start.model, ledgered } };
		}
		return {
			...claim,
			async recordStarted(started) {
				const entry = await claim.recordStarted(toEntryFields(started.job));
				return {
					...started,
					ledgered: { entry, ...(start.uniqueKey && { startedBefore: false }) },
				};
			},
		};
	},
});

/** The job of an entry, as its record was last stored. */
export function toJob(entry: Entry): Job {
	const { jobId, requestId } = entry;
	const mediaType = entry.mediaType as MediaType;
	const record = readStoredRecord(entry);
	return {
		jobId,
		mediaType,
		state: 'unfinished',
		record,
		...readJobRecord(record, mediaType, {}, jobId),
		// a second start has to show that no file will come, which a shortened record may not say
		...(entry.outcome === 'failed' && { state: 'failed' }),
		...(requestId && { requestId }),
	};
}

/** @returns an empty object for what is not a record. */
export function readStoredRecord({ record }: Entry): Record<string, unknown> {
	const stored = tryParseJson(record);
	return isPlainObject(stored) ? stored : {};
}

/** What is known of the costs of a job, and is not in its record, as fields of that: they may stand beside the record that came. */
export function findMissingCosts({ record, jobId, mediaType, ...job }: Job): JsonObject {
	const stored = readJobRecord(record, mediaType, {}, jobId);
	const { costMicroUsd: cost, estimatedCostMicroUsd: estimate } = job;
	return omitMissing({
		...(stored?.costMicroUsd === undefined && { cost }),
		...(stored?.estimatedCostMicroUsd === undefined && { estimated_cost: estimate }),
	});
}

/**
 * Maximum characters of the service's record that the ledger stores. A longer record is read again when needed, but for the costs: only
 * the response to the start always has the estimate.
 */
const MAX_RECORD_LENGTH = 4000;

/** What the ledger stores of a job that was started. */
function toEntryFields(job: Job) {
	const { jobId, requestId = '', record } = job;
	const text = JSON.stringify({ ...record, ...findMissingCosts(job) });
	if (text.length <= MAX_RECORD_LENGTH) return { jobId, requestId, record: text };
	return { jobId, requestId, record: JSON.stringify(findMissingCosts({ ...job, record: {} })) };
}

import type { IDataObject } from 'n8n-workflow';

import { mapServiceError, ServiceError } from '../../../src/core/errors';
import { isEmptyValue, omitMissing, pickPresent } from '../../../src/core/json';
import { retry } from '../../../src/core/retry';
import type { ItemOutput, Uses } from '../../../src/n8n/operation';
import {
	describeOddAmount,
	isRecordNeeded,
	type Job,
	jobFailedError,
	readEndedCost,
	readJobCost,
	summarizeJob,
} from '../../../src/router/jobRecord';
import {
	type JobAddress,
	openContent,
	readJob,
	toPartial,
	withJobId,
} from '../../../src/router/jobs';
import type { LedgerResult, ReusedFrom } from '../../../src/paid/payJob';
import { kindOfMediaType } from '../../../src/router/model';
import { mediaTypeLabel } from './media.params';

/** The output for an AI agent, which cannot receive files. The service stores them for free. */
function describeRemoteFile({ mediaType, jobId }: JobAddress): IDataObject {
	const isStored = mediaType === 'images' || mediaType === 'videos';
	const retention = isStored
		? 'The service stores it for 7 days after the job has completed.'
		: 'The service does not store music and speech: download it at once.';
	return {
		jobId,
		mediaType,
		...(isStored && { keptDays: 7 }),
		advice: `The file is ready, but a tool cannot return files. If the job ledger tracks the job, a Model Router Trigger brings it into its workflow. A Model Router node with Media: Download File, Media Type "${mediaTypeLabel(mediaType)}" and Job ID "${jobId}" downloads it, too. ${retention}`,
	};
}

/** Maximum attempts when the connection breaks during a download. Downloads are free. */
const MAX_ATTEMPTS = 3;

/** Statuses that the service may return for a short time after it reported the job as completed. */
const LAGGING_STATUSES = [202, 204, 404, 409];

type ReadContext = Uses<'http' | 'accounts'> & Partial<Uses<'addHint'>>;
type DownloadContext = ReadContext & Uses<'asTool' | 'clock' | 'storeFile'>;

interface FileOptions {
	/** The name of the binary field. */
	binaryProperty: string;
	/** MiB. */
	maxSizeMib: number;
	/** Whether the job was just reported as completed. Then "not completed" is a temporary inconsistency of the service. */
	justCompleted?: boolean;
}

/**
 * Downloads the file of a completed job into n8n.
 *
 * For an AI agent the file is not downloaded: the agent cannot receive it, and n8n would store it where no node can read it.
 */
export async function downloadResult(
	context: DownloadContext,
	address: JobAddress,
	{ binaryProperty, maxSizeMib, justCompleted = false }: FileOptions,
): Promise<Pick<ItemOutput, 'binary'> & { file: IDataObject }> {
	const { asTool, http, clock, storeFile } = context;
	if (asTool) {
		if (!justCompleted) await checkCompleted(context, address);
		return { file: describeRemoteFile(address) };
	}
	const { jobId, mediaType } = address;
	const kind = kindOfMediaType(mediaType);
	const family = kind === 'music' ? 'audio' : kind;
	const baseName = `${mediaType}-${jobId.replace(/[^\w-]+/g, '_').slice(0, 80)}`;
	const isRetryable = (cause: unknown) => {
		if (!(cause instanceof ServiceError)) return false;
		const { status = 0, code } = cause.details;
		const lagging = LAGGING_STATUSES.includes(status) || code === 'job_not_completed';
		return cause.kind === 'truncated' || (justCompleted && lagging);
	};
	const download = async () =>
		await withJobId(jobId, async () => {
			const response = await openContent(http, address);
			return await storeFile(response, { baseName, family, maxSizeMib });
		});
	try {
		const pauses = { attempts: MAX_ATTEMPTS, clock, minimumPause: 500 };
		const { binary, file } = await retry(download, { ...pauses, isRetryable });
		return { file, binary: { [binaryProperty]: binary } };
	} catch (cause) {
		throw mapServiceError(cause, (error) =>
			error.kind === 'truncated' ? toDownloadError(error, jobId) : error,
		);
	}
}

/** @throws ServiceError with the job's id when the job has failed or is not finished. */
async function checkCompleted(context: ReadContext, address: JobAddress): Promise<void> {
	const job = countEndedJob(context, await readJob(context.http, address));
	if (job.state === 'failed') throw jobFailedError(job);
	if (job.state === 'completed') return;
	throw new ServiceError('timeout', 'The media job is not finished yet', {
		ids: { jobId: job.jobId },
		advice: 'It is still running. Ask again later; do not start it again.',
		partial: toPartial(job),
	});
}

const toDownloadError = ({ details }: ServiceError, jobId: string) =>
	new ServiceError('failed', 'The file was not downloaded completely', {
		...details,
		ids: { jobId },
		advice:
			'The job is done and its file is still at the service: use Download File with the job ID. Do not start it again.',
	});

/** Counts the cost of a job that has ended in the budget and the record of the credential. */
export function countEndedJob<Ended extends Job>(
	{ accounts, addHint }: Pick<ReadContext, 'accounts' | 'addHint'>,
	job: Ended,
): Ended {
	const { mediaType, jobId, state, costMicroUsd } = job;
	if (state === 'unfinished') return job;
	const odd = describeOddAmount(jobId, ['cost', costMicroUsd], readJobCost(job));
	if (odd) addHint?.(odd);
	accounts.endJob(mediaType, jobId, readEndedCost(job));
	return job;
}

/**
 * Reads the cost of a job that may have ended, where it counts. Reading costs nothing. If it fails, the estimate counts until something
 * else reads the cost.
 */
export async function countCost(context: ReadContext, address: JobAddress): Promise<void> {
	const { http, accounts } = context;
	if (!accounts.budget && !accounts.spending) return;
	const job = await readJob(http, address).catch(() => undefined);
	if (job) countEndedJob(context, job);
}

/** What a job's item contains besides the job. */
interface JobOutputDetails {
	/** Unless it is false, the service's record is left out. Get Job has it. */
	simplify?: boolean;
	/** The requested model. */
	model?: string | undefined;
	file?: IDataObject | undefined;
	ledgered?: LedgerResult | undefined;
	reusedFrom?: ReusedFrom | undefined;
}

/**
 * A job as an item, with its entry in the ledger. The raw record is under `job`: a top-level `error` field would make n8n retry the node.
 *
 * If simplified, the record is left out, unless it may describe a failure.
 */
export function toJobJson(
	job: Job,
	{ simplify = true, model, file, ledgered, reusedFrom }: JobOutputDetails,
): IDataObject {
	const { entry, startedBefore } = ledgered ?? {};
	return {
		...summarizeJob(job, model),
		...(file && { file }),
		...(job.state === 'failed' && { failure: toFailureJson(jobFailedError(job)) }),
		// the ledger has no record of a job that a person has marked as started
		...((!simplify || isRecordNeeded(job)) && !isEmptyValue(job.record) && { job: job.record }),
		...omitMissing({ startedBefore, entryId: entry?.id }),
		...(entry?.uniqueKey && { uniqueKey: entry.uniqueKey }),
		// this execution pays nothing
		...(reusedFrom && { reusedFrom, costUsd: 0 }),
	} as IDataObject;
}

/** Output under `failure`: a top-level `error` field would make n8n retry the node. */
export function toFailureJson({ kind, message, details }: ServiceError): IDataObject {
	const names = ['status', 'code', 'requestId', 'reason', 'advice'] as const;
	return { message, kind, ...pickPresent(details, names) };
}

import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../../../src/core/errors';
import type { Http } from '../../../src/core/http';
import { retry } from '../../../src/core/retry';
import type { OperationContext, ItemOutput } from '../../../src/n8n/operation';
import type { Job } from '../../../src/router/jobRecord';
import {
	type JobAddress,
	jobFailedError,
	openContent,
	readJob,
	withJobId,
} from '../../../src/router/jobs';
import { kindOfSegment } from '../../../src/router/model';
import type { LedgerResult } from './jobLedger';

/** The output for an AI agent, which cannot receive files. Storage at the service is free. */
function describeRemoteFile({ segment, jobId }: JobAddress): IDataObject {
	const isStored = segment === 'images' || segment === 'videos';
	const retention = isStored
		? 'It is stored there for 7 days after the job has completed.'
		: 'Music and speech are not stored there: it must be downloaded at once.';
	return {
		jobId,
		segment,
		...(isStored && { keptDays: 7 }),
		advice: `The file is ready at the service; it was not downloaded into n8n, because a tool cannot return files. A Model Router node with Media Job: Download, Segment "${segment}" and Job ID "${jobId}" downloads it into the workflow. ${retention}`,
	};
}

/** Maximum attempts when the connection breaks during a download. Downloads are free. */
const MAX_ATTEMPTS = 3;

/** Statuses that the service may return for a short time after it reported the job as completed. */
const LAGGING_STATUSES = new Set([202, 204, 404, 409, 425]);

interface FileOptions {
	/** The name of the binary field. */
	binaryProperty: string;
	/** MiB. */
	maximumSize: number;
	/** Whether the job was just reported as completed. Then "not completed" is a temporary inconsistency of the service. */
	justCompleted?: boolean;
}

/**
 * Downloads the file of a completed job into n8n.
 *
 * For an AI agent the file is not downloaded: the agent cannot receive it, and n8n would store it where no node can read it.
 */
export async function downloadResult(
	context: Pick<OperationContext<unknown>, 'asTool' | 'http' | 'clock' | 'storeFile'>,
	address: JobAddress,
	{ binaryProperty, maximumSize, justCompleted = false }: FileOptions,
): Promise<Pick<ItemOutput, 'binary'> & { file: IDataObject }> {
	if (context.asTool) {
		if (!justCompleted) await checkCompleted(context.http, address);
		return { file: describeRemoteFile(address) };
	}
	const { binary, file } = await storeWithRetry(context, address, { maximumSize, justCompleted });
	return { file, binary: { [binaryProperty]: binary } };
}

/** @throws ServiceError with the job's id when the job has failed or is not finished. */
async function checkCompleted(http: Http, address: JobAddress): Promise<void> {
	const job = await readJob(http, address);
	if (job.state === 'failed') throw jobFailedError(job);
	if (job.state === 'completed') return;
	throw new ServiceError('timeout', 'The media job is not finished yet', {
		ids: { jobId: job.jobId },
		advice: 'It continues to run. Ask again later; do not start it again.',
		partial: job,
	});
}

async function storeWithRetry(
	{ http, clock, storeFile }: Pick<OperationContext<unknown>, 'http' | 'clock' | 'storeFile'>,
	address: JobAddress,
	{ maximumSize, justCompleted }: { maximumSize: number; justCompleted: boolean },
) {
	const kind = kindOfSegment(address.segment);
	const family = kind === 'music' ? 'audio' : kind;
	const baseName = `${address.segment}-${address.jobId.replace(/[^\w-]+/g, '_').slice(0, 80)}`;
	const isRetryable = (cause: unknown) => {
		if (!(cause instanceof ServiceError)) return false;
		const { status = 0, code } = cause.details;
		const lagging = LAGGING_STATUSES.has(status) || code === 'job_not_completed';
		return cause.kind === 'truncated' || (justCompleted && lagging);
	};
	const download = async () =>
		await withJobId(address.jobId, async () => {
			const response = await openContent(http, address);
			return await storeFile(response, { baseName, family, maximumSize });
		});
	try {
		const pauses = { attempts: MAX_ATTEMPTS, clock, minimumPause: 500 };
		return await retry(download, { ...pauses, isRetryable });
	} catch (cause) {
		throw toDownloadError(cause, address);
	}
}

/** A factory, because n8n's linter forbids rethrowing a caught error. */
function toDownloadError(cause: unknown, { jobId }: JobAddress): unknown {
	if (!(cause instanceof ServiceError) || cause.kind !== 'truncated') return cause;
	return new ServiceError('failed', 'The file was not downloaded completely', {
		...cause.details,
		ids: { jobId },
		advice:
			'The job is done and its file is still at the service: use Download with the job ID. Do not start it again.',
	});
}

/** A job as an item. The raw record is under `job`: a top-level `error` field would make n8n retry the node. */
export function toJobJson({ record, ...job }: Job, file?: IDataObject): IDataObject {
	return { ...job, ...(file && { file }), job: record } as IDataObject;
}

/** The output fields that identify the job in the ledger. */
export const toLedgerJson = ({
	entry,
	startedBefore,
}: Partial<LedgerResult> = {}): IDataObject => ({
	...(startedBefore !== undefined && { startedBefore }),
	...(entry && { ledgerEntry: entry.id, ...(entry.startKey && { startKey: entry.startKey }) }),
});

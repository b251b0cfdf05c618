import type { IDataObject } from 'n8n-workflow';

import type { Call, Output } from '../../../src/n8n/operation';
import { jobFailure } from '../../../src/router/jobRecord';
import { openContent, readJob, withJobId, type JobAddress } from '../../../src/router/jobs';
import { kindOf } from '../../../src/router/segments';
import { ServiceError } from '../../../src/service/errors';
import type { Http } from '../../../src/service/http';
import { fullJitter } from '../../../src/service/retry';
import { fileAtService } from './agents';

/** How often a download is begun anew when the connection breaks. Nothing is charged for it. */
const MAX_ATTEMPTS = 3;

/** What a service may answer for a moment after it has said that the job is completed. */
const LAGGING = new Set([202, 204, 404, 409, 425]);

interface FileWanted {
	/** The name of the binary field. */
	binaryProperty: string;
	/** MiB. */
	maximumSize: number;
	/** Whether the job was seen completed: then "not completed" is only the service lagging behind itself. */
	justCompleted?: boolean;
}

/**
 * Brings the file of a completed job into n8n.
 *
 * For an AI agent it stays where it is: the agent could not take it, and n8n would keep it where no node finds it.
 */
export async function fetchResult(
	call: Pick<Call<unknown>, 'asTool' | 'http' | 'clock' | 'storeFile'>,
	address: JobAddress,
	{ binaryProperty, maximumSize, justCompleted = false }: FileWanted,
): Promise<Pick<Output, 'binary'> & { file: IDataObject }> {
	if (call.asTool) {
		if (!justCompleted) await checkCompleted(call.http, address);
		return { file: fileAtService(address) };
	}
	const { binary, file } = await storeResult(call, address, { maximumSize, justCompleted });
	return { file, binary: { [binaryProperty]: binary } };
}

/** @throws ServiceError with the job's id when there is no file, or not yet. */
async function checkCompleted(http: Http, address: JobAddress): Promise<void> {
	const job = await readJob(http, address);
	if (job.state === 'failed') throw jobFailure(job);
	if (job.state === 'completed') return;
	throw new ServiceError('unfinished', 'The media job is not finished yet', {
		ids: { jobId: job.jobId },
		advice: 'It runs on. Ask again later; do not start it again.',
		partial: job,
	});
}

async function storeResult(
	{ http, clock, storeFile }: Pick<Call<unknown>, 'http' | 'clock' | 'storeFile'>,
	address: JobAddress,
	{ maximumSize, justCompleted }: { maximumSize: number; justCompleted: boolean },
) {
	const kind = kindOf(address.segment);
	const family = kind === 'music' ? 'audio' : kind;
	const baseName = `${address.segment}-${address.jobId.replace(/[^\w-]+/g, '_').slice(0, 80)}`;
	for (let attempt = 1; ; attempt++) {
		try {
			return await withJobId(address.jobId, async () => {
				const response = await openContent(http, address);
				return await storeFile(response, { baseName, family, maximumSize });
			});
		} catch (cause) {
			const { kind: failure, details } =
				cause instanceof ServiceError ? cause : { kind: '', details: {} };
			const lagging = LAGGING.has(details.status ?? 0) || details.code === 'job_not_completed';
			const passing = failure === 'cut' || (justCompleted && lagging);
			if (!passing || attempt === MAX_ATTEMPTS) throw failedWith(cause, address);
			await clock.sleep(500 + fullJitter(attempt, clock));
		}
	}
}

/** A factory, since n8n's linter forbids to throw what was caught. */
function failedWith(cause: unknown, { jobId }: JobAddress): unknown {
	if (!(cause instanceof ServiceError) || cause.kind !== 'cut') return cause;
	return new ServiceError('failed', 'The file did not arrive whole', {
		...cause.details,
		ids: { jobId },
		advice:
			'The job is done and its file is still at the service: use Download with the job ID. Do not start it again.',
	});
}

import { explained, ServiceError, withDetails } from '../service/errors';
import type { Http } from '../service/http';
import type { Clock } from '../service/retry';
import type { Job } from './jobRecord';
import { readJob, type JobAddress } from './jobs';

/** Status requests that may say "unknown job" right after a start, before the job counts as lost. */
const TOLERATED_NOT_FOUND = 5;
/** Back-off between status requests: anything up to a limit that grows from the first to the second. */
const [FIRST_PAUSE, LONGEST_PAUSE, GROWTH] = [1000, 15_000, 1.5];

/**
 * Waits until a job has completed or failed.
 *
 * Failed status requests are survived until the deadline; a refused key ends the wait at once.
 *
 * @param deadline Milliseconds.
 * @returns the job, `completed` or `failed`.
 * @throws ServiceError `unfinished` when the deadline is over (the job runs on), `failed` when the service does not know the
 *   job; always with `details.ids.jobId`.
 */
export async function waitForJob(
	http: Http,
	address: JobAddress,
	{ deadline, clock }: { deadline: number; clock: Clock },
): Promise<Job> {
	const end = clock.now() + deadline;
	const ids = { jobId: address.jobId };
	let [notFound, limit] = [0, FIRST_PAUSE];
	let [lastTrouble, lastJob]: [ServiceError | undefined, Job | undefined] = [undefined, undefined];

	for (;;) {
		let asked = 0;
		try {
			const job = await readJob(http, address);
			if (job.state !== 'unfinished') return job;
			[lastJob, lastTrouble, notFound] = [job, undefined, 0];
		} catch (cause) {
			if (!(cause instanceof ServiceError) || isFinal(cause)) throw explained(cause);
			if (cause.details.status === 404 && ++notFound > TOLERATED_NOT_FOUND)
				throw lost(cause, address);
			lastTrouble = cause;
			asked = cause.details.retryAfter ?? 0;
		}
		const pause = Math.max(asked, 200 + clock.random() * limit);
		limit = Math.min(limit * GROWTH, LONGEST_PAUSE);
		if (clock.now() + pause > end) throw late(deadline, lastJob, lastTrouble, ids);
		await clock.sleep(pause);
	}
}

/** A wrong key does not get right by waiting, nor does an id that no path can hold; what is gone stays so. */
function isFinal({ kind, details: { status, permanent } }: ServiceError): boolean {
	return (
		kind === 'invalid' ||
		kind === 'stopped' ||
		permanent === true ||
		status === 401 ||
		status === 403 ||
		status === 410
	);
}

function lost(cause: ServiceError, { jobId }: JobAddress): ServiceError {
	return new ServiceError('failed', 'The media job is lost, the service does not know it', {
		...cause.details,
		ids: { jobId },
		advice:
			'Check the segment and the job ID. Do not start it again before you know that it was not charged.',
	});
}

function late(
	deadline: number,
	job: Job | undefined,
	trouble: ServiceError | undefined,
	ids: { jobId: string },
): ServiceError {
	const error = new ServiceError(
		'unfinished',
		`The media job was not finished after ${deadline / 1000} s`,
		{
			ids,
			advice:
				'It runs on and may be charged. Use Wait or Download with its job ID to go on; do not start it again.',
			...(job && { partial: job, reason: `Last state: ${job.status ?? job.state}.` }),
		},
	);
	return trouble
		? withDetails(error, {
				reason: `Last trouble: ${trouble.message}. ${trouble.details.reason ?? ''}`,
			})
		: error;
}

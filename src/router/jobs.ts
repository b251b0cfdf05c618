import { readJson, readErrorResponse } from '../core/body';
import {
	describeStatus,
	malformedResponseError,
	unexpectedBodyError,
} from '../core/errorResponses';
import { mapServiceError, invalidInputError, ServiceError, withDetails } from '../core/errors';
import { isErrorResponse, type Http, type HttpResponse } from '../core/http';
import { omitMissing } from '../core/json';
import type { Clock } from '../core/retry';
import { encodePathSegment, unsafeRedirectError } from '../core/urls';
import { withAdvice } from './advice';
import { describeUnknownStatus, type Job, readJobRecord, summarizeJob } from './jobRecord';
import { kindOfMediaType, mediaTypes, type MediaType } from './model';

/** Identifies a job. */
export interface JobAddress {
	mediaType: MediaType;
	jobId: string;
}

/**
 * Reads the record of a job.
 *
 * @throws ServiceError with `details.ids.jobId`; status 404 if there is no job with this id.
 * @see GET /v1/<kind>/jobs/{id}
 */
export async function readJob(http: Http, { mediaType, jobId }: JobAddress): Promise<Job> {
	return await withJobId(jobId, async () => {
		const get = async (path: string) =>
			await http.send({ method: 'GET', path, accept: 'application/json' });
		const response = await getInEitherSpelling(http, { mediaType, jobId }, get);
		const record = await readJson(response);
		const job = readJobRecord(record, mediaType, response.headers, jobId);
		if (!job) throw unexpectedBodyError(response, record);
		return job;
	});
}

/**
 * Opens the result of a completed job, of which the specification does not define the media type. A few redirects are followed.
 *
 * @throws ServiceError with `details.ids.jobId`; status 409 while the job is unfinished, 410 once the file has expired.
 * @see GET /v1/<kind>/jobs/{id}/content
 */
export async function openContent(http: Http, address: JobAddress) {
	return await withJobId(address.jobId, async () => {
		const keyPaths = listPaths(address);
		const get = async (path: string) =>
			await getFollowingRedirects(http, { path: `${path}/content`, keyPaths });
		const response = await getInEitherSpelling(http, address, get, { pageMayBeFile: true });
		if (isErrorResponse(response)) throw await readErrorResponse(response);
		return response;
	});
}

const NO_SUCH_JOB = 'The service has no job with this ID (404)';

/** Adds the job id and advice to every failure. */
export async function withJobId<Result>(
	jobId: string,
	action: () => Promise<Result>,
): Promise<Result> {
	return await action().catch((cause: unknown) => {
		throw mapServiceError(cause, ({ kind, message, details }) => {
			// a server that stores the file is not the service
			const title = message === describeStatus(404) ? NO_SUCH_JOB : message;
			return withAdvice(withDetails(new ServiceError(kind, title, details), { ids: { jobId } }));
		});
	});
}

/** The fact that says which spelling of media types led to a job. */
const SPELLING_FACT = 'spelling of media types';

/**
 * Gets a path of a job.
 *
 * The specification has `<segment>` in the path of the start and `<kind>` in those of status and content, and does not say
 * whether they differ (`images` or `image`). If the first spelling is not found, the second is tried. The one that led to a job
 * is remembered, and tried first from then on.
 *
 * @param get Gets a path that begins with that of the job.
 * @param pageMayBeFile Whether a web page may be what was asked for. Some servers answer an unknown path with one.
 */
async function getInEitherSpelling(
	{ serviceFacts }: Http,
	{ mediaType, jobId }: JobAddress,
	get: (path: string) => Promise<HttpResponse>,
	{ pageMayBeFile = false } = {},
): Promise<HttpResponse> {
	if (!mediaTypes.includes(mediaType)) throw invalidInputError(`Unknown media type "${mediaType}"`);
	const [bySegment, byKind] = listPaths({ mediaType, jobId });
	const likely = serviceFacts?.get(SPELLING_FACT) === 'kind' ? byKind : bySegment;
	const failures: ServiceError[] = [];
	for (const path of new Set([likely, bySegment, byKind])) {
		const response = await get(path);
		if (isPathNotFound(response, pageMayBeFile)) failures.push(await readNotFoundError(response));
		else {
			if (isOfJob(response) && byKind !== bySegment)
				serviceFacts?.set(SPELLING_FACT, path === byKind ? 'kind' : 'segment');
			return response;
		}
	}
	// an unknown job (404) is more informative than an unknown path (405)
	const [first, second] = failures.map(({ details }) => details.status);
	throw failures[first === 405 && second === 404 ? 1 : 0];
}

/** The path of a job in both spellings. @throws ServiceError `invalid` for an ID that cannot be one. */
const listPaths = ({ mediaType, jobId }: JobAddress) => {
	const rest = `jobs/${encodePathSegment(jobId, 'Job ID')}`;
	return [`/v1/${mediaType}/${rest}`, `/v1/${kindOfMediaType(mediaType)}/${rest}`] as const;
};

/** An error of status 409 or 410 proves that the job exists, too. */
const isOfJob = (response: HttpResponse) =>
	[409, 410].includes(response.status) || !isErrorResponse(response);

/** A server that checks the parts of a path by a list answers 400 or 422. */
const isPathNotFound = ({ status, headers }: HttpResponse, pageMayBeFile: boolean) =>
	[400, 404, 405, 422].includes(status) ||
	(status === 200 && !pageMayBeFile && /^text\/html\b/i.test(headers['content-type'] ?? ''));

async function readNotFoundError(response: HttpResponse): Promise<ServiceError> {
	const error = await readErrorResponse(response);
	return isErrorResponse(response)
		? error
		: withDetails(malformedResponseError(response, '<html>'), error.details);
}

/** A store may lead to the server that is nearest. */
const MAX_REDIRECTS = 4;

/** @param keyPaths Those to which the key is sent if not the service itself has led there, but another server. */
async function getFollowingRedirects(
	http: Http,
	{ path, keyPaths }: { path: string; keyPaths: readonly string[] },
) {
	let redirectedTo: string | undefined;
	for (let count = 0; ; count++) {
		const explain = redirectedTo === undefined ? undefined : aboutStore;
		const keyLimit = count > 1 ? { keyPaths } : {};
		const response = await http
			.send({ method: 'GET', path, accept: '*/*', redirectedTo, ...keyLimit })
			.catch((cause: unknown) => Promise.reject(mapServiceError(cause, explain)));
		const { location } = response.headers;
		if (!REDIRECT_STATUSES.has(response.status) || !location || count === MAX_REDIRECTS) {
			if (!explain || !isErrorResponse(response)) return response;
			throw await readStoreRefusal(response);
		}
		// reading the body to its end releases the connection
		await readErrorResponse(response);
		const isComplete = URL.canParse(location, redirectedTo);
		const next = isComplete ? new URL(location, redirectedTo).href : location;
		if (/^https:/i.test(redirectedTo ?? '') && /^http:/i.test(next)) throw unsafeRedirectError();
		redirectedTo = next;
	}
}

/** A refusal there says nothing about the API key: the address may have expired. */
async function readStoreRefusal(response: HttpResponse): Promise<ServiceError> {
	const { details } = await readErrorResponse(response);
	const message = `The address where the service stores the file refused the request (${response.status})`;
	const advice = 'Use Download File with the job ID again: the service then gives a new address.';
	return new ServiceError('refused', message, {
		...details,
		...(response.status >= 400 && { advice }),
	});
}

/** An error that concerns another address than the service's. */
function aboutStore(error: ServiceError): ServiceError {
	const place = 'the address where the service stores the file';
	const advice = error.details.advice?.replace(/the base URL( of the credential)?/, place);
	return advice ? withDetails(error, { advice }) : error;
}

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Status requests that may answer "unknown job" right after a start, before the wait fails. */
const MAX_NOT_FOUND = 5;
/** Milliseconds. The pause between status requests is random, up to a limit that grows from the first to the longest pause. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 15_000;
const PAUSE_GROWTH = 1.5;

interface JobWait {
	maxWait: number;
	clock: Clock;
	startedJob?: Job | undefined;
	onStatus?(job: Job, waited: number): Promise<void>;
}

/** The service's own word, or what is known in its place. */
const wordOf = (job?: Job) => job?.status ?? job?.state;

/**
 * Waits until a job has completed or failed.
 *
 * Failed status requests are retried; a refused key ends the wait. The last request is sent at the end, even if the service asked
 * for a longer pause.
 *
 * @param maxWait Milliseconds.
 * @param startedJob Kept in the errors until the service gave a newer record.
 * @param onStatus Called when the status is another one than before, with the milliseconds since the wait began.
 * @returns the job, `completed` or `failed`.
 * @throws ServiceError with `details.ids.jobId`: `timeout` at the end of the wait, `failed` if the service does not know the job.
 */
export async function waitForJob(
	http: Http,
	address: JobAddress,
	{ maxWait, clock, startedJob, onStatus }: JobWait,
): Promise<Job> {
	const startedAt = clock.now();
	const end = startedAt + maxWait;
	/** Status requests in a row that said "unknown job". */
	let notFoundCount = 0;
	/** Milliseconds that the next pause may take at most. */
	let pauseLimit = FIRST_PAUSE;
	/** The last failure, if no status request has succeeded since. */
	let lastError: ServiceError | undefined;
	let lastJob = startedJob;
	const { estimatedCostMicroUsd } = startedJob ?? {};

	for (;;) {
		let retryAfter = 0;
		try {
			const job = await readJob(http, address);
			if (wordOf(job) !== wordOf(lastJob)) await onStatus?.(job, clock.now() - startedAt);
			// without it, what the job has cost is compared with nothing: it may only be in the response to the start
			if (job.state !== 'unfinished') return { ...omitMissing({ estimatedCostMicroUsd }), ...job };
			lastJob = job;
			lastError = undefined;
			notFoundCount = 0;
		} catch (cause) {
			if (!(cause instanceof ServiceError) || isPermanentFailure(cause))
				throw mapServiceError(cause);
			notFoundCount = cause.details.status === 404 ? notFoundCount + 1 : 0;
			if (notFoundCount > MAX_NOT_FOUND) throw jobNotFound(cause, address.jobId, lastJob);
			lastError = cause;
			retryAfter = cause.details.retryAfter ?? 0;
		}
		const now = clock.now();
		if (now >= end) throw notFinishedInTime(now - startedAt, address.jobId, lastJob, lastError);
		const pause = Math.max(retryAfter, 200 + clock.random() * pauseLimit);
		pauseLimit = Math.min(pauseLimit * PAUSE_GROWTH, LONGEST_PAUSE);
		await clock.sleep(Math.min(pause, end - now));
	}
}

/** Whether waiting cannot help: a refused key, an invalid id, an expired job. */
function isPermanentFailure({ kind, details }: ServiceError): boolean {
	const { status = 0, permanent = false } = details;
	return permanent || ['invalid', 'cancelled'].includes(kind) || [401, 403, 410].includes(status);
}

/** A job for the details of an error. */
export const toPartial = (job: Job) => ({ ...summarizeJob(job), job: job.record });

function jobNotFound(cause: ServiceError, jobId: string, job?: Job): ServiceError {
	return new ServiceError('failed', 'The media job is lost: the service does not know it', {
		...cause.details,
		ids: { jobId },
		...(job && { partial: toPartial(job) }),
		advice:
			'Check the media type and the job ID. Do not start it again before you know that it was not charged.',
	});
}

/** @param waited Milliseconds. */
function notFinishedInTime(waited: number, jobId: string, job?: Job, lastError?: ServiceError) {
	const reason = lastError
		? `Last error: ${lastError.message}. ${lastError.details.reason ?? ''}`
		: job && `Last state: ${wordOf(job)}. ${describeUnknownStatus(job) ?? ''}`.trim();
	const seconds = Math.round(waited / 1000);
	return new ServiceError('timeout', `The media job was not finished after ${seconds} s`, {
		ids: { jobId },
		advice:
			'It continues to run and may be charged. Use Wait for Job or Download File with its job ID to continue; do not start it again.',
		...(job && { partial: toPartial(job) }),
		...(reason && { reason }),
	});
}

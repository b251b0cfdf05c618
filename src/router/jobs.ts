import { readJson, readErrorResponse } from '../core/body';
import { malformedResponseError, parseErrorBody } from '../core/errorResponses';
import { mapServiceError, invalidInputError, ServiceError, withDetails } from '../core/errors';
import { isErrorResponse, type Http, type HttpResponse } from '../core/http';
import type { Clock } from '../core/retry';
import { encodePathSegment } from '../core/urls';
import { withAdvice } from './advice';
import { malformedRecord, readJobRecord, type Job } from './jobRecord';
import { summarizeJob } from './jobSummary';
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
		const accept = 'application/json';
		const get = async (path: string) => await http.send({ method: 'GET', path, accept });
		const { response, confirm } = await getWithEitherSpelling(
			get,
			getPathSpellings(http, mediaType, ''),
			jobId,
		);
		const record = await readJson(response);
		const job = readJobRecord(record, mediaType, response.headers, jobId);
		if (!job) throw malformedRecord(response, record);
		confirm();
		return job;
	});
}

/**
 * Opens the result of a completed job, of which the specification does not define the media type. One redirect is followed.
 *
 * @throws ServiceError with `details.ids.jobId`; status 409 while the job is unfinished, 410 once the file has expired.
 * @see GET /v1/<kind>/jobs/{id}/content
 */
export async function openContent(
	http: Http,
	{ mediaType, jobId }: JobAddress,
): Promise<HttpResponse> {
	return await withJobId(jobId, async () => {
		const get = async (path: string) => await getFollowingRedirect(http, path);
		const spellings = getPathSpellings(http, mediaType, '/content');
		const { response, confirm } = await getWithEitherSpelling(get, spellings, jobId);
		if (STATUSES_OF_EXISTING_JOB.has(response.status) || !isErrorResponse(response)) confirm();
		if (isErrorResponse(response)) throw await readErrorResponse(response);
		return response;
	});
}

/** Adds the job id and advice to every failure. */
export async function withJobId<Result>(
	jobId: string,
	action: () => Promise<Result>,
): Promise<Result> {
	try {
		return await action();
	} catch (cause) {
		throw mapServiceError(cause, (error) => withAdvice(withDetails(error, { ids: { jobId } })));
	}
}

/** Possible spellings of the media type in a path, the likeliest first. */
interface PathSpellings {
	spellings: string[];
	suffix: '' | '/content';
	/** Remembers a spelling that led to a job. */
	confirm(word: string): void;
}

/**
 * The specification has `<segment>` in the path of the start and `<kind>` in those of status and content, and does not say
 * whether they differ (`images` or `image`). If the first spelling is not found, the second is tried. The one that led to a job
 * is remembered, separately for status and content, and tried first for other media types, too.
 */
function getPathSpellings(
	http: Http,
	mediaType: MediaType,
	suffix: PathSpellings['suffix'],
): PathSpellings {
	if (!mediaTypes.includes(mediaType)) throw invalidInputError(`Unknown media type "${mediaType}"`);
	const serviceFacts = http.serviceFacts ?? learnedSpellings.get(http) ?? new Map<string, string>();
	if (!http.serviceFacts) learnedSpellings.set(http, serviceFacts);
	const kind = kindOfMediaType(mediaType);
	const factName = (target: string) => `spelling of ${target}${suffix}`;
	const remembered =
		serviceFacts.get(factName(mediaType)) ??
		serviceFacts.get(factName('segments')) ??
		serviceFacts.get('spelling of segments');
	const spellings = remembered === 'kind' ? [kind, mediaType] : [mediaType, kind];
	return {
		spellings: [...new Set(spellings)],
		suffix,
		confirm(word) {
			if (kind === mediaType) return;
			const spelling = word === kind ? 'kind' : 'segment';
			serviceFacts.set(factName(mediaType), spelling);
			serviceFacts.set(factName('segments'), spelling);
		},
	};
}

/** Used if the `Http` has no `serviceFacts`. */
const learnedSpellings = new WeakMap<Http, Map<string, string>>();

/** Error statuses that prove that the job exists. */
const STATUSES_OF_EXISTING_JOB = new Set([409, 410]);

/** If neither spelling leads to a job, the remembered spelling does not change. */
async function getWithEitherSpelling(
	get: (path: string) => Promise<HttpResponse>,
	{ spellings, suffix, confirm }: PathSpellings,
	jobId: string,
): Promise<{ response: HttpResponse; confirm(): void }> {
	const id = encodePathSegment(jobId, 'Job ID');
	const [likelySpelling = '', otherSpelling] = spellings;
	const first = await get(`/v1/${likelySpelling}/jobs/${id}${suffix}`);
	if (!isPathNotFound(first, suffix) || otherSpelling === undefined)
		return { response: first, confirm: () => confirm(likelySpelling) };
	const firstError = await readNotFoundError(first);
	const second = await get(`/v1/${otherSpelling}/jobs/${id}${suffix}`);
	if (!isPathNotFound(second, suffix))
		return { response: second, confirm: () => confirm(otherSpelling) };
	const secondError = await readNotFoundError(second);
	// an unknown job (404) is more informative than an unknown path (405)
	throw first.status === 405 && second.status === 404 ? secondError : firstError;
}

async function readNotFoundError(response: HttpResponse): Promise<ServiceError> {
	const error = await readErrorResponse(response);
	return isErrorResponse(response)
		? error
		: withDetails(malformedResponseError(response, '<html>'), error.details);
}

async function getFollowingRedirect(http: Http, path: string): Promise<HttpResponse> {
	const request = { method: 'GET', path, accept: '*/*' } as const;
	const first = await http.send(request);
	const { location } = first.headers;
	if (!REDIRECT_STATUSES.has(first.status) || !location) return first;
	// reading the body to its end releases the connection
	await readErrorResponse(first);
	const second = await http.send({ ...request, redirectedTo: location });
	if (!isErrorResponse(second)) return second;
	const { details } = await readErrorResponse(second);
	throw new ServiceError(
		'refused',
		`The address where the service stores the file refused the request (${second.status})`,
		details,
	);
}

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Some servers answer an unknown path with a web page. For content, a page may be the file itself, so only the status counts. */
const isPathNotFound = ({ status, headers }: HttpResponse, suffix: PathSpellings['suffix']) =>
	status === 404 ||
	status === 405 ||
	(status === 200 && !suffix && /^text\/html\b/i.test(headers['content-type'] ?? ''));

/** Status requests that may answer "unknown job" right after a start, before the wait fails. */
const MAX_NOT_FOUND = 5;
/** Milliseconds. The pause between status requests is random, up to a limit that grows from the first to the longest pause. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 15_000;
const PAUSE_GROWTH = 1.5;

/**
 * Waits until a job has completed or failed.
 *
 * Failed status requests are retried; a refused key ends the wait. The last request is sent at the end, even if the service asked
 * for a longer pause.
 *
 * @param maxWait Milliseconds.
 * @returns the job, `completed` or `failed`.
 * @throws ServiceError with `details.ids.jobId`: `timeout` at the end of the wait, `failed` if the service does not know the job.
 */
export async function waitForJob(
	http: Http,
	address: JobAddress,
	{ maxWait, clock }: { maxWait: number; clock: Clock },
): Promise<Job> {
	const startedAt = clock.now();
	const end = startedAt + maxWait;
	const ids = { jobId: address.jobId };
	/** Status requests in a row that said "unknown job". */
	let notFoundCount = 0;
	/** Milliseconds that the next pause may take at most. */
	let pauseLimit = FIRST_PAUSE;
	/** The last failure, if no status request has succeeded since. */
	let lastError: ServiceError | undefined;
	let lastJob: Job | undefined;

	for (;;) {
		let retryAfter = 0;
		try {
			const job = await readJob(http, address);
			if (job.state !== 'unfinished') return job;
			lastJob = job;
			lastError = undefined;
			notFoundCount = 0;
		} catch (cause) {
			if (!(cause instanceof ServiceError) || isPermanentFailure(cause))
				throw mapServiceError(cause);
			if (cause.details.status === 404 && ++notFoundCount > MAX_NOT_FOUND)
				throw jobNotFound(cause, address);
			lastError = cause;
			retryAfter = cause.details.retryAfter ?? 0;
		}
		const now = clock.now();
		if (now >= end) throw notFinishedInTime(now - startedAt, lastJob, lastError, ids);
		const pause = Math.max(retryAfter, 200 + clock.random() * pauseLimit);
		pauseLimit = Math.min(pauseLimit * PAUSE_GROWTH, LONGEST_PAUSE);
		await clock.sleep(Math.min(pause, end - now));
	}
}

/** Whether waiting cannot help: a refused key, an invalid id, an expired job. */
function isPermanentFailure({ kind, details: { status, permanent } }: ServiceError): boolean {
	return (
		kind === 'invalid' ||
		kind === 'cancelled' ||
		permanent === true ||
		status === 401 ||
		status === 403 ||
		status === 410
	);
}

function jobNotFound(cause: ServiceError, { jobId }: JobAddress): ServiceError {
	return new ServiceError('failed', 'The media job is lost: the service does not know it', {
		...cause.details,
		ids: { jobId },
		advice:
			'Check the media type and the job ID. Do not start it again before you know that it was not charged.',
	});
}

function notFinishedInTime(
	/** Milliseconds. */
	waited: number,
	job: Job | undefined,
	lastError: ServiceError | undefined,
	ids: { jobId: string },
): ServiceError {
	const error = new ServiceError(
		'timeout',
		`The media job was not finished after ${Math.round(waited / 1000)} s`,
		{
			ids,
			advice:
				'It continues to run and may be charged. Use Wait for Job or Download File with its job ID to continue; do not start it again.',
			...(job && {
				partial: { ...summarizeJob(job), job: job.record },
				reason: `Last state: ${job.status ?? job.state}.`,
			}),
		},
	);
	return lastError
		? withDetails(error, {
				reason: `Last error: ${lastError.message}. ${lastError.details.reason ?? ''}`,
			})
		: error;
}

/** The error for a job that the service reports as failed. */
export function jobFailedError({ jobId, record, requestId }: Job): ServiceError {
	const failure =
		record['error'] ?? record['failure'] ?? record['failure_reason'] ?? record['message'];
	return new ServiceError('failed', 'The media job failed', {
		...(failure ? parseErrorBody(failure) : { reason: 'The service gave no reason.' }),
		ids: { jobId },
		...(requestId && { requestId }),
		partial: record,
		advice: 'A failed job is not charged. Change the prompt or the parameters and start a new one.',
	});
}

/** Adds the record of the job, with its cost, to every failure. */
export async function withJobRecord<Result>(
	{ record }: Job,
	action: () => Promise<Result>,
): Promise<Result> {
	try {
		return await action();
	} catch (cause) {
		throw mapServiceError(cause, (error) => withDetails(error, { partial: record }));
	}
}

import { explained, invalid, ServiceError, withDetails } from '../service/errors';
import { isRefusal, type Http, type HttpResponse } from '../service/http';
import { readJson, readRefusal } from '../service/readBody';
import { pathSegment } from '../service/pathSegment';
import { advised } from './advice';
import { noRecord, readJobRecord, type Job } from './jobRecord';
import { kindOf, segments, type Segment } from './segments';

/** Where a job is found. */
export interface JobAddress {
	segment: Segment;
	jobId: string;
}

/**
 * Reads the record of a job.
 *
 * @throws ServiceError with `details.ids.jobId`; status 404 when no job is known under that id.
 * @see GET /v1/<kind>/jobs/{id}
 */
export async function readJob(http: Http, { segment, jobId }: JobAddress): Promise<Job> {
	return await withJobId(jobId, async () => {
		const accept = 'application/json';
		const ask = async (path: string) => await http.send({ method: 'GET', path, accept });
		const response = await getAtEitherPath(ask, segment, jobId, '');
		const record = await readJson(response);
		const job = readJobRecord(record, segment, response.headers, jobId);
		if (!job) throw noRecord(response, record);
		return job;
	});
}

/**
 * Opens the result of a completed job; its media type and shape are not in the specification. It may lie at another address:
 * one redirect is followed.
 *
 * @throws ServiceError with `details.ids.jobId`; status 409 while the job is unfinished, 410 when the file is gone.
 * @see GET /v1/<kind>/jobs/{id}/content
 */
export async function openContent(
	http: Http,
	{ segment, jobId }: JobAddress,
): Promise<HttpResponse> {
	return await withJobId(jobId, async () => {
		const ask = async (path: string) => await followedOnce(http, path);
		const response = await getAtEitherPath(ask, segment, jobId, '/content');
		if (isRefusal(response)) throw await readRefusal(response);
		return response;
	});
}

/** Every failure that concerns a job carries its id, and what to do. */
export async function withJobId<Result>(
	jobId: string,
	action: () => Promise<Result>,
): Promise<Result> {
	try {
		return await action();
	} catch (cause) {
		throw explained(cause, (error) => advised(withDetails(error, { ids: { jobId } })));
	}
}

/**
 * The specification writes `<segment>` in the path of the start and `<kind>` in those of status and content, and does not
 * say whether they differ (`images` or `image`): the second is asked where the first is not known.
 */
async function getAtEitherPath(
	ask: (path: string) => Promise<HttpResponse>,
	segment: Segment,
	jobId: string,
	rest: string,
): Promise<HttpResponse> {
	const id = pathSegment(jobId, 'Job ID');
	if (!segments.includes(segment)) throw invalid(`Unknown segment "${String(segment)}"`);
	const spellings = [...new Set([segment, kindOf(segment)])];
	const first = await ask(`/v1/${spellings[0]}/jobs/${id}${rest}`);
	if (!isUnknownPath(first) || spellings.length === 1) return first;
	const refusal = await readRefusal(first);
	const second = await ask(`/v1/${spellings[1]}/jobs/${id}${rest}`);
	if (!isUnknownPath(second)) return second;
	const other = await readRefusal(second);
	// a path that there is not at all (405) tells less than a job that is not known (404)
	throw first.status === 405 && second.status === 404 ? other : refusal;
}

async function followedOnce(http: Http, path: string): Promise<HttpResponse> {
	const request = { method: 'GET', path, accept: '*/*' } as const;
	const first = await http.send(request);
	const { location } = first.headers;
	if (!REDIRECTS.has(first.status) || !location) return first;
	// reading it to its end sets its connection free
	await readRefusal(first);
	const second = await http.send({ ...request, redirectedTo: location });
	if (!isRefusal(second)) return second;
	const { details } = await readRefusal(second);
	throw new ServiceError(
		'refused',
		`The address that the service keeps the file at refused the request (${second.status})`,
		details,
	);
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const isUnknownPath = ({ status }: HttpResponse) => status === 404 || status === 405;

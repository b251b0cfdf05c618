import { explained, invalid, withDetails } from '../service/errors';
import { garbled } from '../service/refusals';
import { isRefusal, type Http, type HttpResponse } from '../service/http';
import { readJson, readRefusal } from '../service/readBody';
import { withOutcome } from '../service/outcome';
import { pathSegment } from '../service/pathSegment';
import { advised } from './advice';
import { readJobRecord, type Job } from './jobRecord';
import { kindOf, segments, type Segment } from './segments';

/** Where a job is found. */
export interface JobAddress {
	segment: Segment;
	jobId: string;
}

/**
 * Starts a media job, which costs money once it completes.
 *
 * @param body Not shown in the specification: everything given is sent, nothing is added.
 * @throws ServiceError with an outcome. `unknown` also when the service accepted the start but gave no usable id.
 * @see POST /v1/<segment>/jobs
 */
export async function startJob(http: Http, segment: Segment, body: object): Promise<Job> {
	try {
		const response = await http.send({ method: 'POST', path: `/v1/${segment}/jobs`, body });
		try {
			const record = await readJson(response);
			const job = readJobRecord(record, segment, response.headers);
			if (!job) throw garbled(response, JSON.stringify(record));
			return job;
		} catch (cause) {
			// the start was accepted, and only its answer did not arrive whole
			const lost = !isRefusal(response);
			throw explained(cause, (error) =>
				lost ? withDetails(error, { outcome: 'unknown' }) : error,
			);
		}
	} catch (cause) {
		throw explained(cause, (error) => advised(withOutcome(error, 'job start'), modelIn(body)));
	}
}

/**
 * Reads the record of a job.
 *
 * @throws ServiceError with `details.ids.jobId`; status 404 when no job is known under that id.
 * @see GET /v1/<kind>/jobs/{id}
 */
export async function readJob(http: Http, { segment, jobId }: JobAddress): Promise<Job> {
	return await withJobId(jobId, async () => {
		const response = await getAtEitherPath(http, segment, jobId, '');
		const record = await readJson(response);
		const job = readJobRecord(record, segment, response.headers, jobId);
		if (!job) throw garbled(response, JSON.stringify(record));
		return job;
	});
}

/**
 * Opens the result of a completed job; its media type and shape are not in the specification.
 *
 * @throws ServiceError with `details.ids.jobId`; status 409 while the job is unfinished, 410 when the file is gone.
 * @see GET /v1/<kind>/jobs/{id}/content
 */
export async function openContent(
	http: Http,
	{ segment, jobId }: JobAddress,
): Promise<HttpResponse> {
	return await withJobId(jobId, async () => {
		const response = await getAtEitherPath(http, segment, jobId, '/content');
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
	http: Http,
	segment: Segment,
	jobId: string,
	rest: string,
): Promise<HttpResponse> {
	const id = pathSegment(jobId, 'Job ID');
	if (!segments.includes(segment)) throw invalid(`Unknown segment "${String(segment)}"`);
	const accept = rest ? '*/*' : 'application/json';
	const spellings = [...new Set([segment, kindOf(segment)])];
	const first = await http.send({
		method: 'GET',
		path: `/v1/${spellings[0]}/jobs/${id}${rest}`,
		accept,
	});
	if (!isUnknownPath(first) || spellings.length === 1) return first;
	const refusal = await readRefusal(first);
	const second = await http.send({
		method: 'GET',
		path: `/v1/${spellings[1]}/jobs/${id}${rest}`,
		accept,
	});
	if (!isUnknownPath(second)) return second;
	await readRefusal(second);
	throw refusal;
}

const isUnknownPath = ({ status }: HttpResponse) => status === 404 || status === 405;

const modelIn = (body: object) => ('model' in body ? body.model : undefined);

import { explained, withDetails } from '../service/errors';
import { isRefusal, type Http, type HttpResponse } from '../service/http';
import { isObject } from '../service/json';
import { withOutcome } from '../service/outcome';
import { readJson } from '../service/readBody';
import { advised } from './advice';
import { noRecord, readJobRecord, type Job } from './jobRecord';
import type { Segment } from './segments';

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
			return await readStarted(response, segment);
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

/** A service may answer a start with the address of the job alone (201, 202, 204, 303), and no body that can be read. */
async function readStarted(response: HttpResponse, segment: Segment): Promise<Job> {
	const { status, headers } = response;
	const located = status < 300 || status === 303 ? jobIdIn(headers['location']) : undefined;
	let record: unknown;
	try {
		record = await readJson(response);
	} catch (cause) {
		if (located === undefined) throw explained(cause);
	}
	const job =
		readJobRecord(record, segment, headers) ??
		(located === undefined
			? undefined
			: readJobRecord(isObject(record) ? record : {}, segment, headers, located));
	if (!job) throw noRecord(response, record);
	return job;
}

function jobIdIn(location = ''): string | undefined {
	const [, id] = /^[^?#]*\/jobs\/([^/?#]+)\/?(?:[?#].*)?$/.exec(location) ?? [];
	try {
		return id && decodeURIComponent(id);
	} catch {
		return id;
	}
}

const modelIn = (body: object) => ('model' in body ? body.model : undefined);

import { explained, ServiceError, withDetails } from '../service/errors';
import { garbled, readReportedError, requestIdOf } from '../service/refusals';
import type { HttpResponse } from '../service/http';
import { isObject } from '../service/json';
import { stateOf, stateWord, stateWordIn, type JobState } from './jobState';
import type { Segment } from './segments';

export interface Job {
	jobId: string;
	segment: Segment;
	/** What the service's own word means; a word that is not known counts as unfinished. */
	state: JobState;
	/** The service's own word, where it has one. */
	status?: string;
	/** Forecast given right after the start, as it came. The specification names no unit; it is read as micro-dollars. */
	estimatedCostMicroUsd?: unknown;
	/** Actual charge once the job completed, as it came. Read as micro-dollars, too. */
	costMicroUsd?: unknown;
	requestId?: string;
	/** The record as it came. */
	record: Record<string, unknown>;
}

const ID_FIELDS = ['id', 'job_id', 'jobId'];
const WRAPPERS = ['job', 'media_job', 'data', 'result', 'jobs', 'response', 'task', 'payload'];

/**
 * Reads a job record, of which the specification names `id`, `cost` and `estimated_cost` only. A figure may stand beside it.
 *
 * @param knownId Of the job that was asked for: the record may have none, or one of its own.
 * @returns undefined when there is no record with a usable id, or in its place a report that something went wrong.
 */
export function readJobRecord(
	body: unknown,
	segment: Segment,
	headers: HttpResponse['headers'],
	knownId?: string,
): Job | undefined {
	const found = findRecord(body, knownId) ?? (knownId !== undefined && withoutId(body));
	if (!found) return undefined;
	const { record, around } = found;
	const jobId = knownId ?? idOf(record);
	if (jobId === undefined) return undefined;
	const inside = objectsIn(record);
	const given = (field: string) =>
		[record, ...inside, ...around].map((place) => place[field]).find(isGiven);
	const [estimate, cost] = [given('estimated_cost'), given('cost')];
	const status = stateWordIn(record, inside);
	return {
		jobId,
		segment,
		state: stateOf(record, status, cost),
		...(status !== undefined && { status }),
		...(estimate !== undefined && { estimatedCostMicroUsd: estimate }),
		...(cost !== undefined && { costMicroUsd: cost }),
		...requestIdOf(headers),
		record,
	};
}

/** The error for a job that the service says has failed. */
export function jobFailure({ jobId, record, requestId }: Job): ServiceError {
	const said =
		record['error'] ?? record['failure'] ?? record['failure_reason'] ?? record['message'];
	return new ServiceError('failed', 'The media job failed', {
		...(said ? readReportedError(said) : { reason: 'The service gave no reason.' }),
		ids: { jobId },
		...(requestId && { requestId }),
		partial: record,
		advice: 'A failed job is not charged. Change the prompt or the parameters and start a new one.',
	});
}

/** What is no record of a job may be an error that came with status 200. */
export function noRecord(response: HttpResponse, body: unknown): ServiceError {
	const error = garbled(response, JSON.stringify(body));
	return isObject(body) && body['error'] ? withDetails(error, readReportedError(body)) : error;
}

/** What fails from here on keeps the record of the job, with what it has cost. */
export async function withRecord<Result>(
	{ record }: Job,
	action: () => Promise<Result>,
): Promise<Result> {
	try {
		return await action();
	} catch (cause) {
		throw explained(cause, (error) => withDetails(error, { partial: record }));
	}
}

interface Found {
	record: Record<string, unknown>;
	/** What it is wrapped in, the nearest first. */
	around: Array<Record<string, unknown>>;
}

function findRecord(body: unknown, knownId: string | undefined, depth = 0): Found | undefined {
	if (depth > 3) return undefined;
	if (Array.isArray(body)) {
		const own = body.find((entry) => isObject(entry) && idOf(entry) === knownId);
		return findRecord(own ?? body[0], knownId, depth + 1);
	}
	if (!isObject(body)) return undefined;
	const inner = () =>
		WRAPPERS.map((name) => findRecord(body[name], knownId, depth + 1)).find(Boolean);
	if (idOf(body) !== undefined && !isEnvelope(body)) return { record: body, around: [] };
	const found = inner();
	return found && { ...found, around: [...found.around, body] };
}

/** An answer with an id of its own around the job: it says nothing of a job. */
function isEnvelope(body: Record<string, unknown>): boolean {
	const job = body['job'] ?? body['media_job'];
	const said = [stateWord(body), body['cost'], body['estimated_cost']].some(isGiven);
	return !said && isObject(job) && idOf(job) !== undefined;
}

/** A record need not repeat the id that was asked for. One that only reports an error is none: the job may well be fine. */
function withoutId(body: unknown): Found | undefined {
	if (!isObject(body)) return undefined;
	const inner = objectsIn(body)[0];
	const record = inner ?? body;
	const word = stateWord(record);
	const reports =
		['error', 'errors', 'detail'].some((field) => record[field]) || record['success'] === false;
	const unsaid = word === undefined || /^err/i.test(word.trim());
	if (unsaid && (reports || word !== undefined) && !isGiven(record['cost'])) return undefined;
	return { record, around: inner ? [body] : [] };
}

const objectsIn = (body: Record<string, unknown>) =>
	WRAPPERS.map((name) => body[name]).filter(isObject);

function idOf(record: Record<string, unknown>): string | undefined {
	const id = ID_FIELDS.map((name) => record[name]).find(
		(value) => (typeof value === 'string' && value.trim() !== '') || typeof value === 'number',
	);
	return id === undefined ? undefined : String(id);
}

const isGiven = (value: unknown) => value !== undefined && value !== null;

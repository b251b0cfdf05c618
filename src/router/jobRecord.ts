import {
	malformedResponseError,
	isErrorValue,
	parseErrorBody,
	getRequestId,
} from '../core/errorResponses';
import { ServiceError, withDetails } from '../core/errors';
import type { HttpResponse } from '../core/http';
import { isPlainObject } from '../core/json';
import type { MediaType } from './model';
import { readDecimal } from './money';

export interface Job {
	jobId: string;
	mediaType: MediaType;
	/** The meaning of the service's status; an unknown status counts as unfinished. */
	state: JobState;
	/** The service's own status, if any. */
	status?: string;
	/** The estimate from the start, as it arrived. The specification names no unit; it is taken as micro-dollars. */
	estimatedCostMicroUsd?: unknown;
	/** The actual charge of a completed job, as it arrived. Taken as micro-dollars, too. */
	costMicroUsd?: unknown;
	requestId?: string;
	/** The record as it arrived. */
	record: Record<string, unknown>;
}

/**
 * Reads a job record, of which the specification only names `id`, `cost` and `estimated_cost`. The figures may be outside of it.
 *
 * @param knownId The id of the requested job: the record may have none, or another one.
 * @returns undefined if there is no record with a usable id, or an error report in its place.
 */
export function readJobRecord(
	body: unknown,
	mediaType: MediaType,
	headers: HttpResponse['headers'],
	knownId?: string,
): Job | undefined {
	const found =
		findJobRecord(body, knownId) ?? (knownId !== undefined && findRecordWithoutId(body));
	if (!found) return undefined;
	const { record, wrappers } = found;
	const jobId = knownId ?? readJobId(record);
	if (jobId === undefined) return undefined;
	const nested = wrappedObjects(record);
	const findField = (field: string) =>
		[record, ...nested, ...wrappers].map((object) => object[field]).find(isPresent);
	const estimate = findField('estimated_cost');
	const cost = findField('cost');
	const status = findStateWord(record, nested);
	return {
		jobId,
		mediaType,
		state: toJobState(record, status, cost),
		...(status !== undefined && { status }),
		...(estimate !== undefined && { estimatedCostMicroUsd: estimate }),
		...(cost !== undefined && { costMicroUsd: cost }),
		...getRequestId(headers),
		record,
	};
}

/** The error for a body without a job record; it may be an error report with status 200. */
export function malformedRecord(response: HttpResponse, body: unknown): ServiceError {
	const error = malformedResponseError(response, JSON.stringify(body));
	return isPlainObject(body) && isErrorValue(body['error'])
		? withDetails(error, parseErrorBody(body))
		: error;
}

const ID_FIELDS = ['id', 'ID', 'Id', '_id', 'uuid'];
/** Field names that can only be the id of a job. */
const JOB_ID_FIELDS = [
	...['job_id', 'jobId', 'jobID', 'media_job_id', 'mediaJobId', 'job_uuid', 'task_id', 'taskId'],
	...['generation_id', 'generationId', 'prediction_id', 'operation_id', 'job', 'task'],
];
const WRAPPER_FIELDS = [
	'job',
	'media_job',
	'data',
	'result',
	'jobs',
	'response',
	'task',
	'payload',
	'attributes',
];

interface FoundRecord {
	record: Record<string, unknown>;
	/** The objects that contain it, the innermost first. */
	wrappers: Array<Record<string, unknown>>;
}

/**
 * Finds the record of a job: the one with the requested id, else the outermost one with job fields besides its id. Without job
 * fields the innermost id counts, since the outer ones belong to the response.
 */
function findJobRecord(body: unknown, knownId: string | undefined): FoundRecord | undefined {
	const found = collectRecords(body, knownId);
	const matching = found.filter(
		({ record }) => knownId !== undefined && collectIds(record).includes(knownId),
	);
	const candidates = matching.length ? matching : found;
	const withJobFields = candidates.filter(({ record }) => hasJobFields(record));
	const [outermost, ...inner] = withJobFields;
	return (
		(outermost && mayDescribeResponse(outermost.record) ? inner[0] : undefined) ??
		outermost ??
		candidates.find(({ record }) => isPresent(record['model'])) ??
		matching[0] ??
		innermost(candidates)
	);
}

function innermost([first, ...others]: FoundRecord[]): FoundRecord | undefined {
	let found = first;
	for (const other of others) if (other.wrappers[0] === found?.record) found = other;
	return found;
}

/** Whether its job fields may as well describe the response. */
const mayDescribeResponse = (record: Record<string, unknown>) =>
	AMBIGUOUS_STATE.test(readStateWord(record) ?? '') &&
	![record['cost'], record['estimated_cost']].some(isPresent);

/** States that may describe the response as well as the job. */
const AMBIGUOUS_STATE =
	/^\s*(success|successful|succeeded|ok|okay|done|completed?|accepted|created|processed|received)\s*$/i;

/** All objects with an id that may be the record, the outermost first. */
function collectRecords(
	body: unknown,
	knownId: string | undefined,
	wrappers: FoundRecord['wrappers'] = [],
): FoundRecord[] {
	if (wrappers.length > MAX_DEPTH) return [];
	if (Array.isArray(body)) {
		if (knownId === undefined) return collectRecords(body[0], knownId, wrappers);
		const matching = body
			.filter(isPlainObject)
			.find((entry) => collectIds(entry).includes(knownId));
		// a list without the requested job has no record of it
		return matching ? collectRecords(matching, knownId, wrappers) : [];
	}
	if (!isPlainObject(body)) return [];
	const innerWrappers = [body, ...wrappers];
	const wrapped = WRAPPER_FIELDS.flatMap((name) =>
		collectRecords(body[name], knownId, innerWrappers),
	);
	// a job in a field of another name
	const others = Object.entries(body)
		.filter(([name]) => !WRAPPER_FIELDS.includes(name) && !NON_JOB_FIELDS.has(name))
		.map(([, value]) => value)
		.filter(isPlainObject)
		.filter((value) => readJobId(value) !== undefined && isCertainlyJob(value))
		.map((record) => ({ record, wrappers: innerWrappers }));
	const nestedRecords = [...wrapped, ...others];
	// the id of a JSON-RPC response is not that of a job
	const isRecord = readJobId(body) !== undefined && !('jsonrpc' in body);
	return isRecord ? [{ record: body, wrappers }, ...nestedRecords] : nestedRecords;
}

const MAX_DEPTH = 3;

/** Fields about something else, which may have a state of its own. */
const NON_JOB_FIELDS = new Set([
	'request',
	'webhook',
	'error',
	'user',
	'account',
	'model',
	'input',
	'parent',
]);

/** Whether it has a state or a cost. */
const hasJobFields = (record: Record<string, unknown>) =>
	[readStateWord(record), record['cost'], record['estimated_cost']].some(isPresent);

/** A stricter check for objects in fields of any name: many things have a state. */
const isCertainlyJob = (record: Record<string, unknown>) =>
	isRunningState(readStateWord(record)) ||
	[record['cost'], record['estimated_cost']].some(isPresent);

/** Finds a record that does not repeat the requested id. An error report is not a record: the job itself may be fine. */
function findRecordWithoutId(body: unknown): FoundRecord | undefined {
	if (!isPlainObject(body)) return undefined;
	const inner = wrappedObjects(body)[0];
	const record = inner ?? body;
	const word = readStateWord(record);
	const reportsError =
		['error', 'errors', 'detail'].some((field) => isErrorValue(record[field])) ||
		record['success'] === false;
	const hasNoState = word === undefined || /^err/i.test(word.trim());
	if (hasNoState && (reportsError || word !== undefined) && !isPresent(record['cost']))
		return undefined;
	return { record, wrappers: inner ? [body] : [] };
}

const wrappedObjects = (body: Record<string, unknown>) =>
	WRAPPER_FIELDS.map((name) => body[name]).filter(isPlainObject);

/** The specification names `id`. In an object without job fields, a field such as `job_id` comes first. */
function readJobId(record: Record<string, unknown>): string | undefined {
	const [preferred, others] = hasJobFields(record)
		? [ID_FIELDS, JOB_ID_FIELDS]
		: [JOB_ID_FIELDS, ID_FIELDS];
	const names = [...preferred, ...others];
	const id = names.map((name) => record[name]).find(isId);
	return id === undefined ? undefined : String(id);
}

/** The IDs in a record that may be those of its job. */
export const collectIds = (record: Record<string, unknown>) =>
	[...ID_FIELDS, ...JOB_ID_FIELDS]
		.map((name) => record[name])
		.filter(isId)
		.map(String);

const isId = (value: unknown) =>
	(typeof value === 'string' && value.trim() !== '') || typeof value === 'number';

const isPresent = (value: unknown) => value !== undefined && value !== null;

type JobState = 'unfinished' | 'completed' | 'failed';

const STATE_FIELDS = ['status', 'state', 'job_status', 'phase'];
/** Prefixes of states in some services, e.g. `JOB_STATE_SUCCEEDED`. */
const STATE_PREFIX = /^((media|job|task|run|state|status)[ ._:-]+)+(?=.)/i;
const COMPLETED_STATE =
	/^(completed?|succe(ss|ssful|ssfully|ed|eded)|done|finished|ready|ok)([ _-](successfully|ok))?$/i;
const FAILED_STATE =
	/^(failed|failure|error(ed)?|cancell?ed|rejected|aborted|timed?[ _-]?out|expired|unsuccessful|declined|refused|denied|blocked|terminated|killed|crashed)$/i;
const RUNNING_STATE =
	/queue|pend|wait|run|progress|process|start|creat|submit|accept|schedul|generat|render|held|hold|unfinished|incomplete|^(not|almost|partial)/i;
/** States that may describe the response as well as the job. */
const RESPONSE_STATE = /^(success|successful|ok)$/i;

/** The service's own status of a job, if any. */
function readStateWord(record: Record<string, unknown>): string | undefined {
	for (const field of STATE_FIELDS) {
		const value = record[field];
		if (typeof value === 'string' && value.trim()) return value;
		if (isPlainObject(value))
			return (
				readStateWord(value) ?? (typeof value['name'] === 'string' ? value['name'] : undefined)
			);
	}
	return undefined;
}

/** Whether a status means that the job is in progress. */
const isRunningState = (word: string | undefined) => word !== undefined && RUNNING_STATE.test(word);

/** The status of a record, or of an object in it if its own may only describe the response. */
function findStateWord(
	record: Record<string, unknown>,
	nested: ReadonlyArray<Record<string, unknown>>,
): string | undefined {
	const ownWord = readStateWord(record);
	if (ownWord !== undefined && !RESPONSE_STATE.test(ownWord.trim())) return ownWord;
	return nested.map(readStateWord).find((word) => word !== undefined) ?? ownWord;
}

/**
 * Maps the service's status to a state. If it is missing or unknown, the cost decides: it is set when the job completes, and
 * only then. A job that expired without a cost has never completed.
 *
 * @see section 2C, `cost`
 */
function toJobState(
	record: Record<string, unknown>,
	status: string | undefined,
	cost: unknown,
): JobState {
	if (status === undefined) {
		if (isErrorValue(record['error']) || isErrorValue(record['failure'])) return 'failed';
		const done = ['done', 'completed', 'finished'].some((field) => record[field] === true);
		return done || (cost !== undefined && cost !== null) ? 'completed' : 'unfinished';
	}
	const word = status.trim().replace(STATE_PREFIX, '');
	if (COMPLETED_STATE.test(word)) return 'completed';
	const charged = readDecimal(cost)?.gt(0) ?? false;
	if (/^expired$/i.test(word)) return charged ? 'completed' : 'failed';
	if (FAILED_STATE.test(word)) return 'failed';
	return charged && !RUNNING_STATE.test(word) ? 'completed' : 'unfinished';
}

import {
	getRequestId,
	isErrorValue,
	malformedResponseError,
	parseErrorBody,
} from '../core/errorResponses';
import { ServiceError, withDetails } from '../core/errors';
import type { HttpResponse } from '../core/http';
import { isPlainObject } from '../core/json';
import type { MediaType } from './model';
import { readDecimal, toUsd } from '../core/money';

export interface Job {
	jobId: string;
	mediaType: MediaType;
	/** The meaning of the service's status; an unknown status counts as unfinished. */
	state: JobState;
	/** The service's own status, if any. */
	status?: string;
	/** The estimate from the start, as it arrived. The specification names no unit; it is taken as micro-dollars. */
	estimatedCostMicroUsd?: unknown;
	/** The actual charge of a completed job, as it arrived. Also taken as micro-dollars. */
	costMicroUsd?: unknown;
	requestId?: string;
	/** The record as it arrived. */
	record: Record<string, unknown>;
}

/**
 * Reads a job record, of which the specification only names `id`, `cost` and `estimated_cost`. It may be in `job` or `data`, and
 * the costs beside it.
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
	const records = unwrap(body);
	const record = findJobRecord(records, knownId);
	const jobId = knownId ?? (record && readJobId(record));
	if (!record || jobId === undefined) return undefined;
	const ownRecords = unwrap(record);
	const findCost = (field: string) =>
		[...ownRecords, ...records].map((fields) => fields[field]).find(isPresent);
	const estimate = findCost('estimated_cost');
	const cost = findCost('cost');
	const status = ownRecords.map(readStatus).find((word) => word !== undefined);
	// all of it is kept: the other id may be that of the job
	const hasOtherId =
		knownId === undefined &&
		records.some((other) => other !== record && readJobId(other) !== undefined);
	return {
		jobId,
		mediaType,
		state: toJobState(record, status, cost),
		...(status !== undefined && { status }),
		...(estimate !== undefined && { estimatedCostMicroUsd: estimate }),
		...(cost !== undefined && { costMicroUsd: cost }),
		...getRequestId(headers),
		record: hasOtherId ? (records[0] ?? record) : record,
	};
}

/** The error for a body without a job record; it may be an error report with status 200. */
export function malformedRecord(response: HttpResponse, body: unknown): ServiceError {
	const error = malformedResponseError(response, JSON.stringify(body));
	return isPlainObject(body) && isErrorValue(body['error'])
		? withDetails(error, parseErrorBody(body))
		: error;
}

type JobFields = Record<string, unknown>;

/** The body, and what is in its fields `job` and `data`, the outermost first. `result` also counts if it can hold the job. */
function unwrap(body: unknown): JobFields[] {
	if (!isPlainObject(body)) return [];
	const results = unwrap(body['result']);
	const inner = [body['job'], body['data']].flatMap(unwrap);
	return [body, ...(mayHold(body, results) ? results : []), ...inner];
}

/**
 * Whether `result` can hold the job, and not what the job has made: nothing but an ID beside it may be that of the request. So may an ID with
 * a state, if only the result has costs, or if the state is over and that of the result is not.
 */
function mayHold(body: JobFields, results: JobFields[]): boolean {
	const cost = body['cost'];
	const status = readStatus(body);
	const hasState = isPresent(status ?? cost);
	if (!results.some(hasId)) return !hasState && !hasId(body);
	if (!hasState || !hasId(body)) return true;
	if (results.some(hasCosts)) return !hasCosts(body);
	const isUnfinished = results.some((result) => {
		const word = readStatus(result);
		return word !== undefined && toJobState(result, word, result['cost']) === 'unfinished';
	});
	return isUnfinished && !isPresent(cost) && toJobState(body, status, cost) === 'completed';
}

/** Finds the record with the requested id; for a job that was just started, one with any id. */
function findJobRecord(records: JobFields[], knownId: string | undefined): JobFields | undefined {
	if (knownId === undefined)
		return chooseRecord(records.filter((record) => readJobId(record) !== undefined));
	const matching = records.filter((record) => collectIds(record).includes(knownId));
	const record = chooseRecord(matching.length ? matching : records);
	return record && !matching.length && isErrorReport(record, records) ? undefined : record;
}

/** The innermost record with fields of a job, a cost before others: what contains it may also have an id, a status and the estimate. */
const chooseRecord = (records: JobFields[]) =>
	records.findLast((record) => isPresent(record['cost'])) ??
	records.findLast((record) =>
		isPresent(readStatus(record) ?? record['model'] ?? record['estimated_cost']),
	) ??
	records.at(-1);

/** Whether a record without the requested id is an error report. That is not a record: the job itself may be fine. */
function isErrorReport(record: JobFields, records: JobFields[]): boolean {
	if (isPresent(record['cost'])) return false;
	const status = readStatus(record);
	if (status !== undefined) return /^err/i.test(status.trim());
	return records.some(
		({ success, error, errors, detail }) =>
			success === false || [error, errors, detail].some(isErrorValue),
	);
}

/** The specification names `id`. */
const readJobId = (record: JobFields): string | undefined =>
	isId(record['id']) ? String(record['id']) : collectIds(record)[0];

const hasId = (record: unknown) => isPlainObject(record) && readJobId(record) !== undefined;

/** Names of fields that may contain the id of a job. */
const ID_FIELD = /^(_?id|uuid|(media_?)?(job|task|generation|prediction|operation)_?(id|uuid))$/i;

/** The IDs in a record that may be those of its job. */
const collectIds = (record: JobFields) =>
	Object.entries(record)
		.filter(([name, value]) => ID_FIELD.test(name) && isId(value))
		.map(([, value]) => String(value));

const hasCosts = (record: JobFields) => isPresent(record['cost'] ?? record['estimated_cost']);

const isId = (value: unknown) =>
	(typeof value === 'string' && value.trim() !== '') || typeof value === 'number';

const isPresent = (value: unknown) => value !== undefined && value !== null;

/** The service's own status of a job, if any. Some name it after the job, or have an object around it. */
function readStatus({ status, state, job_status, task_status }: JobFields): string | undefined {
	const values = [status, state, job_status, task_status];
	return values
		.flatMap((value) => (isPlainObject(value) ? [value['state'], value['status']] : [value]))
		.find((value): value is string => typeof value === 'string' && value.trim() !== '');
}

type JobState = 'unfinished' | 'completed' | 'failed';

/** What the words of services mean, in lower case. The specification has no names for the states. */
const STATES = new Map<JobState, string>([
	['completed', 'completed complete succeed succeeded success successful done finished ready ok'],
	[
		'failed',
		`failed fail failure error errored canceled cancelled rejected aborted timeout timed_out expired
		refused denied declined blocked terminated killed nsfw moderated content_moderated request_moderated`,
	],
	[
		'unfinished',
		`queued pending waiting scheduled submitted accepted created held starting started running
		processing in_progress generating rendering unfinished incomplete not_ready`,
	],
]);

/**
 * Maps the service's status to a state. If it is missing or unknown, the cost decides: it is set when the job completes, and
 * only then. A job that expired without a cost has never completed.
 *
 * @see section 2C, `cost`
 */
function toJobState(record: JobFields, status: string | undefined, cost: unknown): JobState {
	if (status === undefined) {
		if (isErrorValue(record['error'])) return 'failed';
		return cost === undefined ? 'unfinished' : 'completed';
	}
	const word = status
		.trim()
		.toLowerCase()
		.replace(/[\s-]+/g, '_');
	const [known] = [...STATES].find(([, words]) => words.split(/\s+/).includes(word)) ?? [];
	const isCharged = readDecimal(cost)?.gt(0) ?? false;
	if (isCharged && (known === undefined || word === 'expired')) return 'completed';
	return known ?? 'unfinished';
}

/** Whether a status in a body, or in the record that it contains, says anything else than that the job has completed. */
export const saysNotCompleted = (body: unknown): boolean =>
	unwrap(body).some((fields) => {
		const status = readStatus(fields);
		return status !== undefined && toJobState(fields, status, fields['cost']) !== 'completed';
	});

/**
 * A job in the fields of the output. Its raw record is not part of it.
 *
 * @param model The requested model, if known. Otherwise it is taken from the record.
 * @returns the costs in USD, and the progress as the service reports it: of what, it does not say.
 */
export function summarizeJob(
	{ record, costMicroUsd, estimatedCostMicroUsd, requestId, ...job }: Job,
	model = typeof record['model'] === 'string' ? record['model'].trim() : '',
) {
	const { progress } = record;
	return {
		...job,
		...(model && { model }),
		...(isProgress(progress) && { progress }),
		...describeAmount(costMicroUsd, 'costUsd', 'cost'),
		...describeAmount(estimatedCostMicroUsd, 'estimatedCostUsd', 'estimated_cost'),
		...(requestId !== undefined && { requestId }),
	};
}

/**
 * Whether the raw record has to be kept: it reports, or may report, a failure, it has an ID that nothing else has, or only the ID in it
 * was understood.
 */
export function isRecordNeeded({ jobId, state, record, ...job }: Job): boolean {
	if (state === 'failed') return true;
	if ([job.status, job.costMicroUsd, job.estimatedCostMicroUsd].every((read) => read === undefined))
		return true;
	return [record, ...Object.values(record).filter(isPlainObject)].some(
		(fields) =>
			collectIds(fields).some((id) => id !== jobId) ||
			Object.entries(fields).some(([name, value]) => FAILURE_FIELD.test(name) && isFilled(value)),
	);
}

/** Names of fields that may report a failure, even of a part of the job. */
const FAILURE_FIELD =
	/err|fail|warn|reason|reject|refus|block|moderat|nsfw|safety|cancel|abort|problem|issue|violat|expired|incomplete|partial/i;

const isProgress = (value: unknown): value is number | string =>
	typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');

function isFilled(value: unknown): boolean {
	if (Array.isArray(value)) return value.length > 0;
	if (isPlainObject(value)) return Object.keys(value).length > 0;
	return ![undefined, null, '', false, 0].includes(value as null);
}

/** An amount in USD. A value that is not a whole number of micro-dollars is output as it arrived, under its own name. */
function describeAmount(
	microUsd: unknown,
	name: 'costUsd' | 'estimatedCostUsd',
	ownName: string,
): { costUsd?: number; estimatedCostUsd?: number } {
	if (microUsd === undefined) return {};
	const usd = toUsd(microUsd);
	return usd === undefined ? { [ownName]: microUsd } : { [name]: usd };
}

/** The job ID in the URL of a job or of its file, complete or only its path. Undefined for any other URL. */
export function findJobIdInUrl(url: string): string | undefined {
	const [, id] = /^[^?#]*\/jobs\/([^/?#]+)(?:\/content)?\/?(?:[?#].*)?$/.exec(url) ?? [];
	try {
		return id && decodeURIComponent(id);
	} catch {
		return id;
	}
}

/** The ID of a job as typed, or the one in a pasted URL. Undefined for a URL without a job ID. */
export function findJobId(typed: string): string | undefined {
	const text = typed.trim();
	return /^https?:\/\//i.test(text) ? findJobIdInUrl(text) : text;
}

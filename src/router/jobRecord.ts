import { getRequestId, isErrorValue, JOB_FAILED, parseErrorBody } from '../core/errorResponses';
import { ServiceError, shortenText } from '../core/errors';
import type { HttpResponse } from '../core/http';
import { isPlainObject, type JsonObject, isPresent, omitMissing } from '../core/json';
import type { MediaType } from './model';
import { type Decimal, readDecimal, readInteger, toUsd, ZERO } from '../core/money';
import { MOST_TIMES } from '../core/reserve';
import { MAX_SEGMENT_LENGTH } from '../core/urls';

export interface Job {
	jobId: string;
	mediaType: MediaType;
	/** The meaning of the service's status. Of an unknown status nothing is known: the job counts as unfinished until it has a cost. */
	state: JobState;
	/** The service's own status, if any. */
	status?: string;
	/** The estimate from the start, as it arrived. The specification names no unit; it is taken as micro-dollars. */
	estimatedCostMicroUsd?: unknown;
	/** The actual charge of a completed job, as it arrived. Also taken as micro-dollars. */
	costMicroUsd?: unknown;
	requestId?: string;
	/** The record as it arrived. */
	record: JsonObject;
}

/**
 * Reads a job record, of which the specification only names `id`, `cost` and `estimated_cost`. Other services with these paths send the
 * rest: `job_id` (Polaris gateway, Tenstorrent console, Xiaomi Any2Speech), the record in `job` or `data` (relay-gateway), `status` and
 * `error` (all of them), `model` (Polaris gateway, Sub2API). The record may also be in `result`, and the costs beside it.
 *
 * @param knownId The id of the requested job: the record may have none, or another one.
 * @returns undefined if there is no record with a usable id, or nothing that is said of the requested job.
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
		knownId === undefined && records.some((other) => other !== record && hasId(other));
	return {
		jobId,
		mediaType,
		state: toJobState(record, status, cost),
		...omitMissing({ status, estimatedCostMicroUsd: estimate, costMicroUsd: cost }),
		...getRequestId(headers),
		record: hasOtherId ? (records[0] ?? record) : record,
	};
}

/** The body, and what is in its fields `job` and `data`, the outermost first. `result` also counts if it can hold the job. */
function unwrap(body: unknown): JsonObject[] {
	if (!isPlainObject(body)) return [];
	const results = unwrap(body['result']);
	const inner = [body['job'], body['data']].flatMap(unwrap);
	return [body, ...(mayHold(body, results) ? results : []), ...inner];
}

/**
 * Whether `result` can hold the job, and not what the job has made: nothing but an ID beside it may be that of the request. So may an ID with
 * a status, if only the result has costs, or if only the result is known to be unfinished.
 */
function mayHold(body: JsonObject, results: JsonObject[]): boolean {
	const hasState = isPresent(readStatus(body) ?? body['cost']);
	if (!results.some(hasId)) return !hasState && !hasId(body);
	if (!hasState || !hasId(body)) return true;
	if (hasCosts(body) || results.some(hasCosts)) return !hasCosts(body);
	return results.some(isUnfinished) && !isUnfinished(body);
}

const isUnfinished = (record: JsonObject) => knownState(readStatus(record)) === 'unfinished';

/** Finds the record with the requested id, else one that says something of a job; for a job that was just started, one with any id. */
function findJobRecord(records: JsonObject[], knownId: string | undefined): JsonObject | undefined {
	if (knownId === undefined) return chooseRecord(records.filter(hasId));
	const matching = records.filter((record) => readJobId(record) === knownId);
	const telling = records.filter((record) => hasCosts(record) || readStatus(record) !== undefined);
	return chooseRecord(matching.length ? matching : telling);
}

/** The innermost record with fields of a job, a cost before others: what contains it may also have an id, a status and the estimate. */
const chooseRecord = (records: JsonObject[]) =>
	records.findLast((record) => isPresent(record['cost'])) ??
	records.findLast((record) =>
		isPresent(readStatus(record) ?? record['model'] ?? record['estimated_cost']),
	) ??
	records.at(-1);

const idsOf = ({ id, job_id: jobId }: JsonObject): string[] => [id, jobId].filter(isId).map(String);

const hasId = (record: JsonObject) => idsOf(record).length > 0;

/** Its ID, if it has one with which the job can be asked for. Nothing of a ledger can be read with one that fits into no address. */
const readJobId = (record: JsonObject): string | undefined =>
	idsOf(record).find((id) => Buffer.byteLength(id) <= MAX_SEGMENT_LENGTH && !/\p{Cc}/u.test(id));

const hasCosts = (record: JsonObject) => isPresent(record['cost'] ?? record['estimated_cost']);

const isId = (value: unknown) =>
	(typeof value === 'string' && value.trim() !== '') || typeof value === 'number';

/** The service's own status of a job, if any. */
const readStatus = ({ status }: JsonObject): string | undefined =>
	typeof status === 'string' && status.trim() ? status : undefined;

type JobState = 'unfinished' | 'completed' | 'failed';

/** What words of `status` mean, and who sends them at these paths. */
const STATES = new Map<string, JobState>([
	// the specification, section 3
	['started', 'unfinished'],
	['unfinished', 'unfinished'],
	['completed', 'completed'],
	['failed', 'failed'],
	// Polaris gateway: /v1/music/jobs
	['queued', 'unfinished'],
	['processing', 'unfinished'],
	['cancelled', 'failed'],
	// Sub2API: /v1/videos/jobs
	['in_progress', 'unfinished'],
	['canceled', 'failed'],
	// AudioPod: /v1/music/jobs
	['pending', 'unfinished'],
	// Xiaomi Any2Speech: /v1/audio/jobs
	['done', 'completed'],
]);

/** AudioPod sends capitals. */
const knownState = (status = '') => STATES.get(status.trim().toLowerCase());

/** Whether the service has sent a status of which the meaning is not known: the job is neither failed nor over for that. */
const isUnknownStatus = (status = ''): boolean => status !== '' && knownState(status) === undefined;

/**
 * Maps the service's status to a state. If it is missing or unknown, the cost decides: it is set when the job completes, and only then.
 *
 * @see section 2C, `cost`
 */
function toJobState(record: JsonObject, status: string | undefined, cost: unknown): JobState {
	if (status === undefined) {
		if (isErrorValue(record['error'])) return 'failed';
		return cost === undefined ? 'unfinished' : 'completed';
	}
	const isCharged = readDecimal(cost)?.gt(0) ?? false;
	return knownState(status) ?? (isCharged ? 'completed' : 'unfinished');
}

/**
 * A job in the fields of the output. Its raw record is not part of it.
 *
 * @param model The requested model, if known. Otherwise it is taken from the record.
 */
export function summarizeJob(
	{ record, costMicroUsd, estimatedCostMicroUsd, requestId, ...job }: Job,
	model = typeof record['model'] === 'string' ? record['model'].trim() : '',
) {
	const costs = { costMicroUsd, estimatedCostMicroUsd };
	return {
		...job,
		...(model && { model }),
		...describeAmount(costMicroUsd, readJobCost(costs), 'costUsd', 'cost'),
		...describeAmount(
			estimatedCostMicroUsd,
			readAmount(estimatedCostMicroUsd),
			'estimatedCostUsd',
			'estimated_cost',
		),
		...(requestId !== undefined && { requestId }),
	};
}

/** Whether the raw record has to be kept: not all of it was understood, it has an error, or an ID that nothing else has. */
export function isRecordNeeded({ jobId, state, record, ...job }: Job): boolean {
	if (state === 'failed' || isUnknownStatus(job.status)) return true;
	if ([job.status, job.costMicroUsd, job.estimatedCostMicroUsd].every((read) => read === undefined))
		return true;
	const isOtherId = ([name, value]: [string, unknown]) =>
		ID_FIELD.test(name) && isId(value) && String(value) !== jobId;
	return [record, ...Object.values(record).filter(isPlainObject)].some(
		(fields) => isErrorValue(fields['error']) || Object.entries(fields).some(isOtherId),
	);
}

/** Names that end with the word ID. */
const ID_FIELD = /(^|_)id$|Id$/;

/** An amount in USD. One that cannot be read, or cannot be, is output as it arrived, under its own name. */
function describeAmount(
	microUsd: unknown,
	amount: Decimal | undefined,
	name: 'costUsd' | 'estimatedCostUsd',
	ownName: string,
): { costUsd?: number; estimatedCostUsd?: number } {
	if (microUsd === undefined) return {};
	return amount === undefined ? { [ownName]: microUsd } : { [name]: toUsd(amount) };
}

/** Micro-dollars. No job costs more than a million dollars. */
const MOST_COST = 1e12;

/** Reads an amount of a job. @returns whole micro-dollars; undefined if it cannot be read, or cannot be. */
function readAmount(microUsd: unknown): Decimal | undefined {
	const amount = readInteger(microUsd);
	return amount?.gte(0) && amount.lte(MOST_COST) ? amount : undefined;
}

type Costs = Pick<Job, 'costMicroUsd' | 'estimatedCostMicroUsd'>;

/** What a job has cost, in micro-dollars. @returns undefined if the service reports nothing, or what cannot be: then the estimate counts. */
export function readJobCost({ costMicroUsd, estimatedCostMicroUsd }: Costs): Decimal | undefined {
	const cost = readAmount(costMicroUsd);
	const estimate = readAmount(estimatedCostMicroUsd);
	return estimate?.gt(0) && cost?.gt(estimate.times(MOST_TIMES)) ? undefined : cost;
}

/** The same of a job that has ended. One that has failed is not charged, unless the service reports a cost. */
export const readEndedCost = (job: Job): Decimal | undefined =>
	job.state === 'failed' && !isPresent(job.costMicroUsd) ? ZERO : readJobCost(job);

/**
 * The service's estimate at the start of a job, in micro-dollars.
 *
 * @param minimum The catalog's, if known.
 * @returns undefined if it gives none, or one that cannot be.
 */
export function readEstimate(
	{ estimatedCostMicroUsd }: Costs,
	minimum?: Decimal,
): Decimal | undefined {
	const estimate = readAmount(estimatedCostMicroUsd);
	return minimum?.gt(0) && estimate?.gt(minimum.times(MOST_TIMES)) ? undefined : estimate;
}

/** A sentence about a reported amount that is not counted; undefined if there is none. @param counted The same, as it was read. */
export const describeOddAmount = (
	jobId: string,
	[name, reported]: ['cost' | 'estimate', unknown],
	counted: Decimal | undefined,
): string | undefined =>
	isPresent(reported) && counted === undefined
		? `The ${name} that the service reports for the media job ${jobId} cannot be: ${shortenText(JSON.stringify(reported), 40)}. It is not counted: ${name === 'cost' ? 'the estimate' : "the catalog's minimum"} is.`
		: undefined;

/** A sentence about a status of which the meaning is not known; undefined for any other. */
export const describeUnknownStatus = ({ status = '', state }: Job): string | undefined =>
	isUnknownStatus(status) && state === 'unfinished'
		? `It is not known what the state "${shortenText(status, 100)}" means: the job counts as unfinished until the service reports a cost. Check its record before you start it again.`
		: undefined;

/** The error for a job that the service reports as failed. Without a reason, its message has the state that came. */
export function jobFailedError(job: Job): ServiceError {
	const { jobId, record, status, requestId, costMicroUsd } = job;
	const isCharged = isPresent(costMicroUsd) && !readJobCost(job)?.eq(0);
	const { error } = record;
	const details = isErrorValue(error) ? parseErrorBody(error) : {};
	const state = status === undefined ? '' : ` with the state "${shortenText(status, 100)}"`;
	const message = details.reason
		? JOB_FAILED
		: `${JOB_FAILED}${state}, and the service gave no reason`;
	return new ServiceError('failed', message, {
		...details,
		ids: { jobId },
		...(requestId && { requestId }),
		partial: record,
		advice: `${isCharged ? 'The service reports a cost for it' : 'A failed job is not charged'}. Change the prompt or the parameters before you start a new one, with another Unique Key if it has one.`,
	});
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

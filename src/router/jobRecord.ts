import { explained, ServiceError, withDetails } from '../service/errors';
import { readReportedError, requestIdOf } from '../service/refusals';
import type { HttpResponse } from '../service/http';
import { isObject } from '../service/json';
import type { Segment } from './segments';

export type JobState = 'unfinished' | 'completed' | 'failed';

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
const WRAPPERS = ['job', 'data', 'result', 'jobs', 'response'];
const STATE_FIELDS = ['status', 'state', 'job_status', 'phase'];
const COMPLETED = /^(completed?|succe(ss|ssful|eded)|done|finished|ready|ok)$/i;
const FAILED = /^(failed|failure|error(ed)?|cancell?ed|rejected|aborted|timed?[ _-]?out)$/i;

/**
 * Reads a job record, of which the specification names `id`, `cost` and `estimated_cost` only.
 *
 * @param knownId Taken where the record itself has no id.
 * @returns undefined when there is no record with a usable id.
 */
export function readJobRecord(
	body: unknown,
	segment: Segment,
	headers: HttpResponse['headers'],
	knownId?: string,
): Job | undefined {
	const record =
		findRecord(body) ?? (knownId !== undefined && isObject(body) ? unwrapped(body) : undefined);
	const jobId = record && (idOf(record) ?? knownId);
	if (!record || jobId === undefined) return undefined;
	const status = stateWord(record);
	return {
		jobId,
		segment,
		state: stateOf(record, status),
		...(status !== undefined && { status }),
		...(isGiven(record['estimated_cost']) && { estimatedCostMicroUsd: record['estimated_cost'] }),
		...(isGiven(record['cost']) && { costMicroUsd: record['cost'] }),
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

function findRecord(body: unknown, depth = 0): Record<string, unknown> | undefined {
	if (depth > 3) return undefined;
	if (Array.isArray(body)) return findRecord(body[0], depth + 1);
	if (!isObject(body)) return undefined;
	if (idOf(body) !== undefined) return body;
	return WRAPPERS.map((name) => findRecord(body[name], depth + 1)).find(Boolean);
}

function unwrapped(body: Record<string, unknown>): Record<string, unknown> {
	const inner = WRAPPERS.map((name) => body[name]).find(isObject);
	return inner ?? body;
}

function idOf(record: Record<string, unknown>): string | undefined {
	const id = ID_FIELDS.map((name) => record[name]).find(
		(value) => (typeof value === 'string' && value.trim() !== '') || typeof value === 'number',
	);
	return id === undefined ? undefined : String(id);
}

function stateWord(record: Record<string, unknown>): string | undefined {
	for (const field of STATE_FIELDS) {
		const value = record[field];
		if (typeof value === 'string') return value;
		if (isObject(value))
			return stateWord(value) ?? (typeof value['name'] === 'string' ? value['name'] : undefined);
	}
	return undefined;
}

/** Without a word for the state, the cost tells: it is set when the job completes, and only then. */
function stateOf(record: Record<string, unknown>, status: string | undefined): JobState {
	if (status !== undefined) {
		if (COMPLETED.test(status.trim())) return 'completed';
		return FAILED.test(status.trim()) ? 'failed' : 'unfinished';
	}
	if (record['error'] || record['failure']) return 'failed';
	return isGiven(record['cost']) ? 'completed' : 'unfinished';
}

const isGiven = (value: unknown) => value !== undefined && value !== null;

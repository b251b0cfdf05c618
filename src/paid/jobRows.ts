import { isPlainObject, tryParseJson } from '../core/json';
import type { Entry } from '../ledger/entry';
import { type Job, readJobRecord } from '../router/jobRecord';
import type { MediaType } from '../router/model';

/** The job of an entry, as its record was last stored. */
export function toJob(entry: Entry): Job {
	const { jobId, requestId } = entry;
	const mediaType = entry.mediaType as MediaType;
	const record = readStoredRecord(entry);
	return {
		jobId,
		mediaType,
		state: 'unfinished',
		record,
		...readJobRecord(record, mediaType, {}, jobId),
		...(requestId && { requestId }),
	};
}

/** @returns an empty object for what is not a record. */
export function readStoredRecord({ record }: Entry): Record<string, unknown> {
	const stored = tryParseJson(record);
	return isPlainObject(stored) ? stored : {};
}

/** Maximum characters of the service's record that the ledger stores. A longer record is read again when needed. */
const MAX_RECORD_LENGTH = 4000;

/** What the ledger stores of a job that was started. */
export function toEntryFields({ jobId, requestId = '', record }: Job) {
	const text = JSON.stringify(record);
	return { jobId, requestId, record: text.length > MAX_RECORD_LENGTH ? '' : text };
}

import type { IDataObject } from 'n8n-workflow';

import { isPlainObject, tryParseJson } from '../../../src/core/json';
import type { Entry } from '../../../src/ledger/entry';
import { readJobRecord, type Job } from '../../../src/router/jobRecord';
import type { MediaType } from '../../../src/router/model';
import { toJobJson, toLedgerJson } from '../media/jobOutput';
import type { TriggerEvent } from './trigger.params';

/** Maximum characters of the service's record that the ledger stores until the job is delivered. */
const MAX_RECORD_LENGTH = 20_000;
/** Maximum characters of one field in a record that is shortened. */
const MAX_FIELD_LENGTH = 500;

/** The part of a job's record that is stored. A record may contain a complete image. Then only its short fields are stored. */
export function shortenRecord({ record, estimatedCostMicroUsd }: Job, entry: Entry): string {
	// only the response to the start always contains the estimate
	const estimate = readStoredRecord(entry)?.['estimated_cost'];
	const fullRecord =
		estimatedCostMicroUsd === undefined && estimate !== undefined
			? { ...record, estimated_cost: estimate }
			: record;
	const text = JSON.stringify(fullRecord);
	if (text.length <= MAX_RECORD_LENGTH) return text;
	const shortFields = Object.entries(fullRecord).filter(
		([, value]) => (JSON.stringify(value)?.length ?? 0) <= MAX_FIELD_LENGTH,
	);
	return JSON.stringify({ ...Object.fromEntries(shortFields.slice(0, 30)), shortened: true });
}

/**
 * A finished job as an item; its fields are those of Get Job and Download File.
 *
 * @param isLedger Whether the entry is from the job ledger.
 */
export function toJobItem(
	entry: Entry,
	{ isLedger, simplify }: { isLedger: boolean; simplify: boolean },
): IDataObject & { event: TriggerEvent } {
	const { jobId, segment, outcome, requestId, label, model } = entry;
	const mediaType = segment as MediaType;
	const record = readStoredRecord(entry) ?? {};
	const read = readJobRecord(record, mediaType, {}, jobId);
	const job = {
		...(read ?? { record }),
		...{ jobId, mediaType },
		// a shortened record may lack the state
		state: outcome === 'failed' || outcome === 'lost' ? 'failed' : 'completed',
		...(outcome === 'lost' && { status: 'lost' }),
		...(requestId && { requestId }),
	} as const;
	return {
		event: job.state === 'failed' ? 'mediaJobFailed' : 'mediaJobCompleted',
		...toJobJson(job, { simplify, model: model || undefined }),
		...(label && { ledgerLabel: label }),
		...(isLedger && toLedgerJson({ entry })),
		...(outcome === 'lost' && { failure: { ...LOST, reason: entry.note } }),
	};
}

function readStoredRecord({ record }: Entry): Record<string, unknown> | undefined {
	const stored = tryParseJson(record);
	return isPlainObject(stored) ? stored : undefined;
}

const LOST = {
	message: 'The media job is lost: the service does not know it',
	kind: 'failed',
	advice:
		'Check the credential, the media type and the job ID. Do not start it again before you know that it was not charged.',
};

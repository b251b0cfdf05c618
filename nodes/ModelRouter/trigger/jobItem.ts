import type { IDataObject } from 'n8n-workflow';

import type { Entry } from '../../../src/ledger/entry';
import { jobFailure, readJobRecord, type Job } from '../../../src/router/jobRecord';
import type { Segment } from '../../../src/router/segments';
import type { ServiceError } from '../../../src/service/errors';
import { tryParseJson } from '../../../src/service/json';
import { jobJson, ledgerJson } from '../job/jobOutput';
import type { TriggerEvent } from './trigger.params';

/** Characters of the service's record that are kept until the job is delivered. */
const LONGEST_RECORD = 20_000;
/** Of one field of a record that is longer. */
const LONGEST_FIELD = 500;

/** What is kept of a job's record. A record may hold a whole picture; then its short fields are kept. */
export function keptRecord({ record, estimatedCostMicroUsd }: Job, entry: Entry): string {
	// the forecast is certain to be in the answer to the start only
	const forecast = earlierRecord(entry)?.['estimated_cost'];
	const whole =
		estimatedCostMicroUsd === undefined && forecast !== undefined
			? { ...record, estimated_cost: forecast }
			: record;
	const text = JSON.stringify(whole);
	if (text.length <= LONGEST_RECORD) return text;
	const short = Object.entries(whole).filter(
		([, value]) => (JSON.stringify(value)?.length ?? 0) <= LONGEST_FIELD,
	);
	return JSON.stringify({ ...Object.fromEntries(short.slice(0, 30)), shortened: true });
}

/**
 * A job that is done as an item; the fields are those of Get and Download.
 *
 * @param isLedger Whether it is the job ledger that has the entry.
 */
export function jobItem(entry: Entry, isLedger: boolean): IDataObject & { event: TriggerEvent } {
	const { jobId, segment, outcome, requestId, label, model } = entry;
	const address = { jobId, segment: segment as Segment };
	const record = earlierRecord(entry) ?? {};
	const read = readJobRecord(record, address.segment, {}, jobId);
	const job = {
		...(read ?? { record }),
		...address,
		// the ledger knows better than a record that was shortened
		state: outcome === 'failed' || outcome === 'lost' ? 'failed' : 'completed',
		...(outcome === 'lost' && { status: 'lost' }),
		...(requestId && { requestId }),
	} as const;
	return {
		event: job.state === 'failed' ? 'mediaJobFailed' : 'mediaJobCompleted',
		...jobJson(job),
		...(model && { model }),
		...(label && { label }),
		...(isLedger && ledgerJson({ entry })),
		...(outcome === 'failed' && { failure: failureJson(jobFailure(job)) }),
		...(outcome === 'lost' && { failure: { ...LOST, reason: entry.note } }),
	};
}

/** Under `failure`: an `error` on top would make n8n repeat the node. */
export function failureJson({ kind, message, details }: ServiceError): IDataObject {
	const { status, code, requestId, reason, advice } = details;
	const told = Object.entries({ message, kind, status, code, requestId, reason, advice });
	return Object.fromEntries(told.filter(([, value]) => value !== undefined));
}

function earlierRecord({ record }: Entry): Record<string, unknown> | undefined {
	const kept = tryParseJson(record);
	return typeof kept === 'object' && kept !== null && !Array.isArray(kept)
		? (kept as Record<string, unknown>)
		: undefined;
}

const LOST = {
	message: 'The media job is lost, the service does not know it',
	kind: 'failed',
	advice:
		'Check the credential, the segment and the job ID. Do not start it again before you know that it was not charged.',
};

import { isPlainObject } from '../core/json';
import { collectIds, type Job } from './jobRecord';
import { toUsd } from './money';

/** A job in the fields of the output. Its raw record is not part of it. */
interface JobSummary extends Pick<Job, 'jobId' | 'mediaType' | 'state' | 'status' | 'requestId'> {
	model?: string;
	/** As the service reports it: of what, it does not say. */
	progress?: number | string;
	/** USD. */
	costUsd?: number;
	/** USD. */
	estimatedCostUsd?: number;
	/** The service's own value, if it is no amount. */
	cost?: unknown;
	/** The service's own value, if it is no amount. */
	estimated_cost?: unknown;
}

/** @param model The requested model, if known. Otherwise it is taken from the record. */
export function summarizeJob(
	{ record, costMicroUsd, estimatedCostMicroUsd, requestId, ...job }: Job,
	model = typeof record['model'] === 'string' ? record['model'].trim() : '',
): JobSummary {
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
 * Whether the raw record must not be left out: it tells, or may tell, of a failure, or it has an ID that nothing else has.
 */
export function isRecordNeeded({ jobId, state, record }: Job): boolean {
	if (state === 'failed') return true;
	return [record, ...Object.values(record).filter(isPlainObject)].some(
		(fields) =>
			collectIds(fields).some((id) => id !== jobId) ||
			Object.entries(fields).some(([name, value]) => FAILURE_FIELD.test(name) && isFilled(value)),
	);
}

/** Names of fields that may tell of a failure, also of a part of the job. */
const FAILURE_FIELD =
	/err|fail|warn|reason|reject|refus|block|moderat|nsfw|safety|cancel|abort|problem|issue|violat|expired|incomplete|partial/i;

const isProgress = (value: unknown): value is number | string =>
	typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');

function isFilled(value: unknown): boolean {
	if (Array.isArray(value)) return value.length > 0;
	if (isPlainObject(value)) return Object.keys(value).length > 0;
	return ![undefined, null, '', false, 0].includes(value as null);
}

/** An amount in USD. A value that is no whole number of micro-dollars is output as it arrived, under its own name. */
function describeAmount(microUsd: unknown, name: string, ownName: string): Partial<JobSummary> {
	if (microUsd === undefined) return {};
	const usd = toUsd(microUsd);
	return usd === undefined ? { [ownName]: microUsd } : { [name]: usd };
}

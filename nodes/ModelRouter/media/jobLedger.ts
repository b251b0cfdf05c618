import { mapServiceError } from '../../../src/core/errors';
import { tryParseJson } from '../../../src/core/json';
import type { Entry } from '../../../src/ledger/entry';
import { asNotStarted } from '../../../src/ledger/keyClaim';
import { LONG_RETRY_ATTEMPTS } from '../../../src/ledger/ledger';
import { claimStart, leaveToTriggers, markDelivered } from '../../../src/ledger/startOnce';
import type { OperationContext } from '../../../src/n8n/operation';
import type { StartLedger } from '../../../src/n8n/startPaid';
import { type Job, readJobRecord } from '../../../src/router/jobRecord';
import type { MediaType } from '../../../src/router/model';
import { openJobLedger } from '../ledger/entryOutput';
import { mediaTypeLabel } from './media.params';
import type { StartRequest, LedgerStart } from './start.params';

/** A job that was started. Plain data: it is stored with the execution. */
export interface StartedJob {
	job: Job;
	/** Undefined when the job ledger is not used. */
	ledgered?: LedgerResult;
}

/** The result of a start in the ledger. */
export interface LedgerResult {
	/** Undefined when the ledger could not be reached after the start. */
	entry: Entry | undefined;
	/** Whether an earlier start with the same key started the job. Undefined without a key. */
	startedBefore?: boolean;
}

/** Minimum milliseconds without a renewal after which a start counts as interrupted. */
const MIN_LEASE = 10 * 60_000;
/** Milliseconds added to the wait of Generate before the triggers check the job. */
const WAIT_MARGIN = 5 * 60_000;
/** Maximum characters of the service's record that the ledger stores. A longer record is read again when needed. */
const MAX_RECORD_LENGTH = 4000;

/** Adapts the job ledger to the pipeline of paid starts. */
export function toStartLedger(
	context: OperationContext<StartRequest>,
	{ idempotencyKey, ledgerLabel, waits }: LedgerStart,
): StartLedger<StartedJob> {
	const { request, origin, addHint, idleTimeout } = context;
	const { mediaType, model } = request;
	const newStart = {
		...{ startKey: idempotencyKey, label: ledgerLabel, segment: mediaType, model },
		account: origin.credential,
		// covers one attempt: a slow connection, then a slow response
		lease: Math.max(MIN_LEASE, 2 * idleTimeout),
		firstCheck: waits && waits + WAIT_MARGIN,
	};
	return {
		hasKey: idempotencyKey !== '',
		async claim() {
			const ledger = await openJobLedger(context, LONG_RETRY_ATTEMPTS).catch((cause: unknown) => {
				throw asNotStarted(cause);
			});
			const claim = await claimStart(ledger, newStart);
			if ('earlier' in claim) {
				const { earlier: entry } = claim;
				const difference = describeDifference(entry, newStart);
				if (difference)
					addHint(
						`The key "${idempotencyKey}" was used before for ${difference}: its job ${entry.jobId} is returned, and nothing was started. Use a different key for every new job.`,
					);
				return { earlier: { job: toJob(entry), ledgered: { entry, startedBefore: true } } };
			}
			return {
				...claim,
				async recordStarted({ job }) {
					const entry = await claim.recordStarted(toEntryFields(job));
					if (!entry)
						addHint(
							`The job ${job.jobId} was started, but the job ledger could not be reached to record it. Its outcome there will be "unknown": use "Mark as Started" of the resource Job Ledger with this job ID.`,
						);
					return { job, ledgered: { entry, ...(idempotencyKey && { startedBefore: false }) } };
				},
			};
		},
	};
}

/** How the recorded job of a key differs from the requested one. */
function describeDifference(
	entry: Entry,
	{ segment, model, account }: Pick<Entry, 'segment' | 'model' | 'account'>,
): string | undefined {
	if (entry.account && entry.account !== account) return 'another credential';
	if (entry.segment !== segment) return `the media type "${mediaTypeLabel(entry.segment)}"`;
	return entry.model && entry.model !== model ? `the model ${entry.model}` : undefined;
}

/** Downloads the file in the node. If this fails, the triggers may deliver it at once. */
export async function deliverInNode<Result>(
	context: LedgerContext & Pick<OperationContext<unknown>, 'asTool'>,
	entry: Entry | undefined,
	download: () => Promise<Result>,
): Promise<Result> {
	if (!entry) return await download();
	const ledger = await openJobLedger(context);
	try {
		const result = await download();
		// for an AI agent the file is not downloaded
		if (context.asTool) await leaveToTriggers(ledger, entry);
		else await markDelivered(ledger, entry);
		return result;
	} catch (cause) {
		await leaveToTriggers(ledger, entry);
		throw mapServiceError(cause);
	}
}

type LedgerContext = Parameters<typeof openJobLedger>[0];

function toEntryFields({ jobId, requestId = '', record }: Job) {
	const text = JSON.stringify(record);
	return { jobId, requestId, record: text.length > MAX_RECORD_LENGTH ? '' : text };
}

function toJob({ jobId, segment, requestId, record }: Entry): Job {
	const mediaType = segment as MediaType;
	const stored = readJobRecord(tryParseJson(record), mediaType, {}, jobId);
	return {
		...(stored ?? { state: 'unfinished', record: {} }),
		...{ jobId, mediaType },
		...(requestId && { requestId }),
	};
}

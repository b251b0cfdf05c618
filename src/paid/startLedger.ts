import type { StartLedger } from '../core/startPaid';
import type { Entry } from '../ledger/entry';
import { asNotStarted, type ClaimOptions } from '../ledger/keyClaim';
import type { Ledger } from '../ledger/ledger';
import { claimStart } from '../ledger/startOnce';
import type { Job } from '../router/jobRecord';
import { toEntryFields, toJob } from './jobRows';

/** A job that was started. Plain data: it is stored with the execution. */
export interface StartedJob {
	job: Job;
	/** As it was sent. */
	model: string;
	/** Milliseconds since 1970. Undefined if an earlier start with the same key has started it. */
	sentAt?: number;
	/** Undefined if the job ledger is not used. */
	ledgered?: LedgerResult;
	/** The execution that has paid for it, if it was another one. */
	reusedFrom?: ReusedFrom;
}

/** The execution that has paid for what is given again, and when: ISO 8601. */
export interface ReusedFrom {
	time: string;
	executionId: string;
}

/** The result of a start in the ledger. */
export interface LedgerResult {
	/** Undefined if the ledger could not be reached after the start. */
	entry: Entry | undefined;
	/** Whether an earlier start with the same key started the job. Undefined without a key. */
	startedBefore?: boolean;
}

/** Adapts the job ledger to the pipeline of paid starts. @param open Throws ServiceError. */
export const createStartLedger = (
	open: () => Promise<Ledger>,
	start: ClaimOptions,
): StartLedger<StartedJob> => ({
	async claim() {
		const ledger = await open().catch((cause: unknown) => {
			throw asNotStarted(cause);
		});
		const claim = await claimStart(ledger, start);
		if ('earlier' in claim) {
			const { earlier: entry } = claim;
			const ledgered = { entry, startedBefore: true };
			return { earlier: { job: toJob(entry), model: entry.model || start.model, ledgered } };
		}
		return {
			...claim,
			async recordStarted(started) {
				const entry = await claim.recordStarted(toEntryFields(started.job));
				return {
					...started,
					ledgered: { entry, ...(start.uniqueKey && { startedBefore: false }) },
				};
			},
		};
	},
});

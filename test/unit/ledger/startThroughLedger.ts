import type { Entry } from '../../../src/ledger/entry';
import type { ClaimOptions } from '../../../src/ledger/keyClaim';
import type { Ledger } from '../../../src/ledger/ledger';
import { claimStart } from '../../../src/ledger/startOnce';
import { type PaidStart, payOnce } from '../../../src/core/startPaid';

export interface StartSender<Result> {
	/** Waits for a budget. */
	reserve?(): Promise<void>;
	/** @param renew To be called right before every attempt to send. */
	send(renew: () => Promise<number>): Promise<Result>;
	/** What the ledger keeps of the answer. */
	toEntry(result: Result): Pick<Entry, 'jobId' | 'requestId' | 'record'>;
}

export type StartResult<Result> =
	/** The job that an earlier start with the same key has started. */
	| { earlier: Entry }
	/** `entry` is undefined when the ledger could not be reached any more. */
	| { result: Result; entry: Entry | undefined };

/** Starts through the real pipeline and the real ledger, with a service that is a function. Nothing is remembered by an execution. */
export async function startThroughLedger<Result>(
	ledger: Ledger,
	wanted: ClaimOptions,
	{ reserve, send, toEntry }: StartSender<Result>,
): Promise<StartResult<Result>> {
	const start: PaidStart<StartResult<Result>> = {
		ledger: {
			async claim() {
				const claim = await claimStart(ledger, wanted);
				if ('earlier' in claim) return { earlier: claim };
				return {
					renew: claim.renew,
					recordFailed: claim.recordFailed,
					async recordStarted(started) {
						if (!('result' in started)) return started;
						const { result } = started;
						return { result, entry: await claim.recordStarted(toEntry(result)) };
					},
				};
			},
		},
		async reserve() {
			await reserve?.();
			return { settle: async () => {}, release: async () => {} };
		},
		async send(_held, { beforeAttempt }) {
			return { result: { result: await send(beforeAttempt), entry: undefined } };
		},
	};
	const sender = { clock: ledger.clock, account: 'a' };
	return await payOnce(undefined, sender, async (startPaid) => await startPaid(start));
}

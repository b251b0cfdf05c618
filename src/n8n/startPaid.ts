import { mapServiceError } from '../core/errors';
import type { HttpRequest } from '../core/http';
import type { SentRequests } from './sentRequests';

/** A paid start, as an operation describes it. */
export interface PaidStart<Result> {
	/** What is sent, without random parts. It distinguishes a changed item from a repeated one. */
	request: unknown;
	/** Also records the start outside of the execution. */
	ledger?: StartLedger<Result>;
	/**
	 * The last check before the request is sent.
	 *
	 * @throws ServiceError `invalid` once a spending cap is reached.
	 */
	checkCap?(): void;
	/**
	 * @param attempts To be passed on with the request.
	 * @returns plain data: it is stored with the execution.
	 */
	send(attempts: SendAttempts): Promise<Result>;
}

/** The callback to run before each attempt to send. */
export type SendAttempts = Pick<HttpRequest, 'beforeAttempt'>;

/** A record of starts that outlives the execution. */
export interface StartLedger<Result> {
	/** Whether the start has a key. Then only the ledger decides whether it is sent: it covers all executions. */
	hasKey: boolean;
	/**
	 * @returns the result of an earlier start with the same key, or the claim to send.
	 * @throws ServiceError when nothing has been sent.
	 */
	claim(): Promise<{ earlier: Result } | StartClaim<Result>>;
}

/** The right to send one start. */
interface StartClaim<Result> {
	/**
	 * Called right before every attempt to send.
	 *
	 * @returns the time when the claim expires, in milliseconds since 1970.
	 * @throws ServiceError `not_started` when the claim is lost.
	 */
	renew(): Promise<number>;
	/** @returns the result, with the fields of the ledger. */
	recordStarted(result: Result): Promise<Result>;
	/** @returns the failure, with advice on how to resolve an unknown outcome. */
	recordFailed(cause: unknown): Promise<unknown>;
}

/**
 * Sends a start that may cost money. All operations use it. The layers, in this order:
 *
 * 1. Validate: `prepare` and `check` of the operation, for all items before the first is sent (runNode.ts). With a cap per
 *    execution, starts then run one after another (`runSerially`).
 * 2. Execution memory: what this execution has sent is not sent again when n8n retries. With a key, step 3 decides that.
 * 3. Key claim: a row in the ledger, before anything is sent. A crash leaves a record, and of several starts with one key
 *    only one may send.
 * 4. Cap: checked as late as possible, when the costs of all earlier starts are known.
 * 5. In-flight count: each request in flight holds a part of the account's balance.
 * 6. Send: each attempt renews the claim first.
 * 7. Settle: ledger and memory record every outcome.
 *
 * @throws ServiceError with `outcome`.
 */
export async function startPaid<Result>(
	{ request, ledger, checkCap, send }: PaidStart<Result>,
	{
		sentRequests,
		itemIndex,
		account,
	}: { sentRequests: Pick<SentRequests, 'recall'>; itemIndex: number; account: string },
): Promise<Result> {
	const memory = ledger?.hasKey ? undefined : sentRequests.recall(itemIndex, request);
	const remembered = memory?.earlierResult();
	if (remembered) return remembered.result as Result;
	memory?.recordSending();

	let claim: StartClaim<Result> = withoutLedger();
	try {
		const claimed = await ledger?.claim();
		if (claimed && 'earlier' in claimed) return claimed.earlier;
		if (claimed) claim = claimed;

		checkCap?.();

		const attempts = { beforeAttempt: claim.renew };
		const sent = await trackInFlight(account, async () => await send(attempts));

		const result = await claim.recordStarted(sent);
		memory?.recordResult(result);
		return result;
	} catch (cause) {
		const failure = await claim.recordFailed(cause);
		memory?.recordFailure(failure);
		throw mapServiceError(failure);
	}
}

/** The claim of a start that no ledger records, or of which the ledger has said nothing yet. */
const withoutLedger = <Result>(): StartClaim<Result> => ({
	renew: async () => Infinity,
	recordStarted: async (result) => result,
	recordFailed: async (cause) => cause,
});

/** How many paid requests each account has in flight, in all executions of this process. */
const inFlightCounts = new Map<string, number>();

/** Counts a request as in flight until it ends. */
export async function trackInFlight<Result>(
	account: string,
	send: () => Promise<Result>,
): Promise<Result> {
	inFlightCounts.set(account, countInFlight(account) + 1);
	try {
		return await send();
	} finally {
		const remaining = countInFlight(account) - 1;
		if (remaining > 0) inFlightCounts.set(account, remaining);
		else inFlightCounts.delete(account);
	}
}

export const countInFlight = (account: string): number => inFlightCounts.get(account) ?? 0;

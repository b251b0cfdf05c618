import type { Cost, Reserved } from './reserve';
import { isUnstarted, mapServiceError, type ServiceError, withDetails } from './errors';
import type { HttpRequest } from './http';
import type { Clock } from './retry';

/** A paid start, as an operation or a chat model describes it. */
export interface PaidStart<Result, Held extends Reserved = Reserved> {
	/** Also records the start outside of the execution. */
	ledger?: StartLedger<Result>;
	/**
	 * Reserves what the start may cost, as late as possible: the costs of more earlier starts are known then.
	 *
	 * @param claim Identifies its row in the ledger, if it has one.
	 * @throws ServiceError `invalid` once a spending cap is reached.
	 */
	reserve(claim?: string): Promise<Held>;
	/**
	 * @param held What `reserve` gave.
	 * @param attempts To be passed on with the request.
	 */
	send(held: Held, attempts: SendAttempts): Promise<Sent<Result>>;
}

/** How a request has ended, and what it has cost, if that is known. The result is plain data: it is stored with the execution. */
export type Sent<Result> = { cost?: Cost } & ({ result: Result } | { failure: unknown });

/** The callback to run before each attempt to send. */
export type SendAttempts = Required<Pick<HttpRequest, 'beforeAttempt'>>;

/** A record of starts that outlives the execution. */
export interface StartLedger<Result> {
	/**
	 * @returns the result of an earlier start with the same key, or the claim to send.
	 * @throws ServiceError when nothing has been sent.
	 */
	claim(): Promise<{ earlier: Result } | StartClaim<Result>>;
}

/** In whose name a start is sent, and by which clock. */
interface Sender {
	/** Identifies the account within this process. */
	account: string;
	clock: Pick<Clock, 'now'>;
}

/** What an execution remembers of one start. */
interface StartMemory {
	/**
	 * @returns undefined when the request may be sent.
	 * @throws ServiceError, the earlier failure, when the service may have received it.
	 */
	earlierResult(): { result: unknown } | undefined;
	recordSending(): void;
	recordResult(result: unknown): void;
	recordFailure(cause: unknown): void;
}

/** Sends a start, as `startPaid`. Only `payOnce` gives it. */
export type StartPaid = <Result extends object, Held extends Reserved>(
	start: PaidStart<Result, Held>,
) => Promise<Result>;

/**
 * Gives what this execution has paid for before, or pays for it: by one start or, over a list, by several of which all but the last have
 * certainly started nothing. The only way to `startPaid`.
 *
 * @param memory Undefined where a key in the ledger decides, which covers all executions.
 * @param pay Returns plain data: it is stored with the execution.
 * @returns also whether it is remembered, so that nothing was sent now.
 * @throws ServiceError with `outcome`; the earlier failure, where the service may have received it.
 */
export async function payOnce<Result extends object>(
	memory: StartMemory | undefined,
	sender: Sender,
	pay: (startPaid: StartPaid) => Promise<Result>,
): Promise<Result & { isRemembered?: true }> {
	const remembered = memory?.earlierResult();
	if (remembered) return { ...(remembered.result as Result), isRemembered: true };
	try {
		const result = await pay(async (start) => {
			memory?.recordSending();
			return await startPaid(start, sender);
		});
		memory?.recordResult(result);
		return result;
	} catch (cause) {
		memory?.recordFailure(cause);
		throw mapServiceError(cause);
	}
}

/**
 * Sends a start that may cost money. All operations and the chat model use it. The layers, in this order:
 *
 * 1. Validate: `prepare` and `check` of the operation, for all items before the first is sent (runNode.ts). With a cap per
 *    execution, starts of jobs then run one after another (`runSerially`).
 * 2. Execution memory (`payOnce`): what this execution has sent is not sent again when n8n retries. With a key, step 3 decides that.
 * 3. Key claim: a row in the ledger, before anything is sent. A crash leaves a record, and of several starts with one key
 *    only one may send.
 * 4. Budget: what it may cost is reserved in every cap (reserve.ts), and settled when it has ended.
 * 5. In-flight count: each request in flight holds a part of the account's balance.
 * 6. Send: each attempt renews the claim first.
 * 7. Settle: ledger and memory record every outcome.
 *
 * @throws ServiceError with `outcome`.
 */
async function startPaid<Result extends object, Held extends Reserved>(
	start: PaidStart<Result, Held>,
	sender: Sender,
): Promise<Result> {
	/** That of a start that no ledger records, or for which the ledger has not answered yet. */
	let claim: StartClaim<Result> = {
		renew: async () => Infinity,
		recordStarted: async (result) => result,
		recordFailed: async (cause) => cause,
	};
	try {
		const claimed = await start.ledger?.claim();
		if (claimed && 'earlier' in claimed) return claimed.earlier;
		if (claimed) claim = claimed;

		const held = await start.reserve(claim.id);
		const send = async () => await start.send(held, { beforeAttempt: claim.renew });
		const sent = await inFlight(sender, send);
		// however it ended, what was reserved is settled or given back
		if ('failure' in sent && isUnstarted(sent.failure)) await held.release();
		else await held.settle(sent.cost);
		if ('failure' in sent) throw mapServiceError(sent.failure);

		return await claim.recordStarted(sent.result);
	} catch (cause) {
		throw mapServiceError(await claim.recordFailed(cause));
	}
}

/** How many paid requests each account has in flight, in all executions of this process. */
const inFlightCounts = new Map<string, number>();

/**
 * Counts a request as in flight until it ends. Adds to its answer, and to what arrived of one that broke off, how long it took:
 * milliseconds from the request to its end, waits for the rate limit and repeated attempts included. For a job that is its start alone,
 * which nobody reads: to leave it out there would take another way through all of this.
 */
async function inFlight<Result extends object>(
	{ account, clock }: Sender,
	send: () => Promise<Sent<Result>>,
): Promise<Sent<Result & { durationMs: number }>> {
	const startedAt = clock.now();
	inFlightCounts.set(account, countInFlight(account) + 1);
	const sent = await send().catch((failure: unknown) => ({ failure }));
	const remaining = countInFlight(account) - 1;
	if (remaining > 0) inFlightCounts.set(account, remaining);
	else inFlightCounts.delete(account);
	const duration = { durationMs: Math.max(0, clock.now() - startedAt) };
	if ('result' in sent) return { ...sent, result: { ...sent.result, ...duration } };
	const addDuration = (error: ServiceError) => {
		const { partial } = error.details;
		return partial ? withDetails(error, { partial: { ...partial, ...duration } }) : error;
	};
	return { ...sent, failure: mapServiceError(sent.failure, addDuration) };
}

export const countInFlight = (account: string): number => inFlightCounts.get(account) ?? 0;

/** The right to send one paid start. It is recorded before anything is sent, so a crash leaves a trace. */
export interface StartClaim<Sent, Recorded = Sent> {
	/** Identifies its row until a person decides about it. Undefined without a row. */
	readonly id?: string;
	/**
	 * Called right before every attempt to send; see `HttpRequest.beforeAttempt`.
	 *
	 * @returns the time when the claim expires, in milliseconds since 1970; more than half of the lease is left.
	 * @throws ServiceError `not_started` when the claim is lost, or cannot be renewed.
	 */
	renew(): Promise<number>;
	/** @returns what was recorded of the started work. */
	recordStarted(sent: Sent): Promise<Recorded>;
	/** @returns the failure; if its outcome is unknown, with advice on how to resolve it. */
	recordFailed(cause: unknown): Promise<unknown>;
}

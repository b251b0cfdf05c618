import { explained, ServiceError } from '../service/errors';
import { outcomeOf } from '../service/outcome';
import { claimKey, giveWay, rowOf, withdraw, type StartWanted } from './claimKey';
import type { Entry, NewEntry } from './entry';
import { settle, type Ledger } from './ledger';
import { nothingSent, undecided } from './startTrouble';

/** Sends a start. */
export interface Sending<Result> {
	/** @throws ServiceError with an outcome. */
	send(): Promise<Result>;
	/** What the ledger keeps of the answer. */
	toEntry(result: Result): Pick<Entry, 'jobId' | 'requestId' | 'record'>;
}

export type Started<Result> =
	/** The job that an earlier start with the same key has started. */
	| { earlier: Entry }
	/** `entry` is undefined when the ledger could not be reached any more. */
	| { result: Result; entry: Entry | undefined };

/** Starts a job and enters it, so that triggers find it. The row is there before the request is sent: a crash leaves a trace. */
export async function startEntered<Result>(
	ledger: Ledger,
	wanted: StartWanted,
	sending: Sending<Result>,
): Promise<Started<Result>> {
	const claim = ledger.newClaim();
	try {
		await ledger.table.add({ ...rowOf(ledger, wanted), claim, state: 'sending' });
	} catch (cause) {
		await withdraw(ledger, claim, 'sending');
		throw nothingSent(cause);
	}
	return await sendAndSettle(ledger, claim, wanted, sending);
}

/**
 * Starts one job per key, whatever happens: over executions, processes, workers and crashes.
 *
 * The ledger has no unique keys, and rows may be seen later than their ids were given. So everybody writes an intent before
 * reading, and sends only after a reading that shows no other live row of the key: of two, at least the one who reads last sees
 * the other. Who is not alone gives way, except for the lowest id, which waits until the others have; the order is for speed
 * only, and nobody sends because of it.
 *
 * @throws ServiceError with outcome `unknown` when it is not known whether the key's job was started.
 */
export async function startOncePerKey<Result>(
	ledger: Ledger,
	wanted: StartWanted,
	sending: Sending<Result>,
): Promise<Started<Result>> {
	const claims: string[] = [];
	let claimed: Entry | string;
	try {
		claimed = await claimKey(ledger, claims, wanted);
	} catch (cause) {
		await giveWay(ledger, claims);
		throw nothingSent(cause);
	}
	if (typeof claimed === 'string') return await sendAndSettle(ledger, claimed, wanted, sending);
	await giveWay(ledger, claims);
	return { earlier: claimed };
}

async function sendAndSettle<Result>(
	ledger: Ledger,
	claim: string,
	wanted: StartWanted,
	{ send, toEntry }: Sending<Result>,
): Promise<Started<Result>> {
	const row = rowOf(ledger, wanted);
	try {
		const result = await send();
		const checkAt = ledger.clock.now() + wanted.firstCheck;
		const entry: NewEntry = { ...row, ...toEntry(result), state: 'pending', checkAt, note: '' };
		return { result, entry: await settle(ledger, claim, entry) };
	} catch (cause) {
		const error = cause instanceof ServiceError ? cause : undefined;
		const outcome = error ? (error.details.outcome ?? outcomeOf(error)) : 'unknown';
		const state = outcome === 'not_started' ? 'notStarted' : 'unknown';
		const note = [error?.message ?? String(cause), error?.details.reason]
			.filter(Boolean)
			.join('. ');
		const requestId = error?.details.requestId ?? '';
		const entry = await settle(ledger, claim, {
			...row,
			state,
			requestId,
			note: note.slice(0, 500),
		});
		throw explained(cause, (error) =>
			state === 'unknown' ? undecided(error, wanted, entry) : error,
		);
	}
}

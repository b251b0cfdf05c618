import type { StartClaim } from '../core/startPaid';
import { ServiceError, mapServiceError, isUnstarted, withDetails } from '../core/errors';
import { retry } from '../core/retry';
import type { Entry, NewEntry } from './entry';
import {
	claimKey,
	toStartRow,
	withdraw,
	type ClaimOptions,
	asNotStarted,
	needsResolution,
} from './keyClaim';
import {
	applyTransition,
	changeRows,
	enterRow,
	type Ledger,
	retryingPersistently,
	toNote,
} from './ledger';
import { isTransient, LONG_RETRY_ATTEMPTS, retrying, retryTransient } from '../tables/retries';

/**
 * Records the outcome of a start in its row. A temporary failure is retried for as long as a claim lasts, even after Stop: a
 * restart of n8n can take minutes, and an outcome that is not recorded has to be resolved by a person.
 *
 * @param entry The whole row. If the claim is lost, it is added as a new row, so that the outcome is not lost. A start that did not
 *   happen is not added.
 * @returns the row; undefined when the ledger could not be reached, or no row was changed or added.
 */
async function recordStart(
	{ table, uncancellableClock }: Ledger,
	claim: string,
	entry: Outcome,
	lease: number,
): Promise<Entry | undefined> {
	const rowNotVisibleYet = new ServiceError('failed', 'The new row is not visible yet');
	const record = async () => {
		const [row] = await applyTransition(table, RECORDED[entry.state], { claim }, entry);
		if (row || entry.state === 'notStarted') return row;
		await enterRow(table, entry.state === 'pending' ? 'enterStarted' : 'enterUnknown', {
			...entry,
			claim,
		});
		throw rowNotVisibleYet;
	};
	try {
		return await retry(record, {
			until: uncancellableClock.now() + lease,
			isRetryable: (cause) => cause === rowNotVisibleYet || isTransient(cause),
			clock: uncancellableClock,
		});
	} catch {
		return undefined;
	}
}

/** The transition that records each outcome of a start. */
const RECORDED = {
	pending: 'recordStarted',
	notStarted: 'recordNotStarted',
	unknown: 'recordUnknown',
} as const;

/** A row with the outcome of a start. */
type Outcome = NewEntry & { state: keyof typeof RECORDED };

/** The claim of a start in its row. What was recorded is undefined when the ledger could not be reached. */
type RowClaim = StartClaim<Pick<Entry, 'jobId' | 'requestId' | 'record'>, Entry | undefined>;

/**
 * Claims the right to send a start.
 *
 * With a key, one job is started at most, across executions, processes, workers and crashes. The ledger has no unique keys, and a
 * row may become visible later than its ID was assigned. So every start writes an intent before it reads, and sends only after a
 * read that shows no other active row of the key. Of two starts, at least the later reader sees the other. A start that is not
 * alone withdraws, except for the one with the lowest ID, which waits until the others have withdrawn. This order only saves time;
 * it never permits sending.
 *
 * The claim is renewed right before every attempt to send, and nothing is sent with a lost claim. A start may wait for an hour
 * after a 429. Meanwhile a person may see no job at the service, and resolve the start so that the key can start another one.
 *
 * @param options With an empty key, other starts are not considered.
 * @returns the row of the job that an earlier start with the same key has started, or the claim.
 * @throws ServiceError with outcome `unknown` when it is unknown whether the key's job was started, otherwise `not_started`.
 */
export async function claimStart(
	ledger: Ledger,
	options: ClaimOptions,
): Promise<{ earlier: Entry } | RowClaim> {
	/** All claims that were written, even if n8n's response was lost. */
	const claims: string[] = [];
	try {
		const claimed = options.uniqueKey
			? await claimKey(ledger, claims, options)
			: await addClaim(ledger, claims, options);
		const others = claims.filter((claim) => claim !== claimed);
		await withdraw(ledger, 'withdrawClaim', others);
		return typeof claimed === 'string' ? openClaim(ledger, claimed, options) : { earlier: claimed };
	} catch (cause) {
		await withdraw(ledger, 'withdrawClaim', claims);
		throw asNotStarted(cause);
	}
}

/** Each attempt has a new claim: the row of a failed one may have been added. */
async function addClaim(ledger: Ledger, claims: string[], options: ClaimOptions): Promise<string> {
	return await retryTransient(ledger.clock, LONG_RETRY_ATTEMPTS, async () => {
		const claim = ledger.newClaim();
		claims.push(claim);
		await enterRow(ledger.table, 'enterStart', { ...toStartRow(ledger, options), claim });
		return claim;
	});
}

function openClaim(ledger: Ledger, claim: string, options: ClaimOptions): RowClaim {
	const row = toStartRow(ledger, options);
	const record = async (entry: Outcome) => await recordStart(ledger, claim, entry, options.lease);
	return {
		id: claim,
		renew: async () => await renewClaim(ledger, claim, options.lease),

		async recordStarted(job) {
			const checkAt = ledger.n8nTime() + options.firstCheck;
			return await record({ ...row, ...job, state: 'pending', checkAt, note: '' });
		},

		async recordFailed(cause) {
			const note = toNote(cause);
			const requestId = (cause instanceof ServiceError && cause.details.requestId) || '';
			if (isUnstarted(cause)) {
				await record({ ...row, state: 'notStarted', requestId, note });
				return cause;
			}
			const entry = await record({ ...row, state: 'unknown', requestId, note });
			return mapServiceError(cause, (failure) => needsResolution(failure, options, entry));
		},
	};
}

/**
 * Renews the claim of a start that has sent nothing yet. If another execution has set the row to `unknown`, it is set back to
 * `sending`. If a person has resolved the start, the claim is lost.
 *
 * @returns milliseconds since 1970, by the clock of this process, until which the claim is valid; more than half of the lease is
 *   left.
 * @throws ServiceError when the claim is lost, or the ledger cannot be reached. Nothing may be sent then.
 */
async function renewClaim(ledger: Ledger, claim: string, lease: number): Promise<number> {
	const { clock, n8nTime } = ledger;
	const table = retrying(ledger.table, clock, LONG_RETRY_ATTEMPTS);
	try {
		for (;;) {
			const begunAt = clock.now();
			const leaseUntil = n8nTime() + lease;
			const changes = { leaseUntil, note: '' };
			const [renewed] = await applyTransition(table, 'renewStart', { claim }, changes);
			if (!renewed) throw claimLost();
			// by the time in its answer, which may have been under way all the while
			const left = leaseUntil - n8nTime() - (clock.now() - begunAt);
			if (left > lease / 2) return clock.now() + left;
		}
	} catch (cause) {
		throw mapServiceError(cause, (error) => withDetails(error, { outcome: 'not_started' }));
	}
}

const claimLost = () =>
	new ServiceError('failed', 'This start took too long, and a person resolved it in the meantime', {
		advice:
			'Nothing was sent for this item. Run it again: with a key it returns the job that was started with the key.',
	});

/**
 * Marks jobs as delivered whose files the node has downloaded, as the last thing before it hands them over. A delivery that a trigger has
 * already started continues. Never throws: without the change a trigger downloads the file again, which is better than to fail now.
 */
export async function markDelivered(ledger: Ledger, entries: readonly Entry[]): Promise<void> {
	const table = retryingPersistently(ledger);
	const changes = { outcome: 'completed', executionId: ledger.executionId };
	const mark = async () => {
		const [entry, ...others] = entries;
		if (!entry) return [];
		if (!others.length)
			return await applyTransition(table, 'markDelivered', { id: entry.id }, changes);
		// a filter has one level: it cannot name several rows and compare their state
		const proposal = ledger.newClaim();
		await changeRows(table, entries, { proposal });
		return await applyTransition(table, 'markAllDelivered', { proposal }, changes);
	};
	await mark().catch(() => undefined);
}

/** Makes jobs due for a trigger to download their files. Never throws: they are due as before then. @param delay Milliseconds. */
export async function leaveToTriggers(
	{ table, n8nTime }: Ledger,
	entries: readonly Entry[],
	delay = 0,
): Promise<void> {
	await changeRows(table, entries, { checkAt: n8nTime() + delay }).catch(() => undefined);
}

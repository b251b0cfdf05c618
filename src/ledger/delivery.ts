import { type Entry, groupByJob } from './entry';
import {
	applyTransition,
	applyUpdate,
	findClaimedRows,
	type Ledger,
	retryTransient,
} from './ledger';

/** Retries for about a minute: n8n may be restarting. */
const LONG_RETRY_ATTEMPTS = 10;
/** Fraction of the lease after which it is renewed. */
const RENEW_AFTER = 1 / 3;

/** The claim of an execution that downloads the files of its jobs. */
export interface Delivery {
	claim: string;
	/** Milliseconds that the claim lasts without a renewal. */
	lease: number;
}

/**
 * Starts to deliver the claimed jobs.
 *
 * A claimed job that is not returned has been claimed by another execution since its lease expired. A returned job in state
 * `delivered` was delivered by an earlier run of the same execution. `failures` counts how often a delivery was started.
 *
 * @returns the jobs that this execution still holds, with their rows.
 */
export async function beginDelivery(
	ledger: Ledger,
	{ claim, lease }: Delivery,
): Promise<Entry[][]> {
	const { table, uncancellableClock, execution } = ledger;
	const claimed = await retryTransient(
		uncancellableClock,
		LONG_RETRY_ATTEMPTS,
		async () => await findClaimedRows(table, claim),
	);
	const counts = new Set(
		claimed.filter(({ state }) => state === 'emitting').map(({ failures }) => failures),
	);
	for (const failures of counts)
		await retryTransient(uncancellableClock, LONG_RETRY_ATTEMPTS, async () => {
			const leaseUntil = uncancellableClock.now() + lease;
			const changes = { failures: failures + 1, leaseUntil, execution };
			return await applyTransition(table, 'beginDelivery', { claim, failures }, changes);
		});
	// also continue deliveries that an earlier run of the same execution started
	await retryTransient(uncancellableClock, LONG_RETRY_ATTEMPTS, async () =>
		renewLease(ledger, { claim, lease }),
	);
	const ownRows = await retryTransient(
		uncancellableClock,
		LONG_RETRY_ATTEMPTS,
		async () => await findClaimedRows(table, claim),
	);
	return groupByJob(ownRows.filter(({ state }) => state === 'delivering' || state === 'delivered'));
}

/** @returns a function that renews the lease when necessary. Call it repeatedly, or other executions may claim the jobs. */
export function createLeaseRenewer(ledger: Ledger, delivery: Delivery): () => Promise<void> {
	const { clock } = ledger;
	let renewedAt = clock.now();
	return async () => {
		if (clock.now() - renewedAt < delivery.lease * RENEW_AFTER) return;
		renewedAt = clock.now();
		try {
			await renewLease(ledger, delivery);
		} catch {
			// endDelivery checks whether the claim still holds
		}
	};
}

/** Releases a job, to be delivered by a later poll. */
export async function requeueJob(
	{ table, uncancellableClock }: Ledger,
	{ claim }: Delivery,
	job: readonly Entry[],
	changes: Partial<Pick<Entry, 'failures' | 'checkAt' | 'note'>>,
): Promise<void> {
	await retryTransient(uncancellableClock, LONG_RETRY_ATTEMPTS, async () => {
		for (const { id } of job) await applyTransition(table, 'requeueJob', { id, claim }, changes);
	});
}

/** Adds a note to a job. It is only for people, so a failure to write it does not fail the delivery. */
export async function annotateJob(
	{ table }: Ledger,
	{ claim }: Delivery,
	job: readonly Entry[],
	changes: Pick<Entry, 'note'> & Partial<Pick<Entry, 'outcome'>>,
): Promise<void> {
	for (const { id } of job)
		try {
			await applyUpdate(table, 'annotateJob', { id, claim }, changes);
		} catch {
			return;
		}
}

/**
 * Ends the delivery.
 *
 * @returns the jobs that this execution delivered. Only these may leave the node; the others were claimed by another execution.
 * @throws ServiceError when the ledger could not be reached: then no job counts as delivered, and all are claimed again.
 */
export async function endDelivery(ledger: Ledger, { claim }: Delivery): Promise<Entry[][]> {
	const { table, uncancellableClock } = ledger;
	await retryTransient(
		uncancellableClock,
		LONG_RETRY_ATTEMPTS,
		async () => await applyTransition(table, 'endDelivery', { claim }),
	);
	// read the rows instead of using the change's response: after a lost response the change is repeated, and returns no rows
	const ownRows = await retryTransient(
		uncancellableClock,
		LONG_RETRY_ATTEMPTS,
		async () => await findClaimedRows(table, claim),
	);
	return groupByJob(ownRows.filter(({ state }) => state === 'delivered'));
}

async function renewLease({ table, clock }: Ledger, { claim, lease }: Delivery): Promise<void> {
	await applyUpdate(table, 'renewDelivery', { claim }, { leaseUntil: clock.now() + lease });
}

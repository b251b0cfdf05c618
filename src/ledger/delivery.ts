import { type Entry, groupByJob, isHandedOver } from './entry';
import { applyTransition, applyUpdate, type Ledger, retryingPersistently } from './ledger';
import { findAllRows } from '../tables/table';

/** Fraction of the lease after which it is renewed. */
const RENEW_AFTER = 1 / 3;
/** Longest time until a job that was not confirmed is delivered again, in milliseconds. */
const MAX_CONFIRMATION_TIME = 24 * 3_600_000;

/** The claim of an execution that downloads the files of its jobs. */
export interface Delivery {
	claim: string;
	/** Milliseconds that the claim lasts without a renewal. */
	lease: number;
	/** Whether a job only counts as delivered once the workflow has confirmed it. */
	isConfirmed: boolean;
}

/**
 * Starts to deliver the claimed jobs.
 *
 * A claimed job that is not returned has been claimed by another execution since its lease expired. A returned job in state
 * `delivered` or `unconfirmed` was delivered by an earlier run of the same execution. `failures` counts how often a delivery was
 * started.
 *
 * @returns the jobs that this execution still holds, with their rows.
 */
export async function beginDelivery(
	ledger: Ledger,
	{ claim, lease }: Pick<Delivery, 'claim' | 'lease'>,
): Promise<Entry[][]> {
	const table = retryingPersistently(ledger);
	const { n8nTime, executionId } = ledger;
	// including those that an earlier run has delivered
	const claimed = await findAllRows(table, { claim });
	const counts = new Set(
		claimed.filter(({ state }) => state === 'emitting').map(({ failures }) => failures),
	);
	for (const failures of counts) {
		const changes = { failures: failures + 1, leaseUntil: n8nTime() + lease, executionId };
		await applyTransition(table, 'beginDelivery', { claim, failures }, changes);
	}
	// also continue deliveries that an earlier run of the same execution started
	await applyUpdate(table, 'renewDelivery', { claim }, { leaseUntil: n8nTime() + lease });
	const ownRows = await findAllRows(table, { claim });
	return groupByJob(ownRows.filter((row) => row.state === 'delivering' || isHandedOver(row)));
}

/** @returns a function that renews the lease when necessary. Call it repeatedly, or other executions may claim the jobs. */
export function createLeaseRenewer(
	{ table, clock, n8nTime }: Ledger,
	{ claim, lease }: Delivery,
): () => Promise<void> {
	let renewedAt = clock.now();
	return async () => {
		if (clock.now() - renewedAt < lease * RENEW_AFTER) return;
		renewedAt = clock.now();
		const changes = { leaseUntil: n8nTime() + lease };
		// endDelivery checks whether the claim still holds
		await applyUpdate(table, 'renewDelivery', { claim }, changes).catch(() => undefined);
	};
}

/** Releases a job, to be delivered by a later poll. */
export async function requeueJob(
	ledger: Ledger,
	{ claim }: Delivery,
	job: readonly Entry[],
	changes: Partial<Pick<Entry, 'failures' | 'checkAt' | 'note'>>,
): Promise<void> {
	const table = retryingPersistently(ledger);
	for (const { id } of job) await applyTransition(table, 'requeueJob', { id, claim }, changes);
}

/** Adds a note to a job. It is only for people, so a failure to write it does not fail the delivery. */
export async function annotateJob(
	{ table }: Ledger,
	{ claim }: Delivery,
	job: readonly Entry[],
	changes: Pick<Entry, 'note'> & Partial<Pick<Entry, 'outcome'>>,
): Promise<void> {
	for (const { id } of job)
		await applyUpdate(table, 'annotateJob', { id, claim }, changes).catch(() => undefined);
}

/**
 * Ends the delivery: the jobs are delivered, or wait for the workflow to confirm them.
 *
 * @returns the jobs that this execution delivered. Only these may leave the node; the others were claimed by another execution.
 * @throws ServiceError when the ledger could not be reached: then no job counts as delivered, and all are claimed again.
 */
export async function endDelivery(ledger: Ledger, delivery: Delivery): Promise<Entry[][]> {
	const table = retryingPersistently(ledger);
	const { claim, isConfirmed } = delivery;
	if (isConfirmed) await handOver(ledger, delivery);
	else await applyTransition(table, 'endDelivery', { claim });
	// read the rows instead of using the change's response: after a lost response the change is repeated, and returns no rows
	const ownRows = await findAllRows(table, { claim });
	return groupByJob(ownRows.filter(isHandedOver));
}

/**
 * Hands the jobs to a workflow that has to confirm them. With every delivery of a job the time to confirm it doubles, up to a day:
 * a workflow that never confirms gets it again and again, but rarely.
 */
async function handOver(ledger: Ledger, { claim, lease }: Delivery): Promise<void> {
	const table = retryingPersistently(ledger);
	const ownRows = await findAllRows(table, { claim });
	for (const { id, deliveries } of ownRows.filter(({ state }) => state === 'delivering')) {
		const time = Math.min(lease * 2 ** deliveries, MAX_CONFIRMATION_TIME);
		const leaseUntil = ledger.n8nTime() + time;
		const changes = { leaseUntil, deliveries: deliveries + 1 };
		await applyTransition(table, 'handOverJob', { id, claim }, changes);
	}
}

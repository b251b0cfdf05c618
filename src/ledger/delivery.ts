import { release, rowsOfClaim } from './claims';
import type { Entry } from './entry';
import { insist } from './insist';
import { byJob } from './jobRows';
import type { Ledger } from './ledger';

/** n8n may be restarting: over about a minute. */
const ATTEMPTS = 10;
/** Of the lease: how long it may run before it is renewed. */
const RENEWED_AFTER = 1 / 3;

/** What an execution has been handed, while it brings the files. */
export interface Delivery {
	claim: string;
	/** Milliseconds. */
	lease: number;
}

/**
 * Begins to deliver what was claimed.
 *
 * What does not come back was claimed by somebody else meanwhile, since the lease was over; it is not this execution's any more.
 * What comes back as `delivered` was delivered by an earlier run of the same execution. `failures` counts how often the delivery
 * was begun.
 *
 * @returns the jobs that are still this execution's.
 */
export async function beginDelivery(
	ledger: Ledger,
	{ claim, lease }: Delivery,
): Promise<Entry[][]> {
	const { table, steadyClock, execution } = ledger;
	const held = await insist(steadyClock, ATTEMPTS, async () => await rowsOfClaim(table, claim));
	const counts = new Set(
		held.filter(({ state }) => state === 'emitting').map(({ failures }) => failures),
	);
	for (const failures of counts)
		await insist(steadyClock, ATTEMPTS, async () =>
			table.change(
				{
					all: [
						['claim', 'eq', claim],
						['state', 'eq', 'emitting'],
						['failures', 'eq', failures],
					],
				},
				{
					state: 'delivering',
					failures: failures + 1,
					leaseUntil: steadyClock.now() + lease,
					execution,
				},
			),
		);
	// what an earlier run of the same execution has begun goes on
	await insist(steadyClock, ATTEMPTS, async () => renew(ledger, { claim, lease }));
	const own = await insist(steadyClock, ATTEMPTS, async () => await rowsOfClaim(table, claim));
	return byJob(own.filter(({ state }) => state === 'delivering' || state === 'delivered'));
}

/** @returns a function that keeps what is being delivered from being handed over again; to be called again and again. */
export function leaseKeeper(ledger: Ledger, delivery: Delivery): () => Promise<void> {
	const { clock } = ledger;
	let last = clock.now();
	return async () => {
		if (clock.now() - last < delivery.lease * RENEWED_AFTER) return;
		last = clock.now();
		try {
			await renew(ledger, delivery);
		} catch {
			// whether it is still ours is told at the end
		}
	};
}

/** Gives a job back, to be handed over later. */
export async function putBack(
	{ table, steadyClock }: Ledger,
	{ claim }: Delivery,
	job: readonly Entry[],
	changes: Partial<Entry>,
): Promise<void> {
	await insist(steadyClock, ATTEMPTS, async () =>
		release(table, claim, job, { ...changes, state: 'pending', claim: '', proposal: '' }),
	);
}

/** Adds to what the ledger says of a job. It is for people, and must not cost the delivery. */
export async function remark(
	{ table }: Ledger,
	{ claim }: Delivery,
	job: readonly Entry[],
	said: Pick<Entry, 'note'> & Partial<Pick<Entry, 'outcome'>>,
): Promise<void> {
	for (const { id } of job)
		try {
			await table.change(
				{
					all: [
						['id', 'eq', id],
						['claim', 'eq', claim],
					],
				},
				said,
			);
		} catch {
			return;
		}
}

/**
 * Ends the delivery.
 *
 * @returns the jobs that were delivered by this execution: only these may leave the node. The others were handed over anew.
 * @throws ServiceError when the ledger could not be reached: then nothing counts as delivered, and all is handed over again.
 */
export async function endDelivery(ledger: Ledger, { claim }: Delivery): Promise<Entry[][]> {
	const { table, steadyClock } = ledger;
	await insist(steadyClock, ATTEMPTS, async () =>
		table.change(
			{
				all: [
					['claim', 'eq', claim],
					['state', 'eq', 'delivering'],
				],
			},
			{ state: 'delivered', leaseUntil: 0 },
		),
	);
	// not what the change gave: its answer may be lost, and the change be made again
	const own = await insist(steadyClock, ATTEMPTS, async () => await rowsOfClaim(table, claim));
	return byJob(own.filter(({ state }) => state === 'delivered'));
}

async function renew({ table, clock }: Ledger, { claim, lease }: Delivery): Promise<void> {
	await table.change(
		{
			all: [
				['claim', 'eq', claim],
				['state', 'eq', 'delivering'],
			],
		},
		{ leaseUntil: clock.now() + lease },
	);
}

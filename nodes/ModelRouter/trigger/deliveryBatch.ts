import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import {
	beginDelivery,
	endDelivery,
	createLeaseRenewer,
	requeueJob,
	annotateJob,
	type Delivery,
} from '../../../src/ledger/delivery';
import type { Entry } from '../../../src/ledger/entry';
import type { Ledger } from '../../../src/ledger/ledger';
import type { DownloadResult } from './downloadJobFile';

/** After this many interrupted deliveries a job is output without its file. */
const MAX_DELIVERIES = 5;
/** Milliseconds before the retry of a failed download, doubled each time. */
const FIRST_RETRY_DELAY = 60_000;
/** Milliseconds between two checks of whether a file has expired. */
const EXPIRY_CHECK_INTERVAL = 6 * 3_600_000;

export type DeliveredItem = Pick<INodeExecutionData, 'json' | 'binary'>;

/** What one poll has claimed. It belongs to this execution until another one claims it. */
export interface DeliveryBatch {
	ledger: Ledger;
	delivery: Delivery;
	/** The rows of each job. */
	jobs: Map<string, Entry[]>;
	/** Notes for people, written once the jobs are delivered. */
	annotations: Array<() => Promise<void>>;
	renewLease(): Promise<void>;
}

/**
 * Begins to deliver what a poll has claimed. Jobs without an item are released: n8n may have passed only the first item.
 *
 * @param items The items that the poll has emitted.
 */
export async function beginBatch(
	ledger: Ledger,
	delivery: Delivery,
	items: readonly IDataObject[],
): Promise<DeliveryBatch> {
	const emitted = new Set(items.map(itemKey));
	const jobs = new Map<string, Entry[]>();
	for (const job of await beginDelivery(ledger, delivery)) {
		const [first] = job;
		if (!first) continue;
		const key = entryKey(first);
		if (emitted.has(key)) jobs.set(key, job);
		else if (first.state === 'delivering')
			await requeueJob(ledger, delivery, job, { failures: first.failures - 1 });
	}
	return {
		ledger,
		delivery,
		jobs,
		annotations: [],
		renewLease: createLeaseRenewer(ledger, delivery),
	};
}

/** Deliveries of a job that may follow this one. */
export function attemptsLeft(job: readonly Entry[]): number {
	return MAX_DELIVERIES - Math.max(...job.map(({ failures }) => failures));
}

/** Records the result of a download. @returns the item to output, if any */
export async function recordDownload(
	{ ledger, delivery, annotations }: DeliveryBatch,
	job: readonly Entry[],
	download: DownloadResult,
): Promise<DeliveredItem | undefined> {
	if ('item' in download) {
		const { item, note, isGone } = download;
		// an expired job is not delivered again
		const isExpired = isGone && !delivery.isConfirmed;
		if (note !== undefined)
			annotations.push(
				async () =>
					await annotateJob(ledger, delivery, job, {
						note,
						...(isExpired && { outcome: 'expired' }),
					}),
			);
		return item;
	}
	const now = ledger.clock.now();
	const deliveries = MAX_DELIVERIES - attemptsLeft(job);
	await requeueJob(
		ledger,
		delivery,
		job,
		download.later === undefined
			? { failures: 0, checkAt: now + EXPIRY_CHECK_INTERVAL }
			: { note: download.later, checkAt: now + FIRST_RETRY_DELAY * 2 ** (deliveries - 1) },
	);
	return undefined;
}

/**
 * Marks everything as delivered, or as handed over to be confirmed.
 *
 * @returns a function that makes the output of an item; undefined for one that another execution has claimed.
 */
export async function endBatch({
	ledger,
	delivery,
	annotations,
}: DeliveryBatch): Promise<(item: DeliveredItem) => DeliveredItem | undefined> {
	const rows = (await endDelivery(ledger, delivery)).flat();
	for (const annotate of annotations) await annotate();
	const delivered = new Map(rows.map((row) => [entryKey(row), row]));
	return (item) => {
		const row = delivered.get(itemKey(item.json));
		if (!row) return undefined;
		if (!delivery.isConfirmed) return item;
		return { ...item, json: { ...item.json, deliveryAttempt: row.deliveries } };
	};
}

/** Identifies the job of an item. */
export const itemKey = ({ mediaType, jobId }: IDataObject) => JSON.stringify([mediaType, jobId]);

const entryKey = ({ segment, jobId }: Entry) => itemKey({ mediaType: segment, jobId });

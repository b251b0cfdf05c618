import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { markBaseline } from '../../../src/ledger/baseline';
import {
	beginDelivery,
	endDelivery,
	leaseKeeper,
	putBack,
	remark,
	type Delivery,
} from '../../../src/ledger/delivery';
import type { Entry } from '../../../src/ledger/entry';
import type { Ledger } from '../../../src/ledger/ledger';
import type { Brought } from './bringFile';

/** How often a delivery is begun, before a job is told of without its file. */
const MOST_DELIVERIES = 5;
/** Milliseconds until a job is handed over again whose file could not be brought; twice as long each time. */
const FIRST_PAUSE = 60_000;
/** Milliseconds between two looks at a file whose end is waited for. */
const LOOK_AGAIN = 6 * 3_600_000;

export type Item = Pick<INodeExecutionData, 'json' | 'binary'>;

/** What one poll has claimed, and is this execution's as long as nobody else was handed it. */
export interface Handover {
	ledger: Ledger;
	delivery: Delivery;
	/** The rows of each job. */
	jobs: Map<string, Entry[]>;
	/** Written down once the jobs are delivered: it is for people, and must not be read as what is to come. */
	remarks: Array<() => Promise<void>>;
	touch(): Promise<void>;
}

/**
 * Takes over what a poll has claimed. What no item tells of is given back: n8n may have let through the first item only.
 *
 * @param items What has come of that poll.
 */
export async function takeOver(
	ledger: Ledger,
	claim: string,
	lease: number,
	items: readonly IDataObject[],
): Promise<Handover> {
	const delivery = { claim, lease };
	const told = new Set(items.map(keyOf));
	const jobs = new Map<string, Entry[]>();
	for (const job of await beginDelivery(ledger, delivery)) {
		const [first] = job;
		if (!first) continue;
		if (told.has(keyOf(first))) jobs.set(keyOf(first), job);
		else if (first.state === 'delivering')
			await putBack(ledger, delivery, job, { failures: first.failures - 1 });
	}
	return { ledger, delivery, jobs, remarks: [], touch: leaseKeeper(ledger, delivery) };
}

/** How often the delivery of a job may still be begun after this time. */
export function triesLeft(job: readonly Entry[]): number {
	return MOST_DELIVERIES - Math.max(...job.map(({ failures }) => failures));
}

/** Writes down what became of the file. @returns the item that may leave the node, if any */
export async function settled(
	{ ledger, delivery, remarks }: Handover,
	job: readonly Entry[],
	brought: Brought,
): Promise<Item | undefined> {
	if ('item' in brought) {
		const { item, note, isGone } = brought;
		if (note !== undefined)
			remarks.push(
				async () =>
					await remark(ledger, delivery, job, { note, ...(isGone && { outcome: 'expired' }) }),
			);
		return item;
	}
	const now = ledger.clock.now();
	const begun = MOST_DELIVERIES - triesLeft(job);
	await putBack(
		ledger,
		delivery,
		job,
		brought.later === undefined
			? { failures: 0, checkAt: now + LOOK_AGAIN }
			: { note: brought.later, checkAt: now + FIRST_PAUSE * 2 ** (begun - 1) },
	);
	return undefined;
}

/**
 * Marks everything as delivered.
 *
 * @param isCatalog Whether the poll had told of the catalog, too.
 * @returns what may leave the node, as a test of items.
 */
export async function endHandover(
	{ ledger, delivery, remarks }: Handover,
	isCatalog: boolean,
): Promise<(json: IDataObject) => boolean> {
	const rows = (await endDelivery(ledger, delivery)).flat();
	for (const remarked of remarks) await remarked();
	const own = new Set(rows.map(keyOf));
	const catalogIsOwn = isCatalog && (await markBaseline(ledger, delivery.claim));
	return (json) => (isOfJob(json) ? own.has(keyOf(json)) : catalogIsOwn);
}

export const isOfJob = (json: IDataObject) => json['jobId'] !== undefined;

export const keyOf = ({ segment, jobId }: IDataObject | Entry) => JSON.stringify([segment, jobId]);

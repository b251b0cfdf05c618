import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { openLedger } from '../../../src/ledger/dataTable';
import {
	annotateJob,
	beginDelivery,
	createLeaseRenewer,
	type Delivery,
	endDelivery,
	requeueJob,
} from '../../../src/ledger/delivery';
import type { Entry } from '../../../src/ledger/entry';
import { type Ledger, LONG_RETRY_ATTEMPTS } from '../../../src/ledger/ledger';
import { connect, type Connection } from '../../../src/n8n/connection';
import { continuesOnFail, toErrorItem, toNodeError } from '../../../src/n8n/errors';
import { runPool } from '../../../src/n8n/itemPool';
import { requireN8n } from '../../../src/n8n/n8nVersions';
import { createParamReader } from '../../../src/n8n/parameters';
import { createRedactor } from '../../../src/n8n/redact';
import { defaultRequestSettings } from '../../../src/n8n/requestSettings';
import { access } from '../access';
import { downloadJobFile, type DownloadResult } from './downloadJobFile';
import { collectSampleItems } from './sampleItems';
import { toSettings, triggerParams, type TriggerSettings } from './trigger.params';

/** Downloads at the same time. */
const CONCURRENCY = 5;

/**
 * Delivers what `poll` has claimed: marks the jobs as delivered, downloads their files, and omits what another execution has claimed
 * in the meantime.
 *
 * It shares only the items and the ledger with the poll: n8n may run it in another process, later, or again.
 */
export async function deliver(n8n: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	requireN8n(n8n);
	const redact = createRedactor('');
	try {
		const settings = toSettings(createParamReader(n8n, triggerParams)(0));
		// a stalled download must end before the lease expires
		const idleTimeout = Math.min(defaultRequestSettings.idleTimeout, settings.lease / 3000);
		const requests = { ...defaultRequestSettings, idleTimeout };
		const router = await connect(n8n, access, requests, redact);
		const open = async () =>
			await openLedger(
				router.connectLedger(),
				router.clock,
				n8n.getExecutionId(),
				LONG_RETRY_ATTEMPTS,
			);
		const items =
			n8n.getMode() === 'manual'
				? await collectSampleItems(n8n, router, open, settings)
				: await deliverItems(n8n, router, open, settings);
		return [items.map((item) => ({ ...item, json: redact.data(item.json) }))];
	} catch (cause) {
		const error = toNodeError(n8n.getNode(), cause, undefined, redact);
		// otherwise n8n would output the input items as if they were delivered
		if (!continuesOnFail(n8n)) throw error;
		return [[{ json: toErrorItem(error, cause, redact), pairedItem: { item: 0 } }]];
	}
}

async function deliverItems(
	n8n: IExecuteFunctions,
	router: Connection,
	open: () => Promise<Ledger>,
	settings: TriggerSettings,
): Promise<INodeExecutionData[]> {
	const { lease, isConfirmed } = settings;
	const items = n8n.getInputData().map(({ json: { claim, ...json } }) => ({ claim, json }));
	const jobs = items.map(({ json }) => json);
	// all jobs of one poll have its claim; without a ledger there is none
	const claim = items[0]?.claim;
	const batch =
		typeof claim === 'string'
			? await beginBatch(await open(), { claim, lease, isConfirmed }, jobs)
			: undefined;

	const results: Array<DeliveredItem | undefined> = [];
	const sequenceKeys = jobs.map(() => undefined);
	await runPool(sequenceKeys, CONCURRENCY, async (index) => {
		const json = jobs[index];
		if (json) results[index] = await deliverItem(n8n, router, settings, json, batch);
	});

	const toOutput = batch && (await endBatch(batch));
	return results.flatMap((result, item) => {
		const output = result && toOutput ? toOutput(result) : result;
		return output ? [{ ...output, pairedItem: { item } }] : [];
	});
}

async function deliverItem(
	n8n: IExecuteFunctions,
	router: Connection,
	settings: TriggerSettings,
	json: IDataObject,
	batch: DeliveryBatch | undefined,
): Promise<DeliveredItem | undefined> {
	const job = batch?.jobs.get(itemKey(json));
	// another execution has claimed it in the meantime
	if (batch && !job) return undefined;
	const isWanted = settings.binaryProperty !== undefined || !settings.wants('mediaJobCompleted');
	if (json['event'] !== 'mediaJobCompleted' || !isWanted) return { json };
	const download = await downloadJobFile(
		n8n,
		router,
		settings,
		json,
		batch?.renewLease ?? (async () => {}),
		job ? attemptsLeft(job) : 0,
	);
	if (batch && job) return await recordDownload(batch, job, download);
	return 'item' in download ? download.item : undefined;
}

/** After this many interrupted deliveries a job is output without its file. */
const MAX_DELIVERIES = 5;
/** Milliseconds before the retry of a failed download, doubled each time. */
const FIRST_RETRY_DELAY = 60_000;
/** Milliseconds between two checks of whether a file has expired. */
const EXPIRY_CHECK_INTERVAL = 6 * 3_600_000;

type DeliveredItem = Pick<INodeExecutionData, 'json' | 'binary'>;

/** What one poll has claimed. It belongs to this execution until another one claims it. */
interface DeliveryBatch {
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

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { cutText, mapServiceError, sentencesOf, ServiceError } from '../../../src/core/errors';
import { type Http, type HttpResponse, readFirstChunk } from '../../../src/core/http';
import {
	annotateJob,
	beginDelivery,
	createLeaseRenewer,
	type Delivery,
	endDelivery,
	requeueJob,
} from '../../../src/ledger/delivery';
import { ALARM, type Entry } from '../../../src/ledger/entry';
import type { Ledger } from '../../../src/ledger/ledger';
import { storeFile } from '../../../src/n8n/binaryData';
import type { Connection } from '../../../src/n8n/connection';
import type { ItemOutput } from '../../../src/n8n/operation';
import { openContent, type JobAddress } from '../../../src/router/jobs';
import { downloadResult, toFailureJson } from '../media/jobOutput';
import { ALARMS, type TriggerSettings } from './trigger.params';

/** After this many interrupted deliveries, a job is output without its file. */
const MAX_DELIVERIES = 5;
/** Milliseconds before the retry of a failed download, doubled each time. */
const FIRST_RETRY_DELAY = 60_000;
/** Milliseconds between two checks of whether a file has expired. */
const EXPIRY_CHECK_INTERVAL = 6 * 3_600_000;

/** The jobs that one poll has claimed. They belong to this execution until another one claims them. */
export type DeliveryBatch = Awaited<ReturnType<typeof beginBatch>>;

/**
 * Begins to deliver the jobs that a poll has claimed. Jobs without an item are released: n8n may have passed on only the first item.
 *
 * @param items The items that the poll has emitted.
 */
export async function beginBatch(
	ledger: Ledger,
	delivery: Delivery,
	items: readonly IDataObject[],
) {
	const emitted = new Set(items.map(itemKey));
	/** The rows of each job. */
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
		/** Notes for people, written once the jobs are delivered. */
		annotations: [] as Array<() => Promise<void>>,
		renewLease: createLeaseRenewer(ledger, delivery),
	};
}

/** How often a job may be delivered after this time. */
export function attemptsLeft(job: readonly Entry[]): number {
	return MAX_DELIVERIES - Math.max(...job.map(({ failures }) => failures));
}

/** Records the result of a download. @returns the item to output, if any */
export async function recordDownload(
	{ ledger, delivery, annotations }: DeliveryBatch,
	job: readonly Entry[],
	download: DownloadResult,
): Promise<ItemOutput | undefined> {
	if ('item' in download) {
		const { item, note, isGone } = download;
		// an expired job is not delivered again
		const isExpired = isGone && !delivery.isConfirmed;
		if (note !== undefined) {
			const changes = { note, ...(isExpired && { outcome: 'expired' as const }) };
			annotations.push(async () => await annotateJob(ledger, delivery, job, changes));
		}
		return item;
	}
	const now = ledger.n8nTime();
	const deliveries = MAX_DELIVERIES - attemptsLeft(job);
	const changes =
		download.later === undefined
			? { failures: 0, checkAt: now + EXPIRY_CHECK_INTERVAL }
			: { note: download.later, checkAt: now + FIRST_RETRY_DELAY * 2 ** (deliveries - 1) };
	await requeueJob(ledger, delivery, job, changes);
	return undefined;
}

/**
 * Marks everything as delivered, or as handed over to be confirmed.
 *
 * @returns a function that makes the output of an item, or undefined if another execution has claimed its job.
 */
export async function endBatch({
	ledger,
	delivery,
	annotations,
}: DeliveryBatch): Promise<(item: ItemOutput) => ItemOutput | undefined> {
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
export const itemKey = ({ event, mediaType, jobId }: IDataObject) =>
	JSON.stringify([ALARMS.some((alarm) => alarm.event === event) ? ALARM : mediaType, jobId]);

const entryKey = ({ mediaType, jobId }: Entry) => itemKey({ mediaType, jobId });

/** The result of the download of one file. */
type DownloadResult =
	/** The item to output. */
	| { item: ItemOutput; note?: string; isGone?: boolean }
	/** Why the job is delivered again later. */
	| { later: string }
	/** No output: the trigger only reports expired files, and this one is still available, or was not read for another reason. */
	| { later: undefined };

/**
 * Downloads the file of a completed job, or adds to the item why there is none.
 *
 * @param json The item of the job, as the poll has emitted it.
 * @param options.renewLease Called before every attempt, and before every chunk of the file.
 * @param options.attempts Attempts that may follow this one: 0 for the last one, negative when none are left.
 * @throws ServiceError `cancelled`.
 */
export async function downloadJobFile(
	n8n: IExecuteFunctions,
	connection: Connection,
	{ wants, binaryProperty, maxSizeMib }: TriggerSettings,
	json: IDataObject,
	{ renewLease = async () => {}, attempts = 0 } = {},
): Promise<DownloadResult> {
	const { clock, redact, accounts } = connection;
	const beforeAttempt = async () => {
		await renewLease();
		return Infinity;
	};
	const http: Http = {
		...connection.http,
		send: async (request) => await connection.http.send({ ...request, beforeAttempt }),
	};
	const address = { jobId: json['jobId'], mediaType: json['mediaType'] } as unknown as JobAddress;
	const withoutFile = (error: ServiceError, changes: IDataObject = {}): DownloadResult => {
		const failure = redact.texts(toFailureJson(error));
		return {
			item: { json: { ...json, ...changes, failure } },
			note: cutText(redact.text(sentencesOf(error, 'reason')), 500),
		};
	};
	if (attempts < 0) return withoutFile(tooManyAttempts(address));
	try {
		if (!wants('mediaJobCompleted')) {
			await readFirstChunk(await openContent(http, address));
			return { later: undefined };
		}
		const store = async (response: HttpResponse, options: Parameters<typeof storeFile>[3]) =>
			await storeFile(n8n, redact, response, { ...options, beforeRead: renewLease });
		const context = { http, clock, accounts, storeFile: store, asTool: false };
		const { file, binary = {} } = await downloadResult(context, address, {
			binaryProperty: binaryProperty ?? 'data',
			maxSizeMib,
			justCompleted: true,
		});
		return { item: { json: { ...json, file }, binary } };
	} catch (cause) {
		if (!(cause instanceof ServiceError) || cause.kind === 'cancelled')
			throw mapServiceError(cause);
		const { status } = cause.details;
		if (status === 410) {
			const event = wants('mediaContentExpired') ? { event: 'mediaContentExpired' } : {};
			return { ...withoutFile(cause, event), isGone: true };
		}
		if (!wants('mediaJobCompleted')) return { later: undefined };
		if (isFinal(cause, attempts)) return withoutFile(cause);
		return { later: redact.text(cause.message) };
	}
}

/** Whether a retry cannot help, or none is left. The item is then output without its file. */
function isFinal({ details: { status = 0, permanent } }: ServiceError, attempts: number): boolean {
	const isRefused = status >= 400 && status < 500 && !TRANSIENT_STATUSES.has(status);
	return !attempts || permanent === true || isRefused;
}

/** Statuses that may change: a wrong key can be corrected, and a missing file may still appear. */
const TRANSIENT_STATUSES = new Set([401, 404, 408, 409, 425, 429]);

const tooManyAttempts = ({ jobId }: JobAddress) =>
	new ServiceError(
		'failed',
		'The file was not downloaded: every execution that tried was interrupted',
		{
			ids: { jobId },
			advice:
				'The job is done, and its file may still be at the service: use Download File with the job ID.',
		},
	);

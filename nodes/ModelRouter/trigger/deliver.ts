import { randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import { openLedger } from '../../../src/ledger/openLedger';
import { ownedBy, toRow } from '../../../src/ledger/entry';
import type { Ledger } from '../../../src/ledger/ledger';
import { LONG_RETRY_ATTEMPTS } from '../../../src/tables/retries';
import { where } from '../../../src/tables/table';
import { connect } from '../../../src/n8n/connect';
import type { Connection } from '../../../src/n8n/connection';
import { continuesOnFail, toErrorItem, toNodeError } from '../../../src/n8n/errors';
import { runPool } from '../../../src/n8n/itemPool';
import { requireN8n } from '../../../src/n8n/n8nVersions';
import type { ItemOutput } from '../../../src/n8n/operation';
import { createParamReader } from '../../../src/n8n/parameters';
import { createRedactor } from '../../../src/n8n/redact';
import { defaultRequestSettings } from '../../../src/n8n/requestSettings';
import { access } from '../access';
import {
	attemptsLeft,
	beginBatch,
	type DeliveryBatch,
	downloadJobFile,
	endBatch,
	itemKey,
	recordDownload,
} from './jobDelivery';
import { openInMemory, parseJobIds } from './jobList';
import { collectJobs } from './poll';
import { toSettings, triggerParams, type TriggerSettings } from './trigger.params';

/** Concurrent downloads. */
const CONCURRENCY = 5;

/**
 * Delivers the jobs that `poll` has claimed: downloads their files, then marks them as delivered, and omits those that another execution
 * has claimed in the meantime.
 *
 * It shares only the items and the ledger with the poll, because n8n may run it in another process, later, or again.
 */
export async function deliver(n8n: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	requireN8n(n8n);
	const redact = createRedactor();
	try {
		const settings = toSettings(createParamReader(n8n, triggerParams)(0));
		// a stalled download must end before the lease expires
		const idleTimeout = Math.min(defaultRequestSettings.idleTimeout, settings.lease / 3000);
		const requests = { ...defaultRequestSettings, idleTimeout };
		const router = await connect(n8n, access, redact, requests);
		const executionId = n8n.getExecutionId();
		const open = async () =>
			await openLedger(router.connectLedger(), router.clock, executionId, LONG_RETRY_ATTEMPTS);
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

	const results: Array<ItemOutput | undefined> = [];
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
): Promise<ItemOutput | undefined> {
	const job = batch?.jobs.get(itemKey(json));
	// another execution has claimed it in the meantime
	if (batch && !job) return undefined;
	const isWanted = settings.binaryProperty !== undefined || !settings.wants('mediaJobCompleted');
	if (json['event'] !== 'mediaJobCompleted' || !isWanted) return { json };
	if (batch && job) {
		const claimed = { renewLease: batch.renewLease, attempts: attemptsLeft(job) };
		const download = await downloadJobFile(n8n, router, settings, json, claimed);
		return await recordDownload(batch, job, download);
	}
	const download = await downloadJobFile(n8n, router, settings, json);
	return 'item' in download ? download.item : undefined;
}

/** Maximum jobs in the output of a test run. */
const MAX_SAMPLES = 5;
/** Maximum jobs whose status a test run requests. */
const MAX_STATUS_REQUESTS = 20;

/**
 * The output of a test run in the editor: finished jobs, as a poll would emit them, the first one with its file. A copy of the jobs is
 * polled, so nothing is claimed, marked or changed: the active workflow still gets all of them.
 *
 * @throws ServiceError `invalid` if there is nothing to show.
 */
async function collectSampleItems(
	n8n: IExecuteFunctions,
	router: Connection,
	open: () => Promise<Ledger>,
	settings: TriggerSettings,
): Promise<INodeExecutionData[]> {
	const { watch, triggerGroup, jobIds, mediaType } = settings;
	const owner = { credentialId: router.credentialId, triggerGroup };
	const isLedger = watch === 'ledger';
	const limit = MAX_STATUS_REQUESTS;
	const filter = where({ ...ownedBy(owner), state: 'pending' });
	const rows = isLedger
		? await (await open()).table.find(filter, { by: 'startedAt', last: true, limit })
		: [...new Set(parseJobIds(jobIds))]
				.slice(0, limit)
				.map((jobId, id) => ({ ...toRow({ state: 'pending', ...owner, jobId, mediaType }), id }));
	const time = { asksUntil: Infinity, claimsUntil: Infinity };
	const polled = { time, isFirst: false, redact: router.redact };
	const few = { ...settings, maxJobs: MAX_SAMPLES };
	// a temporary ledger in which all jobs are due
	const due = rows.map((row) => ({ ...row, checkAt: 0 }));
	const ledger = openInMemory(due, router.clock, randomUUID);
	const items = await collectJobs(n8n, ledger, router, few, polled);
	const withFile =
		settings.binaryProperty !== undefined &&
		items.find(({ event }) => event === 'mediaJobCompleted');
	const samples: INodeExecutionData[] = [];
	for (const json of items) {
		const sample =
			json === withFile ? await downloadJobFile(n8n, router, settings, json) : { item: { json } };
		if ('item' in sample) samples.push({ ...sample.item, pairedItem: { item: 0 } });
	}
	if (samples.length) return samples;
	throw invalidInputError('There is nothing to show yet', isLedger ? NO_ENTRY : NO_ID);
}

const NO_ENTRY =
	'The job ledger has no undelivered job or alarm for this credential, these events and this Trigger Group. For a job: in the Model Router node, start a job with "Track in Job Ledger", wait until it is done, and test again. A test changes nothing: the active workflow still gets the job or alarm.';

const NO_ID =
	'None of the jobs in Job IDs is finished. Enter the ID of a finished job, as returned by Start Job.';

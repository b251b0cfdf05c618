import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { type Ledger, LONG_RETRY_ATTEMPTS } from '../../../src/ledger/ledger';
import { connect, type Connection } from '../../../src/n8n/connection';
import { continuesOnFail, toErrorItem, toNodeError } from '../../../src/n8n/errors';
import { runPool } from '../../../src/n8n/itemPool';
import { requireN8n } from '../../../src/n8n/n8nVersions';
import { createParamReader } from '../../../src/n8n/parameters';
import { createRedactor } from '../../../src/n8n/redact';
import { defaultRequestSettings } from '../../../src/n8n/requestSettings';
import { openLedger } from '../../../src/ledger/dataTable';
import { access } from '../access';
import {
	endBatch,
	itemKey,
	recordDownload,
	beginBatch,
	attemptsLeft,
	type DeliveryBatch,
	type DeliveredItem,
} from './deliveryBatch';
import { downloadJobFile } from './downloadJobFile';
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
		const router = await connect(n8n, access, requests, { redact });
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

import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Ledger } from '../../../src/ledger/ledger';
import { connect, type Connection } from '../../../src/n8n/connection';
import { failedItem, toNodeError } from '../../../src/n8n/errors';
import { paramReader } from '../../../src/n8n/params';
import { workThrough } from '../../../src/n8n/pool';
import { redactor } from '../../../src/n8n/redact';
import { defaultSettings } from '../../../src/n8n/settings';
import { ledgerAccess } from '../../MediaJobLedger/access';
import { openLedger } from '../../MediaJobLedger/openLedger';
import { access } from '../access';
import { bringFile } from './bringFile';
import {
	endHandover,
	isOfJob,
	keyOf,
	settled,
	takeOver,
	triesLeft,
	type Handover,
	type Item,
} from './handover';
import { peek } from './peek';
import { toSettings, triggerParams, type TriggerSettings } from './trigger.params';

/** Files at the same time. */
const CONCURRENCY = 5;

/**
 * Takes over what `poll` has claimed: marks it, brings the files, and lets out only what nobody else was handed meanwhile.
 *
 * It shares nothing with the poll but the items and the ledger: n8n may run it in another process, later, or again.
 */
export async function deliver(n8n: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const redact = redactor('');
	try {
		const settings = toSettings(paramReader(n8n, triggerParams)(0), n8n.getNode().parameters);
		// a file that stands still must not outlast the lease
		const silenceLimit = Math.min(defaultSettings.silenceLimit, settings.lease / 3000);
		const requests = { ...defaultSettings, silenceLimit };
		const router = await connect(n8n, access, requests, { redact });
		const open = async () => {
			const opened = await connect(n8n, ledgerAccess, requests, { redact, outlivesStop: true });
			return await openLedger(opened, router.clock, n8n.getExecutionId());
		};
		const items =
			n8n.getMode() === 'manual'
				? await peek(n8n, router, open, settings)
				: await deliverItems(n8n, router, open, settings);
		return [items.map((item) => ({ ...item, json: redact.data(item.json) }))];
	} catch (cause) {
		const error = toNodeError(n8n.getNode(), cause, undefined, redact);
		// n8n would let the input go on as if it were delivered
		if (!n8n.continueOnFail() || n8n.getExecutionCancelSignal()?.aborted) throw error;
		return [[{ json: failedItem(error, cause, redact), pairedItem: { item: 0 } }]];
	}
}

interface Emitted {
	/** Empty where no ledger knows of it. */
	claim: string;
	json: IDataObject;
}

async function deliverItems(
	n8n: IExecuteFunctions,
	router: Connection,
	open: () => Promise<Ledger>,
	settings: TriggerSettings,
): Promise<INodeExecutionData[]> {
	const items: Emitted[] = n8n.getInputData().map(({ json: { claim, ...json } }) => ({
		claim: typeof claim === 'string' ? claim : '',
		json,
	}));
	const ofClaim = (claim: string) =>
		items.filter((item) => item.claim === claim).map(({ json }) => json);
	const claims = new Set(items.map(({ claim }) => claim).filter(Boolean));
	const handovers = new Map<string, Handover>();
	if (claims.size) {
		const ledger = await open();
		for (const claim of claims)
			handovers.set(claim, await takeOver(ledger, claim, settings.lease, ofClaim(claim)));
	}

	const results: Array<Item | undefined> = [];
	const lanes = items.map(() => undefined);
	await workThrough(lanes, CONCURRENCY, async (index) => {
		const item = items[index];
		if (item)
			results[index] = await itemOf(n8n, router, settings, item.json, handovers.get(item.claim));
	});

	const mayLeave = new Map<string, (json: IDataObject) => boolean>();
	for (const [claim, handover] of handovers) {
		const isCatalog = ofClaim(claim).some((json) => !isOfJob(json));
		mayLeave.set(claim, await endHandover(handover, isCatalog));
	}
	return results.flatMap((result, item) => {
		const leaves = mayLeave.get(items[item]?.claim ?? '') ?? (() => true);
		return result && leaves(result.json) ? [{ ...result, pairedItem: { item } }] : [];
	});
}

async function itemOf(
	n8n: IExecuteFunctions,
	router: Connection,
	settings: TriggerSettings,
	json: IDataObject,
	handover: Handover | undefined,
): Promise<Item | undefined> {
	if (!isOfJob(json)) return { json };
	const job = handover?.jobs.get(keyOf(json));
	// another execution was handed it meanwhile
	if (handover && !job) return undefined;
	const isWanted = settings.binaryProperty !== undefined || !settings.wants('mediaJobCompleted');
	if (json['event'] !== 'mediaJobCompleted' || !isWanted) return { json };
	const touch = handover?.touch ?? (async () => {});
	const brought = await bringFile(n8n, router, settings, json, touch, job ? triesLeft(job) : 0);
	if (handover && job) return await settled(handover, job, brought);
	return 'item' in brought ? brought.item : undefined;
}

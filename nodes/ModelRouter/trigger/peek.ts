import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { toRow, type Entry } from '../../../src/ledger/entry';
import type { Ledger } from '../../../src/ledger/ledger';
import { findReady } from '../../../src/ledger/watch';
import type { Connection } from '../../../src/n8n/connection';
import type { Clause } from '../../../src/ledger/table';
import { readJob } from '../../../src/router/jobs';
import { listModels } from '../../../src/router/models';
import type { Segment } from '../../../src/router/segments';
import { explained, invalid, ServiceError } from '../../../src/service/errors';
import { bringFile } from './bringFile';
import { jobItem, keptRecord } from './jobItem';
import { idsIn } from './listedJobs';
import type { TriggerSettings } from './trigger.params';
import { changeItem } from './watchedCatalog';
import { wishesOf } from './watchedJobs';

/** How many jobs a test run gives, and how many it asks for. */
const [MOST_GIVEN, MOST_ASKED] = [5, 20];

/**
 * What a test run in the editor gives: jobs that are done, as a poll would hand them over, the first one with its file. Nothing is
 * claimed, marked or changed: the workflow gets all of it once more when it is active.
 *
 * @throws ServiceError `invalid` when there is nothing to show.
 */
export async function peek(
	n8n: IExecuteFunctions,
	router: Connection,
	open: () => Promise<Ledger>,
	settings: TriggerSettings,
): Promise<INodeExecutionData[]> {
	const done = settings.wantsJobs ? await jobsDone(router, open, settings) : [];
	const isLedger = settings.jobSource === 'ledger';
	const items = done.slice(0, MOST_GIVEN).map((entry) => jobItem(entry, isLedger));
	const withFile = items.find(({ event }) => event === 'mediaJobCompleted');
	const given: INodeExecutionData[] = [];
	for (const json of items) {
		const isBrought = json === withFile && settings.binaryProperty !== undefined;
		const brought = isBrought
			? await bringFile(n8n, router, settings, json, async () => {}, 0)
			: { item: { json } };
		if ('item' in brought) given.push({ ...brought.item, pairedItem: { item: 0 } });
	}
	if (given.length) return given;
	if (settings.wantsCatalog) return await catalogExample(router, settings);
	throw invalid('There is no finished job to show', isLedger ? NO_ENTRY : NO_ID);
}

async function jobsDone(
	router: Connection,
	open: () => Promise<Ledger>,
	settings: TriggerSettings,
): Promise<Entry[]> {
	const account = router.credentialId;
	const { label, segment } = settings;
	const wishes = wishesOf(settings);
	let candidates: Entry[];
	if (settings.jobSource === 'ledger') {
		const ledger = await open();
		const ready = await findReady(ledger, { account, label, wishes }, MOST_GIVEN);
		if (ready.length) return ready.flatMap(([entry]) => (entry ? [entry] : []));
		const all: Clause[] = [
			['state', 'eq', 'pending'],
			['outcome', 'eq', ''],
			['account', 'eq', account],
		];
		if (label) all.push(['label', 'eq', label]);
		const options = { by: 'startedAt', limit: MOST_ASKED, last: true } as const;
		candidates = await ledger.table.find({ all }, options);
	} else {
		candidates = [...new Set(idsIn(settings.jobIds))]
			.slice(0, MOST_ASKED)
			.map((jobId) => ({ ...toRow({ state: 'pending', jobId, segment, account }), id: 0 }));
	}
	const found: Entry[] = [];
	for (const entry of candidates) {
		if (found.length >= MOST_GIVEN) break;
		const outcome = await outcomeOf(router, entry);
		if (outcome && wishes.some((wish) => wish.outcome === outcome.outcome))
			found.push({ ...entry, ...outcome });
	}
	return found;
}

/** @returns undefined for a job that is not done, or not known: the next one may be. */
async function outcomeOf({ http, redact }: Connection, entry: Entry) {
	const { jobId, segment } = entry;
	try {
		const job = await readJob(http, { jobId, segment: segment as Segment });
		const record = keptRecord({ ...job, record: redact.data(job.record) }, entry);
		return job.state === 'unfinished' ? undefined : { outcome: job.state, record };
	} catch (cause) {
		const isOfJob =
			cause instanceof ServiceError &&
			(cause.kind === 'invalid' || cause.details.status === 404 || cause.details.status === 500);
		if (isOfJob) return undefined;
		throw explained(cause);
	}
}

/** Nothing may have changed for weeks: an entry of the catalog shows what a change looks like. */
async function catalogExample(
	{ http }: Connection,
	{ wants }: TriggerSettings,
): Promise<INodeExecutionData[]> {
	const { models } = await listModels(http);
	const [model] = models;
	if (!model) throw invalid('The catalog is empty, there is nothing to show');
	const { id, pricing = null } = model;
	const example = wants('priceChanged')
		? ({ event: 'priceChanged', model: id, oldPricing: pricing, pricing } as const)
		: wants('modelAdded')
			? ({ event: 'modelAdded', model: id, pricing } as const)
			: ({ event: 'modelRetired', model: id, oldPricing: pricing } as const);
	const json = { ...changeItem(example, models), isExample: true };
	return [{ json, pairedItem: { item: 0 } }];
}

const NO_ENTRY =
	'The job ledger has none for this credential, these events and this label that is waiting to be delivered. Start a job with "Use Job Ledger" of the Model Router node, wait until it is done, and test again. A test takes nothing away: the active workflow gets the job all the same.';

const NO_ID = 'None of the Job IDs is done. Enter the ID of a job that is, as Start gives it.';

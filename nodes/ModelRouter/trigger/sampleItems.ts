import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { mapServiceError, invalidInputError, ServiceError } from '../../../src/core/errors';
import { toRow, type Entry } from '../../../src/ledger/entry';
import { type Ledger, where } from '../../../src/ledger/ledger';
import { findFinishedJobs } from '../../../src/ledger/pollLedger';
import type { Connection } from '../../../src/n8n/connection';
import { readJob } from '../../../src/router/jobs';
import type { MediaType } from '../../../src/router/model';
import { downloadJobFile } from './downloadJobFile';
import { parseJobIds } from './jobList';
import { type TriggerSettings, toEventFilters } from './trigger.params';
import { toJobItem, shortenRecord } from './triggerItems';

/** Maximum jobs in the output of a test run. */
const MAX_SAMPLES = 5;
/** Maximum jobs whose status a test run requests. */
const MAX_STATUS_REQUESTS = 20;

/**
 * The output of a test run in the editor: finished jobs, as a poll would emit them, the first one with its file. Nothing is claimed,
 * marked or changed: the active workflow still gets all of them.
 *
 * @throws ServiceError `invalid` when there is nothing to show.
 */
export async function collectSampleItems(
	n8n: IExecuteFunctions,
	router: Connection,
	open: () => Promise<Ledger>,
	settings: TriggerSettings,
): Promise<INodeExecutionData[]> {
	const finished = await collectFinishedJobs(router, open, settings);
	const { simplify } = settings;
	const isLedger = settings.watch === 'ledger';
	const items = finished
		.slice(0, MAX_SAMPLES)
		.map((entry) => toJobItem(entry, { isLedger, simplify }));
	const withFile = items.find(({ event }) => event === 'mediaJobCompleted');
	const samples: INodeExecutionData[] = [];
	for (const json of items) {
		const isDownloaded = json === withFile && settings.binaryProperty !== undefined;
		const download = isDownloaded
			? await downloadJobFile(n8n, router, settings, json, async () => {}, 0)
			: { item: { json } };
		if ('item' in download) samples.push({ ...download.item, pairedItem: { item: 0 } });
	}
	if (samples.length) return samples;
	throw invalidInputError('There is no finished job to show', isLedger ? NO_ENTRY : NO_ID);
}

async function collectFinishedJobs(
	router: Connection,
	open: () => Promise<Ledger>,
	settings: TriggerSettings,
): Promise<Entry[]> {
	const account = router.credentialId;
	const { ledgerLabel: label, mediaType } = settings;
	const eventFilters = toEventFilters(settings);
	let candidates: Entry[];
	if (settings.watch === 'ledger') {
		const ledger = await open();
		const ready = await findFinishedJobs(ledger, { account, label, eventFilters }, MAX_SAMPLES);
		if (ready.length) return ready.flatMap(([entry]) => (entry ? [entry] : []));
		const isRunning = where({
			...{ state: 'pending', outcome: '', account },
			label: label || undefined,
		});
		const options = { by: 'startedAt', limit: MAX_STATUS_REQUESTS, last: true } as const;
		candidates = await ledger.table.find(isRunning, options);
	} else {
		candidates = [...new Set(parseJobIds(settings.jobIds))]
			.slice(0, MAX_STATUS_REQUESTS)
			.map((jobId) => ({
				...toRow({ state: 'pending', jobId, segment: mediaType, account }),
				id: 0,
			}));
	}
	const found: Entry[] = [];
	for (const entry of candidates) {
		if (found.length >= MAX_SAMPLES) break;
		const outcome = await readOutcome(router, entry);
		if (outcome && eventFilters.some((filter) => filter.outcome === outcome.outcome))
			found.push({ ...entry, ...outcome });
	}
	return found;
}

/** @returns undefined for a job that is unfinished or unknown to the service. */
async function readOutcome({ http, redact }: Connection, entry: Entry) {
	const { jobId, segment } = entry;
	try {
		const job = await readJob(http, { jobId, mediaType: segment as MediaType });
		const record = shortenRecord({ ...job, record: redact.data(job.record) }, entry);
		return job.state === 'unfinished' ? undefined : { outcome: job.state, record };
	} catch (cause) {
		const isJobError =
			cause instanceof ServiceError &&
			(cause.kind === 'invalid' || cause.details.status === 404 || cause.details.status === 500);
		if (isJobError) return undefined;
		throw mapServiceError(cause);
	}
}

const NO_ENTRY =
	'The job ledger has no job for this credential, these events and this Ledger Label that is waiting to be delivered. Start a job with "Track in Job Ledger" of the Model Router node, wait until it is done, and test again. A test changes nothing: the active workflow still gets the job.';

const NO_ID =
	'None of the jobs in Job IDs is finished. Enter the ID of a finished job, as Start Job returned it.';

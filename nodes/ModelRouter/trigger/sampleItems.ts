import { randomUUID } from 'crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { invalidInputError } from '../../../src/core/errors';
import { toRow, type Entry } from '../../../src/ledger/entry';
import { type Ledger, where } from '../../../src/ledger/ledger';
import { createMemoryTable } from '../../../src/ledger/dataTable';
import type { Connection } from '../../../src/n8n/connection';
import { downloadJobFile } from './downloadJobFile';
import { parseJobIds } from './jobList';
import { collectJobs } from './poll';
import type { TriggerSettings } from './trigger.params';

/** Maximum jobs in the output of a test run. */
const MAX_SAMPLES = 5;
/** Maximum jobs whose status a test run requests. */
const MAX_STATUS_REQUESTS = 20;

/**
 * The output of a test run in the editor: finished jobs, as a poll would emit them, the first one with its file. A copy of the jobs is
 * polled, so nothing is claimed, marked or changed: the active workflow still gets all of them.
 *
 * @throws ServiceError `invalid` when there is nothing to show.
 */
export async function collectSampleItems(
	n8n: IExecuteFunctions,
	router: Connection,
	open: () => Promise<Ledger>,
	settings: TriggerSettings,
): Promise<INodeExecutionData[]> {
	const isLedger = settings.watch === 'ledger';
	const rows = isLedger
		? await findLastStarted(await open(), router, settings)
		: toRows(router, settings);
	const polled = {
		time: { asksUntil: Infinity, claimsUntil: Infinity },
		isFirst: false,
		redact: router.redact,
	};
	const few = { ...settings, maxJobs: MAX_SAMPLES };
	const items = await collectJobs(n8n, copyToMemory(rows, router), router, few, polled);
	const withFile =
		settings.binaryProperty !== undefined &&
		items.find(({ event }) => event === 'mediaJobCompleted');
	const samples: INodeExecutionData[] = [];
	for (const json of items) {
		const sample =
			json === withFile
				? await downloadJobFile(n8n, router, settings, json, async () => {}, 0)
				: { item: { json } };
		if ('item' in sample) samples.push({ ...sample.item, pairedItem: { item: 0 } });
	}
	if (samples.length) return samples;
	throw invalidInputError('There is no finished job to show', isLedger ? NO_ENTRY : NO_ID);
}

const findLastStarted = async (
	{ table }: Ledger,
	{ credentialId: account }: Connection,
	{ ledgerLabel }: TriggerSettings,
): Promise<Entry[]> =>
	await table.find(where({ state: 'pending', account, label: ledgerLabel || undefined }), {
		by: 'startedAt',
		limit: MAX_STATUS_REQUESTS,
		last: true,
	});

const toRows = (
	{ credentialId: account }: Connection,
	{ jobIds, mediaType: segment }: TriggerSettings,
): Entry[] =>
	[...new Set(parseJobIds(jobIds))]
		.slice(0, MAX_STATUS_REQUESTS)
		.map((jobId, id) => ({ ...toRow({ state: 'pending', jobId, segment, account }), id }));

/** A ledger that is forgotten, in which all jobs are due. */
const copyToMemory = (rows: readonly Entry[], { clock }: Connection): Ledger => ({
	table: createMemoryTable(rows.map((row) => ({ ...row, checkAt: 0 }))),
	...{ clock, uncancellableClock: clock, newClaim: randomUUID, execution: '' },
});

const NO_ENTRY =
	'The job ledger has no job for this credential, these events and this Ledger Label that is waiting to be delivered. Start a job with "Track in Job Ledger" of the Model Router node, wait until it is done, and test again. A test changes nothing: the active workflow still gets the job.';

const NO_ID =
	'None of the jobs in Job IDs is finished. Enter the ID of a finished job, as Start Job returned it.';

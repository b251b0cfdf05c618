import { randomUUID } from 'crypto';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { mapServiceError, invalidInputError, ServiceError } from '../../../src/core/errors';
import { claimChanges } from '../../../src/ledger/catalogBaseline';
import type { Ledger } from '../../../src/ledger/ledger';
import { pollLedger, type PollResult } from '../../../src/ledger/pollLedger';
import { connect, type Connection } from '../../../src/n8n/connection';
import { readPollParams } from '../../../src/n8n/parameters';
import { toLogLine } from '../../../src/n8n/recordIds';
import { defaultRequestSettings } from '../../../src/n8n/requestSettings';
import { runPoll, type PollContext } from '../../../src/n8n/runPoll';
import { listModels } from '../../../src/router/catalog';
import { diffCatalogs, takeSnapshot, detectOutage } from '../../../src/router/catalogDiff';
import { readJob } from '../../../src/router/jobs';
import type { MediaType, Model } from '../../../src/router/model';
import { openLedger } from '../../../src/ledger/dataTable';
import { access } from '../access';
import { openJobList } from './jobList';
import { toSettings, triggerParams, type TriggerSettings, toEventFilters } from './trigger.params';
import { toJobItem, shortenRecord, toCatalogItem } from './triggerItems';

/** In seconds. A poll must be short, and the next one follows soon. */
const pollRequestSettings = {
	...defaultRequestSettings,
	idleTimeout: 6,
	totalTimeout: 12,
	maxRateLimitWait: 0,
};

/** The result of one part of a poll. */
interface PollPart {
	items: IDataObject[];
	error?: unknown;
}

/** Finds and claims finished jobs and catalog changes. The execution that it starts marks them and downloads the files: `deliver`. */
export async function poll(n8n: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	return await runPoll(n8n, async (polled) => {
		checkEngineVersion(n8n);
		const settings = toSettings(readPollParams(n8n, triggerParams));
		const { redact } = polled;
		const router = await connect(n8n, access, pollRequestSettings, { redact });
		// without a job to read, a wrong key would not be detected
		if (polled.isFirst) await listModels(router.httpWithoutRetries);
		if (usesLedger(settings, router)) {
			const connection = router.connectLedger();
			const ledger = await openLedger(connection, connection.clock, '');
			const claim = ledger.newClaim();
			return await collectItems(n8n, { ledger, claim, isLedger: true }, router, settings, polled);
		}
		const claim = randomUUID();
		const list = openJobList(n8n, router, settings, claim);
		try {
			const source = { ledger: list.ledger, claim, isLedger: false };
			return await collectItems(n8n, source, router, settings, polled);
		} finally {
			list.save();
		}
	});
}

/**
 * Whether the job ledger stores what was reported. A trigger for the catalog alone uses the ledger if the credential has one, and
 * the workflow otherwise.
 */
const usesLedger = ({ wantsJobs, watch }: TriggerSettings, router: Connection) =>
	wantsJobs ? watch === 'ledger' : router.usesLedger;

async function collectItems(
	n8n: IPollFunctions,
	{ ledger, claim, isLedger }: { ledger: Ledger; claim: string; isLedger: boolean },
	router: Connection,
	settings: TriggerSettings,
	polled: PollContext,
): Promise<INodeExecutionData[]> {
	const { simplify } = settings;
	const owner = `${n8n.getWorkflow().id ?? ''} ${n8n.getNode().id}`;
	const jobs = async (): Promise<PollPart> => {
		const { jobs: found, ...rest } = await pollJobs(ledger, router, settings, polled, claim);
		const items = found.flatMap(([entry]) =>
			entry ? [toJobItem(entry, { isLedger, simplify })] : [],
		);
		if (rest.answered) logPartialFailure(n8n, polled, rest.serviceError);
		return { items, ...(!rest.answered && { error: rest.serviceError }) };
	};
	const catalog = async (): Promise<PollPart> => ({
		items: await pollCatalog(ledger, router, settings, owner, claim),
	});
	const parts = await Promise.all(
		[...(settings.wantsJobs ? [jobs] : []), ...(settings.wantsCatalog ? [catalog] : [])].map(
			async (part) => await part().catch((error: unknown): PollPart => ({ items: [], error })),
		),
	);
	const items = parts.flatMap((part) => part.items);
	const errors = parts.flatMap(({ error }) => (error === undefined ? [] : [error]));
	if (!items.length && errors.length === parts.length) throw mapServiceError(errors[0]);
	for (const error of errors) logPartialFailure(n8n, polled, error);
	// without a ledger there is nothing to mark later
	const claimed = isLedger ? { claim } : {};
	return items.map((json) => ({ json: polled.redact.data({ ...json, ...claimed }) }));
}

/** One part of the poll failed, the others did not. */
function logPartialFailure(n8n: IPollFunctions, { redact }: PollContext, error: unknown): void {
	if (error === undefined) return;
	const message = error instanceof ServiceError ? error.message : String(error);
	n8n.logger.warn(toLogLine(`A part of the poll failed: ${redact.text(message)}`), {
		node: n8n.getNode().name,
		workflow: n8n.getWorkflow().id,
	});
}

/** Version 2 does not run the trigger's `execute`: nothing would be marked, and everything would be emitted again and again. */
function checkEngineVersion(n8n: IPollFunctions): void {
	if (n8n.getWorkflowSettings().engineType !== 'v2') return;
	throw invalidInputError(
		'This trigger does not work with version 2 of the workflow engine',
		'Choose version 1 in the settings of the workflow.',
	);
}

/** Concurrent status requests. */
const STATUS_CONCURRENCY = 8;

/** Finds and claims the jobs that start an execution. */
async function pollJobs(
	ledger: Ledger,
	{ httpWithoutRetries, credentialId }: Connection,
	settings: TriggerSettings,
	{ time, redact }: PollContext,
	claim: string,
): Promise<PollResult> {
	const { ledgerLabel, maxJobs, lease } = settings;
	return await pollLedger(
		ledger,
		{
			...{ label: ledgerLabel, maxJobs, lease, ...time },
			account: credentialId,
			eventFilters: toEventFilters(settings),
			concurrency: STATUS_CONCURRENCY,
			async readStatus(entry) {
				const { jobId, segment } = entry;
				const address = { jobId, mediaType: segment as MediaType };
				const job = await readJob(httpWithoutRetries, address).catch((cause: unknown) => {
					// the ledger stores the service's error of a failed status request
					throw mapServiceError(cause, (error) => redact.error(error));
				});
				const record = redact.data(job.record);
				return { outcome: job.state, record: shortenRecord({ ...job, record }, entry) };
			},
			checkAlive: async () => await listModels(httpWithoutRetries),
		},
		claim,
	);
}

/**
 * Finds and claims changes of the catalog.
 *
 * @param owner Identifies the trigger: each trigger reports every change.
 */
async function pollCatalog(
	ledger: Ledger,
	{ httpWithoutRetries, credentialId, redact }: Connection,
	{ wants, lease, simplify }: TriggerSettings,
	owner: string,
	claim: string,
): Promise<IDataObject[]> {
	let entries: Model[] = [];
	const changes = await claimChanges(
		ledger,
		{
			startKey: `catalog ${owner}`,
			account: credentialId,
			lease,
			async read() {
				const { models, incompleteReason } = await listModels(httpWithoutRetries);
				// models of missing pages are not retired
				if (incompleteReason)
					throw new ServiceError('truncated', 'The catalog is incomplete', {
						reason: incompleteReason,
					});
				// redacted first, because the snapshot is stored
				entries = redact.data(models);
				return takeSnapshot(entries);
			},
			compare(before, after) {
				const all = diffCatalogs(before, after);
				return {
					changes: all.filter(({ event }) => wants(event)),
					differs: all.length > 0,
					suspicion: detectOutage(before, after),
				};
			},
		},
		claim,
	);
	return changes.map((change) => toCatalogItem(change, entries, simplify));
}

import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IPollFunctions,
} from 'n8n-workflow';

import {
	joinSentences,
	invalidInputError,
	mapServiceError,
	messageOf,
} from '../../../src/core/errors';
import { type JsonObject, omitMissing } from '../../../src/core/json';
import { openLedger } from '../../../src/ledger/openLedger';
import { enterNearlyFullAlarm, enterUnknownAlarms } from '../../../src/spending/alarms';
import { ALARM, type Entry } from '../../../src/ledger/entry';
import type { Ledger } from '../../../src/ledger/ledger';
import { pollLedger } from '../../../src/ledger/pollLedger';
import { connect } from '../../../src/n8n/connect';
import type { Connection } from '../../../src/n8n/connection';
import { readPollParams } from '../../../src/n8n/parameters';
import { toLogLine } from '../../../src/n8n/recordIds';
import { defaultRequestSettings } from '../../../src/n8n/requestSettings';
import { type PollContext, runPoll } from '../../../src/n8n/runPoll';
import { listModels } from '../../../src/router/catalog';
import { describeUnknownStatus, type Job } from '../../../src/router/jobRecord';
import { readJob } from '../../../src/router/jobs';
import type { MediaType } from '../../../src/router/model';
import { access, requireBudget, requireSpending } from '../access';
import { findMissingCosts, readStoredRecord, toJob } from '../../../src/paid/payJob';
import { countEndedJob, toJobJson } from '../media/jobOutput';
import { openJobList } from './jobList';
import {
	ALARMS,
	toEventFilters,
	toSettings,
	type TriggerEvent,
	triggerParams,
	type TriggerSettings,
} from './trigger.params';

/** In seconds. A poll must be short, and the next one follows soon. */
const pollRequestSettings = {
	...defaultRequestSettings,
	idleTimeout: 6,
	totalTimeout: 12,
	maxRateLimitWait: 0,
};

/** Finds and claims finished jobs. The execution that it starts downloads the files, then marks them: `deliver`. */
export async function poll(n8n: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	return await runPoll(n8n, async (polled) => {
		checkEngineVersion(n8n);
		const settings = toSettings(readPollParams(n8n, triggerParams));
		const { redact } = polled;
		const router = await connect(n8n, access, redact, pollRequestSettings);
		// without a job to read, a wrong key would not be detected
		if (polled.isFirst) await listModels(router.httpWithoutRetries);
		if (settings.watch === 'ledger') {
			const connection = router.connectLedger();
			const ledger = await openLedger(connection, connection.clock, '');
			let failure: unknown;
			await enterAlarms(ledger, router, settings).catch((cause: unknown) => (failure = cause));
			if (failure && polled.isFirst) throw mapServiceError(failure);
			const claim = ledger.newClaim();
			// finished jobs do not wait until somebody has mended the row of the budget
			const jobs = await collectJobs(n8n, ledger, router, settings, polled, claim);
			polled.hasRead = true;
			if (failure && !jobs.length) throw mapServiceError(failure);
			if (failure) logFailure(n8n, redact, failure);
			return jobs.map((json) => ({ json: { ...json, claim } }));
		}
		const { ledger, save } = openJobList(n8n, router, settings);
		const claim = ledger.newClaim();
		try {
			const jobs = await collectJobs(n8n, ledger, router, settings, polled, claim);
			// without the claim: there is nothing to mark later
			return jobs.map((json) => ({ json }));
		} finally {
			save(claim);
		}
	});
}

/** @throws ServiceError `invalid` for an event that needs a budget or a record of spending if the credential has none. */
async function enterAlarms(
	ledger: Ledger,
	connection: Connection,
	{ wants, triggerGroup }: TriggerSettings,
): Promise<void> {
	const owner = { credentialId: connection.credentialId, triggerGroup };
	if (wants('budgetThresholdReached')) await requireBudget(connection).enterAlarms(triggerGroup);
	if (wants('outcomeUnknown')) await enterUnknownAlarms(ledger, owner);
	if (!wants('spendingTableNearlyFull')) return;
	const spending = requireSpending(connection);
	if (await spending.isNearlyFull()) await enterNearlyFullAlarm(ledger, owner, spending.table);
}

/** Concurrent status requests. */
const STATUS_CONCURRENCY = 8;

/**
 * Finds and claims the jobs that start an execution, as the JSON of their items.
 *
 * @throws the error of the service if no job could be read.
 */
export async function collectJobs(
	n8n: IPollFunctions | IExecuteFunctions,
	ledger: Ledger,
	connection: Connection,
	settings: TriggerSettings,
	polled: PollContext,
	claim = ledger.newClaim(),
): Promise<IDataObject[]> {
	const { httpWithoutRetries, credentialId } = connection;
	const { simplify, watch, triggerGroup, maxJobs, lease } = settings;
	const isLedger = watch === 'ledger';
	const { time, redact } = polled;
	const polling = {
		credentialId,
		triggerGroup,
		maxJobs,
		lease,
		...time,
		eventFilters: toEventFilters(settings),
		concurrency: STATUS_CONCURRENCY,
		async readStatus(entry: Entry) {
			const job = await readEnteredJob(connection, entry);
			const odd: string[] = [];
			countEndedJob({ ...connection, addHint: (sentence) => void odd.push(sentence) }, job);
			const note = redact.text(joinSentences(describeUnknownStatus(job), ...odd));
			const { state: outcome } = job;
			const status = redact.text(job.status ?? '');
			// a new status is stored for people: most polls find the same one
			if (outcome === 'unfinished' && !(isLedger && status && status !== toJob(entry).status))
				return { outcome, record: '', note };
			return { outcome, record: shortenRecord(redact.data(job)), note };
		},
		checkAlive: async () => await listModels(httpWithoutRetries),
	};
	const polledJobs = pollLedger(ledger, polling, claim);
	const { jobs, answered, serviceError } = await polledJobs.finally(
		async () => await connection.accounts.close(),
	);
	if (serviceError !== undefined) {
		if (!jobs.length && !answered) throw mapServiceError(serviceError);
		logFailure(n8n, redact, serviceError);
	}
	return jobs.flatMap(([entry]) =>
		entry ? [redact.data(toJobItem(entry, { isLedger, simplify }))] : [],
	);
}

/** Logs why a part of a poll has failed that gives jobs. */
function logFailure(
	n8n: IPollFunctions | IExecuteFunctions,
	redact: PollContext['redact'],
	cause: unknown,
): void {
	const reason = redact.text(messageOf(cause));
	n8n.logger.warn(toLogLine(`A part of the poll failed: ${reason}`), {
		node: n8n.getNode().name,
		workflow: n8n.getWorkflow().id,
	});
}

/** @throws ServiceError that the ledger can store. */
async function readEnteredJob(
	{ httpWithoutRetries, redact }: Connection,
	entry: Entry,
): Promise<Job> {
	const address = { jobId: entry.jobId, mediaType: entry.mediaType as MediaType };
	const job = await readJob(httpWithoutRetries, address).catch((cause: unknown) => {
		throw mapServiceError(cause, (error) => redact.error(error));
	});
	// only the response to the start always has the estimate
	const { estimatedCostMicroUsd } = toJob(entry);
	return { ...omitMissing({ estimatedCostMicroUsd }), ...job };
}

/** Version 2 does not run the trigger's `execute`: nothing would be marked as delivered, and jobs would be emitted again and again. */
function checkEngineVersion(n8n: IPollFunctions): void {
	if (n8n.getWorkflowSettings().engineType !== 'v2') return;
	throw invalidInputError(
		'This trigger does not work with version 2 of the workflow engine',
		'Choose version 1 in the settings of the workflow.',
	);
}

/** Maximum characters of the service's record that the ledger stores until the job is delivered. */
const MAX_RECORD_LENGTH = 20_000;
/** Maximum characters of one field in a record that is shortened. */
const MAX_FIELD_LENGTH = 500;

/** The part of a job's record to store. If it is too long, as with a complete image inside, only its short fields are stored. */
function shortenRecord(job: Job): string {
	const text = JSON.stringify({ ...job.record, ...findMissingCosts(job) });
	if (text.length <= MAX_RECORD_LENGTH) return text;
	const record = pickShort(job.record);
	const costs = pickShort(findMissingCosts({ ...job, record }));
	return JSON.stringify({ ...record, ...costs, shortened: true });
}

const pickShort = (fields: JsonObject): JsonObject =>
	Object.fromEntries(
		Object.entries(fields)
			.filter(([, value]) => (JSON.stringify(value)?.length ?? 0) <= MAX_FIELD_LENGTH)
			.slice(0, 30),
	);

/**
 * A finished job as an item; its fields are those of Get Job and Download File.
 *
 * @param isLedger Whether the entry is from the job ledger.
 */
function toJobItem(
	entry: Entry,
	{ isLedger, simplify }: { isLedger: boolean; simplify: boolean },
): IDataObject & { event: TriggerEvent } {
	const { outcome, triggerGroup, model } = entry;
	if (entry.mediaType === ALARM) return toAlarmItem(entry);
	const job: Job = {
		...toJob(entry),
		// a shortened record may lack the state
		state: outcome === 'failed' || outcome === 'lost' ? 'failed' : 'completed',
		...(outcome === 'lost' && { status: 'lost' }),
	};
	const ledgered = isLedger ? { entry } : undefined;
	return {
		event: job.state === 'failed' ? 'mediaJobFailed' : 'mediaJobCompleted',
		...toJobJson(job, { simplify, model: model || undefined, ledgered }),
		...(triggerGroup && { triggerGroup }),
		...(outcome === 'lost' && { failure: { ...LOST, reason: entry.note } }),
	};
}

/** An alarm as an item. Its job ID is the one to confirm. */
const toAlarmItem = (entry: Entry): IDataObject & { event: TriggerEvent } => ({
	event: ALARMS.find(({ outcome }) => outcome === entry.outcome)?.event ?? 'outcomeUnknown',
	jobId: entry.jobId,
	...(readStoredRecord(entry) as IDataObject),
	...(entry.triggerGroup && { triggerGroup: entry.triggerGroup }),
});

const LOST = {
	message: 'The media job is lost: the service does not know it',
	kind: 'failed',
	advice:
		'Check the credential, the media type and the job ID. Do not start it again until you know that it was not charged.',
};

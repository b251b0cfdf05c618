import { invalidInputError, ServiceError } from '../core/errors';
import { LONG_RETRY_ATTEMPTS, retryTransient } from '../tables/retries';
import { anyOf, below, findAllRows, MAX_CLAUSES, where, noneOf } from '../tables/table';
import {
	ALARM,
	BEING_DELIVERED,
	type Entry,
	groupByJob,
	HANDED_OVER_STATES,
	identifyJob,
	isHandedOver,
	type JobIdentity,
	jobKey,
	nameExecution,
	type Owner,
	STARTED_STATES,
} from './entry';
import { isoTime } from './keyClaim';
import { applyTransition, applyUpdate, enterRow, findRowsOfJobs, type Ledger } from './ledger';
import { transitions } from './transitions';

/**
 * Adds a job that was started elsewhere. Adding the same job again returns the existing row. Concurrent calls may add two rows;
 * readers treat them as one job.
 *
 * @returns the row, and whether it existed before.
 */
export async function registerJob(
	{ table, n8nTime, newClaim, executionId }: Ledger,
	job: JobIdentity & Owner,
): Promise<{ entry: Entry; known: boolean }> {
	const [existing] = await table.find(where(identifyJob(job)));
	if (existing) return { entry: existing, known: true };
	const now = n8nTime();
	const claim = newClaim();
	const times = { startedAt: now, checkAt: now };
	await enterRow(table, 'registerJob', { ...job, claim, ...times, executionId });
	const [entry] = await table.find(where({ claim }));
	if (entry) return { entry, known: false };
	throw new ServiceError('failed', 'The job ledger does not show the row that was added', {
		ids: { jobId: job.jobId },
		advice: 'Check the table in n8n, then run the item again.',
	});
}

/**
 * Deletes old rows that are delivered, not started or withdrawn. Rows of running jobs and of unknown outcomes are kept at any age.
 *
 * @param age Minimum, in milliseconds since the start.
 * @param withKeys Whether rows with a key are also deleted. The key can then start a job again.
 * @returns the number of deleted rows.
 */
export async function deleteOldEntries(
	{ table, clock }: Ledger,
	{ age, withKeys }: { age: number; withKeys: boolean },
): Promise<number> {
	const before = clock.now() - age;
	let deleted = 0;
	for (const state of transitions.deleteEntry.from) {
		// a row without a job does not protect its key from a second start
		const uniqueKey = state === 'delivered' && !withKeys ? '' : undefined;
		const isOld = where({ state, startedAt: below(before), uniqueKey });
		let removed: Entry[];
		do {
			const rows = await table.find(isOld, { limit: MAX_CLAUSES });
			const ids = rows.map(({ id }) => id);
			removed = ids.length ? await table.remove(anyOf('id', ids)) : [];
			deleted += removed.length;
		} while (removed.length);
	}
	return deleted;
}

/** Selects jobs by an entry, a key, a job, or the execution that they were delivered to. */
export type JobSelector =
	| Pick<Entry, 'id'>
	| Pick<Entry, 'uniqueKey' | 'credentialId'>
	| Pick<Entry, 'jobId' | 'credentialId'>
	| Pick<Entry, 'executionId'>;

type IsWhole = (entry: Entry) => boolean;

/** Outcomes in place of which the file is tried again, or the service asked again. */
const RESTORED = { expired: 'completed', lost: '', completed: '' };

/**
 * Makes jobs due for another delivery. A poll does not deliver a job of which one row is delivered, so all rows are changed.
 *
 * @param isWhole Whether the record says how the job has ended. Of what Generate has delivered, it is that of the start.
 * @returns one result per job, and whether it was waiting to be delivered anyway.
 * @throws ServiceError `invalid` when there is no such job, or an execution is delivering it.
 */
export async function deliverAgain(ledger: Ledger, which: JobSelector, isWhole: IsWhole) {
	const { table, n8nTime } = ledger;
	return await changeJobs(ledger, which, async (rows) => {
		const now = n8nTime();
		const held = rows.find(
			({ state, leaseUntil }) => BEING_DELIVERED.includes(state) && leaseUntil > now,
		);
		if (held) throw beingDelivered(held);
		const [first] = rows;
		if (!first) return undefined;
		const job = identifyJob(first);
		const states = HANDED_OVER_STATES.filter((one) => rows.some(({ state }) => state === one));
		if (!states.length) return { entry: first, alreadyWaiting: true };
		for (const [outcome, restored] of Object.entries(RESTORED))
			if (rows.some((row) => row.outcome === outcome && (outcome !== 'completed' || !isWhole(row))))
				await applyUpdate(table, 'restoreOutcome', { ...job, outcome }, { outcome: restored });
		const changes = { checkAt: now, note: 'To be delivered again.' };
		// delivered rows last: a poll may close one that was returned first as a duplicate of them
		for (const state of states)
			await applyTransition(table, 'redeliverJob', { ...job, state }, changes);
		const [entry] = await findRowsOfJob(ledger, first);
		return entry && { entry, alreadyWaiting: false };
	});
}

/**
 * Confirms that a workflow is done with jobs. It also counts when the time to confirm has passed, and a job waits to be delivered
 * again, or is being delivered again: that delivery then drops it.
 *
 * @returns one result per job, and whether it counted as delivered before.
 * @throws ServiceError `invalid` when there is no such job, or it was not delivered to a workflow that has to confirm it.
 */
export async function confirmDelivery(ledger: Ledger, which: JobSelector) {
	const { table, executionId } = ledger;
	const confirmed = new Set<string>();
	return await changeJobs(ledger, which, async (rows) => {
		const [first] = rows;
		if (!first) return undefined;
		const open = rows.filter(({ state }) => state !== 'delivered');
		const key = jobKey(first);
		if (!open.length) return { entry: first, alreadyDelivered: !confirmed.has(key) };
		if (!rows.some(({ deliveries }) => deliveries > 0)) throw notDelivered(first);
		const note = `Confirmed by execution ${executionId}.`;
		for (const { id, state, claim } of open)
			await applyTransition(table, 'confirmDelivery', { id, state, claim }, { note });
		confirmed.add(key);
		// the next read shows whether all rows were still as they were read
		return undefined;
	});
}

/** How often the rows of a job are read if others change them in the meantime. */
const MAX_READS = 10;

/**
 * Changes the rows of each selected job. Others may change them in the meantime, and n8n may be restarting.
 *
 * @param change Returns undefined when the rows have to be read again.
 */
async function changeJobs<Result>(
	ledger: Ledger,
	which: JobSelector,
	change: (rows: readonly Entry[]) => Promise<Result | undefined>,
): Promise<Result[]> {
	const repeat = async <Value>(action: () => Promise<Value>) =>
		await retryTransient(ledger.clock, LONG_RETRY_ATTEMPTS, action);
	const changeJob = async (entry: Entry) => {
		for (let read = 1; read <= MAX_READS; read++) {
			const result = await change(await findRowsOfJob(ledger, entry));
			if (result !== undefined) return result;
		}
		throw new ServiceError('failed', 'Other executions keep changing this job in the job ledger', {
			ids: { jobId: entry.jobId },
			advice: 'Run the item again.',
		});
	};
	const results: Result[] = [];
	for (const [entry] of await repeat(async () => await findJobs(ledger, which)))
		if (entry) results.push(await repeat(async () => await changeJob(entry)));
	return results;
}

/** @throws ServiceError `invalid` when there is none. */
async function findJobs({ table }: Ledger, which: JobSelector): Promise<Entry[][]> {
	const rows =
		'id' in which ? await table.find(where(which)) : await findAllRows(table, { ...which });
	const jobs = rows.filter((row) => {
		// the column also names the execution that started a job
		if ('executionId' in which) return isHandedOver(row);
		return row.jobId && STARTED_STATES.has(row.state);
	});
	if (!jobs.length) throw noSuchJob(which, rows[0]);
	const grouped = groupByJob(jobs);
	if ('jobId' in which && grouped.length > 1) throw severalJobs(which.jobId);
	return grouped;
}

async function findRowsOfJob({ table }: Ledger, job: Entry): Promise<Entry[]> {
	const rows = await findRowsOfJobs(table, [job.jobId]);
	return rows.filter((row) => STARTED_STATES.has(row.state) && jobKey(row) === jobKey(job));
}

function noSuchJob(which: JobSelector, found: Entry | undefined): ServiceError {
	if ('executionId' in which)
		return invalidInputError(
			`The job ledger has no job that was delivered to execution ${which.executionId}`,
			'The ID of an execution is the number at the end of its address.',
		);
	return invalidInputError(
		'The job ledger has no such job',
		found && `The state of entry ${found.id} is "${found.state}": no job of it is known.`,
	);
}

/** Job IDs may be numbers, so an image and a video may share one. */
const severalJobs = (jobId: string) =>
	invalidInputError(
		`The job ledger has several jobs with the ID ${jobId}, of different media types`,
		'Find the job by its Entry ID, which is in the item of the trigger.',
	);

const beingDelivered = (entry: Entry) =>
	invalidInputError(
		`The job ${entry.jobId} is being delivered right now`,
		`${nameExecution(entry)} has it. If that execution was killed, the job is delivered again after ${isoTime(entry.leaseUntil)}, without your help.`,
	);

const notDelivered = ({ jobId }: Entry) =>
	invalidInputError(
		`The job ${jobId} was not delivered to a workflow that has to confirm it`,
		'Confirm Delivery is for the end of a workflow with a Model Router Trigger, where Delivered When is "Confirmed by the Workflow".',
	);

/*
 * What people decide about starts of unknown outcome.
 */

/** Selects a start by its row or its key. */
export type StartSelector = Pick<Entry, 'id'> | Pick<Entry, 'uniqueKey'>;

/**
 * Marks a start with an unknown outcome as started, or as not started.
 *
 * @param credentialId The credential that has to know of the decision: its budget and its record count the start.
 * @param jobId Undefined if nothing was started.
 * @returns its row, and the claim of the row before that: the budget and the record know the start by it.
 * @throws ServiceError `invalid` when there is no such start, it was made with another credential, its outcome is known, or it may still
 *   be sending.
 */
export async function resolveStart(
	{ table, n8nTime }: Ledger,
	which: StartSelector,
	credentialId: string,
	jobId: string | undefined,
) {
	const state = noneOf('withdrawn', 'notStarted', 'chat', 'budget', 'limit', 'reusable');
	const found = await table.find(where({ ...which, state, mediaType: noneOf('budget', ALARM) }));
	const now = n8nTime();
	// another credential may have used the same key
	const own = found.filter((row) => row.credentialId === credentialId);
	const rows = own.length ? own : found;
	const open = rows.find(isOpen) ?? rows[0];
	if (!open) throw noSuchStart(which);
	const isStarting = open.state === 'intent';
	if ((isStarting || open.state === 'sending') && open.leaseUntil > now)
		throw invalidInputError(
			'This start may still be in progress',
			`${nameExecution(open)} is starting it. It can be marked after ${isoTime(open.leaseUntil)}.`,
		);
	// an intent never sends
	if (isStarting) throw noSuchStart(which);
	if (!isOpen(open)) throw knownOutcome(open);
	if (open.credentialId && open.credentialId !== credentialId) throw otherCredential(open);
	const { id, claim } = open;
	const seen = { id, claim, state: open.state };
	const asStarted = { checkAt: now, note: 'Marked as started.' };
	const [entry] =
		jobId === undefined
			? await applyTransition(table, 'markAsNotStarted', seen, { note: 'Marked as not started.' })
			: await applyTransition(table, 'markAsStarted', seen, { ...asStarted, jobId });
	if (!entry)
		throw invalidInputError(
			'The outcome of this start has just become known',
			'Read the entry again.',
		);
	return { entry, claim };
}

const isOpen = ({ state }: Entry) => state === 'unknown' || state === 'sending';

const noSuchStart = (which: StartSelector) =>
	invalidInputError(
		`The ledger has no start ${'id' in which ? `in entry ${which.id}` : `with the key "${which.uniqueKey}"`}`,
		'Nothing was changed. Get Many of the resource Job Ledger lists the starts with their keys and entry IDs.',
	);

const knownOutcome = ({ id, state, jobId }: Entry) =>
	invalidInputError(
		`The outcome of the start in entry ${id} is known`,
		`Nothing was changed, and there is nothing to decide: its state is "${state}"${jobId && `, its job ${jobId}`}.`,
	);

const otherCredential = ({ id, credentialId }: Entry) =>
	invalidInputError(
		`The start in entry ${id} was made with another credential`,
		`Nothing was changed. Choose the credential with the ID ${credentialId} in this node: its budget and its record of spending count the start. If it no longer exists, change row ${id} by hand: write "notStarted" into its cell "state", and empty its cell "claim". Another start with the key is then allowed.`,
	);

import { ServiceError, invalidInputError } from '../core/errors';
import type { Entry } from './entry';
import {
	anyOf,
	applyTransition,
	below,
	enterRow,
	type Ledger,
	MAX_CLAUSES,
	noneOf,
	where,
} from './ledger';
import { transitions } from './transitions';

/**
 * Adds a job that was started elsewhere. Adding the same job again returns the existing row. Concurrent calls may add two rows;
 * readers treat them as one job.
 *
 * @returns the row, and whether it existed before.
 */
export async function registerJob(
	{ table, clock, newClaim, execution }: Ledger,
	job: Pick<Entry, 'jobId' | 'segment' | 'account' | 'label'>,
): Promise<{ entry: Entry; known: boolean }> {
	const { jobId, segment, account } = job;
	// job IDs may be numbers, so an image and a video may share an ID
	const [existing] = await table.find(where({ jobId, segment, account }));
	if (existing) return { entry: existing, known: true };
	const now = clock.now();
	const claim = newClaim();
	const times = { startedAt: now, checkAt: now };
	await enterRow(table, 'registerJob', { ...job, claim, ...times, execution });
	const [entry] = await table.find(where({ claim }));
	if (entry) return { entry, known: false };
	throw new ServiceError('failed', 'The job ledger does not show the row that was added', {
		ids: { jobId },
		advice: 'Check the table in n8n, then run the item again.',
	});
}

/** Selects a start by its row or its key. */
export type StartSelector = Pick<Entry, 'id'> | Pick<Entry, 'startKey'>;

/**
 * Marks a start with an unknown outcome as started.
 *
 * @throws ServiceError `invalid` when there is no such start, its outcome is known, or it may still be sending.
 */
export async function markAsStarted(
	ledger: Ledger,
	which: StartSelector,
	jobId: string,
): Promise<Entry> {
	const note = 'Marked as started.';
	return await resolveStart(ledger, which, 'markAsStarted', (checkAt) => ({
		jobId,
		checkAt,
		note,
	}));
}

/** Marks a start with an unknown outcome as not started. @throws as `markAsStarted` does. */
export async function markAsNotStarted(ledger: Ledger, which: StartSelector): Promise<Entry> {
	const note = 'Marked as not started.';
	return await resolveStart(ledger, which, 'markAsNotStarted', () => ({ note }));
}

async function resolveStart(
	{ table, clock }: Ledger,
	which: StartSelector,
	transition: 'markAsStarted' | 'markAsNotStarted',
	changesAt: (now: number) => Partial<Pick<Entry, 'jobId' | 'checkAt' | 'note'>>,
): Promise<Entry> {
	const now = clock.now();
	const rows = await table.find(where({ ...which, state: noneOf('withdrawn', 'notStarted') }));
	const open = rows.find(({ state }) => state === 'unknown' || state === 'sending');
	if (!open) {
		throw invalidInputError(
			rows.length ? 'The outcome of this start is known' : 'The ledger has no such start',
			rows[0]
				? `Its state is "${rows[0].state}"${rows[0].jobId && `, its job ${rows[0].jobId}`}.`
				: '',
		);
	}
	if (open.state === 'sending' && open.leaseUntil > now) {
		throw invalidInputError(
			'This start may still be in progress',
			`Execution ${open.execution} is starting it. It can be marked after ${new Date(open.leaseUntil).toISOString()}.`,
		);
	}
	const { id, claim, state } = open;
	const [resolved] = await applyTransition(table, transition, { id, claim, state }, changesAt(now));
	if (!resolved)
		throw invalidInputError(
			'The outcome of this start has just become known',
			'Read the entry again.',
		);
	return resolved;
}

interface DeleteOptions {
	/** Minimum age in milliseconds, counted from the start. */
	age: number;
	/** Whether rows with a key are deleted, too. The key can then start a job again. */
	withKeys: boolean;
}

/**
 * Deletes old rows that are delivered, not started or withdrawn. Rows of running jobs and of unknown outcomes are kept at any age.
 *
 * @returns the number of deleted rows.
 */
export async function deleteOldEntries(
	{ table, clock }: Ledger,
	{ age, withKeys }: DeleteOptions,
): Promise<number> {
	const before = clock.now() - age;
	let deleted = 0;
	for (const state of transitions.deleteEntry.from) {
		// a row without a job does not protect its key from a second start
		const startKey = state === 'delivered' && !withKeys ? '' : undefined;
		const isOld = where({ state, startedAt: below(before), startKey });
		for (;;) {
			const rows = await table.find(isOld, { limit: MAX_CLAUSES });
			if (!rows.length) break;
			const ids = rows.map(({ id }) => id);
			const removed = await table.remove(anyOf('id', ids));
			if (!removed.length) break;
			deleted += removed.length;
		}
	}
	return deleted;
}

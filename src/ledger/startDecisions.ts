import { invalidInputError } from '../core/errors';
import { type Entry, nameExecution } from './entry';
import { applyTransition, type Ledger } from './ledger';
import { noneOf, where } from '../tables/table';

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
	const found = await table.find(where({ ...which, state: noneOf('withdrawn', 'notStarted') }));
	const now = n8nTime();
	// another credential may have used the same key
	const own = found.filter((row) => row.credentialId === credentialId);
	const rows = own.length ? own : found;
	const open = rows.find(({ state }) => state === 'unknown' || state === 'sending');
	const [first] = rows;
	if (!open) throw first ? knownOutcome(first) : noSuchStart(which);
	if (open.state === 'sending' && open.leaseUntil > now)
		throw invalidInputError(
			'This start may still be in progress',
			`${nameExecution(open)} is starting it. It can be marked after ${new Date(open.leaseUntil).toISOString()}.`,
		);
	if (open.credentialId && open.credentialId !== credentialId) throw otherCredential(open);
	const { id, claim, state } = open;
	const seen = { id, claim, state };
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

import { explained, ServiceError, withDetails } from '../service/errors';
import type { Entry } from './entry';

const DECIDE =
	'Check at the service whether the job is there. Then use the Media Job Ledger node: "Resolve as Started" with its job ID, or "Resolve as Not Started", which lets it be started again.';

/** For `throw`: a failure before anything was sent, unless it is the outcome of an earlier start that is not known. */
export const nothingSent = (cause: unknown) =>
	explained(cause, (error) =>
		withDetails(error, { outcome: error.details.outcome ?? 'not_started' }),
	);

/** An earlier start with the same key, of which nobody knows what became of it. */
export function unknownSince(entry: Entry): ServiceError {
	return new ServiceError(
		'unfinished',
		`It is not known whether the job of the key "${entry.startKey}" was started`,
		{
			outcome: 'unknown',
			...(entry.requestId && { requestId: entry.requestId }),
			ids: idsOf(entry),
			reason: `${told(entry)} ${entry.note}`.trim(),
			advice: `Nothing was sent for this item. ${DECIDE}`,
		},
	);
}

/** Another execution is at it, or was killed while it was. */
export function underWayElsewhere(entry: Entry): ServiceError {
	return new ServiceError(
		'unfinished',
		`Another execution is starting the job of the key "${entry.startKey}", or was interrupted while it did`,
		{
			outcome: 'unknown',
			ids: idsOf(entry),
			reason: told(entry),
			advice: `Nothing was sent for this item. Run it again: it gets the job once that execution knows its ID. If nothing is known of it by ${when(entry.leaseUntil)}, its outcome is unknown, and you decide.`,
		},
	);
}

/** The same error, with where its outcome is decided. */
export function undecided(error: ServiceError, { startKey }: { startKey: string }, entry?: Entry) {
	const place = entry
		? `It is entry ${entry.id} of the job ledger, and is not started again before you decide.`
		: 'The job ledger could not be reached to write that down.';
	return withDetails(error, {
		ids: { ...(startKey && { startKey }), ...(entry && { ledgerEntry: String(entry.id) }) },
		advice: [error.details.advice, place, DECIDE].filter(Boolean).join(' '),
	});
}

const idsOf = ({ id, startKey }: Entry) => ({ startKey, ledgerEntry: String(id) });

const told = ({ segment, model, startedAt, execution }: Entry) =>
	`Execution ${execution} sent it on ${when(startedAt)} (${segment}, ${model}).`;

const when = (milliseconds: number) => new Date(milliseconds).toISOString();

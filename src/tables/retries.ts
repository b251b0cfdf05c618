import { ServiceError } from '../core/errors';
import { type Clock, retry } from '../core/retry';
import type { Table } from './table';

/** What may be repeated: a row may have been added although n8n's answer was lost. */
export type RepeatableTable<Row> = Pick<Table<Row>, 'find' | 'change'>;

/** Enough for a short failure of n8n; a poll cannot wait longer, and the next one follows soon. */
export const SHORT_RETRY_ATTEMPTS = 3;
/** Retries for about a minute, which is enough for most restarts of n8n. */
export const LONG_RETRY_ATTEMPTS = 10;

/**
 * Retries a read or an idempotent change after transient errors of n8n: it may be restarting, or PostgreSQL may have ended a
 * deadlock.
 *
 * @throws the error of the last attempt.
 */
export async function retryTransient<Result>(
	clock: Clock,
	attempts: number,
	action: () => Promise<Result>,
): Promise<Result> {
	return await retry(action, { attempts, isRetryable: isTransient, clock });
}

/** The same table for reads and changes that may be repeated, which are after transient errors of n8n. */
export function retrying<Row>(
	table: RepeatableTable<Row>,
	clock: Clock,
	attempts: number,
): RepeatableTable<Row> {
	return {
		find: (...given) => retryTransient(clock, attempts, () => table.find(...given)),
		change: (...given) => retryTransient(clock, attempts, () => table.change(...given)),
	};
}

/** Whether a retry may succeed soon. */
export function isTransient(cause: unknown): boolean {
	if (!(cause instanceof ServiceError)) return false;
	const { status = 0, permanent, transient = false } = cause.details;
	if (cause.kind === 'unreachable') return !permanent;
	return transient || cause.kind === 'truncated' || status === 429 || status >= 500;
}

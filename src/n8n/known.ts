import { sleep } from 'n8n-workflow';

import { ServiceError } from '../service/errors';

/** What is known of a service, or why it is not. */
export type Known<Value> = { value: Value } | { missing: string };

interface Entry {
	/** Milliseconds of the process's clock until which it counts. */
	until: number;
	answer: Promise<Known<unknown>>;
	/** The same once it has come. */
	given?: Known<unknown>;
	/** It has been waited for long enough; whoever asks again does not wait. */
	late: boolean;
}

/** Milliseconds for which an answer counts, and a failure; and for how long one is waited for. */
const [AGE, AGE_OF_FAILURE, PATIENCE] = [5 * 60_000, 30_000, 5000];
/** More accounts than one n8n has; the oldest go first. */
const MOST_ENTRIES = 200;

const STOPPED = { missing: 'the execution was stopped' };

/** Shared by all nodes and executions of the process. */
const memory = new Map<string, Entry>();

/**
 * Reads something that changes rarely, such as the catalog, once for all executions of an account. It is a convenience, and
 * must hold nobody up: what does not come soon, or fails, is not known.
 *
 * @param key The account, and what is read.
 * @param stop Fires when the execution that asks is stopped; it may be another one that reads.
 */
export async function known<Value>(
	key: string,
	read: () => Promise<Value>,
	stop?: AbortSignal,
): Promise<Known<Value>> {
	const now = Date.now();
	const last = memory.get(key);
	const shared = last && last.until > now ? last : undefined;
	const entry = shared ?? remember(key, now, read);
	// every item asks, and nearly always it is there already
	if (entry.given) return entry.given as Known<Value>;
	if (entry.late) return { missing: 'it did not come in time' };
	if (stop?.aborted) return STOPPED;
	const soon = new AbortController();
	const leave = () => soon.abort();
	stop?.addEventListener('abort', leave);
	const given = await Promise.race([
		entry.answer,
		sleep(PATIENCE, soon.signal).catch(() => undefined),
	]);
	stop?.removeEventListener('abort', leave);
	soon.abort();
	// the execution that read it was stopped: this one reads for itself
	if (given && shared?.until === 0) return await known(key, read, stop);
	if (given) return given as Known<Value>;
	if (stop?.aborted) return STOPPED;
	entry.late = true;
	return { missing: 'it did not come in time' };
}

function remember(key: string, now: number, read: () => Promise<unknown>): Entry {
	const answer = read().then(
		(value): Known<unknown> => (entry.given = { value }),
		(cause: unknown): Known<unknown> => {
			const own = cause instanceof ServiceError ? cause : undefined;
			// an execution that was stopped says nothing of the service
			entry.until = own?.kind === 'stopped' ? 0 : Date.now() + AGE_OF_FAILURE;
			return (entry.given = { missing: own?.message ?? String(cause) });
		},
	);
	const entry: Entry = { until: now + AGE, answer, late: false };
	memory.delete(key);
	memory.set(key, entry);
	if (memory.size > MOST_ENTRIES)
		for (const oldest of memory.keys()) {
			memory.delete(oldest);
			break;
		}
	return entry;
}

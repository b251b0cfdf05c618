import { cancelledError, ServiceError } from '../core/errors';
import { createRateLimiter, type LoneRateLimiter } from '../core/rateLimit';
import { createSharedRateLimiter, type SharedRateLimiter } from '../core/sharedRateLimit';
import { abortableSleep } from './n8nVersions';

/** What is known of a service, or why it is not known, with the error of the read if there was one. */
export type Lookup<Value> = { value: Value } | { missing: string; error?: ServiceError };

interface CachedLookup {
	/** Milliseconds since 1970 after which it no longer counts. */
	expiresAt: number;
	/** Milliseconds since 1970 of the last read. */
	readAt: number;
	/** The last result that counts for everybody; a read that fails later does not replace it. */
	result?: Lookup<unknown>;
	/** The read that is under way. */
	reading?: Promise<Lookup<unknown>> | undefined;
	/** Whether somebody has waited for that read as long as anybody waits. */
	isOverdue: boolean;
}

/** Milliseconds for which a value counts. */
const MAX_AGE = 5 * 60_000;
/** Milliseconds for which a failure counts. */
const MAX_FAILURE_AGE = 30_000;
/** Milliseconds for which a read is waited for. */
const MAX_WAIT = 5000;
/** Milliseconds after which a value that is not enough is read again. */
const MIN_REFRESH_INTERVAL = 10_000;

const OVERDUE = { missing: 'it did not come in time' };
const CANCELLED = { missing: 'the execution was stopped', error: cancelledError(false) };

/** Shared by all nodes and executions of the process. */
const lookups = new Map<string, CachedLookup>();

/**
 * Reads something that changes rarely, such as the catalog, once for all executions of an account. It is a convenience and
 * must not delay anybody: what is late, or fails, is not known.
 *
 * @param key The account, and what is read.
 * @param stop Aborts when the execution that asks is stopped; another one may be reading.
 * @param isEnough Whether a result has what is needed. If not, and it was not read just now, it is read again, once.
 */
export async function lookUp<Value>(
	key: string,
	read: () => Promise<Value>,
	stop?: AbortSignal,
	isEnough: (known: Lookup<Value>) => boolean = () => true,
): Promise<Lookup<Value>> {
	const entry = findOrAddLookup(key);
	const known = entry.result as Lookup<Value> | undefined;
	const isRecent = !entry.reading && Date.now() - entry.readAt < MIN_REFRESH_INTERVAL;
	if (known && (stop?.aborted || isRecent || isEnough(known))) return known;
	if (entry.isOverdue) return known ?? OVERDUE;
	if (stop?.aborted) return CANCELLED;

	const isReader = !entry.reading;
	entry.reading ??= readInto(entry, key, read);
	const given = await waitFor(entry.reading, stop);
	if (!given && !stop?.aborted) entry.isOverdue = true;
	if (entry.result) return entry.result as Lookup<Value>;
	if (!given) return stop?.aborted ? CANCELLED : OVERDUE;
	// the execution that read it was stopped: the others read for themselves
	return isReader ? (given as Lookup<Value>) : await lookUp(key, read, stop, isEnough);
}

function findOrAddLookup(key: string): CachedLookup {
	const found = lookups.get(key);
	if (found && found.expiresAt > Date.now()) return found;
	const added = { expiresAt: Date.now() + MAX_AGE, readAt: 0, isOverdue: false };
	setAndEvictOldest(lookups, key, added);
	return added;
}

/** @returns what this read gave; the entry may keep an earlier result. */
async function readInto(
	entry: CachedLookup,
	key: string,
	read: () => Promise<unknown>,
): Promise<Lookup<unknown>> {
	const startedAt = Date.now();
	try {
		const result = { value: await read() };
		entry.result = result;
		entry.expiresAt = startedAt + MAX_AGE;
		return result;
	} catch (cause) {
		const own = cause instanceof ServiceError ? cause : undefined;
		const failure = { missing: own?.message ?? String(cause), ...(own && { error: own }) };
		if (entry.result) return failure;
		if (own?.kind === 'cancelled') {
			// an execution that was stopped says nothing about the service
			if (lookups.get(key) === entry) lookups.delete(key);
		} else {
			entry.result = failure;
			entry.expiresAt = Date.now() + MAX_FAILURE_AGE;
		}
		return failure;
	} finally {
		entry.reading = undefined;
		entry.readAt = Date.now();
		entry.isOverdue = false;
	}
}

/** @returns undefined when it is late, or the execution that waits is stopped. */
async function waitFor<Value>(
	reading: Promise<Value>,
	stop: AbortSignal | undefined,
): Promise<Value | undefined> {
	const timer = new AbortController();
	const leave = () => timer.abort();
	stop?.addEventListener('abort', leave);
	const late = abortableSleep(MAX_WAIT, timer.signal).then(
		() => undefined,
		() => undefined,
	);
	const given = await Promise.race([reading, late]);
	stop?.removeEventListener('abort', leave);
	timer.abort();
	return given;
}

/** What clients have found out about the services of accounts. */
const serviceFacts = new Map<string, Map<string, string>>();

/** What was found out about the service of an account, for all nodes and executions of the process. */
export function serviceFactsOf(account: string): Map<string, string> {
	const facts = serviceFacts.get(account) ?? new Map<string, string>();
	setAndEvictOldest(serviceFacts, account, facts);
	return facts;
}

/** Shared by all nodes and executions of the process. */
const rateLimiters = new Map<string, LoneRateLimiter>();

/** The rate limiter of an account, the same for everybody who uses it. */
export function rateLimiterFor(account: string): LoneRateLimiter {
	const limiter = rateLimiters.get(account) ?? createRateLimiter();
	setAndEvictOldest(rateLimiters, account, limiter);
	return limiter;
}

const sharedRateLimiters = new Map<string, SharedRateLimiter>();

/** The rate limiter of an account whose limit is shared with other processes. */
export function sharedRateLimiterFor(account: string): SharedRateLimiter {
	const own = rateLimiterFor(account);
	const limiter = sharedRateLimiters.get(account) ?? createSharedRateLimiter(own);
	setAndEvictOldest(sharedRateLimiters, account, limiter);
	return limiter;
}

/** More accounts than one n8n has. */
const MAX_ENTRIES = 200;

/** Keeps a value as the newest of its map. If there are too many, the oldest is removed. */
function setAndEvictOldest<Value>(entries: Map<string, Value>, key: string, value: Value): void {
	entries.delete(key);
	entries.set(key, value);
	if (entries.size <= MAX_ENTRIES) return;
	for (const oldest of entries.keys()) {
		entries.delete(oldest);
		return;
	}
}

import { cancelledError, ServiceError } from '../../core/errors';
import type { Lookup, Missing } from '../../core/lookup';
import { RateLimiter } from '../../core/rateLimit';
import { withDeadline } from '../deadline';

/** More accounts than one n8n has. */
const MAX_ENTRIES = 200;

/**
 * Keeps one value per key, for all nodes and executions of the process. If there are too many, the one that was not used for longest is
 * removed.
 *
 * @param create Makes the value of a key, with the one that no longer counts if there was one.
 * @param isCurrent Whether a value still counts. If not, another one is made.
 */
export function keepPerKey<Value>(
	create: (key: string, before?: Value) => Value,
	isCurrent: (value: Value) => boolean = () => true,
): (key: string) => Value {
	const values = new Map<string, Value>();
	return (key) => {
		const known = values.get(key);
		const value = known !== undefined && isCurrent(known) ? known : create(key, known);
		// the last key of a map is the newest
		values.delete(key);
		values.set(key, value);
		if (values.size > MAX_ENTRIES) {
			const [oldest = key] = values.keys();
			values.delete(oldest);
		}
		return value;
	};
}

/** What was found out about the service of an account. */
export const serviceFactsOf = keepPerKey(() => new Map<string, string>());

/** The rate limiter of an account, the same for everybody who uses it. */
export const rateLimiterOf = keepPerKey(() => new RateLimiter());

interface CachedLookup {
	/** Milliseconds since 1970 after which it no longer counts. */
	expiresAt: number;
	/** When the last read began; milliseconds since 1970. */
	readAt: number;
	/** The last result that counts for everybody; a read that fails later does not replace it. */
	result?: Lookup<unknown>;
	/** The last value that was read, and when. It counts for an hour if nothing newer can be read. */
	copy?: { value: unknown; readAt: number } | undefined;
	/** The read that is under way. */
	reading?: Promise<Lookup<unknown>> | undefined;
}

/** Milliseconds for which a value counts. */
const MAX_AGE = 5 * 60_000;
/** Milliseconds for which a value is better than none. */
const MAX_COPY_AGE = 60 * 60_000;
/** Milliseconds for which a failure counts. */
const MAX_FAILURE_AGE = 30_000;
/** Milliseconds from the beginning of a read for which it is waited for where it is a convenience. */
const MAX_WAIT = 5000;
/** Milliseconds after which a value that is not enough is read again. */
const MIN_REFRESH_INTERVAL = 10_000;

const OVERDUE = { missing: 'it did not arrive in time' };
const CANCELLED = { missing: 'the execution was stopped', error: cancelledError(false) };

const cachedLookup = keepPerKey(
	(_key, before?: CachedLookup): CachedLookup => ({
		expiresAt: Date.now() + MAX_AGE,
		readAt: 0,
		copy: before?.copy,
	}),
	// not from before the clock was set back either
	({ expiresAt }) => expiresAt > Date.now() && expiresAt <= Date.now() + MAX_AGE,
);

/**
 * Reads something that changes rarely, such as the catalog, once for all executions of an account. It is waited for five seconds, and as
 * long as for anything else if what is known is not enough. What is late then, or fails, is not known, unless it was within the last hour.
 *
 * @param key The account, and what is read.
 * @param stop Aborts when the execution that asks is stopped; another one may be reading.
 * @param insufficient What was given, and is not enough. If it was not read just now, it is read again.
 * @param maxWait Milliseconds for which one is waited for that is needed.
 * @returns `insufficient` itself if there is nothing newer.
 */
export async function lookUp<Value>(
	key: string,
	read: () => Promise<Value>,
	stop?: AbortSignal,
	insufficient?: Lookup<Value>,
	maxWait = MAX_WAIT,
): Promise<Lookup<Value>> {
	const entry = cachedLookup(key);
	/** What is known by now, or why nothing is. */
	const knownOr = (other: Lookup<unknown>) => (entry.result ?? other) as Lookup<Value>;
	const isStopped = () => stop?.aborted === true;
	const known = entry.result as Lookup<Value> | undefined;
	if (known && (known !== insufficient || isRecent(entry))) return known;

	const limit = insufficient ? Math.max(MAX_WAIT, maxWait) : MAX_WAIT;
	// if the execution that reads it is stopped, one of those who wait reads it
	while (!isStopped()) {
		const isReader = !entry.reading;
		entry.reading ??= readInto(entry, read);
		// the clock may have been set back
		const wait = Math.min(entry.readAt + limit - Date.now(), limit);
		const given = wait > 0 && (await withDeadline(entry.reading, wait, stop));
		if (!given && !isStopped()) return knownOr(copyOr(entry, OVERDUE));
		if (given && (isReader || entry.result)) return knownOr(given);
	}
	return knownOr(CANCELLED);
}

/** Whether it was read just now, so that to read it again would help nobody. */
const isRecent = ({ reading, readAt }: CachedLookup) =>
	!reading && Date.now() - readAt < MIN_REFRESH_INTERVAL;

/** @returns what this read gave; the entry may keep an earlier result. */
async function readInto(
	entry: CachedLookup,
	read: () => Promise<unknown>,
): Promise<Lookup<unknown>> {
	entry.readAt = Date.now();
	try {
		const result = { value: await read() };
		entry.result = result;
		entry.copy = { value: result.value, readAt: entry.readAt };
		entry.expiresAt = entry.readAt + MAX_AGE;
		return result;
	} catch (cause) {
		const error = cause instanceof ServiceError ? cause : undefined;
		const failure = { missing: error?.message ?? String(cause), ...(error && { error }) };
		// an execution that was stopped says nothing about the service
		if (error?.kind === 'cancelled') return failure;
		// the key may not be one to which the old value was shown
		const isKeyRefused = [401, 403].includes(error?.details.status ?? 0);
		const result = isKeyRefused ? failure : copyOr(entry, failure);
		if (!entry.result) {
			entry.result = result;
			entry.expiresAt = Date.now() + MAX_FAILURE_AGE;
		}
		return result;
	} finally {
		entry.reading = undefined;
	}
}

/** What counts where nothing newer can be read. */
function copyOr({ copy }: CachedLookup, missing: Missing): Lookup<unknown> {
	const age = copy ? Date.now() - copy.readAt : Infinity;
	// after the clock was set back, nobody knows how old it is
	if (!copy || age < 0 || age > MAX_COPY_AGE) return missing;
	return { value: copy.value, old: { readAt: copy.readAt, reason: missing.missing } };
}

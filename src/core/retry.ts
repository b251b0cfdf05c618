import { mapServiceError } from './errors';

/** Time and randomness. Passed in, so that tests can use virtual time. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** @throws when the execution is stopped. */
	sleep(milliseconds: number): Promise<void>;
	/** From 0 to less than 1. */
	random(): number;
}

interface RetryOptions {
	/** Maximum attempts, the first one included. Default: no limit. */
	attempts?: number;
	/** Milliseconds since 1970 from which no attempt follows, once there were some: a process may have stood still. Default: no limit. */
	until?: number;
	/** Whether another attempt may follow this failure. */
	isRetryable(cause: unknown): boolean;
	clock: Clock;
	/** Minimum milliseconds between two attempts. */
	minimumPause?: number;
}

/**
 * Repeats a failed action with increasing pauses.
 *
 * Requests to a service use `withRetries` instead: there a response may also be a failure, may say how long to wait, and may delay
 * other requests.
 *
 * @throws the error of the last attempt.
 */
export async function retry<Result>(
	action: () => Promise<Result>,
	{ attempts = Infinity, until = Infinity, isRetryable, clock, minimumPause = 0 }: RetryOptions,
): Promise<Result> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await action();
		} catch (cause) {
			const isOver = clock.now() >= until && attempt >= MIN_ATTEMPTS;
			const isLast = attempt >= attempts || isOver;
			if (isLast || !isRetryable(cause)) throw mapServiceError(cause);
			await clock.sleep(minimumPause + backOffWithJitter(attempt, clock));
		}
	}
}

/** Attempts that a process has that stood still in its first one. */
const MIN_ATTEMPTS = 5;
/** Milliseconds. */
const FIRST_BACK_OFF = 500;
/** Milliseconds. */
const LONGEST_BACK_OFF = 20_000;

/** Milliseconds before the attempt after this one: random, up to a limit that doubles. */
export function backOffWithJitter(attempt: number, { random }: Pick<Clock, 'random'>): number {
	return random() * Math.min(FIRST_BACK_OFF * 2 ** (attempt - 1), LONGEST_BACK_OFF);
}

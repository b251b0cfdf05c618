import { describeStatus } from './errorResponses';
import { mapServiceError, ServiceError, withDetails } from './errors';
import {
	type Http,
	type HttpRequest,
	type HttpResponse,
	parseRetryAfter,
	readFirstChunk,
} from './http';

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
	/** Milliseconds since 1970 from which no attempt follows. Default: no limit. */
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
			const isLast = attempt >= attempts || clock.now() >= until;
			if (isLast || !isRetryable(cause)) throw mapServiceError(cause);
			await clock.sleep(minimumPause + backOffWithJitter(attempt, clock));
		}
	}
}

/**
 * Maximum milliseconds for which one response may delay other requests. A service may ask for a day, or by mistake for years. Then
 * one request an hour checks whether this still applies.
 */
export const MAX_PAUSE = 3_600_000;

const MAX_ATTEMPTS = 4;
/** Milliseconds. */
const FIRST_BACK_OFF = 500;
/** Milliseconds. */
const LONGEST_BACK_OFF = 20_000;

/**
 * Sends a request again only where that is safe:
 *
 * - a GET after a broken connection, 429 or 5xx;
 * - a POST that was certainly not received, or was answered with 429. Every POST of this service costs money or has effects.
 *
 * A 429 delays all requests of the same wrapper until its `Retry-After` is over. When the wait would be longer than `maxRateLimitWait`
 * milliseconds, the 429 is returned at once.
 */
export function withRetries(http: Http, clock: Clock, maxRateLimitWait: number): Http {
	let closedUntil = 0;

	const close = (milliseconds: number) => {
		const closedFor = Math.min(milliseconds, MAX_PAUSE);
		closedUntil = Math.max(closedUntil, clock.now() + closedFor);
	};

	const waitForGate = async () => {
		for (
			let remaining = closedUntil - clock.now();
			remaining > 0;
			remaining = closedUntil - clock.now()
		) {
			if (remaining > maxRateLimitWait) throw rateLimitedError(remaining);
			// a random extra, so that waiting requests are not sent all at once
			await clock.sleep(remaining + clock.random() * 1000);
		}
	};

	return {
		async send(request: HttpRequest): Promise<HttpResponse> {
			for (let attempt = 1; ; attempt++) {
				await waitForGate();
				const last = attempt === MAX_ATTEMPTS;
				const backOff = backOffWithJitter(attempt, clock);
				try {
					const response = await http.send(request);
					if (!isRetryableResponse(request, response)) return response;
					const retryAfter = parseRetryAfter(response.headers['retry-after'], clock.now());
					const wait = Math.max(retryAfter ?? 0, backOff);
					if (response.status === 429) close(wait);
					if (last || (response.status === 429 ? wait : (retryAfter ?? 0)) > maxRateLimitWait)
						return response;
					await discardBody(response);
					if (response.status !== 429) await clock.sleep(wait);
				} catch (cause) {
					if (!(cause instanceof ServiceError) || !isRetryableError(request, cause) || last) {
						throw withAttemptCount(cause, attempt);
					}
					await clock.sleep(backOff);
				}
			}
		},
	};
}

/** The error when the service asked another request to wait longer than this one may. @param wait Milliseconds. */
export function rateLimitedError(wait: number): ServiceError {
	return new ServiceError('refused', describeStatus(429), {
		status: 429,
		retryAfter: wait,
		sent: false,
		reason: 'It was not sent: the service has asked another request to wait.',
	});
}

/** Milliseconds before the attempt after this one: random, up to a limit that doubles. */
export function backOffWithJitter(attempt: number, { random }: Pick<Clock, 'random'>): number {
	return random() * Math.min(FIRST_BACK_OFF * 2 ** (attempt - 1), LONGEST_BACK_OFF);
}

function isRetryableResponse({ method }: HttpRequest, { status }: HttpResponse): boolean {
	return status === 429 || (method === 'GET' && status >= 500);
}

function isRetryableError({ method }: HttpRequest, { kind, details }: ServiceError): boolean {
	if (kind !== 'unreachable' || details.permanent) return false;
	return method === 'GET' || details.sent === false;
}

/** Closes the connection of an unused body. */
async function discardBody(response: HttpResponse): Promise<void> {
	try {
		await readFirstChunk(response);
	} catch {
		// a broken connection is already closed
	}
}

function withAttemptCount(cause: unknown, attempts: number): unknown {
	if (attempts === 1 || !(cause instanceof ServiceError)) return cause;
	const reason = [cause.details.reason, `Tried ${attempts} times.`].filter(Boolean).join(' ');
	return withDetails(cause, { reason });
}

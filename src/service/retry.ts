import { ServiceError, withDetails } from './errors';
import { refusalSentence } from './refusals';
import type { Http, HttpRequest, HttpResponse } from './http';
import { readRetryAfter } from './retryAfter';

/** Time and chance, handed in so that a test can run hours in no time. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** @throws when the execution is stopped. */
	sleep(milliseconds: number): Promise<void>;
	/** From 0 to less than 1. */
	random(): number;
}

const MAX_ATTEMPTS = 4;
const [FIRST_BACK_OFF, LONGEST_BACK_OFF] = [500, 20_000];

/**
 * Sends a request again where that is safe, and only there:
 *
 * - a GET after a broken connection, 429 or 5xx;
 * - a POST when it certainly was not received, or was answered 429. Every POST of this service costs or has effects.
 *
 * A 429 holds up all requests that go through the same wrapper until its `Retry-After` is over. A wait longer than
 * `longestWait` milliseconds is not begun: the 429 is handed on.
 */
export function withRetries(http: Http, clock: Clock, longestWait: number): Http {
	let closedUntil = 0;

	const close = (milliseconds: number) => {
		closedUntil = Math.max(closedUntil, clock.now() + milliseconds);
	};

	const waitForGate = async () => {
		for (let left = closedUntil - clock.now(); left > 0; left = closedUntil - clock.now()) {
			if (left > longestWait) throw heldUp(left);
			// a little more than asked, and not all at once
			await clock.sleep(left + clock.random() * 1000);
		}
	};

	return {
		async send(request: HttpRequest): Promise<HttpResponse> {
			for (let attempt = 1; ; attempt++) {
				await waitForGate();
				const last = attempt === MAX_ATTEMPTS;
				const backOff = fullJitter(attempt, clock);
				try {
					const response = await http.send(request);
					if (!isWorthRepeating(request, response)) return response;
					const asked = readRetryAfter(response.headers['retry-after'], Date.now());
					const wait = Math.max(asked ?? 0, backOff);
					if (response.status === 429) close(wait);
					if (last || (response.status === 429 ? wait : (asked ?? 0)) > longestWait)
						return response;
					await discard(response);
					if (response.status !== 429) await clock.sleep(wait);
				} catch (cause) {
					if (!(cause instanceof ServiceError) || !isSafeAfter(request, cause) || last) {
						throw tried(cause, attempt);
					}
					await clock.sleep(backOff);
				}
			}
		},
	};
}

/** Another request was told to wait for longer than this one may. */
export function heldUp(left: number): ServiceError {
	return new ServiceError('refused', refusalSentence(429), {
		status: 429,
		retryAfter: left,
		sent: false,
		reason: 'It was not sent: the service has asked another request to wait.',
	});
}

/** Milliseconds before the attempt after this one: anything up to a limit that doubles. */
export function fullJitter(attempt: number, { random }: Pick<Clock, 'random'>): number {
	return random() * Math.min(FIRST_BACK_OFF * 2 ** (attempt - 1), LONGEST_BACK_OFF);
}

function isWorthRepeating({ method }: HttpRequest, { status }: HttpResponse): boolean {
	return status === 429 || (method === 'GET' && status >= 500);
}

function isSafeAfter({ method }: HttpRequest, { kind, details }: ServiceError): boolean {
	if (kind !== 'unreachable' || details.permanent) return false;
	return method === 'GET' || details.sent === false;
}

/** Leaving the loop over a body closes its connection. */
async function discard({ body }: HttpResponse): Promise<void> {
	try {
		for await (const _chunk of body) return;
	} catch {
		// it is given up anyway
	}
}

function tried(cause: unknown, attempts: number): unknown {
	if (attempts === 1 || !(cause instanceof ServiceError)) return cause;
	const reason = [cause.details.reason, `Tried ${attempts} times.`].filter(Boolean).join(' ');
	return withDetails(cause, { reason });
}

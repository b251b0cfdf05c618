import { ServiceError, withDetails } from './errors';
import type { Http, HttpRequest, HttpResponse } from './http';
import { readRetryAfter } from './retryAfter';

/** Time and chance, handed in so that a test can run hours in no time. */
export interface Clock {
	/** Milliseconds; only differences count. */
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
 * `longestWait` milliseconds is not begun: the 429 itself is handed on.
 */
export function withRetries(http: Http, clock: Clock, longestWait: number): Http {
	let closedUntil = 0;

	const waitForGate = async () => {
		while (closedUntil > clock.now()) {
			// a little more than asked, and not all at once
			await clock.sleep(closedUntil - clock.now() + clock.random() * 1000);
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
					if (last || !isWorthRepeating(request, response)) return response;
					const asked = readRetryAfter(response.headers['retry-after'], Date.now());
					const wait = Math.max(asked ?? 0, backOff);
					if (wait > longestWait) return response;
					await discard(response);
					if (response.status === 429) closedUntil = Math.max(closedUntil, clock.now() + wait);
					else await clock.sleep(wait);
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

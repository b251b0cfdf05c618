import { type Http, parseRetryAfter } from './http';
import { rateLimitedError, MAX_PAUSE, type Clock } from './retry';

const MS_PER_MINUTE = 60_000;

/** Share of the limit that is used. The rest allows for requests that arrive closer together than they were sent. */
const USED_SHARE = 0.9;

/** Most requests that may be sent at once after an idle time. */
const MAX_BURST = 5;

/** Milliseconds after which a waiting request checks its position again: requests before it may have been cancelled. */
const RECHECK_INTERVAL = 1000;

/** Milliseconds at half the rate after a 429: others are using the key, too. */
const SLOWDOWN_AFTER_429 = 5 * MS_PER_MINUTE;

/** Limits the rate of requests. All requests that share a limit share one limiter. */
export interface RateLimiter {
	/**
	 * Waits until a request may be sent: first come, first served.
	 *
	 * @param perMinute The service's limit.
	 * @param maxRateLimitWait Milliseconds that a request may wait for the end of a pause.
	 * @throws ServiceError `refused` when the pause is longer, `cancelled` as soon as the execution is.
	 */
	acquire(perMinute: number, clock: Clock, maxRateLimitWait: number): Promise<void>;
	/** Lets no request through for that many milliseconds (at most an hour), and then one at a time. */
	pauseFor(milliseconds: number, clock: Pick<Clock, 'now'>): void;
}

/**
 * Spreads requests evenly (the generic cell rate algorithm) at 90 % of the limit, with up to five at once after an idle time.
 * The limit is then kept however the service counts: per minute of the clock, over the last 60 seconds, or with a token bucket.
 */
export function createRateLimiter(): RateLimiter {
	const queue: object[] = [];
	/** Until when the rate is used up by the requests sent so far. */
	let spentUntil = -Infinity;
	/** Until when nothing is sent. */
	let pausedUntil = -Infinity;
	/** Until when half the rate applies. */
	let slowUntil = -Infinity;

	/** @returns `interval`, milliseconds per request; `delay`, milliseconds until this position may send: less than 1 for now */
	const schedule = (position: number, perMinute: number, now: number) => {
		const isSlow = now < slowUntil;
		const interval = (MS_PER_MINUTE / (perMinute * USED_SHARE)) * (isSlow ? 2 : 1);
		// a burst has to fit into the unused share
		const spareRequests = Math.floor(perMinute - perMinute * USED_SHARE) - 1;
		const burst = isSlow ? 1 : Math.max(1, Math.min(MAX_BURST, spareRequests));
		const nextSlot = Math.max(spentUntil - (burst - 1) * interval, pausedUntil);
		return { interval, delay: nextSlot + position * interval - now };
	};

	return {
		async acquire(perMinute, clock, maxRateLimitWait) {
			const ticket = {};
			queue.push(ticket);
			try {
				for (;;) {
					const now = clock.now();
					if (pausedUntil - now > maxRateLimitWait) throw rateLimitedError(pausedUntil - now);
					const position = queue.indexOf(ticket);
					const { interval, delay } = schedule(position, perMinute, now);
					if (position === 0 && delay < 1) {
						spentUntil = Math.max(spentUntil, now) + interval;
						return;
					}
					await clock.sleep(Math.min(Math.max(delay, 1), RECHECK_INTERVAL));
				}
			} finally {
				queue.splice(queue.indexOf(ticket), 1);
			}
		},
		pauseFor(milliseconds, { now }) {
			pausedUntil = Math.max(pausedUntil, now() + Math.min(milliseconds, MAX_PAUSE));
			slowUntil = Math.max(now(), pausedUntil) + SLOWDOWN_AFTER_429;
		},
	};
}

interface RateLimitOptions {
	limiter: RateLimiter;
	perMinute: number;
	clock: Clock;
	/** Milliseconds. */
	maxRateLimitWait: number;
}

/** Sends every request through a limiter, and pauses it for all requests when the service answers 429. */
export function withRateLimit(
	http: Http,
	{ limiter, perMinute, clock, maxRateLimitWait }: RateLimitOptions,
): Http {
	return {
		async send(request) {
			await limiter.acquire(perMinute, clock, maxRateLimitWait);
			const response = await http.send(request);
			if (response.status === 429) {
				const retryAfter = parseRetryAfter(response.headers['retry-after'], clock.now());
				// without the header: a limit per minute of the clock is free again in the next minute
				limiter.pauseFor(retryAfter ?? MS_PER_MINUTE - (clock.now() % MS_PER_MINUTE), clock);
			}
			return response;
		},
	};
}

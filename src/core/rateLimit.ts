import { type Http, parseRetryAfter } from './http';
import { rateLimitedError, MAX_PAUSE, type Clock } from './retry';
import { createShare, type Refusal } from './rateShare';

const MS_PER_MINUTE = 60_000;

/** Share of the limit that is used. The rest allows for requests that arrive closer together than they were sent. */
const USED_SHARE = 0.9;

/** Most requests that may be sent at once after an idle time. */
const MAX_BURST = 5;

/** Milliseconds after which a waiting request checks its position again: requests before it may have been cancelled. */
const RECHECK_INTERVAL = 1000;

/**
 * Milliseconds for which a service that refused is left alone, also if it asks for less: until what all processes have sent no longer
 * counts. With room for one request only, they would be refused again.
 */
const LEAST_REST = MS_PER_MINUTE;

/** Milliseconds by which processes begin again apart from one another, at most. */
const MOST_SPREAD = 8000;

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
	/**
	 * Lets no request through for as long as the service asks (at most an hour), but for a minute at least, and uses a smaller share
	 * of the limit afterwards.
	 */
	pause(refusal: Refusal, clock: Pick<Clock, 'now' | 'random'>): void;
}

/** The limiter of one process, which knows of no other. */
export interface LoneRateLimiter extends RateLimiter {
	/** @returns `interval`, milliseconds per request; `burst`, how many may be sent at once */
	rateAt(perMinute: number, now: number): { interval: number; burst: number };
	/** A request is being sent that did not wait for its turn here: it uses up the rate, too. */
	addSent(perMinute: number, now: number): void;
}

/**
 * Spreads requests evenly (the generic cell rate algorithm) at 90 % of the limit, with up to five at once after an idle time.
 * The limit is then kept however the service counts: per minute of the clock, over the last 60 seconds, or with a token bucket.
 *
 * A 429 means that others use the key, too, such as another worker. The limiter then uses a share of the limit: see `createShare`.
 */
export function createRateLimiter(): LoneRateLimiter {
	const queue: object[] = [];
	const share = createShare();
	/** Until when the rate is used up by the requests sent so far. */
	let spentUntil = -Infinity;
	/** Until when nothing is sent. */
	let pausedUntil = -Infinity;

	const rateAt = (perMinute: number, now: number) => findRate(perMinute, share.at(now));

	const addSent = (perMinute: number, now: number) => {
		spentUntil = Math.max(spentUntil, now) + rateAt(perMinute, now).interval;
		share.addSent(now);
	};

	/** @returns milliseconds until this position may send: less than 1 for now */
	const findDelay = (position: number, perMinute: number, now: number) => {
		const { interval, burst } = rateAt(perMinute, now);
		const nextSlot = Math.max(spentUntil - (burst - 1) * interval, pausedUntil);
		return nextSlot + position * interval - now;
	};

	return {
		rateAt,
		addSent,
		async acquire(perMinute, clock, maxRateLimitWait) {
			const ticket = {};
			queue.push(ticket);
			try {
				for (;;) {
					const now = clock.now();
					if (pausedUntil - now > maxRateLimitWait) throw rateLimitedError(pausedUntil - now);
					const position = queue.indexOf(ticket);
					const delay = findDelay(position, perMinute, now);
					if (position === 0 && delay < 1) {
						addSent(perMinute, now);
						return;
					}
					await clock.sleep(Math.min(Math.max(delay, 1), RECHECK_INTERVAL));
				}
			} finally {
				queue.splice(queue.indexOf(ticket), 1);
			}
		},
		pause(refusal, clock) {
			const now = clock.now();
			const pauseEnd = now + Math.min(refusal.wait, MAX_PAUSE);
			pausedUntil = Math.max(pausedUntil, pauseEnd);
			if (!share.reduce(refusal, now, pausedUntil)) return;
			const { interval } = rateAt(refusal.perMinute, now);
			const spread = clock.random() * Math.min(interval, MOST_SPREAD);
			// not part of the pause, which a request may be too impatient for
			spentUntil = Math.max(spentUntil, pauseEnd, now + LEAST_REST) + spread;
		},
	};
}

function findRate(perMinute: number, share: number): { interval: number; burst: number } {
	const interval = MS_PER_MINUTE / (perMinute * USED_SHARE * share);
	// a burst has to fit into the unused share
	const spareRequests = Math.floor(perMinute - perMinute * USED_SHARE) - 1;
	const burst = share < 1 ? 1 : Math.max(1, Math.min(MAX_BURST, spareRequests));
	return { interval, burst };
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
			const sentAt = clock.now();
			const response = await http.send(request);
			if (response.status === 429) {
				const retryAfter = parseRetryAfter(response.headers['retry-after'], clock.now());
				// without the header: a limit per minute of the clock is free again in the next minute
				const wait = retryAfter ?? MS_PER_MINUTE - (clock.now() % MS_PER_MINUTE);
				limiter.pause({ wait, sentAt, perMinute }, clock);
			}
			return response;
		},
	};
}

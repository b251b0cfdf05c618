import { describeStatus } from './errorResponses';
import { cancelledError, ServiceError } from './errors';
import type { Clock } from './retry';

export const MS_PER_MINUTE = 60_000;

/** Share of the limit that is used. The rest allows for requests that arrive closer together than they were sent. */
const USED_SHARE = 0.9;

/** Most requests that may be sent at once after an idle time. */
const MAX_BURST = 5;

/** Milliseconds after which a waiting request checks its position again: requests before it may have been cancelled. */
const RECHECK_INTERVAL = 1000;

/**
 * Maximum milliseconds for which one response may delay other requests. A service may ask for a day, or by mistake for years. Then
 * one request an hour checks whether this still applies.
 */
export const MAX_PAUSE = 3_600_000;

/** Maximum milliseconds over which processes spread their first requests after a pause. */
const MAX_SPREAD = 1000;

/**
 * Minimum milliseconds from one refusal to the first request after the next refusal. A service with a token bucket asks to wait for
 * only a second, and would keep refusing processes that do not know of each other.
 */
const REFUSAL_INTERVAL = MS_PER_MINUTE;

/** Milliseconds that the others wait for the request that tries the service after a pause. A refusal comes at once, an answer may not. */
const MAX_TRIAL = 5000;

/** How many milliseconds, and how many requests, one process reserves at once. The other processes wait that long. */
const RESERVED_TIME = 6000;
const MAX_RESERVED = 5;

/** Milliseconds after which a slot is no longer used: late requests would come closer together than was reserved. */
const MAX_DELAY = 1000;

/** Milliseconds after which a shared book that could not be used is tried again. */
const BOOK_RETRY_INTERVAL = 3000;

/** Where the times of requests are reserved, each once. */
export interface SlotBook {
	/** @throws when the book cannot be used. */
	reserve(wanted: WantedSlots): Promise<ReservedSlots>;
	/** Nothing is sent until then, and no burst follows. @param until Milliseconds since 1970. */
	pause(until: number): Promise<void>;
}

interface Rate {
	/** Milliseconds per request. */
	interval: number;
	/** How many may be sent at once after an idle time. */
	burst: number;
}

export interface WantedSlots extends Rate {
	count: number;
}

/** The times, in milliseconds since 1970 and in their order, or until when nothing may be sent. */
export type ReservedSlots = { slots: number[] } | { pausedUntil: number };

/** How a request waits for its turn. */
export interface Turn {
	clock: Clock;
	/** Milliseconds that it may wait for the end of a pause. */
	maxRateLimitWait: number;
	/** The service's limit. Without it a request waits for the end of a pause only. */
	perMinute?: number | undefined;
	/** The book of all processes. Without it this process uses the whole limit. */
	book?: SlotBook | undefined;
	/** The book cannot be used. Called once until it can be used again. */
	onUnavailable?(cause: unknown): void;
	/** Aborts when the caller gives up. */
	signal?: AbortSignal | undefined;
}

/** A response has come, or none will. @param wait After a refusal: milliseconds for which nothing is sent, an hour at most. */
export type End = (wait?: number) => void;

/**
 * A queue: requests are sent at the times that are reserved in a book, first come, first served. All requests that share a limit
 * share one limiter. While the shared book cannot be used, the process has its own: no request fails for that.
 *
 * After a refusal nothing is sent until the pause is over. Then one request tries, and the others follow when it is answered.
 */
export class RateLimiter {
	#own = createMemoryBook();
	readonly #queue: object[] = [];
	/** Reserved times, the next first. */
	#slots: number[] = [];
	/** The reservation in the shared book that is under way. It does not fail. */
	#reserving: Promise<void> | undefined;
	/** From when the shared book is tried again. -Infinity while it can be used. */
	#bookRetryAt = -Infinity;
	/** The end of the pause that the service asked for. */
	#pausedUntil = -Infinity;
	/** When requests start after the pause, and how long they wait for the one that tries. */
	#closedUntil = -Infinity;
	#isTrialDue = false;
	/** When the last refusal came. */
	#refusedAt = -Infinity;
	/** What the clock said last. */
	#lastTime = -Infinity;

	/**
	 * Waits until a request may be sent.
	 *
	 * @returns a function to call when the request is answered or has failed.
	 * @throws ServiceError `refused` when a pause is longer than the request may wait, `cancelled` as soon as the execution is.
	 */
	async acquire(turn: Turn): Promise<End> {
		const { clock, maxRateLimitWait, signal } = turn;
		const ticket = {};
		this.#queue.push(ticket);
		try {
			for (;;) {
				if (signal?.aborted) throw cancelledError(false);
				const now = clock.now();
				// the clock was set back: all times may be hours away
				if (now < this.#lastTime - MAX_DELAY) {
					this.#pausedUntil = this.#closedUntil = -Infinity;
					this.#slots = [];
					this.#own = createMemoryBook();
				}
				this.#lastTime = now;
				const paused = this.#pausedUntil - now;
				if (paused > maxRateLimitWait) throw rateLimitedError(paused);
				const wait = this.#findWait(turn, this.#queue.indexOf(ticket), now);
				if (wait < 1) return this.#start(turn, now);
				const sleep = clock.sleep(Math.min(wait, RECHECK_INTERVAL));
				// the sleep ends with the execution, a reservation does not
				await Promise.race([sleep, this.#reserving ?? sleep]);
			}
		} finally {
			this.#queue.splice(this.#queue.indexOf(ticket), 1);
		}
	}

	/** @returns milliseconds until this position may send: less than 1 for now */
	#findWait(turn: Turn, position: number, now: number): number {
		const closed = Math.max(this.#pausedUntil, this.#closedUntil) - now;
		if (closed > 0) return Math.max(closed, 1);
		if (turn.perMinute === undefined) return 0;
		const rate = findRate(turn.perMinute);
		this.#slots = this.#slots.filter((slot) => slot >= now - MAX_DELAY);
		this.#reserve(turn, rate, now);
		const last = this.#slots.at(-1);
		if (last === undefined) return RECHECK_INTERVAL;
		const unreserved = position + 1 - this.#slots.length;
		const slot = this.#slots[position] ?? last + unreserved * rate.interval;
		// requests are sent in their order
		return Math.max(slot - now, position === 0 ? 0 : 1);
	}

	#reserve(turn: Turn, rate: Rate, now: number): void {
		const { book } = turn;
		const isNeeded = !this.#slots.length;
		const isUnavailable = this.#bookRetryAt > -Infinity;
		if (book && (isUnavailable ? now >= this.#bookRetryAt : isNeeded))
			this.#reserving ??= this.#reserveIn(book, turn, rate);
		if (isNeeded && (isUnavailable || !book)) this.#slots = [this.#own.reserve(rate, now)];
	}

	async #reserveIn(book: SlotBook, turn: Turn, rate: Rate): Promise<void> {
		const maxCount = Math.max(1, Math.min(MAX_RESERVED, Math.floor(RESERVED_TIME / rate.interval)));
		const count = Math.min(this.#queue.length, maxCount);
		// what the process has sent meanwhile is not in the book
		const burst = this.#bookRetryAt > -Infinity ? 1 : rate.burst;
		try {
			const reserved = await book.reserve({ ...rate, count, burst });
			this.#bookRetryAt = -Infinity;
			if ('pausedUntil' in reserved) this.#pause(reserved.pausedUntil);
			else this.#slots = reserved.slots.filter((slot) => slot >= this.#pausedUntil);
		} catch (cause) {
			this.#leaveBook(cause, turn);
		} finally {
			this.#reserving = undefined;
		}
	}

	#leaveBook(cause: unknown, { clock, onUnavailable }: Turn): void {
		if (this.#bookRetryAt === -Infinity) onUnavailable?.(cause);
		this.#bookRetryAt = clock.now() + BOOK_RETRY_INTERVAL;
	}

	#start(turn: Turn, now: number): End {
		if (turn.perMinute !== undefined) this.#slots.shift();
		const trialUntil = this.#isTrialDue ? now + MAX_TRIAL : undefined;
		if (trialUntil) this.#closedUntil = trialUntil;
		this.#isTrialDue = false;
		return (wait) => {
			if (this.#closedUntil === trialUntil) this.#closedUntil = -Infinity;
			if (wait !== undefined) this.#refuse(turn, wait, now);
		};
	}

	#refuse(turn: Turn, wait: number, sentAt: number): void {
		const { clock, book, maxRateLimitWait } = turn;
		const now = clock.now();
		const until = now + Math.min(wait, MAX_PAUSE);
		this.#pause(until);
		this.#closedUntil = until + clock.random() * MAX_SPREAD;
		this.#own.pause(this.#closedUntil);
		// the refusal of a request that was already under way at the last refusal says nothing new
		if (sentAt >= this.#refusedAt) {
			this.#own.pause(Math.min(this.#refusedAt + REFUSAL_INTERVAL, now + maxRateLimitWait));
			this.#refusedAt = now;
		}
		book?.pause(until).catch((cause: unknown) => this.#leaveBook(cause, turn));
	}

	#pause(until: number): void {
		this.#pausedUntil = Math.max(this.#pausedUntil, until);
		this.#slots = this.#slots.filter((slot) => slot >= this.#pausedUntil);
		this.#isTrialDue = true;
	}
}

/** The book of one process, which does not know of others. It gives one time per call, at once. */
function createMemoryBook() {
	let nextFree = -Infinity;
	return {
		reserve({ interval, burst }: Rate, now: number): number {
			const slot = Math.max(now - (burst - 1) * interval, nextFree);
			nextFree = slot + interval;
			return Math.max(slot, now);
		},
		pause(until: number): void {
			nextFree = Math.max(nextFree, until);
		},
	};
}

/**
 * A rate that the service accepts however it counts: per minute of the clock, over the last 60 seconds, or with a token bucket.
 * Requests are spread evenly (the generic cell rate algorithm), and a burst has to fit into the unused share.
 */
function findRate(perMinute: number): Rate {
	const used = perMinute * USED_SHARE;
	const burst = Math.max(1, Math.min(MAX_BURST, Math.floor(perMinute - used) - 1));
	return { interval: MS_PER_MINUTE / used, burst };
}

/** The error when the service asked another request to wait longer than this one may. @param wait Milliseconds. */
function rateLimitedError(wait: number): ServiceError {
	return new ServiceError('refused', describeStatus(429), {
		status: 429,
		retryAfter: wait,
		sent: false,
		reason: 'It was not sent: the service has asked another request to wait.',
	});
}

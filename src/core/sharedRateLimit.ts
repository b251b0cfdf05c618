import { type LoneRateLimiter, type RateLimiter } from './rateLimit';
import { MAX_PAUSE, rateLimitedError, type Clock } from './retry';

/** Milliseconds after which a waiting request checks its position again. */
const RECHECK_INTERVAL = 1000;

/** Milliseconds of the rate that one process reserves at once: the others wait for as long. */
const RESERVED_TIME = 6000;

/** Most slots that are reserved at once, if they are more than the slots of a second. */
const MAX_RESERVED = 5;

/** Milliseconds after which a slot is no longer used: late requests would come closer together than was reserved. */
const MAX_DELAY = 1000;

/** Milliseconds for which each process limits its own rate after the book could not be used. */
const RETRY_INTERVAL = 30_000;

/** Where all processes reserve the times of their requests, each time once. */
export interface SlotBook {
	/** @throws when the book cannot be used. */
	reserve(wanted: WantedSlots): Promise<Reservation>;
	/** Pauses all processes. @param until Milliseconds since 1970. */
	pause(until: number): Promise<void>;
}

export interface WantedSlots {
	count: number;
	/** Milliseconds per request. */
	interval: number;
	/** How many may be sent at once after an idle time. */
	burst: number;
}

/** The times, in milliseconds since 1970 and in their order, or until when nothing may be sent. */
export type Reservation = { slots: number[] } | { pausedUntil: number };

/** How one execution uses a limiter that processes share. */
interface BookUse {
	book: SlotBook;
	/** The book cannot be used. Called once until it can be used again. */
	onUnavailable(cause: unknown): void;
}

/** The part of a process in a limit that several processes share. */
export interface SharedRateLimiter {
	/** The limiter for one execution, whose access to the book is used for the requests of all executions. */
	using(use: BookUse): RateLimiter;
}

/**
 * Sends at times that are reserved in a book, as many at once as requests wait. While the book cannot be used, the process limits
 * its own rate: no request fails for that.
 *
 * @param own The limiter of this process alone. After a refusal, its share is the share of the reserved rate.
 */
export function createSharedRateLimiter(own: LoneRateLimiter): SharedRateLimiter {
	const queue: object[] = [];
	/** Reserved times, the next first. */
	let slots: number[] = [];
	/** The reservation that is under way. It does not fail. */
	let reserving: Promise<void> | undefined;
	/** Until when nothing is sent. */
	let pausedUntil = -Infinity;
	/** Until when the book is not used. */
	let unavailableUntil = -Infinity;
	/** Whether the last use of the book failed. */
	let isUnavailable = false;

	const fail = (cause: unknown, clock: Pick<Clock, 'now'>, { onUnavailable }: BookUse) => {
		unavailableUntil = clock.now() + RETRY_INTERVAL;
		if (!isUnavailable) onUnavailable(cause);
		isUnavailable = true;
	};

	const reserve = async (perMinute: number, clock: Clock, use: BookUse) => {
		const rate = own.rateAt(perMinute, clock.now());
		const count = Math.min(queue.length, findMaxCount(rate.interval));
		try {
			// what the process has sent meanwhile is not in the book
			const burst = isUnavailable ? 1 : rate.burst;
			const reserved = await use.book.reserve({ ...rate, count, burst });
			isUnavailable = false;
			if ('pausedUntil' in reserved) pausedUntil = Math.max(pausedUntil, reserved.pausedUntil);
			else slots = reserved.slots.filter((slot) => slot >= pausedUntil);
		} catch (cause) {
			fail(cause, clock, use);
		} finally {
			reserving = undefined;
		}
	};

	/** @returns whether the request may be sent; false if the process has to limit its own rate. */
	const waitForSlot = async (
		ticket: object,
		perMinute: number,
		clock: Clock,
		maxRateLimitWait: number,
		use: BookUse,
	): Promise<boolean> => {
		for (;;) {
			const now = clock.now();
			if (now < unavailableUntil) return false;
			if (pausedUntil - now > maxRateLimitWait) throw rateLimitedError(pausedUntil - now);
			while (slots[0] !== undefined && slots[0] < now - MAX_DELAY) slots.shift();
			const position = queue.indexOf(ticket);
			const [first] = slots;
			if (position === 0 && first !== undefined && first - now < 1) {
				slots.shift();
				queue.shift();
				own.addSent(perMinute, now);
				return true;
			}
			const next = slots[position] ?? slots.at(-1);
			const wait = Math.max(pausedUntil, next ?? -Infinity) - now;
			if (next === undefined && wait <= 0) {
				reserving ??= reserve(perMinute, clock, use);
				// the sleep ends with the execution, the reservation does not
				await Promise.race([reserving, clock.sleep(RECHECK_INTERVAL)]);
			} else await clock.sleep(Math.min(Math.max(wait, 1), RECHECK_INTERVAL));
		}
	};

	return {
		using: (use) => ({
			async acquire(perMinute, clock, maxRateLimitWait) {
				const ticket = {};
				queue.push(ticket);
				let isReserved: boolean;
				try {
					isReserved = await waitForSlot(ticket, perMinute, clock, maxRateLimitWait, use);
				} finally {
					if (queue.includes(ticket)) queue.splice(queue.indexOf(ticket), 1);
				}
				if (!isReserved) await own.acquire(perMinute, clock, maxRateLimitWait);
			},
			pause(refusal, clock) {
				const now = clock.now();
				const isShared = now >= unavailableUntil;
				own.pause({ ...refusal, isShared }, clock);
				pausedUntil = Math.max(pausedUntil, now + Math.min(refusal.wait, MAX_PAUSE));
				slots = [];
				if (isShared)
					use.book.pause(pausedUntil).catch((cause: unknown) => fail(cause, clock, use));
			},
		}),
	};
}

/** @param interval Milliseconds per request. */
function findMaxCount(interval: number): number {
	const perSecond = Math.floor(1000 / interval);
	return Math.max(
		1,
		Math.min(Math.floor(RESERVED_TIME / interval), Math.max(MAX_RESERVED, perSecond)),
	);
}

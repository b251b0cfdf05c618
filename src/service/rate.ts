import type { Http } from './http';
import { heldUp, type Clock } from './retry';
import { readRetryAfter } from './retryAfter';

const MINUTE = 60_000;

/** The part of a limit that is used. The rest is for requests that arrive closer together than they were sent. */
const SHARE = 0.9;

/** How many may go at once after a pause, at most. */
const MOST_AT_ONCE = 5;

/** Milliseconds after which one who waits looks again: those before it may have been stopped. */
const LOOK_AGAIN = 1000;

/** Milliseconds of half the rate after the service has said that there are too many: then others use the key, too. */
const CAREFUL = 5 * MINUTE;

/** Lets requests through at a rate; all who share a limit share a gate. */
export interface RateGate {
	/**
	 * Waits for one's turn: first come, first served.
	 *
	 * @param perMinute The service's limit.
	 * @param longestWait Milliseconds that one may wait at a gate that the service has closed.
	 * @throws ServiceError `refused` when it is closed for longer, `stopped` as soon as the execution is.
	 */
	enter(perMinute: number, clock: Clock, longestWait: number): Promise<void>;
	/** Lets nobody through for so many milliseconds, and then one by one. */
	close(milliseconds: number, clock: Pick<Clock, 'now'>): void;
}

/**
 * A gate that spreads requests evenly (the generic cell rate algorithm): 90 % of the limit, with up to five at once after a
 * pause. Neither a minute of the clock nor the last sixty seconds nor a bucket then ever see more than the limit.
 */
export function rateGate(): RateGate {
	const waiting: object[] = [];
	let [spentUntil, closedUntil, carefulUntil] = [-Infinity, -Infinity, -Infinity];

	/** @returns `each`, milliseconds per request; `left`, those until the one at this place may go, less than 1 for now */
	const timeFor = (place: number, perMinute: number, now: number) => {
		const careful = now < carefulUntil;
		const each = (MINUTE / (perMinute * SHARE)) * (careful ? 2 : 1);
		// those that go at once have to fit into the part that is not used
		const unused = Math.floor(perMinute - perMinute * SHARE) - 1;
		const atOnce = careful ? 1 : Math.max(1, Math.min(MOST_AT_ONCE, unused));
		const next = Math.max(spentUntil - (atOnce - 1) * each, closedUntil);
		return { each, left: next + place * each - now };
	};

	return {
		async enter(perMinute, clock, longestWait) {
			const ticket = {};
			waiting.push(ticket);
			try {
				for (;;) {
					const now = clock.now();
					if (closedUntil - now > longestWait) throw heldUp(closedUntil - now);
					const place = waiting.indexOf(ticket);
					const { each, left } = timeFor(place, perMinute, now);
					if (place === 0 && left < 1) {
						spentUntil = Math.max(spentUntil, now) + each;
						return;
					}
					await clock.sleep(Math.min(Math.max(left, 1), LOOK_AGAIN));
				}
			} finally {
				waiting.splice(waiting.indexOf(ticket), 1);
			}
		},
		close(milliseconds, { now }) {
			closedUntil = Math.max(closedUntil, now() + milliseconds);
			carefulUntil = Math.max(now(), closedUntil) + CAREFUL;
		},
	};
}

interface Rate {
	gate: RateGate;
	perMinute: number;
	clock: Clock;
	/** Milliseconds. */
	longestWait: number;
}

/** Sends every request through a gate, and closes the gate for all when the service says that there were too many. */
export function withRate(http: Http, { gate, perMinute, clock, longestWait }: Rate): Http {
	return {
		async send(request) {
			await gate.enter(perMinute, clock, longestWait);
			const response = await http.send(request);
			if (response.status === 429) {
				const asked = readRetryAfter(response.headers['retry-after'], clock.now());
				// nothing said: in the next minute of the clock there is room again at the latest, if that is how it counts
				gate.close(asked ?? MINUTE - (clock.now() % MINUTE), clock);
			}
			return response;
		},
	};
}

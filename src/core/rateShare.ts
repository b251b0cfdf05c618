const MS_PER_MINUTE = 60_000;

/** The most of its share that a process keeps after a 429. */
const MOST_KEPT = 1 / 2;

/** The least that a process keeps, also if it had only just begun to send, and what it begins with again. */
const LEAST_KEPT = 1 / 8;

/** Requests a minute below which a share is only halved: so few say nothing about others. */
const FEW_REQUESTS = 5;

/** Requests a minute that are always left: two minutes later the service is asked again. */
const FEWEST_REQUESTS = 0.5;

/** Milliseconds after a pause in which the requests sent so far say little: what was sent before it still counts at the service. */
const SETTLING_TIME = MS_PER_MINUTE;

/** The part of its share that a process keeps after another 429 in that time. */
const KEPT_WHILE_SETTLING = 0.7;

/**
 * Milliseconds, from the end of `SETTLING_TIME`, in which a process returns from the least to what it keeps. Processes that have not
 * been refused yet send at their old rate: while it sends little beside them, they are the ones that are refused next.
 */
const RETURN_TIME = 3 * MS_PER_MINUTE;

/** Milliseconds in which a share doubles; in twice that time it is sixteen times as large. */
const DOUBLING_TIME = 8 * MS_PER_MINUTE;

/** A request that the service has answered with 429. */
export interface Refusal {
	/** Milliseconds that the service asks to wait. */
	wait: number;
	/** Milliseconds since 1970. */
	sentAt: number;
	perMinute: number;
	/** Whether the other processes are told, so that none of them goes on at its old rate. */
	isShared?: boolean;
}

/** The share of a limit that one of several processes uses. They do not know of one another: all that they see are refusals. */
interface Share {
	/** From 0 to 1. */
	at(now: number): number;
	/** A request is being sent. */
	addSent(now: number): void;
	/**
	 * Reduces the share after a refusal. Refusals of requests that were on their way when the pause began do not count.
	 *
	 * @param pausedUntil The end of the pause, from which on the share grows again.
	 * @returns how many refusals have come one soon after the other; 0 if this one does not count.
	 */
	reduce(refusal: Refusal, now: number, pausedUntil: number): number;
}

/**
 * Starts with all of the limit. A refusal shows that all processes together have used up the limit, so this one keeps what it has
 * used of it: its requests of the last minute, divided by as many as the service may have let through. These are a minute's limit,
 * and with a token bucket also what has flowed into it since. At most half is kept, because requests at the old rate are refused again.
 *
 * The process returns to that over minutes. Then the share grows, slowly at first: processes that stay find their shares, and one
 * that is left alone has all of the limit again after 8 minutes (from a half) to 14 minutes (from an eighth).
 */
export function createShare(): Share {
	/** What was kept after the last refusal. */
	let kept = 1;
	/** What the process began with again. */
	let begun = 1;
	/** When the last refusal came. */
	let refusedAt = -Infinity;
	/** Refusals that came one soon after the other. */
	let refusals = 0;
	/** From when the share has grown. */
	let growsFrom = -Infinity;
	/** When requests were sent: those of the last minute, and after the last refusal. */
	const sentAts: number[] = [];

	const dropOld = (now: number) => {
		while (sentAts[0] !== undefined && sentAts[0] <= now - MS_PER_MINUTE) sentAts.shift();
	};

	const at = (now: number) => {
		if (kept === 1) return 1;
		const time = Math.max(0, now - growsFrom);
		const returned = Math.min(1, Math.max(0, time - SETTLING_TIME) / RETURN_TIME);
		return Math.min(1, begun * (kept / begun) ** returned * 2 ** ((time / DOUBLING_TIME) ** 2));
	};

	const findShareToKeep = (perMinute: number, now: number) => {
		const share = at(now);
		if (refusals > 1) return share * KEPT_WHILE_SETTLING;
		const most = share * MOST_KEPT;
		dropOld(now);
		const sent = sentAts.length - 1;
		const minutes = (now - (sentAts[0] ?? now)) / MS_PER_MINUTE;
		const least = findLeast(share, perMinute);
		return Math.min(Math.max(sent / (perMinute * (1 + minutes)), least), most);
	};

	return {
		at,
		addSent(now) {
			dropOld(now);
			sentAts.push(now);
		},
		reduce({ sentAt, perMinute, isShared }, now, pausedUntil) {
			const counts = sentAt > refusedAt;
			if (counts) {
				refusals = now - growsFrom < SETTLING_TIME ? refusals + 1 : 1;
				kept = Math.min(1, Math.max(findShareToKeep(perMinute, now), FEWEST_REQUESTS / perMinute));
				begun = isShared ? kept : Math.min(kept, findLeast(1, perMinute));
				sentAts.length = 0;
			}
			refusedAt = now;
			growsFrom = Math.max(growsFrom, pausedUntil);
			return counts ? refusals : 0;
		},
	};
}

const findLeast = (share: number, perMinute: number) =>
	Math.max(share * LEAST_KEPT, FEW_REQUESTS / perMinute);

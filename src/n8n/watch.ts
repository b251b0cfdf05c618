import { sleep } from 'n8n-workflow';

/** A request from its sending to the end of its body. */
export interface Watched {
	/** Aborting it closes the socket. */
	readonly connection: AbortController;
	readonly begun: number;
	/** When its reader began to wait for bytes; undefined while the reader is at work. */
	waitingSince: number | undefined;
	/** Set once it has ended: by itself, by its reader, by Stop, or by one of the limits. */
	end: 'done' | 'left' | 'stopped' | 'silent' | 'overdue' | undefined;
}

/** Watches over all requests of one execution. */
export interface Watch {
	/** Milliseconds without a single byte. */
	readonly silenceLimit: number;
	begin(): Watched;
	/** Closes the socket, unless the request is done. */
	end(request: Watched, how: NonNullable<Watched['end']>): void;
	/** Whether the execution was stopped. */
	isStopped(): boolean;
	/** Milliseconds that a connection has to end by itself once its reader has left: 50 to 100. */
	grace(): Promise<void>;
}

interface Limits {
	silenceLimit: number;
	/** Milliseconds that an answer may take in all. */
	totalLimit: number;
	/** Fires when the execution is stopped. */
	stop: AbortSignal | undefined;
}

/** Milliseconds after which the watch looks around at the latest, so that it soon notices that all have gone. */
const LONGEST_SLEEP = 1000;

const HALF_GRACE = 50;

/** A reason of one's own: without one, each abort makes an error with a stack, which is dear. */
const ENDED = new Error('The request was ended');

/**
 * One watch for all requests of an execution, with one timer and one listener for Stop. A timer and two signals per request
 * would take more time than all the rest of our work, and live on for as long as the limits last.
 */
export function watch({ silenceLimit, totalLimit, stop }: Limits): Watch {
	const underWay = new Set<Watched>();
	let [awake, nextHalf]: [boolean, Promise<void> | undefined] = [false, undefined];

	const end: Watch['end'] = (request, how) => {
		if (request.end) return;
		request.end = how;
		underWay.delete(request);
		if (how !== 'done') request.connection.abort(ENDED);
	};

	const endAll = () => {
		for (const request of underWay) end(request, 'stopped');
	};

	/** Ends what has reached a limit. @returns milliseconds until the next request can reach one */
	const lookAround = () => {
		const now = Date.now();
		let next = now + LONGEST_SLEEP;
		for (const request of underWay) {
			const silentAt = (request.waitingSince ?? now) + silenceLimit;
			const overdueAt = request.begun + totalLimit;
			if (overdueAt <= now) end(request, 'overdue');
			else if (silentAt <= now) end(request, 'silent');
			else next = Math.min(next, silentAt, overdueAt);
		}
		return next - now;
	};

	const standWatch = async () => {
		awake = true;
		stop?.addEventListener('abort', endAll);
		// whoever begins while it sleeps cannot reach a limit before whoever was there
		while (underWay.size) await sleep(lookAround());
		stop?.removeEventListener('abort', endAll);
		awake = false;
	};

	const halfGrace = async () =>
		await (nextHalf ??= sleep(HALF_GRACE).then(() => (nextHalf = undefined)));

	return {
		silenceLimit,
		begin() {
			const connection = new AbortController();
			const request = { connection, begun: Date.now(), waitingSince: undefined, end: undefined };
			underWay.add(request);
			if (stop?.aborted) end(request, 'stopped');
			else if (!awake) void standWatch();
			return request;
		},
		end,
		isStopped: () => stop?.aborted ?? false,
		async grace() {
			// one timer serves everybody; the first half may be nearly over
			await halfGrace();
			await halfGrace();
		},
	};
}

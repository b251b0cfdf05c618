import { sleep } from 'n8n-workflow';

import { cancelledError, messageOf, ServiceError, truncatedAnswerError } from '../core/errors';
import { keepAliveError } from '../core/answerReader';

/**
 * Passes a body on, and closes its connection after a timeout or when the reader stops early.
 *
 * Without redirects, n8n's `timeout` covers only the response head, and destroying a body does not close the socket of a silent
 * service: only an abort does. The reader's own time does not count as silence.
 *
 * Not a generator: a reader may leave before its first read, or during one. A generator would not notice the first, and would let the
 * second wait for a silent service.
 *
 * @throws ServiceError `truncated`, or `cancelled` after Stop.
 */
export function withTimeouts(
	body: ReadableBody,
	request: TimedRequest,
	timeouts: RequestTimeouts,
): AsyncIterableIterator<Uint8Array> {
	let hasLeft = false;
	const take = openQueue(body, request, timeouts);

	const next = async (): Promise<IteratorResult<Uint8Array>> => {
		if (hasLeft) return DONE;
		request.waitingSince = Date.now() - request.waited;
		const value = await take();
		request.waited = request.hasReader ? Date.now() - request.waitingSince : 0;
		request.waitingSince = undefined;
		// what was read ahead would keep a slow reader busy
		if (request.end === 'stopped') throw cancelledError();
		if (value instanceof ServiceError) throw value;
		return value ? { done: false, value } : DONE;
	};

	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		next,
		async return() {
			if (!request.end) {
				// after the last event a service usually ends the body itself, and an abort takes longer than the rest of a request
				const last = next().catch(() => undefined);
				await Promise.race([last, sleep(GRACE_PERIOD)]);
				timeouts.end(request, 'left');
			}
			hasLeft = true;
			return DONE;
		},
	};
}

/**
 * Reads a body ahead: it loses what it holds when its connection breaks, so nothing is left in it for a slow reader.
 *
 * @returns what gives the next piece, or why there is none; undefined at the end.
 */
function openQueue(body: ReadableBody, request: TimedRequest, timeouts: RequestTimeouts) {
	const bytes = body[Symbol.asyncIterator]();
	const arrived: Array<Uint8Array | ServiceError> = [];
	let size = 0;
	let isOver = false;
	let reading: Promise<void> | undefined;

	/** Reads the next piece, and those after it as long as there is room. */
	const read = () =>
		(reading ??= bytes.next().then(
			({ done, value }) => {
				reading = undefined;
				if (done) {
					isOver = true;
					return timeouts.end(request, 'done');
				}
				arrived.push(value);
				size += value.byteLength;
				readAhead();
			},
			(cause: unknown) => {
				isOver = true;
				const failure = truncationError(cause, request, timeouts.idleTimeout);
				timeouts.end(request, 'left');
				for (const last of [body.read?.(), failure]) if (last) arrived.push(last);
			},
		));
	const readAhead = () => {
		if (size < MAX_READ_AHEAD && !isOver) void read();
	};
	readAhead();

	return async () => {
		while (!arrived.length && !isOver) await read();
		const piece = arrived.shift();
		if (piece && 'byteLength' in piece) size -= piece.byteLength;
		readAhead();
		return piece;
	};
}

/** A stream of Node, which gives what it still holds after it has failed. */
export type ReadableBody = AsyncIterable<Uint8Array> & { read?(size?: number): Uint8Array | null };

/** Bytes that are read before the reader asks for them. A file waits for its disk. */
const MAX_READ_AHEAD = 1024 * 1024;

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

function truncationError(
	cause: unknown,
	{ end, waited }: TimedRequest,
	idleTimeout: number,
): ServiceError {
	if (end === 'stopped') return cancelledError();
	// most of the time, something came that carried nothing
	if (end === 'silent' && waited * 2 > idleTimeout) return keepAliveError(idleTimeout);
	if (end === 'silent') return truncatedAnswerError(`Nothing arrived for ${idleTimeout / 1000} s.`);
	if (end === 'overdue')
		return truncatedAnswerError('The answer took longer than the total timeout.');
	return truncatedAnswerError(`The connection broke (${messageOf(cause)}).`);
}

/** A request from its sending to the end of its body. */
interface TimedRequest {
	/** Aborting it closes the socket. */
	readonly connection: AbortController;
	readonly startedAt: number;
	/** Milliseconds since 1970 by which the response head has to be in; infinite once it is. */
	headBy: number;
	/** Since when the reader waits, as if it had waited without a break; undefined while it is not waiting. */
	waitingSince: number | undefined;
	/** Milliseconds that the reader has waited for bytes that carried nothing. */
	waited: number;
	/** Whether its reader tells what carries content. Until then, every byte counts as that. */
	hasReader: boolean;
	/** How it ended: completely, by its reader, by Stop or the caller, or by one of the limits. */
	end: 'done' | 'left' | 'stopped' | 'silent' | 'overdue' | undefined;
}

/** Something came that carries content. Before the first call, every byte renews the idle timeout. */
export function hear(request: TimedRequest): void {
	request.hasReader = true;
	request.waited = 0;
}

/** The timeouts of all requests of one execution. */
type RequestTimeouts = ReturnType<typeof createRequestTimeouts>;

/** Milliseconds between two checks at most, so that the timer stops soon after the last request. */
const MAX_SLEEP = 1000;

/** Milliseconds for which a service may still end the body after its reader has left. */
const GRACE_PERIOD = 50;

/** A shared abort reason: without one, each abort creates an error with a stack, which is expensive. */
const REQUEST_ENDED = new Error('The request was ended');

interface TimeoutLimits {
	/** Milliseconds without anything that carries content. */
	idleTimeout: number;
	/** Milliseconds that an answer may take in all. */
	totalTimeout: number;
	/** Aborts when the execution is stopped. */
	stop: AbortSignal | undefined;
}

/**
 * One timer and one listener for Stop for all requests of an execution. A timer and two signals per request would take more time
 * than all the rest of our work, and stay in memory until the limits have passed.
 */
export function createRequestTimeouts({ idleTimeout, totalTimeout, stop }: TimeoutLimits) {
	const inFlight = new Set<TimedRequest>();
	/** Whether the timer runs. */
	let isWatching = false;

	/** Closes the socket, unless the request is done. */
	const end = (request: TimedRequest, how: NonNullable<TimedRequest['end']>) => {
		if (request.end) return;
		request.end = how;
		inFlight.delete(request);
		if (how !== 'done') request.connection.abort(REQUEST_ENDED);
	};

	const endAll = () => {
		for (const request of inFlight) end(request, 'stopped');
	};

	/** Ends requests that have reached a limit. @returns milliseconds until the next one can reach a limit */
	const endOverdue = () => {
		const now = Date.now();
		let next = now + MAX_SLEEP;
		for (const request of inFlight) {
			const silentAt = (request.waitingSince ?? now) + idleTimeout;
			const overdueAt = Math.min(request.startedAt + totalTimeout, request.headBy);
			if (overdueAt <= now) end(request, 'overdue');
			else if (silentAt <= now) end(request, 'silent');
			else next = Math.min(next, silentAt, overdueAt);
		}
		return next - now;
	};

	const watchLimits = async () => {
		isWatching = true;
		stop?.addEventListener('abort', endAll);
		// a request that begins during the sleep cannot reach a limit before the earlier ones
		while (inFlight.size) await sleep(endOverdue());
		stop?.removeEventListener('abort', endAll);
		isWatching = false;
	};

	return {
		idleTimeout,
		/** @param headBy Milliseconds since 1970 by which the response head has to be in. */
		begin(headBy = Infinity) {
			const request = newRequest(headBy);
			inFlight.add(request);
			if (stop?.aborted) end(request, 'stopped');
			else if (!isWatching) void watchLimits();
			return request;
		},
		end,
	};
}

const newRequest = (headBy: number): TimedRequest => ({
	connection: new AbortController(),
	startedAt: Date.now(),
	headBy,
	waitingSince: undefined,
	waited: 0,
	hasReader: false,
	end: undefined,
});

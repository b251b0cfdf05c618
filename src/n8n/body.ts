import { sleep } from 'n8n-workflow';

import { cut, ServiceError } from '../service/errors';

interface Limits {
	/** Aborting it closes the socket. */
	connection: AbortController;
	/** Milliseconds without a single byte. */
	silenceLimit: number;
	/** Fires when the whole answer has taken too long. */
	total: AbortSignal;
	/** Fires when the execution is stopped. */
	stop: AbortSignal | undefined;
}

/** Milliseconds that a connection has to end by itself once its reader has left. */
const GRACE = 50;

/** A reason of one's own: without one, each abort makes an error with a stack, which is dear. */
const LEFT = new Error('The reader has left');

/**
 * Passes a body on, and ends its connection after too long a silence or when its reader leaves.
 *
 * Without redirects n8n's `timeout` ends with the response head, and destroying a body does not close the socket of a silent
 * service: only an abort does. Time that the reader takes does not count as silence.
 *
 * @throws ServiceError `cut`, or `stopped` after Stop.
 */
export function watchedBody(
	body: AsyncIterable<Uint8Array>,
	limits: Limits,
): AsyncIterableIterator<Uint8Array> {
	const bytes = watched(body, limits);
	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		next: async () => await bytes.next(),
		async return() {
			// A service that has said its last word ends by itself, and to abort a connection costs more than all the rest of a
			// request. A generator that was never begun would leave it open: hence not by `bytes.return` alone.
			const grace = new AbortController();
			const next = Promise.race([bytes.next(), sleep(GRACE, grace.signal)]);
			const last = await next.catch(() => undefined);
			grace.abort(LEFT);
			if (!last?.done) limits.connection.abort(LEFT);
			return await bytes.return(undefined);
		},
	};
}

async function* watched(
	body: AsyncIterable<Uint8Array>,
	{ connection, silenceLimit, total, stop }: Limits,
): AsyncGenerator<Uint8Array, undefined> {
	const bytes = body[Symbol.asyncIterator]();
	const over = new AbortController();
	/** Undefined while the reader is at work. */
	let waitingSince: number | undefined;
	let [silent, ended] = [false, false];

	const watch = async () => {
		for (;;) {
			const left =
				waitingSince === undefined ? silenceLimit : waitingSince + silenceLimit - Date.now();
			if (left <= 0) {
				silent = true;
				return connection.abort();
			}
			await sleep(left, over.signal);
		}
	};
	void watch().catch(() => undefined);

	try {
		for (;;) {
			waitingSince = Date.now();
			const { done, value } = await bytes.next();
			waitingSince = undefined;
			if (done) {
				ended = true;
				return undefined;
			}
			yield value;
		}
	} catch (cause) {
		if (stop?.aborted) throw stopped();
		if (silent) throw cut(`Nothing arrived for ${silenceLimit / 1000} s.`);
		if (total.aborted) throw cut('The answer took longer than the total limit.');
		throw cut(`The connection broke (${cause instanceof Error ? cause.message : String(cause)}).`);
	} finally {
		over.abort(LEFT);
		if (!ended) connection.abort(LEFT);
	}
}

export function stopped(sent?: boolean): ServiceError {
	return new ServiceError(
		'stopped',
		'The execution was stopped',
		sent === undefined ? {} : { sent },
	);
}

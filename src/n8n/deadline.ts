import { sleep } from 'n8n-workflow';

/**
 * Waits, and ends the wait when the signal aborts.
 *
 * @throws the signal's reason.
 */
export async function abortableSleep(
	milliseconds: number,
	signal: AbortSignal | undefined,
): Promise<void> {
	signal?.throwIfAborted();
	await withDeadline(new Promise<never>(() => {}), milliseconds, signal);
	signal?.throwIfAborted();
}

/**
 * Waits for something, for a limited time.
 *
 * n8n's `sleep` takes a signal from n8n-workflow 2.34 on. Before, the timer keeps running, without effect.
 *
 * @param stop Ends the wait when it aborts. One that has aborted before does not.
 * @returns undefined when it did not arrive in time.
 * @throws what the promise throws.
 */
export async function withDeadline<Value>(
	promise: Promise<Value>,
	milliseconds: number,
	stop: AbortSignal | undefined,
): Promise<Value | undefined> {
	const timer = new AbortController();
	let leave = () => {};
	const left = new Promise<undefined>((resolve) => {
		leave = () => {
			resolve(undefined);
			timer.abort(WAIT_ENDED);
		};
	});
	stop?.addEventListener('abort', leave);
	sleep(milliseconds, timer.signal).then(leave, () => {});
	try {
		return await Promise.race([promise, left]);
	} finally {
		stop?.removeEventListener('abort', leave);
		leave();
	}
}

/** A shared abort reason: without one, each abort creates an error with a stack, which is expensive. */
const WAIT_ENDED = new Error('The wait has ended');

import { cut, ServiceError } from '../service/errors';
import type { Watch, Watched } from './watch';

/**
 * Passes a body on, and ends its connection after too long a silence or when its reader leaves.
 *
 * Without redirects n8n's `timeout` ends with the response head, and destroying a body does not close the socket of a silent
 * service: only an abort does. Time that the reader takes does not count as silence.
 *
 * An iterator by hand: as a generator it would take three times as long for every chunk.
 *
 * @throws ServiceError `cut`, or `stopped` after Stop.
 */
export function watchedBody(
	body: AsyncIterable<Uint8Array>,
	request: Watched,
	watch: Watch,
): AsyncIterableIterator<Uint8Array> {
	const bytes = body[Symbol.asyncIterator]();

	const next = async (): Promise<IteratorResult<Uint8Array>> => {
		if (request.end === 'done' || request.end === 'left') return DONE;
		request.waitingSince = Date.now();
		try {
			const result = await bytes.next();
			request.waitingSince = undefined;
			if (result.done) watch.end(request, 'done');
			return result;
		} catch (cause) {
			const failure = whyCut(cause, request, watch);
			watch.end(request, 'left');
			throw failure;
		}
	};

	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		next,
		async return() {
			if (!request.end) {
				// A service that has said its last word ends by itself, and to abort a connection costs more than all the rest of a
				// request.
				const last = next().catch(() => undefined);
				await Promise.race([last, watch.grace()]);
				watch.end(request, 'left');
			}
			return DONE;
		},
	};
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

function whyCut(cause: unknown, { end }: Watched, watch: Watch): ServiceError {
	if (watch.isStopped()) return stopped();
	if (end === 'silent') return cut(`Nothing arrived for ${watch.silenceLimit / 1000} s.`);
	if (end === 'overdue') return cut('The answer took longer than the total limit.');
	return cut(`The connection broke (${cause instanceof Error ? cause.message : String(cause)}).`);
}

export function stopped(sent?: boolean): ServiceError {
	return new ServiceError(
		'stopped',
		'The execution was stopped',
		sent === undefined ? {} : { sent },
	);
}

import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

import { isAct, pieces, type Act, type Answer, type Piece } from './answer.ts';

export interface Wire {
	response: ServerResponse;
	/** Aborted once the connection is closed, by whichever side. */
	closed: AbortSignal;
	/** Sends an RST. */
	reset(): void;
	/** Resolves when answers that are held may go on, or the connection is closed. */
	released(): Promise<void>;
	/** Called just before the server itself breaks the connection. */
	breaking(): void;
}

/** Writes one answer; ends as soon as the connection is closed. */
export async function send(answer: Answer, wire: Wire) {
	const { response, closed } = wire;
	for (const act of answer.before ?? []) if (await perform(act, wire)) return;
	if (closed.aborted) return;
	if (answer.raw !== undefined) {
		wire.breaking();
		response.socket?.end(answer.raw);
		return;
	}
	if (answer.hints) response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
	const known = typeof answer.body === 'string' || Buffer.isBuffer(answer.body);
	const headers = { ...answer.headers };
	if (known && answer.status !== 204) {
		headers['content-length'] ??= String(Buffer.byteLength(answer.body as string | Buffer));
	}
	if (answer.trailers) headers.trailer = Object.keys(answer.trailers).join(', ');
	response.writeHead(answer.status, headers);
	response.flushHeaders();
	if (!(await sendBody(answer, wire))) return;
	if (answer.trailers) response.addTrailers(answer.trailers);
	response.end();
}

/** @returns whether the end of the body is to be sent. */
async function sendBody(answer: Answer, wire: Wire) {
	const { response, closed } = wire;
	const body = pieces(answer.body)[Symbol.asyncIterator]();
	// not Promise.race: a stream of a million pieces would leave a million reactions on one promise
	let leave: () => void = () => undefined;
	closed.addEventListener('abort', () => leave(), { once: true });
	for (;;) {
		const next = await new Promise<IteratorResult<Piece>>((resolve, reject) => {
			leave = () => resolve({ done: true, value: undefined });
			body.next().then(resolve, reject);
		});
		if (closed.aborted) {
			// what still waits in there waits for `closed` too, so this ends
			void body.return(undefined).catch(() => undefined);
			return false;
		}
		if (next.done) return true;
		if (isAct(next.value)) {
			if (await perform(next.value, wire)) return false;
		} else if (next.value.length && !response.write(next.value)) {
			await new Promise<void>((resolve) => {
				leave = resolve;
				response.once('drain', resolve);
			});
		}
	}
}

/** @returns whether the answer is over. */
async function perform(act: Act, wire: Wire) {
	if ('wait' in act) {
		await wait(act.wait, undefined, { ref: false, signal: wire.closed }).catch(() => undefined);
		return wire.closed.aborted;
	}
	if (act.act === 'silence') return true;
	if (act.act === 'hold') {
		await wire.released();
		return wire.closed.aborted;
	}
	// what was written must be with the client first: an RST discards what it has not read
	await wait(20);
	if (wire.closed.aborted) return true;
	wire.breaking();
	if (act.act === 'reset') wire.reset();
	else wire.response.socket?.end();
	return true;
}

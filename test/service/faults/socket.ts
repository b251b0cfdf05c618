import { holding, isAct, pieces, type Act, type Answer, type Piece } from '../answer.ts';
import type { Fault, MalformedHttp } from './fault.ts';

/** Faults of the connection. */
export function socketFault(answer: Answer, fault: Fault): Answer | undefined {
	switch (fault.type) {
		case 'latency':
			return before(answer, { wait: fault.ms });
		case 'timeout':
			return fault.bytes === undefined
				? before(answer, { act: 'silence' })
				: limited(answer, fault.bytes, { act: 'silence' });
		case 'hold':
			return before(answer, { act: 'hold' });
		case 'reset_unread':
			return before(answer, { act: 'reset' });
		case 'reset_peer':
			return fault.bytes === undefined
				? before(answer, { act: 'reset' })
				: limited(answer, fault.bytes, { act: 'reset' });
		case 'down':
			return before(answer, { act: 'fin' });
		case 'limit_data':
			return limited(answer, fault.bytes, { act: 'fin' });
		case 'slicer':
			return { ...kept(answer), body: sliced(answer.body, fault.bytes, fault.pause ?? 1) };
		case 'malformed_http':
			return { ...answer, raw: MALFORMED[fault.kind] };
		case 'early_hints':
			return { ...answer, hints: true };
		case 'trailers':
			// trailers need a chunked body
			return { ...holding(answer, pieces(answer.body)), trailers: { 'x-trailer': 'late' } };
		case 'content_length': {
			const size = Number(kept(answer).headers['content-length'] ?? 0);
			const headers = { ...answer.headers, 'content-length': String(size + fault.add) };
			return { ...answer, headers, body: followed(answer.body, { act: 'fin' }) };
		}
		default:
			return undefined;
	}
}

const MALFORMED: Record<MalformedHttp, string> = {
	duplicate_content_length: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}',
	// Node's limit for a head is 16 KiB
	header_overflow: `HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(70_000)}\r\ncontent-length: 2\r\n\r\n{}`,
	garbage: 'this is not HTTP\r\n\r\n',
	bad_header: 'HTTP/1.1 200 OK\r\nno colon here\r\ncontent-length: 2\r\n\r\n{}',
};

const before = (answer: Answer, act: Act): Answer => ({
	...answer,
	before: [...(answer.before ?? []), act],
});

/** A body of known length keeps its content-length, so that a cut is a cut. */
function kept(answer: Answer): Answer {
	if (typeof answer.body !== 'string' && !Buffer.isBuffer(answer.body)) return answer;
	const length = String(Buffer.byteLength(answer.body));
	return { ...answer, headers: { 'content-length': length, ...answer.headers } };
}

const limited = (answer: Answer, bytes: number, act: Act): Answer => ({
	...kept(answer),
	body: firstBytes(answer.body, bytes, act),
});

async function* firstBytes(body: Answer['body'], bytes: number, act: Act): AsyncGenerator<Piece> {
	let left = bytes;
	if (left > 0) {
		for await (const piece of pieces(body)) {
			if (isAct(piece)) {
				yield piece;
				continue;
			}
			const part = Buffer.from(piece).subarray(0, left);
			left -= part.length;
			yield part;
			if (left === 0) break;
		}
	}
	yield act;
}

async function* sliced(body: Answer['body'], bytes: number, pause: number): AsyncGenerator<Piece> {
	for await (const piece of pieces(body)) {
		if (isAct(piece)) {
			yield piece;
			continue;
		}
		const whole = Buffer.from(piece);
		for (let at = 0; at < whole.length; at += bytes) {
			yield whole.subarray(at, at + bytes);
			// without a pause TCP joins the slices again
			yield { wait: pause };
		}
	}
}

async function* followed(body: Answer['body'], act: Act): AsyncGenerator<Piece> {
	yield* pieces(body);
	yield act;
}

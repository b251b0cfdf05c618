import { holding, isAct, pieces, type Act, type Answer, type Piece } from '../answer.ts';
import type { Faults, MalformedHttp } from './fault.ts';

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
function kept(answer: Answer) {
	if (typeof answer.body !== 'string' && !Buffer.isBuffer(answer.body)) return answer;
	const length = String(Buffer.byteLength(answer.body));
	return { ...answer, headers: { 'content-length': length, ...answer.headers } };
}

/** After so many bytes, or before the head. */
const cut = (answer: Answer, bytes: number | undefined, act: Act): Answer =>
	bytes === undefined
		? before(answer, act)
		: { ...kept(answer), body: firstBytes(answer.body, bytes, act) };

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

/** Faults of the connection. */
export const socketFaults = {
	latency: (answer, { ms }) => before(answer, { wait: ms }),
	timeout: (answer, { bytes }) => cut(answer, bytes, { act: 'silence' }),
	hold: (answer) => before(answer, { act: 'hold' }),
	reset_unread: (answer) => before(answer, { act: 'reset' }),
	reset_peer: (answer, { bytes }) => cut(answer, bytes, { act: 'reset' }),
	down: (answer) => before(answer, { act: 'fin' }),
	limit_data: (answer, { bytes }) => cut(answer, bytes, { act: 'fin' }),
	slicer: (answer, { bytes, pause = 1 }) => ({
		...kept(answer),
		body: sliced(answer.body, bytes, pause),
	}),
	malformed_http: (answer, { kind }) => ({ ...answer, raw: MALFORMED[kind] }),
	early_hints: (answer) => ({ ...answer, hints: true }),
	// trailers need a chunked body
	trailers: (answer) => ({
		...holding(answer, pieces(answer.body)),
		trailers: { 'x-trailer': 'late' },
	}),
	content_length(answer, { add }) {
		const size = Number(kept(answer).headers['content-length'] ?? 0);
		const headers = { ...answer.headers, 'content-length': String(size + add) };
		return { ...answer, headers, body: followed(answer.body, { act: 'fin' }) };
	},
} satisfies Partial<Faults>;

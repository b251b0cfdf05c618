/** What the socket does in place of sending the next bytes. */
export type Act =
	| { act: 'fin' }
	| { act: 'reset' }
	| { act: 'silence' }
	| { act: 'hold' }
	| { wait: number };

/** Bytes of a body, or something that happens between them. */
export type Piece = string | Buffer | Act;

/**
 * One answer as data, so that a fault is a function from answer to answer.
 *
 * A body of known length is sent with `content-length`, an iterable one chunked.
 */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: string | Buffer | AsyncIterable<Piece>;
	/** Happens before the head is sent. */
	before?: Act[];
	/** Bytes for the socket in place of any HTTP answer; the connection is closed after them. */
	raw?: string | Buffer;
	/** Sends a 103 (early hints) before the head. */
	hints?: boolean;
	trailers?: Record<string, string>;
}

export const json = (
	body: unknown,
	status = 200,
	headers: Record<string, string> = {},
): Answer => ({
	status,
	headers: { 'content-type': 'application/json', ...headers },
	body: JSON.stringify(body),
});

export const text = (body: string, status = 200, type = 'text/plain; charset=utf-8'): Answer => ({
	status,
	headers: { 'content-type': type },
	body,
});

export const stream = (body: AsyncIterable<Piece>, type = 'text/event-stream'): Answer => ({
	status: 200,
	headers: { 'content-type': type, 'cache-control': 'no-cache' },
	body,
});

/** One server-sent event with a data line only. */
export const data = (value: unknown) =>
	`data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;

/** One named server-sent event. */
export const event = (name: string, value: unknown) => `event: ${name}\n${data(value)}`;

export const isAct = (piece: Piece): piece is Act =>
	typeof piece === 'object' && !Buffer.isBuffer(piece);

/** The answer with another body; a length that was given for the old one is dropped. */
export function holding(answer: Answer, body: Answer['body']): Answer {
	const headers = { ...answer.headers };
	delete headers['content-length'];
	return { ...answer, headers, body };
}

/** Any body as pieces. */
export async function* pieces(body: Answer['body']): AsyncGenerator<Piece> {
	if (typeof body === 'string' || Buffer.isBuffer(body)) {
		if (body.length) yield body;
	} else yield* body;
}

/** The whole body as bytes; acts in it are lost. */
export async function bytesOf(body: Answer['body']): Promise<Buffer> {
	const parts: Buffer[] = [];
	for await (const piece of pieces(body)) if (!isAct(piece)) parts.push(Buffer.from(piece));
	return Buffer.concat(parts);
}

import { constants, createGzip, gzipSync } from 'node:zlib';
import { once } from 'node:events';

import { bytesOf, isAct, pieces, type Answer, type Piece } from '../answer.ts';
import type { Fault } from './fault.ts';

const LOGIN_PAGE =
	'<!DOCTYPE html>\n<html><head><title>Sign in</title></head>' +
	'<body><form action="/login"><input name="password"></form></body></html>\n';

/** Faults of what the body holds. */
export async function bodyFault(answer: Answer, fault: Fault): Promise<Answer | undefined> {
	switch (fault.type) {
		case 'body':
			return holding(answer, fault.body, fault.contentType);
		case 'malformed_json':
			return holding(answer, '{"id": nonsense, ]', 'application/json');
		case 'cut_json': {
			const whole = await bytesOf(answer.body);
			return holding(answer, whole.subarray(0, fault.bytes ?? Math.floor(whole.length / 2)));
		}
		case 'deep_json':
			return holding(answer, '['.repeat(fault.depth) + ']'.repeat(fault.depth), 'application/json');
		case 'login_page':
			return { ...holding(answer, LOGIN_PAGE, 'text/html; charset=utf-8'), status: 200 };
		case 'replace': {
			const whole = (await bytesOf(answer.body)).toString();
			return holding(answer, whole.replaceAll(fault.find, fault.with));
		}
		case 'gzip':
			return {
				...answer,
				headers: { ...answer.headers, 'content-encoding': 'gzip' },
				body:
					typeof answer.body === 'string' || Buffer.isBuffer(answer.body)
						? gzipSync(answer.body)
						: gzipped(answer.body),
			};
		case 'bomb':
			return fault.gzip
				? {
						...holding(answer, gzipSync(Buffer.alloc(fault.bytes, ' '))),
						headers: { ...answer.headers, 'content-encoding': 'gzip' },
					}
				: { ...answer, body: blanks(fault.bytes) };
		default:
			return undefined;
	}
}

function holding(answer: Answer, body: string | Buffer, type?: string): Answer {
	const headers = { ...answer.headers };
	delete headers['content-length'];
	if (type !== undefined) headers['content-type'] = type;
	return { ...answer, headers, body };
}

/** Each piece is flushed, so that a compressed stream stays a stream. */
async function* gzipped(body: AsyncIterable<Piece>): AsyncGenerator<Piece> {
	const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
	for await (const piece of pieces(body)) {
		if (isAct(piece)) {
			yield piece;
			continue;
		}
		gzip.write(piece);
		await once(gzip, 'readable');
		const part = gzip.read() as Buffer | null;
		if (part) yield part;
	}
	gzip.end();
	for await (const part of gzip) yield part as Buffer;
}

async function* blanks(bytes: number): AsyncGenerator<Piece> {
	const block = Buffer.alloc(65_536, ' ');
	for (let left = bytes; left > 0; left -= block.length) yield block.subarray(0, left);
}

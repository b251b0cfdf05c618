import { constants, createGzip, gzipSync } from 'node:zlib';
import { once } from 'node:events';

import { bytesOf, holding, isAct, pieces, type Answer, type Piece } from '../answer.ts';
import type { Fault } from './fault.ts';

const LOGIN_PAGE =
	'<!DOCTYPE html>\n<html><head><title>Sign in</title></head>' +
	'<body><form action="/login"><input name="password"></form></body></html>\n';

/** Faults of what the body holds. */
export async function bodyFault(answer: Answer, fault: Fault): Promise<Answer | undefined> {
	switch (fault.type) {
		case 'body': {
			const held = holding(answer, fault.body);
			return fault.contentType === undefined ? held : typed(held, fault.contentType);
		}
		case 'malformed_json':
			return typed(holding(answer, '{"id": nonsense, ]'), 'application/json');
		case 'cut_json': {
			const whole = await bytesOf(answer.body);
			return holding(answer, whole.subarray(0, fault.bytes ?? Math.floor(whole.length / 2)));
		}
		case 'deep_json': {
			const deep = '['.repeat(fault.depth) + ']'.repeat(fault.depth);
			return typed(holding(answer, deep), 'application/json');
		}
		case 'login_page':
			return { ...typed(holding(answer, LOGIN_PAGE), 'text/html; charset=utf-8'), status: 200 };
		case 'replace': {
			const whole = (await bytesOf(answer.body)).toString();
			return holding(answer, whole.replaceAll(fault.find, fault.with));
		}
		case 'gzip':
			return compressed(
				holding(
					answer,
					typeof answer.body === 'string' || Buffer.isBuffer(answer.body)
						? gzipSync(answer.body)
						: gzipped(answer.body),
				),
			);
		case 'bomb':
			return fault.gzip
				? compressed(holding(answer, gzipSync(Buffer.alloc(fault.bytes, ' '))))
				: holding(answer, blanks(fault.bytes));
		default:
			return undefined;
	}
}

const typed = (answer: Answer, type: string): Answer => ({
	...answer,
	headers: { ...answer.headers, 'content-type': type },
});

const compressed = (answer: Answer): Answer => ({
	...answer,
	headers: { ...answer.headers, 'content-encoding': 'gzip' },
});

/** Each piece is flushed, so that a compressed stream stays a stream. */
async function* gzipped(body: AsyncIterable<Piece>): AsyncGenerator<Piece> {
	const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
	let ready: Buffer[] = [];
	gzip.on('data', (part: Buffer) => ready.push(part));
	const taken = async () => {
		// what a write gave is told a tick later
		await new Promise((resolve) => setImmediate(resolve));
		const part = Buffer.concat(ready);
		ready = [];
		return part;
	};
	for await (const piece of pieces(body)) {
		if (isAct(piece)) {
			yield piece;
			continue;
		}
		await new Promise((resolve) => gzip.write(piece, resolve));
		yield await taken();
	}
	gzip.end();
	await once(gzip, 'end');
	yield await taken();
}

async function* blanks(bytes: number): AsyncGenerator<Piece> {
	const block = Buffer.alloc(65_536, ' ');
	for (let left = bytes; left > 0; left -= block.length) yield block.subarray(0, left);
}

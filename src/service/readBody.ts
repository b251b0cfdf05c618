import { explained, withDetails, type ServiceError } from './errors';
import { garbled, refused, requestIdOf } from './refusals';
import { isRefusal, type HttpResponse } from './http';
import { parseJson } from './json';

/** A JSON body may not be larger than this many bytes. 10,000 catalog entries take about 4 MiB. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

/** How much of an error's body is read; what follows is of no use to anybody. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Reads a whole JSON body.
 *
 * @throws ServiceError `refused` for any status but 2xx, `garbled` for a body that is not JSON or is larger than 64 MiB.
 */
export async function readJson(response: HttpResponse): Promise<unknown> {
	if (isRefusal(response)) throw await readRefusal(response);
	const text = await readText(response, MAX_JSON_BYTES);
	try {
		return parseJson(text);
	} catch {
		throw garbled(response, text);
	}
}

/** Reads what the service says of a request that it refused. Never throws: a body that breaks off is read as far as it came. */
export async function readRefusal(response: HttpResponse): Promise<ServiceError> {
	let text = '';
	try {
		for await (const piece of decoded(response.body)) {
			text += piece;
			if (text.length > MAX_ERROR_BYTES) break;
		}
	} catch {
		// the status alone tells enough
	}
	return refused(response, text);
}

/** @throws ServiceError `garbled` when the body is larger than `maxBytes`; any failure has the request ID. */
export async function readText(response: HttpResponse, maxBytes = MAX_JSON_BYTES): Promise<string> {
	const pieces: string[] = [];
	let length = 0;
	try {
		for await (const piece of decoded(response.body)) {
			length += piece.length;
			if (length > maxBytes) throw garbled(response, `more than ${maxBytes / 1024 / 1024} MiB`);
			pieces.push(piece);
		}
	} catch (cause) {
		throw explained(cause, (error) => withDetails(error, requestIdOf(response.headers)));
	}
	return pieces.join('');
}

/**
 * Decodes UTF-8 as it arrives. A character may be split anywhere; a byte order mark at the start is dropped.
 *
 * An iterator by hand, since every token of a streamed answer passes here: a generator would take twice as long.
 */
export function decoded(body: AsyncIterable<Uint8Array>): AsyncIterableIterator<string> {
	const bytes = body[Symbol.asyncIterator]();
	const decoder = new TextDecoder();
	let ended = false;
	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		async next() {
			if (ended) return { done: true, value: undefined };
			const result = await bytes.next();
			if (!result.done)
				return { done: false, value: decoder.decode(result.value, { stream: true }) };
			ended = true;
			return { done: false, value: decoder.decode() };
		},
		async return() {
			ended = true;
			await bytes.return?.();
			return { done: true, value: undefined };
		},
	};
}

/**
 * Reads on until it can be seen what a body begins with, and gives the body back untouched. One that breaks off before begins
 * with nothing, and breaks off when it is read.
 *
 * @returns `first`, the first character that is no blank; nothing where there is none.
 */
export async function peeked(
	body: HttpResponse['body'],
): Promise<{ first: string; body: AsyncIterableIterator<Uint8Array> }> {
	const bytes = body[Symbol.asyncIterator]();
	const read: Array<Promise<IteratorResult<Uint8Array>>> = [];
	let first = '';
	while (!first) {
		const result = bytes.next();
		read.push(result);
		const { done, value } = await result.catch(() => ({ done: true, value: undefined }));
		if (done || !value) break;
		const at = value.find((byte) => !BLANK.has(byte));
		if (at !== undefined) first = String.fromCharCode(at);
	}
	return {
		first,
		body: {
			[Symbol.asyncIterator]() {
				return this;
			},
			next: async () => await (read.shift() ?? bytes.next()),
			async return() {
				await bytes.return?.();
				return { done: true, value: undefined };
			},
		},
	};
}

/** White space, and the bytes of a byte order mark. */
const BLANK = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);

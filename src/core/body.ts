import {
	malformedResponseError,
	refusedRequestError,
	getRequestId,
	isWebPage,
	extractPageText,
} from './errorResponses';
import { mapServiceError, withDetails, type ServiceError, truncatedAnswerError } from './errors';
import { extractText } from './extractText';
import { isErrorResponse, type HttpResponse } from './http';
import { parseJson, isPlainObject, tryParseJson } from './json';

/** Limit for an answer, and for rows of the job ledger. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Limit for a JSON body, which takes many times its size once it is parsed. 10,000 catalog entries take about 4 MiB. */
export const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** Characters of an error response that are read. */
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Reads a JSON body.
 *
 * @throws ServiceError `refused` for any status but 2xx, `malformed` for a body that is not JSON or is larger.
 */
export async function readJson(
	response: HttpResponse,
	maxBytes = MAX_JSON_BYTES,
): Promise<unknown> {
	const { value } = await readSizedJson(response, maxBytes);
	return value;
}

/** Reads a JSON body, and says how many characters it has. @throws as `readJson`. */
export async function readSizedJson(
	response: HttpResponse,
	maxBytes: number,
): Promise<{ value: unknown; size: number }> {
	if (isErrorResponse(response)) throw await readErrorResponse(response);
	const text = await readText(response, maxBytes);
	try {
		return { value: parseJson(text), size: text.length };
	} catch {
		throw malformedResponseError(response, text);
	}
}

/** Reads the response to a request that was refused. Never throws: of a body that breaks off, the beginning is used. */
export async function readErrorResponse(response: HttpResponse): Promise<ServiceError> {
	let text = '';
	try {
		for await (const chunk of decodeBody(response.body, response.headers['content-type'])) {
			text += chunk;
			if (text.length > MAX_ERROR_BYTES) break;
		}
	} catch {
		// the status is enough
	}
	return refusedRequestError(response, text);
}

/** @throws ServiceError `malformed` for a body larger than `maxBytes`; every failure has the request ID. */
export async function readText(
	response: HttpResponse,
	maxBytes = MAX_ANSWER_BYTES,
	chunks: AsyncIterable<string> = decodeBody(response.body, response.headers['content-type']),
): Promise<string> {
	const parts: string[] = [];
	let length = 0;
	try {
		for await (const chunk of chunks) {
			length += chunk.length;
			if (length > maxBytes)
				throw malformedResponseError(response, `more than ${maxBytes / 1024 / 1024} MiB`);
			parts.push(chunk);
		}
	} catch (cause) {
		throw mapServiceError(cause, (error) => withDetails(error, getRequestId(response.headers)));
	}
	return parts.join('');
}

/** The decoded text of a body as it arrives. */
export interface BodyText extends AsyncIterableIterator<string> {
	/** The beginning of what has arrived, for error details. */
	received(): string;
}

/**
 * Decodes a body as it arrives.
 *
 * A hand-written iterator, since every token of a streamed answer passes through it: a generator takes twice as long.
 */
export function decodeBody(body: AsyncIterable<Uint8Array>, contentType?: string): BodyText {
	const byteChunks = body[Symbol.asyncIterator]();
	const decode = createDecoder(contentType);
	let receivedText = '';
	let ended = false;
	const remember = (value: string) => {
		if (receivedText.length < MAX_PARTIAL_LENGTH) receivedText += value;
		return { done: false as const, value };
	};
	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		async next() {
			if (ended) return { done: true, value: undefined };
			const result = await byteChunks.next();
			if (!result.done) return remember(decode(result.value));
			ended = true;
			return remember(decode());
		},
		async return() {
			ended = true;
			await byteChunks.return?.();
			return { done: true, value: undefined };
		},
		received: () => receivedText.slice(0, MAX_PARTIAL_LENGTH),
	};
}

/** Single-byte character sets, which some services declare but do not use. */
const SINGLE_BYTE_CHARSETS = /^(iso-?8859|windows-?125|latin|l[1-9]$|cp125|us-ascii|ascii)/i;

/** Decodes one chunk after another. Called without a chunk at the end, it returns the rest. */
type ChunkDecoder = (chunk?: Uint8Array) => string;

/**
 * Creates a decoder for the character set of a `Content-Type`, or for UTF-8 if it names none that is known. Characters may be
 * split between chunks; byte order marks at the start are dropped.
 *
 * A declared single-byte character set is only used once there are bytes that are not UTF-8.
 */
function createDecoder(contentType = ''): ChunkDecoder {
	const [, charset = 'utf-8'] = /charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType) ?? [];
	return stripByteOrderMarks(
		SINGLE_BYTE_CHARSETS.test(charset)
			? createDetectingDecoder(charset)
			: createStreamDecoder(createTextDecoder(charset)),
	);
}

function createStreamDecoder(decoder: InstanceType<typeof TextDecoder>): ChunkDecoder {
	return (chunk) => (chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode());
}

function createTextDecoder(charset: string) {
	try {
		return new TextDecoder(charset);
	} catch {
		return new TextDecoder();
	}
}

/** Decodes ASCII until the first other byte, which decides between UTF-8 and the declared character set. */
function createDetectingDecoder(charset: string): ChunkDecoder {
	let decode: ChunkDecoder | undefined;
	/** Bytes that may be an incomplete character; the next chunk decides. */
	let pending = new Uint8Array();
	return (chunk) => {
		if (decode) return decode(chunk);
		const bytes = concatBytes(pending, chunk);
		const first = bytes.findIndex((byte) => byte >= 0x80);
		const detected = first >= 0 && detectCharset(bytes.subarray(first), charset, !chunk);
		if (detected) {
			decode = createStreamDecoder(createTextDecoder(detected));
			return decode(bytes) + (chunk ? '' : decode());
		}
		const ascii = first < 0 ? bytes : bytes.subarray(0, first);
		pending = bytes.slice(ascii.length);
		return new TextDecoder().decode(ascii);
	};
}

/** @returns undefined if more bytes are needed. */
function detectCharset(bytes: Uint8Array, declared: string, isEnd: boolean): string | undefined {
	try {
		const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
		if (text) return 'utf-8';
		return isEnd ? declared : undefined;
	} catch {
		return declared;
	}
}

function concatBytes(first: Uint8Array, second: Uint8Array = new Uint8Array()): Uint8Array {
	if (!first.length) return second;
	const joined = new Uint8Array(first.length + second.length);
	joined.set(first);
	joined.set(second, first.length);
	return joined;
}

/** `TextDecoder` drops one byte order mark; some services send two. */
function stripByteOrderMarks(decode: ChunkDecoder): ChunkDecoder {
	let remainingMarks = MAX_BYTE_ORDER_MARKS;
	return (chunk) => {
		let text = decode(chunk);
		if (!remainingMarks || !text) return text;
		while (remainingMarks && text.charCodeAt(0) === BYTE_ORDER_MARK) {
			text = text.slice(1);
			remainingMarks--;
		}
		if (text) remainingMarks = 0;
		return text;
	};
}

const BYTE_ORDER_MARK = 0xfeff;
const MAX_BYTE_ORDER_MARKS = 8;

/** Characters of a body that an error keeps. */
const MAX_PARTIAL_LENGTH = 100_000;

/**
 * What arrived of an answer, for error details: parsed if it is complete JSON, the text of a web page, otherwise the body.
 *
 * @returns undefined if nothing arrived.
 */
function parsePartialBody(received: string, type = ''): unknown {
	if (!received.trim()) return undefined;
	if (isWebPage(received, type)) return extractPageText(received);
	return tryParseJson(received.trim()) ?? received;
}

/** The readable text in a body of an unexpected format; empty if there is none. */
function extractPartialText(body: unknown): string {
	if (typeof body !== 'string') return extractText(body) ?? '';
	// truncated JSON, or an event stream without content, is not a readable text
	return /^\s*([[{<"]|(data|event|id|retry)\s*:|:)/.test(body) || isFieldNamePrefix(body.trim())
		? ''
		: body;
}

const isFieldNamePrefix = (text: string) =>
	['data', 'event', 'retry', 'id'].some((field) => field.startsWith(text));

/** Adds the body that arrived to an error, beside the partial answer that was built from it. */
export function withPartialBody(
	error: ServiceError,
	{ received, type }: { received: string; type?: string | undefined },
	partial: { text?: string } = {},
): ServiceError {
	const body = parsePartialBody(received, type);
	const existing = { ...partial, ...error.details.partial };
	const hasNothingToAdd = error.kind === 'malformed' || !Object.keys(existing).length;
	if (body === undefined)
		return hasNothingToAdd ? error : withDetails(error, { partial: existing });
	const isPage = isWebPage(received, type);
	const isUnknownFormat = error.kind === 'malformed' && !isPage;
	const text =
		partial.text || (isUnknownFormat ? extractPartialText(body).slice(0, MAX_PARTIAL_LENGTH) : '');
	return withDetails(error, { partial: { ...existing, ...('text' in partial && { text }), body } });
}

/** The same, but without the body when the partial answer has all of it: the answer was only truncated. */
export function withPartialAnswer(
	error: ServiceError,
	{ received, type }: { received(): string; type: string },
	partial: { text: string },
): ServiceError {
	const isAllInText =
		error.kind === 'truncated' && partial.text !== '' && !hasUnreadableChunk(error);
	if (isAllInText) return withDetails(error, { partial });
	return withPartialBody(error, { received: received(), type }, partial);
}

/** The error for a chunk that cannot be read, or reports an error. The chunk is kept in the details. */
export function unreadableChunkError(reason: string, chunk: unknown): ServiceError {
	const excerpt = typeof chunk === 'string' ? chunk.slice(0, MAX_PARTIAL_LENGTH) : chunk;
	return truncatedAnswerError(reason, { unread: excerpt });
}

/** Whether an error was caused by a chunk that could not be read. */
export const hasUnreadableChunk = ({ details: { partial } }: ServiceError) =>
	isPlainObject(partial) && 'unread' in partial;

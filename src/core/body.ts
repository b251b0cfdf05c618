import {
	asReported,
	malformedResponseError,
	refusedRequestError,
	getRequestId,
	parseErrorBody,
} from './errorResponses';
import { extractPageText, isWebPage } from './webPage';
import {
	cutText,
	mapServiceError,
	withDetails,
	type ServiceError,
	truncatedAnswerError,
} from './errors';
import { extractText } from './extractText';
import { isErrorResponse, type HttpResponse } from './http';
import { parseJson, isPlainObject, tryParseJson } from './json';

/** Limit for an answer, and for rows of the job ledger. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Limit for a JSON body, which takes many times its size once it is parsed. 10,000 catalog entries take about 4 MiB. */
export const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** Characters of an error response that are read. */
const MAX_ERROR_LENGTH = 64 * 1024;

/**
 * Reads a JSON body.
 *
 * @throws ServiceError `refused` for any status other than 2xx, `malformed` for a body that is not JSON or is too large.
 */
export async function readJson(
	response: HttpResponse,
	maxBytes = MAX_JSON_BYTES,
): Promise<unknown> {
	const { value } = await readSizedJson(response, maxBytes);
	return value;
}

/** Reads a JSON body, and returns its length in characters. @throws as `readJson`. */
export async function readSizedJson(response: HttpResponse, maxBytes: number) {
	if (isErrorResponse(response)) throw await readErrorResponse(response);
	const text = await readText(response, maxBytes);
	try {
		return { value: parseJson(text), size: text.length };
	} catch {
		throw malformedResponseError(response, text);
	}
}

/** Reads the response to a request that was refused. Never throws: if the body breaks off, its beginning is used. */
export async function readErrorResponse(response: HttpResponse, decoder = createDecoder(response)) {
	let text = '';
	try {
		for await (const bytes of response.body) {
			text += decoder.decode(bytes);
			if (text.length > MAX_ERROR_LENGTH) break;
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
	decoder = createDecoder(response),
): Promise<string> {
	const parts: string[] = [];
	let length = 0;
	try {
		for await (const bytes of response.body) {
			const text = decoder.decode(bytes);
			length += text.length;
			if (length > maxBytes)
				throw malformedResponseError(response, `more than ${maxBytes / 1024 / 1024} MiB`);
			parts.push(text);
		}
	} catch (cause) {
		throw mapServiceError(cause, (error) => withDetails(error, getRequestId(response.headers)));
	}
	return parts.join('') + decoder.decode();
}

/** Decodes a body as it arrives: as UTF-8, unless the content type names another character set. */
export function createDecoder({ headers }: Pick<HttpResponse, 'headers'>) {
	const decoder = openDecoder(headers['content-type']);
	let received = '';
	return {
		/** @param bytes Undefined at the end. */
		decode(bytes?: Uint8Array): string {
			const text = decoder.decode(bytes, { stream: bytes !== undefined });
			if (received.length < MAX_PARTIAL_LENGTH) received += text;
			return text;
		},
		/** The beginning of what has arrived, for error details. */
		received: () => cutText(received, MAX_PARTIAL_LENGTH),
	};
}

function openDecoder(contentType = '') {
	const [, charset] = /charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType) ?? [];
	try {
		return new TextDecoder(charset);
	} catch {
		return new TextDecoder();
	}
}

/** Characters of a body that an error keeps. */
const MAX_PARTIAL_LENGTH = 100_000;

/**
 * Adds what arrived to an error: the partial answer and, unless all of it is in there because the answer was only truncated, the body.
 * Complete JSON is parsed, and of a web page the text is kept.
 *
 * @param partial What was built from the body.
 */
export function withPartialBody(
	error: ServiceError,
	{ received, type }: { received: string; type?: string | undefined },
	partial: { text?: string } = {},
): ServiceError {
	const isInAnswer = error.kind === 'truncated' && partial.text && !hasUnreadableChunk(error);
	const isPage = isWebPage(received, type);
	const body = isPage ? extractPageText(received) : (tryParseJson(received.trim()) ?? received);
	const isForeign = error.kind === 'malformed' && !isPage && !type?.includes('event-stream');
	const kept = {
		...partial,
		...(partial.text === '' && { text: isForeign ? findPartialText(body) : '' }),
		...error.details.partial,
		...(!isInAnswer && received.trim() && { body }),
	};
	return Object.keys(kept).length ? withDetails(error, { partial: kept }) : error;
}

/** The readable text in a body of an unexpected format; empty if there is none, as in truncated JSON. */
const findPartialText = (body: unknown): string =>
	typeof body === 'string'
		? body.replace(/^\s*[[{<"][^]*$/, '')
		: cutText(extractText(body) ?? '', MAX_PARTIAL_LENGTH);

/** The error for a chunk that cannot be read, or reports an error. The chunk is kept in the details. */
export function unreadableChunkError(reason: string, chunk: unknown): ServiceError {
	const excerpt = typeof chunk === 'string' ? cutText(chunk, MAX_PARTIAL_LENGTH) : chunk;
	return truncatedAnswerError(reason, { unread: excerpt });
}

/** The error for a chunk in which a service reports one. @param details What is known of it. */
export function reportedError(
	service: string,
	error: unknown,
	chunk = error,
	details = parseErrorBody(error),
): ServiceError {
	if (details.reason) return asReported(unreadableChunkError('', chunk), details);
	const words = `The ${service} reported an error without a reason.`;
	return withDetails(unreadableChunkError(words, chunk), details);
}

/** Whether an error was caused by a chunk that could not be read. */
const hasUnreadableChunk = ({ details: { partial } }: ServiceError) =>
	isPlainObject(partial) && 'unread' in partial;

import { garbled, refused, type ServiceError } from './errors';
import { parseJson } from './json';

/**
 * The one thing a protocol client needs from the outside: a way to send a request.
 *
 * The n8n adapter implements it over n8n's request helper, so this folder never touches a socket, a timer or a key.
 * A request ends with the execution that sent it; to end one earlier, leave the loop over its body.
 */
export interface Http {
	/**
	 * Sends one request and resolves as soon as the response head is in.
	 *
	 * @throws ServiceError `unreachable` when no response head arrives, `stopped` when the execution was stopped.
	 */
	send(request: HttpRequest): Promise<HttpResponse>;
}

export interface HttpRequest {
	method: 'GET' | 'POST';
	/** Path below the base address, with a leading slash; every part of it made by `pathSegment`. */
	path: string;
	/** Sent as JSON. */
	body?: object;
	/** What the `Accept` header says. Default `application/json`. */
	accept?: string;
}

export interface HttpResponse {
	/** A redirect is never followed, so 3xx arrives here. */
	status: number;
	/** Names in lower case. */
	headers: Record<string, string | undefined>;
	/**
	 * The body's bytes. Reading fails with `ServiceError` `cut` when the connection breaks or falls silent.
	 * Leaving the loop closes the connection.
	 */
	body: AsyncIterable<Uint8Array>;
	/** Milliseconds without news after which a body is given up. */
	silenceLimit: number;
}

/** A JSON body may not be larger than this many bytes. 10,000 catalog entries take about 4 MiB. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

/** How much of an error's body is read; what follows is of no use to anybody. */
const MAX_ERROR_BYTES = 64 * 1024;

export const isRefusal = ({ status }: HttpResponse) => status < 200 || status >= 300;

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

/** @throws ServiceError `garbled` when the body is larger than `maxBytes`. */
export async function readText(response: HttpResponse, maxBytes = MAX_JSON_BYTES): Promise<string> {
	const pieces: string[] = [];
	let length = 0;
	for await (const piece of decoded(response.body)) {
		length += piece.length;
		if (length > maxBytes) throw garbled(response, `more than ${maxBytes / 1024 / 1024} MiB`);
		pieces.push(piece);
	}
	return pieces.join('');
}

/** Decodes UTF-8 as it arrives. A character may be split anywhere; a byte order mark at the start is dropped. */
export async function* decoded(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	for await (const chunk of body) yield decoder.decode(chunk, { stream: true });
	yield decoder.decode();
}

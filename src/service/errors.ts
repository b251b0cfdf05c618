import { isObject, tryParseJson } from './json';
import type { HttpResponse } from './http';
import { readRetryAfter } from './retryAfter';

/**
 * - `unreachable`: no response head (connection refused, reset, timed out).
 * - `refused`: the service answered with a status other than 2xx; a redirect counts, it is never followed.
 * - `garbled`: the service answered 2xx, in a form that cannot be read.
 * - `cut`: an answer stopped before its end; `partial` holds what arrived.
 * - `unfinished`: a wait ended before what was waited for; it goes on at the service.
 * - `failed`: the service did what was asked and says that it did not work out (a media job that failed, a file that is gone).
 * - `invalid`: refused on our side, before any request.
 * - `stopped`: the execution was stopped while the request was under way.
 */
export type ServiceErrorKind =
	| 'unreachable'
	| 'refused'
	| 'garbled'
	| 'cut'
	| 'failed'
	| 'unfinished'
	| 'invalid'
	| 'stopped';

/** Anything that goes wrong while talking to the service. The message is ours, the service's words are in `details`. */
export class ServiceError extends Error {
	override readonly name = 'ServiceError';
	readonly kind: ServiceErrorKind;
	readonly details: ServiceErrorDetails;

	constructor(kind: ServiceErrorKind, message: string, details: ServiceErrorDetails = {}) {
		super(message, details.cause === undefined ? {} : { cause: details.cause });
		this.kind = kind;
		this.details = details;
	}
}

export interface ServiceErrorDetails {
	/** HTTP status. Absent when no response head arrived. */
	status?: number;
	/** Machine-readable code sent by the router, e.g. `insufficient_balance`. */
	code?: string;
	/** Value of `X-Request-ID`, to be quoted to support. */
	requestId?: string;
	/** The service's own words, or the network's. */
	reason?: string;
	/** What to do about it, in our words: a sentence of its own. */
	advice?: string;
	/** Figures that the router sends with a refusal. */
	meta?: Record<string, unknown>;
	/** Milliseconds that the service asks to wait (`Retry-After`). */
	retryAfter?: number;
	/** Whether the whole request left this machine. Known for `unreachable` only. */
	sent?: boolean;
	/** Sending again cannot help: a certificate, a blocked address, a wrong protocol. */
	permanent?: boolean;
	/** What became of a request that starts work. Set by `outcomeOf` where it is asked for. */
	outcome?: 'not_started' | 'unknown' | 'started';
	/** Ids given by the service before things went wrong, e.g. `{ jobId }`, `{ chatId }`. Never lost. */
	ids?: Record<string, string>;
	/** What arrived of an answer before it was cut. */
	partial?: object;
	cause?: unknown;
}

/** The same error with more said about it. */
export function withDetails(error: ServiceError, more: ServiceErrorDetails): ServiceError {
	const ids = { ...error.details.ids, ...more.ids };
	return new ServiceError(error.kind, error.message, {
		...error.details,
		...more,
		...(Object.keys(ids).length && { ids }),
	});
}

/**
 * For `throw`: the caught error with more said about it, where it is one of ours; anything else as it is.
 *
 * A factory, since n8n's linter forbids to throw what was caught.
 */
export function explained(
	cause: unknown,
	explain: (error: ServiceError) => ServiceError = (error) => error,
): unknown {
	return cause instanceof ServiceError ? explain(cause) : cause;
}

/** Characters of a service's own words that are worth showing. */
const MAX_REASON = 2000;

export function refused({ status, headers }: HttpResponse, body: string): ServiceError {
	const retryAfter = readRetryAfter(headers['retry-after'], Date.now());
	return new ServiceError('refused', refusalSentence(status), {
		status,
		...readEnvelope(body),
		...requestIdOf(headers),
		...(retryAfter !== undefined && { retryAfter }),
	});
}

/** The error that a service reports with status 200: in the body, or in the middle of a stream. */
export function readReportedError(value: unknown): ServiceErrorDetails {
	return readEnvelope(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

export function garbled({ status, headers }: HttpResponse, body: string): ServiceError {
	const html = /^\s*</.test(body);
	return new ServiceError('garbled', 'The service answered in a form that cannot be read', {
		status,
		reason: body ? shortened(body, 200) : 'The answer was empty.',
		...(html && {
			advice: 'This looks like a web page: a login page, a proxy, or a wrong base URL.',
		}),
		...requestIdOf(headers),
	});
}

export function cut(reason: string, partial?: object): ServiceError {
	return new ServiceError('cut', 'The answer stopped before its end', {
		reason,
		...(partial && { partial }),
	});
}

export function invalid(message: string, advice?: string): ServiceError {
	return new ServiceError('invalid', message, advice ? { advice } : {});
}

export function requestIdOf(headers: HttpResponse['headers']): { requestId?: string } {
	const id = headers['x-request-id'];
	return id ? { requestId: shortened(id, 200) } : {};
}

/** What a status other than 2xx means, in our words. */
export function refusalSentence(status: number): string {
	if (status >= 300 && status < 400)
		return `The service sent a redirect (${status}), which is not followed`;
	if (status === 401) return 'The service refused the API key (401)';
	if (status === 402) return 'The balance does not cover this request (402)';
	if (status === 403) return 'The API key may not do this (403)';
	if (status === 404) return 'The service does not know this address or id (404)';
	if (status === 407) return 'The proxy between n8n and the service wants a password (407)';
	if (status === 429) return 'The service is receiving too many requests (429)';
	if (status >= 500) return `The service reported a failure of its own (${status})`;
	return `The service refused the request (${status})`;
}

/**
 * Accepts `{ error: { code, message, meta } }`, `{ code, message, meta }`, `{ error: 'text' }`, `{ detail: 'text' }`,
 * `{ detail: [...] }` and plain text: the specification names `message`, `meta` and `detail`, not what is around them.
 */
function readEnvelope(body: string): ServiceErrorDetails {
	const parsed = tryParseJson(body);
	if (!isObject(parsed)) return body.trim() ? { reason: shortened(body.trim(), MAX_REASON) } : {};
	const inner = isObject(parsed['error']) ? parsed['error'] : parsed;
	const words = [
		inner['message'],
		inner['detail'],
		parsed['message'],
		parsed['detail'],
		parsed['error'],
	];
	const word = words.find((value) => value !== undefined && value !== null && value !== '') ?? body;
	const code = inner['code'] ?? inner['type'];
	return {
		reason: shortened(typeof word === 'string' ? word : JSON.stringify(word), MAX_REASON),
		...((typeof code === 'string' || typeof code === 'number') && {
			code: shortened(String(code), 100),
		}),
		...(isObject(inner['meta']) && { meta: inner['meta'] }),
	};
}

function shortened(text: string, length: number): string {
	return text.length > length ? `${text.slice(0, length)}…` : text;
}

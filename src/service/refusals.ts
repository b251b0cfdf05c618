import { ServiceError, type ServiceErrorDetails } from './errors';
import type { HttpResponse } from './http';
import { isObject, tryParseJson } from './json';
import { readRetryAfter } from './retryAfter';

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

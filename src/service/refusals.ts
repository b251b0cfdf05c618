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
 * Accepts `{ error: { code, message, meta } }`, `{ code, message, meta }`, `{ error: 'text' }`, `{ error: 'code', message }`,
 * `{ detail: 'text' }`, `{ detail: [...] }`, `{ detail: { code, message, meta } }`, `{ errors: [{ ... }] }` and plain text: the
 * specification names `message`, `meta` and `detail`, not what is around them.
 */
function readEnvelope(body: string): ServiceErrorDetails {
	const parsed = tryParseJson(body);
	if (!isObject(parsed)) return body.trim() ? { reason: shortened(body.trim(), MAX_REASON) } : {};
	const { error, errors, detail } = parsed;
	const inner =
		[error, Array.isArray(errors) ? errors[0] : errors, detail].find(isObject) ?? parsed;
	const words = [
		inner['message'],
		inner['detail'],
		parsed['message'],
		parsed['detail'],
		parsed['error'],
	];
	const word = words.find((value) => value !== undefined && value !== null && value !== '') ?? body;
	const code = codeIn([inner['code'], inner['type'], error !== word && error, parsed['code']]);
	const meta = [inner['meta'], parsed['meta']].find(isObject);
	return {
		reason: shortened(typeof word === 'string' ? word : JSON.stringify(word), MAX_REASON),
		...(code && { code: shortened(code, 100) }),
		...(meta && { meta }),
	};
}

/** A word tells more than a number, which often is the status once more. */
function codeIn(values: unknown[]): string | undefined {
	const codes = values.filter((value) => typeof value === 'string' || typeof value === 'number');
	const code = codes.find((value) => value !== '' && Number.isNaN(Number(value))) ?? codes[0];
	return code === undefined ? undefined : String(code);
}

function shortened(text: string, length: number): string {
	return text.length > length ? `${text.slice(0, length)}…` : text;
}

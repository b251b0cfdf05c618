import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';

import { malformedResponseError } from '../core/errorResponses';
import { mapServiceError, ServiceError } from '../core/errors';
import { isErrorResponse, type HttpRequest, type HttpResponse } from '../core/http';
import { hasExactNumber } from '../core/json';
import { resolveRedirect } from '../core/urls';
import { toNetworkError } from './networkErrors';
import { detectCompression, withAbortSignal } from './platform';
import type { Redactor } from './redact';
import type { RequestSettings } from './requestSettings';
import { withTimeouts, createRequestTimeouts } from './timedBody';

export type HttpContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

interface TransportOptions {
	/** Name of the credential type. */
	credential: string;
	/** Its fields. They decide which key a request gets. */
	data: ICredentialDataDecryptedObject;
	/** Paths begin here. */
	baseUrl: string;
	settings: RequestSettings;
	/** Aborts when the execution is stopped. */
	stop: AbortSignal | undefined;
	/** A service may repeat the key in a header, for example in a file name. */
	redact: Pick<Redactor, 'data'>;
	/** Called with every response body. */
	onBody(body: object): void;
}

/**
 * The `Http` port over n8n's request helper. It sends a request once.
 *
 * Redirects are not followed: n8n would send the key to the other host, and repeat a POST. An error status does not throw: n8n
 * would repeat the request after 401. Every request gets its own options object, since n8n modifies it.
 */
export function createN8nHttp(
	n8n: HttpContext,
	{ credential, data, baseUrl, settings, stop, redact, onBody }: TransportOptions,
): { send(request: HttpRequest, headBy?: number): Promise<HttpResponse> } {
	const idleTimeout = settings.idleTimeout * 1000;
	const requests = createRequestTimeouts({
		idleTimeout,
		totalTimeout: settings.totalTimeout * 1000,
		stop,
	});
	const credentialsDecrypted = { id: '', name: '', type: credential, data };
	return {
		async send(
			{ method, path, body, accept = 'application/json', redirectedTo, signal: givenUp },
			headBy = Infinity,
		): Promise<HttpResponse> {
			const { url, sameOrigin } = resolveUrl(baseUrl + path, redirectedTo);
			const request = requests.begin(headBy);
			givenUp?.addEventListener('abort', () => requests.end(request, 'stopped'), { once: true });
			try {
				const options: IHttpRequestOptions = {
					method,
					url,
					headers: { accept, 'accept-encoding': 'identity' },
					...(body && { body, json: true }),
					...(body && hasExactNumber(body) && serializeBody(body, accept)),
					encoding: 'stream',
					returnFullResponse: true,
					ignoreHttpStatusErrors: true,
					disableFollowRedirect: true,
					timeout: idleTimeout,
				};
				const { signal } = request.connection;
				const sent: Promise<N8nResponse> = sameOrigin
					? n8n.helpers.httpRequestWithAuthentication.call(
							withAbortSignal(n8n, signal),
							credential,
							options,
							{ credentialsDecrypted },
						)
					: n8n.helpers.httpRequest({ ...options, abortSignal: signal });
				const response = await sent.then(markCompressed);
				request.headBy = Infinity;
				onBody(response.body);
				const readable: HttpResponse = {
					status: response.statusCode,
					headers: { ...redact.data(response.headers), ...pickLocation(response) },
					body: withTimeouts(response.body, request, requests),
					idleTimeout,
				};
				if (hasUnsupportedEncoding(readable)) throw unsupportedEncodingError(readable);
				return readable;
			} catch (cause) {
				const { end } = request;
				requests.end(request, 'left');
				if (cause instanceof ServiceError) throw mapServiceError(cause);
				throw toNetworkError(cause, {
					isOverdue: end === 'overdue',
					isStopped: end === 'stopped' || stop?.aborted === true,
				});
			}
		},
	};
}

/**
 * Removes the content length of a compressed body: it counts the compressed bytes. To be called as soon as the response is there,
 * without an `await` in between: once a body is decompressed, a truncation can no longer be detected.
 */
function markCompressed({ statusCode, headers, body }: N8nResponse): N8nResponse {
	if (detectCompression(body) === false) return { statusCode, headers, body };
	return { statusCode, headers: { ...headers, 'content-length': undefined }, body };
}

/** axios would copy an object, and sends a text unchanged (axios 1.18.0, lib/core/mergeConfig.js, lib/defaults/index.js:100). */
const serializeBody = (body: object, accept: string) => ({
	body: JSON.stringify(body),
	headers: { accept, 'accept-encoding': 'identity', 'content-type': 'application/json' },
});

/** n8n removes the header of an encoding that it has decoded. */
const hasUnsupportedEncoding = (response: HttpResponse) =>
	!isErrorResponse(response) &&
	/\b(gzip|compress|deflate|br|zstd|dcb|dcz|lz4|lzma|xz|bzip2?)\b/i.test(
		response.headers['content-encoding'] ?? '',
	);

function unsupportedEncodingError(response: HttpResponse): ServiceError {
	const encoding = response.headers['content-encoding'];
	return malformedResponseError(
		response,
		`It is compressed in a way that n8n cannot undo (${encoding}).`,
	);
}

interface N8nResponse {
	statusCode: number;
	headers: HttpResponse['headers'];
	body: AsyncIterable<Uint8Array>;
}

/** Not redacted: a redirect needs the exact address. */
function pickLocation({ headers: { location } }: Pick<HttpResponse, 'headers'>) {
	return location === undefined ? {} : { location };
}

function resolveUrl(address: string, redirectedTo: string | undefined) {
	if (redirectedTo === undefined) return { url: address, sameOrigin: true };
	const target = resolveRedirect(address, redirectedTo);
	if (target) return target;
	throw new ServiceError('refused', 'The service sent a redirect to an address that is not safe', {
		reason: 'It has to begin with https://.',
	});
}

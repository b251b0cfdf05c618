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
import { resolveRedirect } from '../core/urls';
import { toNetworkError } from './networkErrors';
import { withAbortSignal } from './platform';
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
 * would repeat the request after 401.
 */
export function createN8nHttp(
	n8n: HttpContext,
	options: TransportOptions,
): { send(request: HttpRequest, headBy?: number): Promise<HttpResponse> } {
	const { settings, stop, redact, onBody } = options;
	const idleTimeout = settings.idleTimeout * 1000;
	const totalTimeout = settings.totalTimeout * 1000;
	const requests = createRequestTimeouts({ idleTimeout, totalTimeout, stop });
	return {
		async send(request, headBy = Infinity) {
			const timed = requests.begin(headBy);
			const giveUp = () => requests.end(timed, 'stopped');
			request.signal?.addEventListener('abort', giveUp, { once: true });
			try {
				const sent = await sendByN8n(n8n, options, request, timed.connection.signal);
				timed.headBy = Infinity;
				onBody(sent.body);
				const response: HttpResponse = {
					status: sent.statusCode,
					headers: { ...redact.data(sent.headers), ...pickLocation(sent) },
					body: withTimeouts(sent.body, timed, requests),
					idleTimeout,
				};
				rejectEncoded(response);
				return response;
			} catch (cause) {
				const { end } = timed;
				requests.end(timed, 'left');
				if (cause instanceof ServiceError) throw mapServiceError(cause);
				throw toNetworkError(cause, {
					isOverdue: end === 'overdue',
					isStopped: end === 'stopped' || stop?.aborted === true,
				});
			}
		},
	};
}

interface N8nResponse {
	statusCode: number;
	headers: HttpResponse['headers'];
	body: AsyncIterable<Uint8Array>;
}

async function sendByN8n(
	n8n: HttpContext,
	{ credential, data, baseUrl, settings }: TransportOptions,
	{ method, path, body, accept = 'application/json', redirectedTo }: HttpRequest,
	signal: AbortSignal,
): Promise<N8nResponse> {
	const { url, sameOrigin } = resolveUrl(baseUrl + path, redirectedTo);
	// made for each request, because n8n modifies it
	const options: IHttpRequestOptions = {
		method,
		url,
		headers: { accept, 'accept-encoding': 'identity' },
		...(body && { body, json: true }),
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		timeout: settings.idleTimeout * 1000,
	};
	if (!sameOrigin) return await n8n.helpers.httpRequest({ ...options, abortSignal: signal });
	return await n8n.helpers.httpRequestWithAuthentication.call(
		withAbortSignal(n8n, signal),
		credential,
		options,
		{ credentialsDecrypted: { id: '', name: '', type: credential, data } },
	);
}

/** n8n removes the header of an encoding that it has decoded. */
function rejectEncoded(response: HttpResponse): void {
	const encoding = response.headers['content-encoding'] ?? '';
	if (isErrorResponse(response) || !COMPRESSION.test(encoding)) return;
	throw malformedResponseError(
		response,
		`It is compressed in a way that n8n cannot undo (${encoding}).`,
	);
}

const COMPRESSION = /\b(gzip|compress|deflate|br|zstd|dcb|dcz|lz4|lzma|xz|bzip2?)\b/i;

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

import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';

import type { SharedBudget } from '../core/accounts';
import { malformedResponseError } from '../core/errorResponses';
import {
	cancelledError,
	mapServiceError,
	ServiceError,
	type ServiceErrorDetails,
} from '../core/errors';
import { type Http, type HttpRequest, type HttpResponse, isErrorResponse } from '../core/http';
import type { Clock } from '../core/retry';
import { isBelow, joinUrl, resolveRedirect, unsafeRedirectError } from '../core/urls';
import { learnReadable, wasRequestSent, withAbortSignal } from './platform';
import type { Redactor } from './redact';
import type { RequestSettings } from './requestSettings';
import { createRequestTimeouts, hear, withTimeouts, type ReadableBody } from './timedBody';

export type HttpContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

export interface TransportOptions {
	/** Name of the credential type. */
	credential: string;
	/** Its fields. They decide which key a request gets. */
	data: ICredentialDataDecryptedObject;
	/** Paths begin here, after its version. */
	baseUrl: string;
	settings: RequestSettings;
	/** Aborts when the execution is stopped. Without it, requests continue after Stop. */
	stop?: AbortSignal | undefined;
	/** While it is paused, nothing that may cost is sent, not even after a wait. */
	budget?: Pick<SharedBudget, 'check'> | undefined;
	/** A service may repeat the key in a header, for example in a file name. */
	redact: Pick<Redactor, 'data'>;
	/** The time while a body is read. */
	clock: Clock;
}

/**
 * The `Http` port over n8n's request helper. It sends a request once.
 *
 * Redirects are not followed: n8n would send the key to the other host, and repeat a POST. An error status does not throw: n8n
 * would repeat the request after 401.
 */
export function createN8nHttp(n8n: HttpContext, options: TransportOptions): Pick<Http, 'send'> {
	const { settings, stop, budget, redact, clock } = options;
	const idleTimeout = settings.idleTimeout * 1000;
	const totalTimeout = settings.totalTimeout * 1000;
	const requests = createRequestTimeouts({ idleTimeout, totalTimeout, stop });
	const prepare = async ({ method, beforeAttempt, signal }: HttpRequest) => {
		let headBy: number | undefined;
		do {
			headBy = await beforeAttempt?.();
			// after the claim was renewed, which may take as long as a restart of n8n
			if (method === 'POST') await budget?.check();
			// nothing was sent, so the outcome is known
			if (stop?.aborted || signal?.aborted) throw cancelledError(false);
			// so may this check
		} while (headBy !== undefined && headBy <= clock.now());
		return headBy;
	};
	return {
		async send(request) {
			const headBy = await prepare(request);
			const timed = requests.begin(headBy);
			const giveUp = () => requests.end(timed, 'stopped');
			request.signal?.addEventListener('abort', giveUp, { once: true });
			try {
				const sent = await sendByN8n(n8n, options, request, timed.connection.signal).then(
					(answer) => {
						learnReadable(answer.body);
						// at once: what has arrived when a connection breaks is lost where reading has not begun
						return { ...answer, body: withTimeouts(answer.body, timed, requests) };
					},
				);
				timed.headBy = Infinity;
				const { location } = sent.headers;
				const response: HttpResponse = {
					status: sent.statusCode,
					// a redirect needs the exact address
					headers: { ...redact.data(sent.headers), ...(location && { location }) },
					body: sent.body,
					clock,
					hear: () => hear(timed),
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
	body: ReadableBody;
}

function sendByN8n(
	n8n: HttpContext,
	{ credential, data, baseUrl, settings }: TransportOptions,
	{ accept = 'application/json', ...request }: HttpRequest,
	signal: AbortSignal,
): Promise<N8nResponse> {
	const { method, path, fromOrigin, headers, body, redirectedTo, keyPaths } = request;
	const address = fromOrigin ? new URL(baseUrl).origin + path : joinUrl(baseUrl, path);
	const { url, sameOrigin } = resolveUrl(address, redirectedTo);
	const getsKey = keyPaths?.some((each) => isBelow(url, joinUrl(baseUrl, each))) ?? sameOrigin;
	// made for each request, because n8n modifies it
	const options: IHttpRequestOptions = {
		method,
		url,
		headers: { ...headers, accept, 'accept-encoding': 'identity' },
		...(body && { body, json: true }),
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		timeout: settings.idleTimeout * 1000,
	};
	return getsKey
		? n8n.helpers.httpRequestWithAuthentication.call(
				withAbortSignal(n8n, signal),
				credential,
				options,
				{ credentialsDecrypted: { id: '', name: '', type: credential, data } },
			)
		: n8n.helpers.httpRequest({ ...options, abortSignal: signal });
}

/** n8n removes the header of an encoding that it has decoded. */
function rejectEncoded(response: HttpResponse): void {
	const encoding = response.headers['content-encoding'] ?? '';
	if (isErrorResponse(response) || !COMPRESSION.test(encoding)) return;
	throw malformedResponseError(
		response,
		`It is compressed in a format that n8n cannot decompress (${encoding}).`,
	);
}

const COMPRESSION = /\b(gzip|compress|deflate|br|zstd|dcb|dcz|lz4|lzma|xz|bzip2?)\b/i;

function resolveUrl(address: string, redirectedTo: string | undefined) {
	if (redirectedTo === undefined) return { url: address, sameOrigin: true };
	const target = resolveRedirect(address, redirectedTo);
	if (target) return target;
	throw unsafeRedirectError();
}

/** Codes that mean that the service received no readable request. */
const NOT_SENT_CODES =
	/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EPROTO|ERR_INVALID_URL|ERR_TLS_\w+|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|DEPTH_ZERO\w*|SsrfBlocked\w*)$/;
const CERTIFICATE_CODES =
	/^(ERR_TLS_CERT\w*|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|HOSTNAME_MISMATCH)$/;
const WRONG_PROTOCOL_CODES = /^(EPROTO|ERR_SSL_\w+)$/;

/**
 * Explains why no response head arrived, and whether the request was sent.
 *
 * n8n wraps axios' error in a NodeApiError, as its `cause`; where the request itself shows whether it was sent.
 */
export function toNetworkError(
	error: unknown,
	{ isOverdue = false, isStopped = false }: { isOverdue?: boolean; isStopped?: boolean } = {},
): ServiceError {
	const failure = readErrorChain(error);
	const { code, sent, message } = failure;
	if (isStopped) return cancelledError(sent);
	const [sentence, more] = describeFailure(failure, isOverdue);
	return new ServiceError('unreachable', sentence, {
		reason: [message, code && !message.includes(code) && `(${code})`].filter(Boolean).join(' '),
		...(code && { code }),
		...(sent !== undefined && { sent }),
		...more,
	});
}

function describeFailure(
	{ code, name, sent }: ReturnType<typeof readErrorChain>,
	isOverdue: boolean,
): [sentence: string, details?: ServiceErrorDetails] {
	if (sent) return [describeBrokenConnection(code, isOverdue)];
	if (/^SsrfBlocked/.test(name)) {
		const advice =
			'SSRF protection of n8n is on: its admin can add the host to N8N_SSRF_ALLOWED_HOSTNAMES.';
		const details = { sent: false, permanent: true, advice };
		return ['n8n does not allow requests to this address', details];
	}
	if (CERTIFICATE_CODES.test(code)) {
		const advice =
			'Check the base URL. If the certificate is from a private authority, add that to NODE_EXTRA_CA_CERTS of n8n.';
		return [
			'The certificate of the service is not trusted',
			{ sent: false, permanent: true, advice },
		];
	}
	if (WRONG_PROTOCOL_CODES.test(code)) {
		const advice = 'Check http:// or https:// and the port in the base URL of the credential.';
		return [
			'The service does not speak https at this address',
			{ permanent: true, advice, reason: code },
		];
	}
	if (code === 'ECONNREFUSED') {
		const advice =
			'Check the base URL of the credential. In a container, "localhost" is the container itself: use the name or the address of the other machine.';
		return ['The service could not be reached: nothing answers at this address', { advice }];
	}
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
		const advice = 'Check the base URL of the credential and the name server of the n8n machine.';
		return ['The service could not be reached: its host name was not found', { advice }];
	}
	return [describeBrokenConnection(code, isOverdue)];
}

/** For a failure after the connection was established: its address and certificate were accepted. */
function describeBrokenConnection(code: string, isOverdue: boolean): string {
	if (isOverdue) return 'The service did not answer within the total timeout';
	if (code === 'ECONNABORTED' || code === 'ETIMEDOUT') return 'The service did not answer in time';
	if (/^HPE_/.test(code)) return 'The service answered with something that is not HTTP';
	return 'The connection to the service broke before it answered';
}

function readErrorChain(error: unknown) {
	let code = '';
	let name = '';
	let message = '';
	let sent: boolean | undefined;
	let at: unknown = error;
	for (let depth = 0; at instanceof Object && depth < 6; depth++) {
		const link = at as Partial<Record<'code' | 'name' | 'message' | 'cause', unknown>>;
		if (typeof link.code === 'string' && !code) code = link.code;
		if (typeof link.name === 'string' && (!name || /^SsrfBlocked/.test(link.name)))
			name = link.name;
		// the innermost message is the network's own; those around it are n8n's general ones
		if (typeof link.message === 'string' && link.message) message = link.message;
		sent ??= wasRequestSent(at);
		at = link.cause;
	}
	// The code counts only if there is no request that shows it: the kernel also reports EHOSTUNREACH, ENETUNREACH and the like for an
	// established connection, after the service has received everything.
	if (sent === undefined && (NOT_SENT_CODES.test(code) || /^SsrfBlocked/.test(name))) sent = false;
	return { code, name, sent, message };
}

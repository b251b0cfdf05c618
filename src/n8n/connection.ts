import { createHash } from 'crypto';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { cancelledError } from '../core/errors';
import type { Http } from '../core/http';
import { withRateLimit } from '../core/rateLimit';
import { withRetries, type Clock } from '../core/retry';
import { normalizeApiKey, normalizeBaseUrl } from '../core/urls';
import type { ToReadable } from './binaryData';
import { createN8nHttp, type HttpContext } from './http';
import { abortableSleep, checkAllowedDomains } from './n8nVersions';
import { getReadableConstructor, type ReadableConstructor } from './platform';
import { createRedactor, type Redactor } from './redact';
import { defaultRequestSettings, type RequestSettings } from './requestSettings';
import { serviceFactsOf, rateLimiterFor } from './sharedCache';

/** A credential, read once, and the HTTP client of its service. */
export interface Connection {
	http: Http;
	/** The same without retries, for requests that are not worth a wait. */
	httpWithoutRetries: Http;
	clock: Clock;
	/** Milliseconds without a byte after which an attempt fails. */
	silenceLimit: number;
	baseUrl: string;
	/** Identifies the account within this process. A hash: it does not reveal the key. */
	account: string;
	/** n8n's ID of the credential, which distinguishes credentials of one type. */
	credentialId: string;
	redact: Redactor;
	/** Reads a field of the credential that is not secret. */
	credentialField(name: string): string;
	toReadable: ToReadable;
}

/** How a node uses its credential. */
export interface ServiceAccess {
	/** Name of the credential type, e.g. `modelRouterApi`. */
	credential: string;
	/** A version at the end of the base URL, which may be present, missing or doubled. Paths then begin with it. */
	version?: string;
	/** Whether http:// is allowed for every host. Default: for this machine only. */
	allowsHttp?: boolean;
	/**
	 * Requests per minute that the service accepts, if it has such a limit. Requests then wait for their turn.
	 *
	 * @throws ServiceError `invalid`.
	 */
	requestsPerMinute?(credential: ICredentialDataDecryptedObject): number;
}

interface ConnectOptions {
	/** Whether requests and waits go on after the execution was stopped. */
	continuesAfterStop?: boolean;
	/** The key is added to this redactor. */
	redact?: Redactor;
}

/**
 * Reads the credential once and makes an HTTP client for its service. n8n sends the requests: it adds the header, and uses the
 * instance's proxy settings.
 *
 * Base URL and key come from the same read. Fields of a credential may contain expressions, and n8n's helper would evaluate them
 * again for every request (n8n-core 2.41.1, request-helpers/authentication.js:37).
 *
 * @throws ServiceError `invalid` for an unusable base URL or key.
 */
export async function connect(
	n8n: HttpContext,
	{ credential, version, allowsHttp, requestsPerMinute }: ServiceAccess,
	settings: RequestSettings = defaultRequestSettings,
	{ continuesAfterStop = false, redact = createRedactor('') }: ConnectOptions = {},
): Promise<Connection> {
	const data = await n8n.getCredentials<ICredentialDataDecryptedObject>(credential);
	const baseUrl = normalizeBaseUrl(String(data['baseUrl'] ?? ''), version, allowsHttp);
	const apiKey = normalizeApiKey(data['apiKey']);
	redact.addKey(apiKey);
	const node = n8n.getNode();
	checkAllowedDomains(data, baseUrl, node);
	const stops = 'getExecutionCancelSignal' in n8n && !continuesAfterStop;
	const stop = stops ? n8n.getExecutionCancelSignal() : undefined;
	const clock = createClock(stop);
	const account = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('base64');
	const serviceFacts = serviceFactsOf(account);
	let Readable: ReadableConstructor<ReturnType<ToReadable>> | undefined;
	const transport = createN8nHttp(n8n, {
		credential,
		data: { ...data, baseUrl, apiKey },
		settings,
		stop,
		redact,
		onBody(body) {
			Readable ??= getReadableConstructor(body);
		},
	});
	const httpWithoutRetries = { serviceFacts, send: sendOnceWith(transport, stop) };
	const longestWait = settings.longestWait * 1000;
	const rateLimited = requestsPerMinute
		? withRateLimit(httpWithoutRetries, {
				perMinute: requestsPerMinute(data),
				limiter: rateLimiterFor(account),
				clock,
				longestWait,
			})
		: httpWithoutRetries;
	return {
		http: { ...withRetries(rateLimited, clock, longestWait), serviceFacts },
		httpWithoutRetries,
		clock,
		silenceLimit: settings.silenceLimit * 1000,
		baseUrl,
		account,
		credentialId: node.credentials?.[credential]?.id ?? '',
		redact,
		credentialField: (name) => String(data[name] ?? '').trim(),
		toReadable(bytes) {
			if (!Readable) throw new Error('A file is stored only after a response has come');
			return Readable.from(bytes, { objectMode: false });
		},
	};
}

/** One attempt: what has to happen before it, then the request, unless the execution was stopped meanwhile. */
function sendOnceWith(
	transport: ReturnType<typeof createN8nHttp>,
	stop: AbortSignal | undefined,
): Http['send'] {
	return async (request) => {
		const headBy = await request.beforeAttempt?.();
		// nothing was sent, so the outcome is known
		if (stop?.aborted) throw cancelledError(false);
		return await transport.send(request, headBy);
	};
}

/** The real clock. Its `sleep` ends with `cancelled` when the execution is stopped. */
function createClock(stop: AbortSignal | undefined): Clock {
	return {
		now: () => Date.now(),
		async sleep(milliseconds) {
			try {
				await abortableSleep(milliseconds, stop);
			} catch {
				throw cancelledError(false);
			}
		},
		random: () => Math.random(),
	};
}

/**
 * Makes a credential's `authenticate` that puts the key into one header.
 *
 * A function takes half the time of n8n's declarative form, which evaluates an expression per request. It returns a copy, so the
 * key never gets into the caller's options.
 *
 * @param value Makes the header's value from the key.
 */
export function createHeaderAuth(name: string, value: (key: string) => string = (key) => key) {
	return async (
		credentials: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		const headers = Object.entries(options.headers ?? {}).filter(
			([given]) => given.toLowerCase() !== name.toLowerCase(),
		);
		return {
			...options,
			headers: {
				...Object.fromEntries(headers),
				[name]: value(normalizeApiKey(credentials['apiKey'])),
			},
		};
	};
}

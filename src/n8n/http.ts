import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import { assertUrlAllowed, sleep } from 'n8n-workflow';

import { cleanKey, normaliseBaseUrl } from '../service/address';
import type { Http, HttpRequest, HttpResponse } from '../service/http';
import { withRetries, type Clock } from '../service/retry';
import { stopped, watchedBody } from './body';
import { redactor, type Redactor } from './redact';
import type { ToReadable } from './storeFile';
import { defaultSettings, type RequestSettings } from './settings';
import { unreachable } from './unreachable';

export type Context = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

/** A credential, read once, and the way to the service that it opens. */
export interface Connection {
	http: Http;
	clock: Clock;
	baseUrl: string;
	/** Tells two credentials of one type apart; for the start ledger. */
	credentialId: string;
	redact: Redactor;
	toReadable: ToReadable;
}

/** What a node has to say about its credential. */
export interface ServiceAccess {
	/** Name of the credential type, e.g. `modelRouterApi`. */
	credential: string;
	/** A version that ends the base URL and may be there, missing or doubled; paths then begin with it. */
	version?: string;
}

/**
 * Reads the credential once and opens a way to the service through n8n, which adds the header and honours the instance's
 * proxy settings.
 *
 * Base URL and key come from one reading: fields of a credential may hold expressions, and the helper by itself would read
 * them again for every request (n8n-core 2.41.1, request-helpers/authentication.js:37).
 *
 * @throws ServiceError `invalid` for a base URL or key that cannot be used.
 */
export async function connect(
	n8n: Context,
	{ credential, version }: ServiceAccess,
	settings: RequestSettings = defaultSettings,
): Promise<Connection> {
	const data = await n8n.getCredentials<ICredentialDataDecryptedObject>(credential);
	const baseUrl = normaliseBaseUrl(String(data['baseUrl'] ?? ''), version);
	const apiKey = cleanKey(data['apiKey']);
	const node = n8n.getNode();
	if (data['allowedHttpRequestDomains'] === 'domains') {
		// n8n enforces this for its own HTTP nodes only
		const allowedDomains = String(data['allowedDomains'] ?? '').trim() || 'none';
		assertUrlAllowed({ url: baseUrl, allowedDomains, node });
	}
	const stop = 'getExecutionCancelSignal' in n8n ? n8n.getExecutionCancelSignal() : undefined;
	const clock: Clock = {
		now: () => Date.now(),
		async sleep(milliseconds) {
			try {
				await sleep(milliseconds, stop);
			} catch {
				throw stopped(false);
			}
		},
		random: () => Math.random(),
	};
	let Readable: ReadableClass | undefined;
	const seen = (body: object) =>
		(Readable ??= (body as { constructor: unknown }).constructor as ReadableClass);
	const once = viaN8n(n8n, credential, { ...data, baseUrl, apiKey }, settings, stop, seen);
	return {
		http: withRetries(once, clock, settings.longestWait * 1000),
		clock,
		baseUrl,
		credentialId: node.credentials?.[credential]?.id ?? '',
		redact: redactor(apiKey),
		toReadable(bytes) {
			if (!Readable) throw new Error('A file is stored only after a response has come');
			return Readable.from(bytes, { objectMode: false });
		},
	};
}

/** Node's stream class, as far as it is used. It cannot be imported by a community node; every response body has it. */
interface ReadableClass {
	from(bytes: AsyncIterable<Uint8Array>, options: { objectMode: boolean }): ReturnType<ToReadable>;
}

/**
 * Sends a request once.
 *
 * Redirects are not followed: n8n would hand the key to the other host, and send a POST again. Nothing is thrown for a
 * status, since n8n sends a request again after 401. The options are made anew for every request, since n8n writes into them.
 */
function viaN8n(
	n8n: Context,
	credential: string,
	data: ICredentialDataDecryptedObject & { baseUrl: string },
	settings: RequestSettings,
	stop: AbortSignal | undefined,
	onBody: (body: object) => void,
): Http {
	const silenceLimit = settings.silenceLimit * 1000;
	const credentialsDecrypted = { id: '', name: '', type: credential, data };
	return {
		async send({
			method,
			path,
			body,
			accept = 'application/json',
		}: HttpRequest): Promise<HttpResponse> {
			const connection = new AbortController();
			const total = AbortSignal.timeout(settings.totalLimit * 1000);
			const ends = [connection.signal, total, ...(stop ? [stop] : [])];
			try {
				const response = await n8n.helpers.httpRequestWithAuthentication.call(
					endedBy(AbortSignal.any(ends), n8n),
					credential,
					{
						method,
						url: data.baseUrl + path,
						headers: { accept, 'accept-encoding': 'identity' },
						...(body && { body, json: true }),
						encoding: 'stream',
						returnFullResponse: true,
						ignoreHttpStatusErrors: true,
						disableFollowRedirect: true,
						timeout: silenceLimit,
					},
					{ credentialsDecrypted },
				);
				onBody(response.body);
				const limits = { connection, silenceLimit, total, stop };
				return {
					status: response.statusCode,
					headers: response.headers,
					body: watchedBody(response.body, limits),
					silenceLimit,
				};
			} catch (cause) {
				throw unreachable(cause, { total, stop });
			}
		},
	};
}

/**
 * The same context, with other reasons to end its requests.
 *
 * n8n puts the execution's signal over one given in the request options (n8n-core 2.41.1,
 * request-helpers/authentication.js:13), so the signal it asks the context for is replaced.
 */
function endedBy<C extends Context>(signal: AbortSignal, n8n: C): C {
	return Object.create(n8n, { getExecutionCancelSignal: { value: () => signal } });
}

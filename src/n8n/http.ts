import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';

import { redirectTarget } from '../service/address';
import { ServiceError } from '../service/errors';
import type { Http, HttpRequest, HttpResponse } from '../service/http';
import { watchedBody } from './body';
import { garbageWatch } from './garbage';
import type { RequestSettings } from './settings';
import { unreachable } from './unreachable';
import { watch } from './watch';

export type Context = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

interface Line {
	/** Name of the credential type. */
	credential: string;
	/** Its fields, base URL and key checked. */
	data: ICredentialDataDecryptedObject & { baseUrl: string };
	settings: RequestSettings;
	/** Fires when the execution is stopped. */
	stop: AbortSignal | undefined;
	/** Called with every response body. */
	onBody(body: object): void;
}

/**
 * The port over n8n's request helper. It sends a request once.
 *
 * Redirects are not followed: n8n would hand the key to the other host, and send a POST again. Nothing is thrown for a
 * status, since n8n sends a request again after 401. The options are made anew for every request, since n8n writes into them.
 */
export function viaN8n(n8n: Context, { credential, data, settings, stop, onBody }: Line): Http {
	const silenceLimit = settings.silenceLimit * 1000;
	const requests = watch({ silenceLimit, totalLimit: settings.totalLimit * 1000, stop });
	const countGarbage = garbageWatch('getInputData' in n8n ? n8n.getInputData().length : 0);
	const credentialsDecrypted = { id: '', name: '', type: credential, data };
	return {
		async send({
			method,
			path,
			body,
			accept = 'application/json',
			redirectedTo,
		}: HttpRequest): Promise<HttpResponse> {
			const { url, sameOrigin } = addressOf(data.baseUrl + path, redirectedTo);
			const request = requests.begin();
			countGarbage();
			try {
				const options: IHttpRequestOptions = {
					method,
					url,
					headers: { accept, 'accept-encoding': 'identity' },
					...(body && { body, json: true }),
					encoding: 'stream',
					returnFullResponse: true,
					ignoreHttpStatusErrors: true,
					disableFollowRedirect: true,
					timeout: silenceLimit,
				};
				const { signal } = request.connection;
				const response = sameOrigin
					? await n8n.helpers.httpRequestWithAuthentication.call(
							endedBy(signal, n8n),
							credential,
							options,
							{ credentialsDecrypted },
						)
					: await n8n.helpers.httpRequest({ ...options, abortSignal: signal });
				onBody(response.body);
				return {
					status: response.statusCode,
					headers: headersOf(response),
					body: watchedBody(response.body, request, requests),
					silenceLimit,
				};
			} catch (cause) {
				const overdue = request.end === 'overdue';
				requests.end(request, 'left');
				throw unreachable(cause, { total: { aborted: overdue }, stop });
			}
		},
	};
}

/**
 * A body that came compressed, although that was not asked for, has been decompressed by n8n: then its length is not the one
 * in its head, and it is no longer the message itself, which has `rawHeaders`.
 */
function headersOf({ headers, body }: { headers: HttpResponse['headers']; body: object }) {
	if ('rawHeaders' in body) return headers;
	return { ...headers, 'content-length': undefined };
}

function addressOf(address: string, redirectedTo: string | undefined) {
	if (redirectedTo === undefined) return { url: address, sameOrigin: true };
	const target = redirectTarget(address, redirectedTo);
	if (target) return target;
	throw new ServiceError('refused', 'The service sent a redirect to an address that is not safe', {
		reason: 'It has to begin with https://.',
	});
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

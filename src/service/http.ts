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
	method: 'DELETE' | 'GET' | 'PATCH' | 'POST';
	/** Path below the base address, with a leading slash; every part of it made by `pathSegment`. */
	path: string;
	/**
	 * The `Location` of a redirect that answered this GET: it is asked there instead, and the key goes along only to the
	 * service's own origin.
	 *
	 * @throws ServiceError `refused` where it leads to an address that is not safe.
	 */
	redirectedTo?: string;
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

export const isRefusal = ({ status }: HttpResponse) => status < 200 || status >= 300;

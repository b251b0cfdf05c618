import type { Clock } from './retry';

/**
 * Sends requests. The only thing that a protocol client needs from outside.
 *
 * The n8n adapter implements it with n8n's request helper, so this folder has no sockets, timers or keys.
 * A request is aborted when the execution is stopped. To abort it earlier, leave the loop over its body.
 */
export interface Http {
	/**
	 * Sends one request and resolves as soon as the response head has arrived.
	 *
	 * @throws ServiceError `unreachable` when no response head arrives, `cancelled` when the execution was stopped.
	 */
	send(request: HttpRequest): Promise<HttpResponse>;
	/** Facts learned about this service, kept while the process runs. */
	readonly serviceFacts?: Map<string, string>;
	/** The host of the service, without a port: some are known by it. */
	readonly hostname?: string;
}

export interface HttpRequest {
	method: 'DELETE' | 'GET' | 'PATCH' | 'POST';
	/** Path below the base address, with a leading slash; every segment encoded by `encodePathSegment`. */
	path: string;
	/** The path begins at the origin of the base address. */
	fromOrigin?: boolean;
	/** Those of a protocol. */
	headers?: Readonly<Record<string, string>>;
	/**
	 * The `Location` of a redirect that answered this GET, or a URL that came in place of a file. The request is sent there instead; the
	 * key is only sent to the service's own origin.
	 *
	 * @throws ServiceError `refused` if the address is not safe.
	 */
	redirectedTo?: string | undefined;
	/** For an address that not the service itself has led to: the only paths there, with all below, to which the key is sent. */
	keyPaths?: readonly string[];
	/** Sent as JSON. */
	body?: object;
	/** The `Accept` header. Default `application/json`. */
	accept?: string;
	/** Status 429 does not show that this request was not carried out: it is then not sent again. */
	isUnsureAfter429?: true;
	/** Ends the request if its caller gives up before the execution does. */
	signal?: AbortSignal;
	/**
	 * Called right before every attempt, also after a wait. If it throws, nothing more is sent.
	 *
	 * @returns the deadline for the response head, in milliseconds since 1970. The attempt is aborted then.
	 */
	beforeAttempt?(): Promise<number>;
}

export interface HttpResponse {
	/** A redirect is never followed, so 3xx arrives here. */
	status: number;
	/** Names in lower case. */
	headers: Record<string, string | undefined>;
	/**
	 * The body's bytes. Reading fails with `ServiceError` `truncated` when the connection breaks or falls silent.
	 * Leaving the loop closes the connection.
	 */
	body: AsyncIterable<Uint8Array>;
	/** The time while the body is read. Without it, nothing is waited for. */
	clock?: Clock;
	/** Tells that something came that carries content. Until it is called first, every byte renews the idle timeout. */
	hear?(): void;
}

/** A body that has arrived. */
export async function* toBody(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	yield bytes;
}

/** The `Content-Type`, in lower case; empty if there is none. */
export const contentTypeOf = ({ headers }: Pick<HttpResponse, 'headers'>) =>
	headers['content-type']?.toLowerCase() ?? '';

export const isErrorResponse = ({ status }: HttpResponse) => status < 200 || status >= 300;

/**
 * Waits for the first bytes of a body, and closes its connection.
 *
 * @throws ServiceError `truncated` when it breaks before.
 */
export async function readFirstChunk({ body }: Pick<HttpResponse, 'body'>): Promise<void> {
	for await (const _chunk of body) return;
}

/**
 * Reads a `Retry-After` header.
 *
 * @param now Milliseconds since 1970, for the form that names a date.
 * @returns Milliseconds to wait; undefined if the header is absent or invalid (negative, neither a number nor a date).
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
	const value = header?.trim() ?? '';
	if (/^\d+(\.\d+)?$/.test(value)) {
		const milliseconds = Number(value) * 1000;
		return Number.isSafeInteger(Math.ceil(milliseconds)) ? milliseconds : undefined;
	}
	// Date.parse also accepts "-1" and "2020"; an HTTP date begins with a weekday
	const date = /^[A-Z][a-z]{2,8},? /.test(value) ? Date.parse(value) : NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * The wait that a refusal asks for in its body: Google (which has no header) "Please retry in 34.07s" and `"retryDelay": "34s"`, Azure
 * "Please retry after 26 seconds", OpenAI and Groq "Please try again in 7m12.4s", GitHub "Please wait 45 seconds".
 *
 * @returns Milliseconds; undefined if it names none.
 * @see openai/openai-node#1108, openai/openai-dotnet#404, vercel/ai (google-429-retry-info.json)
 */
export function readWait(status: number, body: string): number | undefined {
	if (status !== 429) return undefined;
	const [, hours = 0, minutes = 0, seconds] = WAIT.exec(body) ?? [];
	if (seconds === undefined) return undefined;
	return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

const WAIT =
	/(?:\b(?:(?:retry|try again) (?:in|after)|please wait) |"retryDelay": ?")(?:(\d{1,4})h)?(?:(\d{1,6})m)?(\d{1,8}(?:\.\d{1,9})?) ?s/i;

import { MAX_ANSWER_BYTES, readJson } from '../core/body';
import { isWebPage, malformedResponseError, describeN8n } from '../core/errorResponses';
import { mapServiceError, ServiceError, type ServiceErrorDetails } from '../core/errors';
import type { Http, HttpRequest, HttpResponse } from '../core/http';

/** Access to an n8n's public API. */
export interface N8nApi {
	http: Http;
	/** The title of the credential that the key is in, for messages. */
	credentialName: string;
	/** What is used, as the beginning of a message. Absent for the job ledger. */
	subject?: string;
	/** The time of n8n's last answer, in milliseconds since 1970. Set by every answer. */
	answeredAt?: number;
}

/** The scope of an API key that a request needs. Each request needs one. */
export type Scope =
	| 'dataTable:list'
	| 'dataTable:create'
	| 'dataTableColumn:create'
	| 'dataTableRow:read'
	| 'dataTableRow:create'
	| 'dataTableRow:update'
	| 'dataTableRow:delete';

/**
 * Sends a request to n8n's public API and reads its JSON.
 *
 * @param read Returns undefined for an answer in another form.
 * @throws ServiceError worded so that it is not mistaken for an error of the service.
 */
export async function requestN8n<Result>(
	api: N8nApi,
	request: HttpRequest,
	scope: Scope,
	read: (answer: unknown) => Result | undefined,
): Promise<Result> {
	const { http, credentialName, subject = 'The job ledger' } = api;
	/** Known only from the body, which the error no longer has. */
	let startup: Startup | undefined;
	try {
		const { response, beginning } = keepBeginning(await http.send(request));
		const answeredAt = Date.parse(response.headers['date'] ?? '');
		if (answeredAt) api.answeredAt = answeredAt;
		const answer = await readJson(response, MAX_ANSWER_BYTES).catch((cause: unknown) => {
			const { status, headers } = response;
			const isPage = isWebPage(beginning(), headers['content-type']?.toLowerCase());
			startup = detectStartup(status, beginning(), isPage);
			throw mapServiceError(cause);
		});
		const result = read(answer);
		if (result === undefined) throw malformedResponseError(response, JSON.stringify(answer));
		return result;
	} catch (cause) {
		throw mapServiceError(cause, ({ kind, message, details }) => {
			const what = startup === 'certain' ? STILL_STARTING : describeN8n(message);
			const advice =
				(startup && STARTUP_ADVICE[startup](credentialName)) ??
				findAdvice(details, credentialName, scope) ??
				details.advice ??
				`Check the n8n URL in the ${credentialName} credential: n8n itself has to be reachable there, from every worker.`;
			const text = `${subject} could not be used: ${what}`;
			return new ServiceError(kind, text, {
				...details,
				advice,
				...(startup && { transient: true }),
			});
		});
	}
}

/** `possible`: a wrong address may send the same. */
type Startup = 'certain' | 'possible';

/**
 * Whether n8n sent this answer because it is starting. It listens for some seconds before its API is there: at first it sends a
 * sentence with status 200, then Express sends a page with status 404. What n8n's API itself sends is JSON, also for a table that
 * does not exist.
 *
 * @param text The beginning of the body.
 * @see n8n 2.41.1, abstract-server.js (setupHealthCheck, start)
 */
function detectStartup(status: number, text: string, isPage: boolean): Startup | undefined {
	if (/^\s*n8n is starting up\b/.test(text)) return 'certain';
	return status === 404 && isPage ? 'possible' : undefined;
}

const STILL_STARTING = 'n8n is still starting';

const STARTUP_ADVICE: Record<Startup, (credentialName: string) => string> = {
	certain: () => 'Run this again once n8n has started.',
	possible: (credentialName) =>
		`A web page came in place of n8n's answer. While n8n starts it sends one, too: if it is starting, run this again in a minute. ${missingApiAdvice(credentialName)}`,
};

/** Characters of a body that are enough to recognize it. */
const BEGINNING_LENGTH = 500;

/** Keeps the beginning of a body as it is read. */
function keepBeginning(response: HttpResponse): { response: HttpResponse; beginning(): string } {
	const decoder = new TextDecoder();
	let text = '';
	const body = async function* () {
		for await (const chunk of response.body) {
			if (text.length < BEGINNING_LENGTH) text += decoder.decode(chunk, { stream: true });
			yield chunk;
		}
	};
	return { response: { ...response, body: body() }, beginning: () => text };
}

function findAdvice(
	{ status, reason = '' }: ServiceErrorDetails,
	credentialName: string,
	scope: Scope,
): string | undefined {
	// n8n 2.41.1, modules/data-table/data-table-size-validator.service.js
	if (status === 400 && /size limit/i.test(reason))
		return 'All Data Tables of this n8n are full together, so it refuses every write. Delete rows in n8n, or old entries with Delete Many of the resource Job Ledger.';
	if (status === 401) return `Copy the n8n API key again into the ${credentialName} credential.`;
	if (status === 403)
		return `The n8n API key in the ${credentialName} credential needs the scope ${scope}, and its owner access to the Data Table. You can change scopes in n8n under Settings > n8n API.`;
	return status === 404 ? missingApiAdvice(credentialName) : undefined;
}

const missingApiAdvice = (credentialName: string) =>
	`The job ledger needs n8n 2.7 or newer. Check Job Ledger Table and n8n URL in the ${credentialName} credential, and that n8n's public API is switched on.`;

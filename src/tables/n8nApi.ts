import { MAX_ANSWER_BYTES, readJson } from '../core/body';
import { malformedResponseError, describeN8n } from '../core/errorResponses';
import { mapServiceError, ServiceError, type ServiceErrorDetails } from '../core/errors';
import type { Http, HttpRequest } from '../core/http';

/** Access to an n8n's public API. */
export interface N8nApi {
	http: Http;
	/** The name of the credential that the key is in, or its title, for messages. */
	credentialName: string;
	/** What is used, as the beginning of a message. Absent for the job ledger. */
	subject?: string;
	/** Milliseconds by which the clock of n8n is ahead of this process: less the way of its last answer, and rounded to seconds. */
	ahead?: number;
}

/** The scope of an API key that a request needs. Each request needs one. */
export type Scope =
	| `dataTable:${'list' | 'create'}`
	| 'dataTableColumn:create'
	| `dataTableRow:${'read' | 'create' | 'update' | 'delete'}`;

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
	try {
		const response = await http.send(request);
		const answeredAt = Date.parse(response.headers['date'] ?? '');
		if (answeredAt && response.clock) api.ahead = answeredAt - response.clock.now();
		const answer = await readJson(response, MAX_ANSWER_BYTES);
		const result = read(answer);
		if (result === undefined) throw malformedResponseError(response, JSON.stringify(answer));
		return result;
	} catch (cause) {
		throw mapServiceError(cause, ({ kind, message, details }) => {
			const startup = explainStartup(details, credentialName);
			const problem = startup?.message ?? describeN8n(message);
			const advice =
				startup?.advice ??
				findAdvice(details, credentialName, scope) ??
				details.advice?.replace('the base URL', 'the n8n URL') ??
				`Check the n8n URL in the ${credentialName} credential: n8n itself has to be reachable there, from every worker.`;
			return new ServiceError(kind, `${subject} could not be used: ${problem}`, {
				...details,
				advice,
				needsOperator: true,
				...(startup && { transient: true }),
			});
		});
	}
}

/**
 * Whether n8n sent this answer because it is starting. It listens for some seconds before its API is there: at first it sends a
 * sentence with status 200, then Express sends a page with status 404, as a wrong address may. What n8n's API itself sends is JSON,
 * even for a table that does not exist.
 *
 * @see n8n 2.41.1, abstract-server.js (setupHealthCheck, start)
 */
function explainStartup(
	{ status, reason = '' }: ServiceErrorDetails,
	credentialName: string,
): { message?: string; advice: string } | undefined {
	if (/^n8n is starting up\b/.test(reason))
		return { message: 'n8n is still starting', advice: 'Run this again once n8n has started.' };
	const isPage = /^An (HTML page|XML document)/.test(reason);
	if (status !== 404 || !isPage) return undefined;
	return {
		advice: `The n8n URL answered with a web page. n8n also sends one while it starts: if it is starting, run this again in a minute. ${missingApiAdvice(credentialName)}`,
	};
}

function findAdvice(
	{ status, reason = '' }: ServiceErrorDetails,
	credentialName: string,
	scope: Scope,
): string | undefined {
	// n8n 2.41.1, modules/data-table/data-table-size-validator.service.js
	if (status === 400 && /size limit/i.test(reason))
		return 'The Data Tables of this n8n have reached the size limit that they share, so it refuses every write. Raise N8N_DATA_TABLES_MAX_SIZE_BYTES of n8n. On SQLite, you can also delete rows, for example with Delete Many of the resource Job Ledger. On PostgreSQL, that gives no space back.';
	if (status === 401) return `Copy the n8n API key again into the ${credentialName} credential.`;
	if (status === 403)
		return `The n8n API key in the ${credentialName} credential needs the scope ${scope}, and its owner access to the Data Table. You can change scopes in n8n under Settings > n8n API.`;
	return status === 404 ? missingApiAdvice(credentialName) : undefined;
}

const missingApiAdvice = (credentialName: string) =>
	`The job ledger needs n8n 2.22.6 or newer. Check Job Ledger Table and n8n URL in the ${credentialName} credential, and that n8n's public API is switched on.`;

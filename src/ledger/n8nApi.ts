import { readJson } from '../core/body';
import { malformedResponseError, nameN8n } from '../core/errorResponses';
import { mapServiceError, ServiceError } from '../core/errors';
import type { Http, HttpRequest } from '../core/http';

/** Access to an n8n's public API. */
export interface N8nApi {
	http: Http;
	/** The title of the credential that the key is in, for messages. */
	credentialName: string;
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

export const TABLES_PATH = '/api/v1/data-tables';

/**
 * Sends a request to n8n's public API and reads its JSON.
 *
 * @param read Returns undefined for an answer in another form.
 * @throws ServiceError worded so that it is not mistaken for an error of the service.
 */
export async function requestN8n<Result>(
	{ http, credentialName }: N8nApi,
	request: HttpRequest,
	scope: Scope,
	read: (answer: unknown) => Result | undefined,
): Promise<Result> {
	try {
		const response = await http.send(request);
		const answer = await readJson(response);
		const result = read(answer);
		if (result === undefined) throw malformedResponseError(response, JSON.stringify(answer));
		return result;
	} catch (cause) {
		throw mapServiceError(cause, ({ kind, message, details }) => {
			const advice =
				findAdvice(details.status, credentialName, scope) ??
				details.advice ??
				`Check the n8n URL in the ${credentialName} credential: n8n itself has to be reachable there, from every worker.`;
			const text = `The job ledger could not be used: ${nameN8n(message)}`;
			return new ServiceError(kind, text, { ...details, advice });
		});
	}
}

function findAdvice(
	status: number | undefined,
	credentialName: string,
	scope: Scope,
): string | undefined {
	if (status === 401) return `Copy the n8n API key again into the ${credentialName} credential.`;
	if (status === 403)
		return `The n8n API key in the ${credentialName} credential needs the scope ${scope}, and its owner access to the Data Table. You can change scopes in n8n under Settings > n8n API.`;
	if (status === 404)
		return `Check Job Ledger Table and n8n URL in the ${credentialName} credential, that n8n is 2.7 or newer, and that its public API is switched on.`;
	return undefined;
}

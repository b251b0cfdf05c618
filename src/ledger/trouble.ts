import { explained, ServiceError } from '../service/errors';

/** For `throw`: what went wrong between us and n8n's own API, said so that nobody takes it for the service. */
export function ledgerTrouble(cause: unknown): unknown {
	return explained(cause, ({ kind, message, details }) => {
		const words = message.replace(/^The service\b/, 'n8n').replace(/\bthe service\b/g, 'n8n');
		return new ServiceError(kind, `The job ledger could not be used: ${words}`, {
			...details,
			advice: ADVICE[details.status ?? 0] ?? details.advice ?? EVERY_OTHER,
		});
	});
}

/** Whether it may be over in a moment. */
export function isPassing({ kind, details: { status = 0, permanent } }: ServiceError): boolean {
	if (kind === 'unreachable') return !permanent;
	return kind === 'cut' || status === 429 || status >= 500;
}

const EVERY_OTHER =
	'Check the base URL of the job ledger credential: n8n itself has to be reachable there, from every worker.';

const ADVICE: Record<number, string> = {
	401: 'Copy the API key of n8n again into the job ledger credential.',
	403: 'The API key of n8n needs the scopes dataTable:list, dataTableRow:read, dataTableRow:create and dataTableRow:update; to set the ledger up also dataTable:create and dataTableColumn:create, to delete old entries dataTableRow:delete.',
	404: 'Check the table in the job ledger credential, and that n8n\'s public API is switched on. "Set Up" of the Media Job Ledger node makes the table.',
};

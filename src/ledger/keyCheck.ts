import { mapServiceError, ServiceError } from '../core/errors';
import type { HttpRequest } from '../core/http';
import { TABLES_PATH } from '../core/urls';
import { requestN8n, type N8nApi, type Scope } from './n8nApi';
import { findTable } from './tableSetup';

/**
 * Checks whether an API key of n8n has the rights that every use of the job ledger needs: to find the table, and to read, create and
 * update rows. Nothing is created or changed. A right that only the first use or Delete Many needs is named there.
 *
 * @param table The name or ID of the Data Table.
 * @returns a sentence that says so.
 * @throws ServiceError that says what is missing or wrong.
 */
export async function checkLedgerKey(api: N8nApi, table: string): Promise<string> {
	const existing = await findTable(api, table);
	const rows = existing ? `${TABLES_PATH}/${existing.tableId}/rows` : NO_ROWS;
	await checkRight(api, 'dataTableRow:read', { method: 'GET', path: `${rows}?limit=1` });
	await checkRight(api, 'dataTableRow:create', {
		method: 'POST',
		path: NO_ROWS,
		body: { data: [{ state: '' }], returnType: 'id' },
	});
	await checkRight(api, 'dataTableRow:update', {
		method: 'PATCH',
		path: `${NO_ROWS}/update`,
		body: { filter: NO_FILTER, data: { state: '' } },
	});
	const place = existing
		? `the table "${existing.name}" is there`
		: `the table "${table}" is created when it is first used`;
	return `The job ledger: n8n accepted the key, and ${place}.`;
}

/** Of a table that does not exist. */
const NO_ROWS = `${TABLES_PATH}/0000000000000000/rows`;
const NO_FILTER = {
	type: 'and',
	filters: [{ columnName: 'state', condition: 'eq', value: 'none' }],
};

/** n8n checks the right before it looks for the table (n8n 2.41.1, public-api/v1/handlers/data-tables). */
async function checkRight(api: N8nApi, scope: Scope, request: HttpRequest): Promise<void> {
	try {
		await requestN8n(api, request, scope, (answer) => answer ?? null);
	} catch (cause) {
		const status = cause instanceof ServiceError ? cause.details.status : undefined;
		const isRight = request.path.startsWith(NO_ROWS) && (status === 400 || status === 404);
		if (!isRight) throw mapServiceError(cause);
	}
}

import { mapServiceError, invalidInputError, ServiceError } from '../core/errors';
import { isPlainObject } from '../core/json';
import { TABLES_PATH } from '../core/urls';
import { columns } from './entry';
import { requestN8n, type N8nApi } from './n8nApi';

/** The Data Table of a job ledger, with all of its columns. */
export interface LedgerTable {
	tableId: string;
	/** Columns that were missing. */
	addedColumns: string[];
}

/** A Data Table of n8n. */
interface DataTable {
	tableId: string;
	name: string;
	/** Names of its columns; undefined when n8n does not list them. */
	columns: string[] | undefined;
}

/**
 * Finds the ledger's table, creates it if there is none, and adds columns that are missing.
 *
 * Any number of executions and processes may do so at once: names are unique in a project (n8n 2.41.1, data-table.entity.js), so one
 * creates the table and the others find it.
 *
 * @param nameOrId The table's name or ID. With an ID, the API key does not need the scope to list tables.
 * @throws ServiceError `invalid` when there is more than one table, or none with what looks like an ID.
 */
export async function ensureTable(api: N8nApi, nameOrId: string): Promise<LedgerTable> {
	const existing = await findTable(api, nameOrId);
	return existing ? await completeTable(api, existing) : await createTable(api, nameOrId);
}

/** The form of a table's ID. A name can have it, too. */
const TABLE_ID = /^[a-zA-Z0-9]{16}$/;

/**
 * @returns undefined for a name that no table has.
 * @throws ServiceError `invalid` when there is more than one table, or none with what looks like an ID.
 */
export async function findTable(api: N8nApi, nameOrId: string): Promise<DataTable | undefined> {
	const isId = TABLE_ID.test(nameOrId);
	try {
		const [found, ...others] = await listTables(api, { name: nameOrId });
		if (others.length) throw severalTablesError(api, nameOrId);
		if (found || !isId) return found;
		const [withId] = await listTables(api, { id: nameOrId });
		if (withId) return withId;
		throw noSuchTableError(api, nameOrId);
	} catch (cause) {
		const isListForbidden = cause instanceof ServiceError && cause.details.status === 403;
		if (isListForbidden && isId) return { tableId: nameOrId, name: nameOrId, columns: undefined };
		throw mapServiceError(cause);
	}
}

const severalTablesError = ({ credentialName }: N8nApi, name: string) =>
	invalidInputError(
		`n8n has several Data Tables "${name}"`,
		`Put the ID of the right one into Job Ledger Table of the ${credentialName} credential.`,
	);

/** A table that is created for a mistyped ID would be another ledger: the same key could start a second job. */
const noSuchTableError = ({ credentialName }: N8nApi, nameOrId: string) =>
	invalidInputError(
		`n8n has no Data Table with the name or ID "${nameOrId}"`,
		`Correct Job Ledger Table in the ${credentialName} credential. A name of 16 letters and digits looks like an ID: create such a table in n8n yourself, or choose another name.`,
	);

async function listTables(
	api: N8nApi,
	filter: { name: string } | { id: string },
): Promise<DataTable[]> {
	const query = `limit=250&filter=${encodeURIComponent(JSON.stringify(filter))}`;
	const request = { method: 'GET', path: `${TABLES_PATH}?${query}` } as const;
	return await requestN8n(api, request, 'dataTable:list', (answer) => parseTables(answer, filter));
}

/** @returns undefined if it is not a list of tables. */
function parseTables(
	answer: unknown,
	filter: { name?: string; id?: string },
): DataTable[] | undefined {
	const listed = isPlainObject(answer) ? answer['data'] : undefined;
	if (!Array.isArray(listed)) return undefined;
	// n8n also returns tables whose name only contains it
	return listed
		.filter(isPlainObject)
		.map(parseTable)
		.filter(({ tableId, name }) =>
			filter.id === undefined ? name === filter.name : tableId === filter.id,
		);
}

async function createTable(api: N8nApi, name: string): Promise<LedgerTable> {
	const body = {
		name,
		columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
	};
	try {
		const { tableId } = await requestN8n(
			api,
			{ method: 'POST', path: TABLES_PATH, body },
			'dataTable:create',
			(answer) => (isPlainObject(answer) ? parseTable(answer) : undefined),
		);
		return { tableId, addedColumns: [] };
	} catch (cause) {
		// 409, or 500 within the same moment: somebody else has just created it; or the response was lost
		const existing = await findTable(api, name).catch(() => undefined);
		if (existing) return await completeTable(api, existing);
		throw mapServiceError(cause);
	}
}

async function completeTable(
	api: N8nApi,
	{ tableId, name, columns: present }: DataTable,
): Promise<LedgerTable> {
	const addedColumns: string[] = [];
	for (const [column, type] of Object.entries(columns)) {
		if (present?.includes(column) ?? true) continue;
		const path = `${TABLES_PATH}/${tableId}/columns`;
		const request = { method: 'POST', path, body: { name: column, type } } as const;
		try {
			await requestN8n(api, request, 'dataTableColumn:create', (answer) => answer ?? null);
		} catch (cause) {
			// somebody else has just added it
			const now = await listTables(api, { name }).catch(() => []);
			const isThere = now.some(
				(table) => table.tableId === tableId && table.columns?.includes(column),
			);
			if (!isThere) throw mapServiceError(cause);
		}
		addedColumns.push(column);
	}
	return { tableId, addedColumns };
}

function parseTable({ id, name, columns: listed }: Record<string, unknown>): DataTable {
	const columnNames = Array.isArray(listed)
		? listed.filter(isPlainObject).map((column) => String(column['name']))
		: undefined;
	return { tableId: String(id), name: String(name), columns: columnNames };
}

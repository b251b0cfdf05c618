import { invalidInputError, mapServiceError, ServiceError } from '../core/errors';
import type { Http, HttpRequest } from '../core/http';
import { isPlainObject, type JsonObject } from '../core/json';
import { encodeQueryValue, TABLES_PATH } from '../core/urls';
import { type N8nApi, requestN8n, type Scope } from './n8nApi';
import type { TableFormat } from './tableFormat';

/** A Data Table of this package, with all of its columns. */
export type FoundTable = Awaited<ReturnType<typeof completeTable>>;

/** The n8n that has the table. */
export interface TableAccess extends N8nApi {
	/** The name or ID of the Data Table. With an ID, the API key does not need the scope to list tables. */
	table: string;
}

/** A Data Table of n8n. */
interface DataTable {
	id: string;
	name: string;
	/** Names of its columns; undefined when n8n does not list them. */
	columns: string[] | undefined;
}

/**
 * Finds a table, creates it if there is none, and adds columns that are missing.
 *
 * Any number of executions and processes may do so at once: names are unique in a project (n8n 2.41.1, data-table.entity.js), so one
 * creates the table and the others find it.
 *
 * @throws ServiceError `invalid` when there is more than one table, or none with what looks like an ID.
 */
export async function ensureTable(n8n: TableAccess, format: TableFormat): Promise<FoundTable> {
	const existing = await findTable(n8n, format);
	return existing ? await completeTable(n8n, existing, format) : await createTable(n8n, format);
}

/** The form of a table's ID. A name can also have it. */
const TABLE_ID = /^[a-zA-Z0-9]{16}$/;

/**
 * @returns undefined for a name that no table has.
 * @throws ServiceError `invalid` when there is more than one table, or none with what looks like an ID.
 */
async function findTable(n8n: TableAccess, { field }: TableFormat): Promise<DataTable | undefined> {
	const { table } = n8n;
	const isId = TABLE_ID.test(table);
	try {
		const [found, ...others] = await listTables(n8n, { name: table });
		if (others.length) throw severalTablesError(n8n, field);
		if (found || !isId) return found;
		const [withId] = await listTables(n8n, { id: table });
		if (withId) return withId;
		throw noSuchTableError(n8n, field);
	} catch (cause) {
		const isListForbidden = cause instanceof ServiceError && cause.details.status === 403;
		if (isListForbidden && isId) return { id: table, name: table, columns: undefined };
		throw mapServiceError(cause);
	}
}

const severalTablesError = ({ credentialName, table }: TableAccess, field: string) =>
	invalidInputError(
		`n8n has several Data Tables "${table}"`,
		`Put the ID of the right one into ${field} of the ${credentialName} credential.`,
	);

/** A table that is created for a mistyped ID would be another ledger: the same key could start a second job. */
const noSuchTableError = ({ credentialName, table }: TableAccess, field: string) =>
	invalidInputError(
		`n8n has no Data Table with the name or ID "${table}"`,
		`Correct ${field} in the ${credentialName} credential. A name of 16 letters and digits looks like an ID: create such a table in n8n yourself, or choose another name.`,
	);

async function listTables(api: N8nApi, filter: { name: string } | { id: string }) {
	const query = `limit=250&filter=${encodeQueryValue(JSON.stringify(filter))}`;
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
		.filter(({ id, name }) => id === filter.id || name === filter.name);
}

async function createTable(n8n: TableAccess, format: TableFormat): Promise<FoundTable> {
	const body = {
		name: n8n.table,
		columns: Object.entries(format.columns).map(([column, type]) => ({ name: column, type })),
	};
	const request = { method: 'POST', path: TABLES_PATH, body } as const;
	try {
		const { id } = await requestN8n(n8n, request, 'dataTable:create', (answer) =>
			isPlainObject(answer) ? parseTable(answer) : undefined,
		);
		return { id, addedColumns: [] };
	} catch (cause) {
		// 409, or 500 within the same moment: somebody else has just created it; or the response was lost
		const existing = await findTable(n8n, format).catch(() => undefined);
		if (existing) return await completeTable(n8n, existing, format);
		throw mapServiceError(cause);
	}
}

async function completeTable(
	api: N8nApi,
	{ id, name, columns: present }: DataTable,
	{ columns, field }: TableFormat,
) {
	/** Columns that were missing. */
	const addedColumns: string[] = [];
	const [first = '', ...others] = Object.keys(columns);
	const isPart = (column: string) => present?.includes(column) ?? true;
	// with a new column in place of the one with the keys, each key could start another job
	if (!isPart(first) && others.some(isPart))
		throw invalidInputError(
			`The Data Table "${name}" has no column "${first}"`,
			`If somebody has renamed the column, give it this name again. If it is a table for something else, correct ${field} in the ${api.credentialName} credential.`,
		);
	for (const [column, type] of Object.entries(columns)) {
		if (isPart(column)) continue;
		const path = `${TABLES_PATH}/${id}/columns`;
		const request = { method: 'POST', path, body: { name: column, type } } as const;
		try {
			await requestN8n(api, request, 'dataTableColumn:create', (answer) => answer ?? null);
		} catch (cause) {
			// somebody else has just added it
			const now = await listTables(api, { name }).catch(() => []);
			if (!now.some((table) => table.id === id && table.columns?.includes(column)))
				throw mapServiceError(cause);
		}
		addedColumns.push(column);
	}
	return { id, addedColumns };
}

function parseTable({ id, name, columns: listed }: JsonObject): DataTable {
	const columnNames = Array.isArray(listed)
		? listed.filter(isPlainObject).map((column) => String(column['name']))
		: undefined;
	return { id: String(id), name: String(name), columns: columnNames };
}

/** The ID of a table, as long as it is right. */
export type TableReference = ReturnType<typeof createReference>;

/** By HTTP client and table. Each execution has its own client, so all its items share one look. */
const references = new WeakMap<Http, Map<string, TableReference>>();

/** Finds or creates the table at its first use. What is found is remembered for all executions of the process. */
export function referTo(n8n: TableAccess, format: TableFormat): TableReference {
	const ofClient = references.get(n8n.http) ?? new Map<string, TableReference>();
	references.set(n8n.http, ofClient);
	const reference = ofClient.get(n8n.table) ?? createReference(n8n, format);
	ofClient.set(n8n.table, reference);
	return reference;
}

function createReference(n8n: TableAccess, format: TableFormat) {
	const known = n8n.http.serviceFacts ?? new Map<string, string>();
	const fact = `ledger table ${n8n.table}`;
	/** The search that all share. After a failure, the next one searches again. */
	let search: Promise<FoundTable> | undefined;
	const findAndRemember = async () => {
		try {
			const table = await ensureTable(n8n, format);
			known.set(fact, table.id);
			return table;
		} catch (cause) {
			search = undefined;
			throw mapServiceError(cause);
		}
	};
	const findOnce = async () => await (search ??= findAndRemember());
	return {
		field: format.field,
		/** @throws ServiceError when the table can be neither found nor created. */
		id: async () => known.get(fact) ?? (await findOnce()).id,
		/**
		 * Looks again after n8n has refused a request: the table or a column may have been deleted.
		 *
		 * @returns whether the request can succeed now.
		 */
		async repair(staleId: string) {
			if (known.get(fact) === staleId) {
				known.delete(fact);
				search = undefined;
			}
			const { id, addedColumns } = await findOnce();
			return id !== staleId || addedColumns.length > 0;
		},
	};
}

/**
 * Checks whether an API key of n8n has the rights that every use of a table needs: to find the table, and to read, create and
 * update rows. Nothing is created or changed. A right that only the first use or the removal of rows needs is named there.
 *
 * @returns the end of a sentence that says so.
 * @throws ServiceError that says what is missing or wrong.
 */
export async function checkTableKey(n8n: TableAccess, format: TableFormat): Promise<string> {
	const existing = await findTable(n8n, format);
	const rows = existing ? `${TABLES_PATH}/${existing.id}/rows` : NO_ROWS;
	await checkRight(n8n, 'dataTableRow:read', { method: 'GET', path: `${rows}?limit=1` });
	await checkRight(n8n, 'dataTableRow:create', {
		method: 'POST',
		path: NO_ROWS,
		body: { data: [{ state: '' }], returnType: 'id' },
	});
	await checkRight(n8n, 'dataTableRow:update', {
		method: 'PATCH',
		path: `${NO_ROWS}/update`,
		body: { filter: NO_FILTER, data: { state: '' } },
	});
	const place = existing
		? `the table "${existing.name}" is there`
		: `the table "${n8n.table}" is created when it is first used`;
	return `n8n accepted the key, and ${place}.`;
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

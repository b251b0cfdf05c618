import { randomUUID } from 'crypto';

import { readJson } from '../core/body';
import { malformedResponseError } from '../core/errorResponses';
import { mapServiceError, invalidInputError, ServiceError } from '../core/errors';
import type { Http, HttpRequest } from '../core/http';
import { isPlainObject } from '../core/json';
import { shareUntilFailure } from '../core/promiseCache';
import type { Clock } from '../core/retry';
import { encodePathSegment } from '../core/urls';
import { toRow, readEntry, type Entry, columns } from './entry';
import { MAX_ROWS, type Ledger, type Table, type Where } from './ledger';

/** Access to an n8n's public API. */
interface N8nAccess {
	/** Also works after Stop. */
	http: Http;
	clock: Clock;
	/** Reads a credential field that is not secret. */
	credentialField(name: string): string;
	/** Removes API keys that a service echoed, so that they never reach the table. */
	redact?: { data<Value>(value: Value): Value; text(text: string): string };
}

/** Table IDs by HTTP client. Each execution has its own client, so all its items share one lookup. */
const tableIds = new WeakMap<Http, Promise<string>>();

/**
 * Opens the job ledger.
 *
 * @param clock Its sleep ends with the execution.
 * @param execution The n8n execution's ID.
 * @throws ServiceError when the table cannot be found.
 */
export async function openLedger(n8n: N8nAccess, clock: Clock, execution: string): Promise<Ledger> {
	const { http, credentialField } = n8n;
	const tableId = await shareUntilFailure(
		tableIds,
		http,
		async () => await findTableId(http, credentialField('table')),
	);
	return {
		table: redactRows(openDataTable(http, tableId), n8n.redact),
		clock,
		uncancellableClock: n8n.clock,
		newClaim: () => randomUUID(),
		execution,
	};
}

/** People read the table, so it must not contain keys. */
function redactRows(table: Table, redact: N8nAccess['redact']): Table {
	if (!redact) return table;
	const clean = <Row extends Partial<Entry>>(row: Row): Row => ({
		...redact.data(row),
		...(row.note && { note: redact.text(row.note) }),
	});
	return {
		...table,
		add: async (entry) => await table.add(clean(entry)),
		change: async (where, changes) => await table.change(where, clean(changes)),
	};
}

/**
 * Gives access to the rows of a Data Table over n8n's public API.
 *
 * @param http Sends requests to n8n; paths start at its base URL.
 * @param tableId The ID of a Data Table that has all of `columns`.
 */
export function openDataTable(http: Http, tableId: string): Table {
	const path = `/api/v1/data-tables/${encodePathSegment(tableId, 'Ledger table')}/rows`;

	return {
		async find(where, { by = 'id', limit = MAX_ROWS, last = false } = {}) {
			const query = [
				`filter=${encodeURIComponent(JSON.stringify(toFilter(where)))}`,
				`sortBy=${encodeURIComponent(`${by}:${last ? 'desc' : 'asc'}`)}`,
				`limit=${limit}`,
			].join('&');
			return await requestRows(http, { method: 'GET', path: `${path}?${query}` });
		},

		async add(entry) {
			const body = { data: [toRow(entry)], returnType: 'id' };
			await requestRows(http, { method: 'POST', path, body });
		},

		async change(where, changes) {
			const body = { filter: toFilter(where), data: changes, returnData: true };
			return await requestRows(http, { method: 'PATCH', path: `${path}/update`, body });
		},

		async remove(where) {
			const filter = encodeURIComponent(JSON.stringify(toFilter(where)));
			const query = `filter=${filter}&returnData=true`;
			return await requestRows(http, { method: 'DELETE', path: `${path}/delete?${query}` });
		},
	};
}

async function requestRows(http: Http, request: HttpRequest): Promise<Entry[]> {
	try {
		const response = await http.send(request);
		const body = await readJson(response);
		const rows = isPlainObject(body) ? body['data'] : body;
		if (!Array.isArray(rows) || !rows.every(isPlainObject))
			throw malformedResponseError(response, JSON.stringify(body));
		return rows.map(readEntry);
	} catch (cause) {
		throw ledgerError(cause);
	}
}

function toFilter(where: Where) {
	const clauses = 'all' in where ? where.all : where.any;
	return {
		type: 'all' in where ? 'and' : 'or',
		filters: clauses.map(([columnName, condition, value]) => ({ columnName, condition, value })),
	};
}

/** A Data Table of n8n. */
interface DataTable {
	tableId: string;
	name: string;
	/** Names of its columns; undefined when n8n does not list them. */
	columns: string[] | undefined;
}

const TABLES_PATH = '/api/v1/data-tables';

/** The format of a table ID. */
const TABLE_ID = /^[a-zA-Z0-9]{8,36}$/;

/**
 * Finds the ledger's table.
 *
 * @param nameOrId The table's name or ID. With an ID, the API key does not need the scope to list tables.
 * @throws ServiceError `invalid` when there is no such table, or more than one.
 */
export async function findTableId(http: Http, nameOrId: string): Promise<string> {
	const found = await findTablesByName(http, nameOrId);
	if (found.length > 1) throw ambiguousTableName(nameOrId);
	if (found[0]) return found[0].tableId;
	if (TABLE_ID.test(nameOrId)) return nameOrId;
	throw invalidInputError(
		`n8n has no Data Table "${nameOrId}"`,
		'Use "Set Up" of the Media Job Ledger node once: it makes the table that the job ledger credential names.',
	);
}

/**
 * Creates the ledger's table, or adds missing columns to an existing one.
 *
 * @returns the table, and whether it is new.
 */
export async function setUpTable(
	http: Http,
	name: string,
): Promise<DataTable & { created: boolean; addedColumns: string[] }> {
	const found = await findTablesByName(http, name);
	if (found.length > 1) throw ambiguousTableName(name);
	const all = Object.entries(columns).map(([column, type]) => ({ name: column, type }));
	const [existing] = found;
	if (!existing) {
		const body = { name, columns: all };
		const table = await requestTables(
			http,
			{ method: 'POST', path: TABLES_PATH, body },
			parseTable,
		);
		return { ...table, created: true, addedColumns: [] };
	}
	const missing = all.filter((column) => !existing.columns?.includes(column.name));
	for (const body of missing) {
		const path = `${TABLES_PATH}/${existing.tableId}/columns`;
		await requestTables(http, { method: 'POST', path, body }, (answer) => answer);
	}
	return { ...existing, created: false, addedColumns: missing.map((column) => column.name) };
}

async function findTablesByName(http: Http, name: string): Promise<DataTable[]> {
	const filter = encodeURIComponent(JSON.stringify({ name }));
	const path = `${TABLES_PATH}?limit=250&filter=${filter}`;
	try {
		const tables = await requestTables(http, { method: 'GET', path }, ({ data }) =>
			Array.isArray(data) ? data.filter(isPlainObject).map(parseTable) : undefined,
		);
		// n8n also returns tables whose name only contains it
		return tables.filter((table) => table.name === name);
	} catch (cause) {
		const isListForbidden = cause instanceof ServiceError && cause.details.status === 403;
		if (isListForbidden && TABLE_ID.test(name)) return [];
		throw mapServiceError(cause);
	}
}

async function requestTables<Result>(
	http: Http,
	request: HttpRequest,
	read: (answer: Record<string, unknown>) => Result | undefined,
): Promise<Result> {
	try {
		const response = await http.send(request);
		const answer = await readJson(response);
		const result = isPlainObject(answer) ? read(answer) : undefined;
		if (result === undefined) throw malformedResponseError(response, JSON.stringify(answer));
		return result;
	} catch (cause) {
		throw ledgerError(cause);
	}
}

function parseTable({ id, name, columns: listed }: Record<string, unknown>): DataTable {
	const columnNames = Array.isArray(listed)
		? listed.filter(isPlainObject).map((column) => String(column['name']))
		: undefined;
	return { tableId: String(id), name: String(name), columns: columnNames };
}

const ambiguousTableName = (name: string) =>
	invalidInputError(
		`n8n has several Data Tables "${name}"`,
		'Put the ID of the right one into the job ledger credential.',
	);

/** For `throw`: an error of n8n's own API, worded so that it is not mistaken for an error of the service. */
function ledgerError(cause: unknown): unknown {
	return mapServiceError(cause, ({ kind, message, details }) => {
		const text = message.replace(/^The service\b/, 'n8n').replace(/\bthe service\b/g, 'n8n');
		return new ServiceError(kind, `The job ledger could not be used: ${text}`, {
			...details,
			advice: ADVICE_BY_STATUS[details.status ?? 0] ?? details.advice ?? DEFAULT_ADVICE,
		});
	});
}

const DEFAULT_ADVICE =
	'Check the base URL of the job ledger credential: n8n itself has to be reachable there, from every worker.';

const ADVICE_BY_STATUS: Record<number, string> = {
	401: 'Copy the API key of n8n again into the job ledger credential.',
	403: 'The API key of n8n needs the scopes dataTable:list, dataTableRow:read, dataTableRow:create and dataTableRow:update; to set the ledger up also dataTable:create and dataTableColumn:create, to delete old entries dataTableRow:delete.',
	404: 'The job ledger needs n8n 2.7 or newer. Check the table in the job ledger credential, and that n8n\'s public API is switched on. "Set Up" of the Media Job Ledger node makes the table.',
};

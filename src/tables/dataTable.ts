import { mapServiceError, ServiceError } from '../core/errors';
import type { HttpRequest } from '../core/http';
import { isPlainObject, type JsonObject } from '../core/json';
import type { Clock } from '../core/retry';
import { encodePathSegment, encodeQueryValue, TABLES_PATH } from '../core/urls';
import { type N8nApi, requestN8n, type Scope } from './n8nApi';
import { isTransient, retryTransient } from './retries';
import { MAX_ROWS, type Table, type Where } from './table';
import { fillRow, readRow, type TableFormat } from './tableFormat';
import { referTo, type TableAccess, type TableReference } from './tableSetup';

/** The n8n that has the table, as an execution uses it. */
export interface N8nAccess extends TableAccess {
	/** Its sleep does not end with the execution. */
	clock: Clock;
	/** Removes API keys that a service echoed, so that they never reach the table. */
	redact: { data<Value>(value: Value): Value; text(text: string): string };
}

/**
 * Opens a table that this package makes.
 *
 * @param attempts To find it, where this process has not found it yet: n8n may be restarting.
 */
export async function openTable<Row extends { id: number }>(
	n8n: N8nAccess,
	format: TableFormat<Row>,
	clock: Clock,
	attempts: number,
): Promise<Table<Row>> {
	const reference = referTo(n8n, format);
	await retryTransient(clock, attempts, async () => await reference.id());
	return redactRows(openDataTable(n8n, reference, format), n8n.redact);
}

/** People read the table, so it must not contain keys. PostgreSQL takes no NUL, which the words of a service may have. */
function redactRows<Row>(table: Table<Row>, redact: N8nAccess['redact']): Table<Row> {
	const clean = (row: Partial<Row>): Partial<Row> => {
		const cells = Object.entries(row).map(([name, cell]) => [
			name,
			typeof cell === 'string' ? cell.replaceAll('\0', '') : cell,
		]);
		const stored = Object.fromEntries(cells) as Partial<Row> & { note?: string };
		const { note } = stored;
		return { ...redact.data(stored), ...(note && { note: redact.text(note) }) };
	};
	return {
		...table,
		add: async (row) => await table.add(clean(row)),
		change: async (where, changes, answer) => await table.change(where, clean(changes), answer),
	};
}

/** Gives access to the rows of a Data Table over n8n's public API. */
export function openDataTable<Row extends { id: number }>(
	n8n: N8nApi,
	table: TableReference,
	format: TableFormat<Row>,
): Table<Row> {
	const send = async (scope: Scope, request: HttpRequest) =>
		(await requestRows(n8n, table, scope, request)).map((row) => readRow(format, row));
	return {
		async find(where, { by = 'id', limit = MAX_ROWS, last = false, offset = 0 } = {}) {
			const query = [
				`filter=${encodeQueryValue(JSON.stringify(toFilter(where)))}`,
				`sortBy=${encodeQueryValue(`${String(by)}:${last ? 'desc' : 'asc'}`)}`,
				`limit=${limit}`,
				// n8n takes no offset but in a cursor (n8n 2.41.1, pagination.service.js)
				...(offset ? [`cursor=${btoa(JSON.stringify({ offset, limit }))}`] : []),
			].join('&');
			return await send('dataTableRow:read', { method: 'GET', path: `?${query}` });
		},

		async add(row) {
			const body = { data: [fillRow(format, row)], returnType: 'id' };
			await send('dataTableRow:create', { method: 'POST', path: '', body });
		},

		async change(where, changes, answer = 'rows') {
			const body = { filter: toFilter(where), data: changes, returnData: answer === 'rows' };
			return await send('dataTableRow:update', { method: 'PATCH', path: '/update', body });
		},

		async remove(where) {
			const filter = encodeQueryValue(JSON.stringify(toFilter(where)));
			const path = `/delete?filter=${filter}&returnData=true`;
			return await send('dataTableRow:delete', { method: 'DELETE', path });
		},
	};
}

/** @param request Its path begins below the rows. */
async function requestRows(
	n8n: N8nApi,
	table: TableReference,
	scope: Scope,
	request: HttpRequest,
): Promise<Array<JsonObject>> {
	const sendTo = async (tableId: string) => {
		const segment = encodePathSegment(tableId, table.field);
		const path = `${TABLES_PATH}/${segment}/rows${request.path}`;
		return await requestN8n(n8n, { ...request, path }, scope, readRows);
	};
	const tableId = await table.id();
	try {
		return await sendTo(tableId);
	} catch (cause) {
		// n8n refused, so nothing was changed
		if (isWrongTable(cause) && (await table.repair(tableId))) return await sendTo(await table.id());
		throw mapServiceError(cause);
	}
}

function readRows(answer: unknown): Array<JsonObject> | undefined {
	// to a change without rows
	if (answer === true) return [];
	const rows = isPlainObject(answer) ? answer['data'] : answer;
	return Array.isArray(rows) && rows.every(isPlainObject) ? rows : undefined;
}

/** The table does not exist, or has no such column. An n8n that is starting says nothing about the table. */
const isWrongTable = (cause: unknown) =>
	cause instanceof ServiceError &&
	[400, 404].includes(cause.details.status ?? 0) &&
	!isTransient(cause);

function toFilter<Row>(where: Where<Row>) {
	const clauses = 'all' in where ? where.all : where.any;
	return {
		type: 'all' in where ? 'and' : 'or',
		filters: clauses.map(([columnName, condition, value]) => ({ columnName, condition, value })),
	};
}

import type { Http, HttpRequest } from '../service/http';
import { isObject } from '../service/json';
import { pathSegment } from '../service/pathSegment';
import { readJson } from '../service/readBody';
import { garbled } from '../service/refusals';
import { readEntry, toRow, type Entry, type NewEntry } from './entry';
import { ledgerTrouble } from './trouble';

/** A condition on one column. */
export type Clause = readonly [
	column: keyof Entry,
	condition: 'eq' | 'neq' | 'lt' | 'lte' | 'gt' | 'gte',
	value: string | number,
];

/** n8n knows one level of conditions: all of them, or any of them. */
export type Where = { all: readonly Clause[] } | { any: readonly Clause[] };

/** How many conditions `any` may have: SQLite gives up at about a thousand. */
export const MOST_CLAUSES = 200;
/** How many rows n8n gives at once. */
export const MOST_ROWS = 250;

/**
 * The rows of the ledger: an n8n Data Table, reached over n8n's public API.
 *
 * A change by filter is atomic on SQLite and on PostgreSQL: of several who change the same rows at once, one gets them. Nothing
 * else is: two rows with the same key can be added at once, and n8n's upsert adds both.
 *
 * @see n8n 2.41.1, modules/data-table/data-table-rows.repository.js (updateRows)
 */
export interface Table {
	/** At most `MOST_ROWS` rows, by default in the order in which they were added. */
	find(
		where: Where,
		options?: { by?: keyof Entry; limit?: number; last?: boolean },
	): Promise<Entry[]>;
	/** @throws ServiceError. Without an answer from n8n the row may have been added all the same. */
	add(entry: NewEntry): Promise<void>;
	/**
	 * @returns the rows that were changed, as they are now.
	 * @throws ServiceError. Without an answer from n8n they may have been changed all the same.
	 */
	change(where: Where, changes: Partial<Entry>): Promise<Entry[]>;
	/** @returns the rows that were removed. */
	remove(where: Where): Promise<Entry[]>;
}

/**
 * @param http To an n8n, below whose address its public API is.
 * @param tableId Of a Data Table with the columns of `columns`.
 */
export function tableOver(http: Http, tableId: string): Table {
	const path = `/api/v1/data-tables/${pathSegment(tableId, 'Ledger table')}/rows`;

	return {
		async find(where, { by = 'id', limit = MOST_ROWS, last = false } = {}) {
			const query = [
				`filter=${encodeURIComponent(JSON.stringify(filterOf(where)))}`,
				`sortBy=${encodeURIComponent(`${by}:${last ? 'desc' : 'asc'}`)}`,
				`limit=${limit}`,
			].join('&');
			return await rowsOf(http, { method: 'GET', path: `${path}?${query}` });
		},

		async add(entry) {
			const body = { data: [toRow(entry)], returnType: 'id' };
			await rowsOf(http, { method: 'POST', path, body });
		},

		async change(where, changes) {
			const body = { filter: filterOf(where), data: changes, returnData: true };
			return await rowsOf(http, { method: 'PATCH', path: `${path}/update`, body });
		},

		async remove(where) {
			const filter = encodeURIComponent(JSON.stringify(filterOf(where)));
			const query = `filter=${filter}&returnData=true`;
			return await rowsOf(http, { method: 'DELETE', path: `${path}/delete?${query}` });
		},
	};
}

async function rowsOf(http: Http, request: HttpRequest): Promise<Entry[]> {
	try {
		const response = await http.send(request);
		const body = await readJson(response);
		const rows = isObject(body) ? body['data'] : body;
		if (!Array.isArray(rows) || !rows.every(isObject))
			throw garbled(response, JSON.stringify(body));
		return rows.map(readEntry);
	} catch (cause) {
		throw ledgerTrouble(cause);
	}
}

function filterOf(where: Where) {
	const clauses = 'all' in where ? where.all : where.any;
	return {
		type: 'all' in where ? 'and' : 'or',
		filters: clauses.map(([columnName, condition, value]) => ({ columnName, condition, value })),
	};
}

import { explained, invalid, ServiceError } from '../service/errors';
import type { Http, HttpRequest } from '../service/http';
import { isObject } from '../service/json';
import { readJson } from '../service/readBody';
import { garbled } from '../service/refusals';
import { columns } from './entry';
import { ledgerTrouble } from './trouble';

/** A Data Table of n8n. */
export interface LedgerTable {
	tableId: string;
	name: string;
	/** Names of its columns, where n8n says them. */
	columns: string[] | undefined;
}

const PATH = '/api/v1/data-tables';

/** What an id of a table looks like. */
const ID = /^[a-zA-Z0-9]{8,36}$/;

/**
 * Finds the ledger's table.
 *
 * @param named Name of the table, or its id: with that the key needs no scope to list tables.
 * @throws ServiceError `invalid` when there is no such table, or more than one.
 */
export async function findTable(http: Http, named: string): Promise<string> {
	const found = await tablesNamed(http, named);
	if (found.length > 1) throw several(named);
	if (found[0]) return found[0].tableId;
	if (ID.test(named)) return named;
	throw invalid(
		`n8n has no Data Table "${named}"`,
		'Use "Set Up" of the Media Job Ledger node once: it makes the table that the job ledger credential names.',
	);
}

/**
 * Makes the ledger's table, or adds what an existing one lacks.
 *
 * @returns the table, and whether it is new.
 */
export async function setUpTable(
	http: Http,
	name: string,
): Promise<LedgerTable & { created: boolean; addedColumns: string[] }> {
	const found = await tablesNamed(http, name);
	if (found.length > 1) throw several(name);
	const all = Object.entries(columns).map(([column, type]) => ({ name: column, type }));
	const [existing] = found;
	if (!existing) {
		const body = { name, columns: all };
		const made = await ask(http, { method: 'POST', path: PATH, body }, toTable);
		return { ...made, created: true, addedColumns: [] };
	}
	const lacking = all.filter((column) => !existing.columns?.includes(column.name));
	for (const body of lacking) {
		const path = `${PATH}/${existing.tableId}/columns`;
		await ask(http, { method: 'POST', path, body }, (answer) => answer);
	}
	return { ...existing, created: false, addedColumns: lacking.map((column) => column.name) };
}

async function tablesNamed(http: Http, name: string): Promise<LedgerTable[]> {
	const filter = encodeURIComponent(JSON.stringify({ name }));
	const path = `${PATH}?limit=250&filter=${filter}`;
	try {
		const tables = await ask(http, { method: 'GET', path }, ({ data }) =>
			Array.isArray(data) ? data.filter(isObject).map(toTable) : undefined,
		);
		// n8n also gives names that only contain it
		return tables.filter((table) => table.name === name);
	} catch (cause) {
		const unlisted = cause instanceof ServiceError && cause.details.status === 403;
		if (unlisted && ID.test(name)) return [];
		throw explained(cause);
	}
}

async function ask<Result>(
	http: Http,
	request: HttpRequest,
	read: (answer: Record<string, unknown>) => Result | undefined,
): Promise<Result> {
	try {
		const response = await http.send(request);
		const answer = await readJson(response);
		const result = isObject(answer) ? read(answer) : undefined;
		if (result === undefined) throw garbled(response, JSON.stringify(answer));
		return result;
	} catch (cause) {
		throw ledgerTrouble(cause);
	}
}

function toTable({ id, name, columns: listed }: Record<string, unknown>): LedgerTable {
	const named = Array.isArray(listed)
		? listed.filter(isObject).map((column) => String(column['name']))
		: undefined;
	return { tableId: String(id), name: String(name), columns: named };
}

const several = (name: string) =>
	invalid(
		`n8n has several Data Tables "${name}"`,
		'Put the ID of the right one into the job ledger credential.',
	);

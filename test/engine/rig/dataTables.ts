import { columns, readEntry, type Entry } from '../../../src/ledger/entry';
import type { Clause, Where } from '../../../src/tables/table';
import { json, type Answer } from '../../service/answer';
import { isFields, partsOf, type Call, type Fields } from '../../service/call';
import { startService } from '../../service/service';
import { addFaults, changeFaults, removeFaults } from '../../support/ledgerTransitions';

interface DataTable {
	id: string;
	name: string;
	columns: Array<{ name: string; type: string }>;
}

const SENT_ALONG = 'n8n-api-key-of-the-ledger-5b1c77';
/** Everything that one n8n has. */
interface World {
	/** The rows of the job ledger, whichever table it is. */
	rows: Fields[];
	/** The rows of the record of spending. */
	spending: Fields[];
	/** At first one, "Media Jobs". Names are unique. */
	tables: DataTable[];
	/** Scopes that the API key does not have. */
	missingScopes: Set<string>;
	/** Creations that wait for others. */
	held: { count: number; release: Array<() => void> };
	/** Changes of rows that their transitions do not allow. */
	faults: string[];
	/** Milliseconds by which its clock is ahead of that of the nodes. */
	ahead: number;
}

export type DataTables = Awaited<ReturnType<typeof startDataTables>>;

/**
 * n8n's public API as far as the job ledger uses it, for faults that a real n8n does not have on demand. What it does was seen
 * in a real one; `test/n8n/ledger.test.ts` shows the same claims there, on SQLite and on PostgreSQL.
 */
export async function startDataTables() {
	const [rows, spending, faults]: [Fields[], Fields[], string[]] = [[], [], []];
	const tables = [tableOf('Media Jobs', columnList())];
	const missingScopes = new Set<string>();
	const world: World = {
		rows,
		spending,
		tables,
		missingScopes,
		faults,
		held: { count: 1, release: [] },
		ahead: 0,
	};
	const dated = ({ headers, ...given }: Answer) => {
		const date = new Date(Date.now() + world.ahead).toUTCString();
		return { ...given, headers: { ...headers, date } };
	};
	const service = await startService({
		further: (call) => {
			const given = answer(world, call);
			return given && Promise.resolve(given).then(dated);
		},
	});
	return {
		service,
		rows,
		spending,
		tables,
		missingScopes,
		/** Everything as at first, but for tables that were made meanwhile. */
		reset() {
			service.reset();
			rows.length = spending.length = 0;
			missingScopes.clear();
			world.ahead = 0;
		},
		/** Lets its clock be ahead of that of the nodes. @param by Milliseconds. */
		setClock: (by: number) => void (world.ahead = by),
		/** Holds the next creations of tables until so many have passed the check of the name. */
		holdCreations: (count: number) => void (world.held.count = count),
		entries: (): Entry[] => rows.map(readEntry),
		/** What a credential needs to use it as its job ledger. */
		ledgerFields: {
			useJobLedger: true,
			n8nUrl: service.url,
			n8nApiKey: SENT_ALONG,
			ledgerTable: 'Media Jobs',
		},
		/** @throws when a row was changed in a way that its transitions do not allow. */
		async stop() {
			await service.stop();
			if (faults.length) throw new Error(faults.join('\n'));
		},
	};
}

/** Lets time go by in the ledger. */
export function letPass({ rows }: DataTables, milliseconds: number): void {
	for (const row of rows)
		for (const column of ['leaseUntil', 'checkAt', 'startedAt'])
			if (Number(row[column])) row[column] = Number(row[column]) - milliseconds;
}

let made = 0;

const tableOf = (name: string, listed: DataTable['columns']): DataTable => ({
	id: `ledgertable${String(++made).padStart(5, '0')}`,
	name,
	columns: [...listed],
});

const columnList = () => Object.entries(columns).map(([name, type]) => ({ name, type }));

/** The scope of each request (n8n 2.41.1, public-api/v1/openapi.yml). */
const SCOPES: Record<string, string> = {
	'GET tables': 'dataTable:list',
	'POST tables': 'dataTable:create',
	'POST columns': 'dataTableColumn:create',
	'GET rows': 'dataTableRow:read',
	'POST rows': 'dataTableRow:create',
	'PATCH rows': 'dataTableRow:update',
	'DELETE rows': 'dataTableRow:delete',
};

function answer(world: World, call: Call): Answer | Promise<Answer> | undefined {
	const { method, path, query, queryText, headers, body } = call;
	const [api, version, tables, tableId, what = 'tables', which] = partsOf(path) ?? [];
	if (api !== 'api' || version !== 'v1' || tables !== 'data-tables') return undefined;
	if (headers['x-n8n-api-key'] !== SENT_ALONG) return json({ message: 'unauthorized' }, 401);
	const scope = SCOPES[`${method} ${what}`] ?? '';
	if (!scope || (what === 'tables' && tableId)) return json({ message: 'not found' }, 404);
	if (world.missingScopes.has(scope)) return json({ message: 'Forbidden' }, 403);
	const reserved = [...query.keys()].find((name) => isReserved(queryText, name));
	if (reserved) return json({ message: `Parameter '${reserved}' must be url encoded.` }, 400);
	if (what === 'tables')
		return method === 'POST' ? addTable(world, body) : json(listedTables(world, query));
	const table = world.tables.find(({ id }) => id === tableId);
	if (!table) return json({ message: `Data table with ID "${tableId}" not found.` }, 404);
	return what === 'columns' ? addColumn(table, body) : answerRows(world, table, call, which);
}

/** As express-openapi-validator 5.5.3, by which n8n 2.41.1 judges what is asked. */
const isReserved = (queryText: string, name: string) =>
	queryText
		.split('&')
		.map((pair) => pair.split('='))
		.some(([key, value = '']) => key === name && /[:/?#[\]@!$&'()*+,;=]/.test(value));

function listedTables({ tables }: World, query: URLSearchParams) {
	const { id, name } = JSON.parse(query.get('filter') ?? '{}') as { id?: string; name?: string };
	const data = tables.filter(
		(table) => (id === undefined || table.id === id) && table.name.includes(name ?? ''),
	);
	return { data, nextCursor: null };
}

/** Checks the name, and finds only when it writes that somebody else was faster. */
async function addTable(world: World, body: unknown): Promise<Answer> {
	const { tables, held } = world;
	const { name, columns: listed } = body as DataTable;
	if (!name.trim() || listed.some((column) => column.name === 'id'))
		return json({ message: 'invalid' }, 400);
	const isTaken = () => tables.some((table) => table.name === name);
	if (isTaken()) return json({ message: `Data table with name '${name}' already exists` }, 409);
	await new Promise<void>((resolve) => {
		held.release.push(resolve);
		if (held.release.length < held.count) return;
		held.count = 1;
		for (const release of held.release.splice(0)) release();
	});
	if (isTaken()) return json({ message: 'SQLITE_CONSTRAINT: UNIQUE constraint failed' }, 500);
	const table = tableOf(name, listed);
	rowsOf(world, table).length = 0;
	tables.push(table);
	return json(table, 201);
}

function addColumn({ columns: listed }: DataTable, body: unknown): Answer {
	const column = body as DataTable['columns'][number];
	if (listed.some(({ name }) => name === column.name)) return json({ message: 'exists' }, 409);
	listed.push(column);
	return json(column, 201);
}

const PARAMETERS = ['cursor', 'filter', 'limit', 'returnData', 'sortBy'];

const isSpending = ({ columns: listed }: DataTable) =>
	listed.some(({ name }) => name === 'costUsd');
const rowsOf = (world: World, table: DataTable) => world[isSpending(table) ? 'spending' : 'rows'];

function answerRows(
	world: World,
	table: DataTable,
	{ method, query, body }: Call,
	which: string | undefined,
): Answer {
	const listed = table.columns;
	const rows = rowsOf(world, table);
	// only the rows of the job ledger have transitions
	const faults = isSpending(table) ? [] : world.faults;
	const isStrange = (row: Fields) =>
		Object.keys(row).some(
			(name) => name !== 'id' && !listed.some((column) => column.name === name),
		);
	const unknown = [...query.keys()].find((name) => !PARAMETERS.includes(name));
	if (unknown) return json({ message: `Unknown query parameter '${unknown}'` }, 400);
	// as PostgreSQL
	if (hasNul([body, JSON.parse(query.get('filter') ?? '{}')]))
		return json({ message: 'invalid byte sequence for encoding "UTF8": 0x00' }, 500);
	if (method === 'GET') return json({ data: listedRows(rows, query), nextCursor: null });
	const fields = isFields(body) ? body : {};
	if (method === 'POST' && !which) {
		const added = (fields['data'] as Fields[]).map((row) => ({ ...row, id: nextId(rows) }));
		if (added.some(isStrange)) return json({ message: 'unknown column name' }, 400);
		faults.push(...added.flatMap((row) => addFaults(readEntry(row))));
		rows.push(...added);
		return json(added.map(({ id }) => ({ id })));
	}
	if (method === 'PATCH' && which === 'update') {
		const changes = fields['data'] as Fields;
		if (isStrange(changes)) return json({ message: 'unknown column name' }, 400);
		const filter = fields['filter'] as Filter;
		const found = rows.filter((row) => fits(row, filter));
		faults.push(...changeFaults(found.map(readEntry), toWhere(filter), changes));
		for (const row of found) Object.assign(row, changes);
		return json(fields['returnData'] === true ? found : true);
	}
	if (method === 'DELETE' && which === 'delete') {
		const filter = JSON.parse(query.get('filter') ?? '') as Filter;
		const found = rows.filter((row) => fits(row, filter));
		faults.push(...removeFaults(found.map(readEntry), toWhere(filter)));
		for (const row of found) rows.splice(rows.indexOf(row), 1);
		return json(query.get('returnData') === 'true' ? found : true);
	}
	return json({ message: `${method} method not allowed` }, 405);
}

const hasNul = (value: unknown): boolean =>
	typeof value === 'string'
		? value.includes('\0')
		: value instanceof Object && Object.values(value).some(hasNul);

const nextId = (rows: Fields[]) => Math.max(0, ...rows.map(({ id }) => Number(id))) + 1;

interface Filter {
	type: 'and' | 'or';
	filters: Array<{ columnName: string; condition: string; value: Cell }>;
}

function toWhere({ type, filters }: Filter): Where<Entry> {
	const clauses = filters.map(
		({ columnName, condition, value }) => [columnName, condition, value] as Clause<Entry>,
	);
	return type === 'or' ? { any: clauses } : { all: clauses };
}

function listedRows(rows: Fields[], query: URLSearchParams): Fields[] {
	const filter = JSON.parse(query.get('filter') ?? '{"type":"and","filters":[]}') as Filter;
	const [by = 'id', order] = (query.get('sortBy') ?? 'id:asc').split(':');
	const found = rows.filter((row) => fits(row, filter));
	found.sort((one, other) => (one[by]! < other[by]! ? -1 : one[by]! > other[by]! ? 1 : 0));
	if (order === 'desc') found.reverse();
	const cursor = query.get('cursor');
	const { offset = 0 } = cursor ? (JSON.parse(atob(cursor)) as { offset?: number }) : {};
	return found.slice(offset, offset + Number(query.get('limit') ?? 100));
}

type Cell = string | number;

const CONDITIONS: Record<string, (cell: Cell, value: Cell) => boolean> = {
	eq: (cell, value) => cell === value,
	neq: (cell, value) => cell !== value,
	lt: (cell, value) => cell < value,
	lte: (cell, value) => cell <= value,
	gt: (cell, value) => cell > value,
	gte: (cell, value) => cell >= value,
	like: (cell, value) => String(cell).includes(String(value).replaceAll('%', '')),
};

function fits(row: Fields, { type, filters }: Filter): boolean {
	const holds = ({ columnName, condition, value }: Filter['filters'][number]) => {
		// n8n compares an empty cell only by eq and neq
		if (row[columnName] === null && !/eq$/.test(condition)) return false;
		return CONDITIONS[condition]?.(row[columnName] as Cell, value) ?? false;
	};
	return type === 'or' ? filters.some(holds) : filters.every(holds);
}

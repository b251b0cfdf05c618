import { columns, readEntry, type Entry } from '../../../src/ledger/entry';
import type { Clause, Where } from '../../../src/ledger/ledger';
import { json, type Answer } from '../../service/answer';
import { isFields, partsOf, type Call, type Fields } from '../../service/call';
import { startService, type Service } from '../../service/service';
import { addFaults, changeFaults, removeFaults } from '../../support/ledgerTransitions';

/**
 * n8n's public API as far as the job ledger uses it, for faults that a real n8n does not have on demand. What it does was seen
 * in a real one; `test/n8n/ledger.test.ts` shows the same claims there, on SQLite and on PostgreSQL.
 */
export interface DataTables {
	service: Service;
	/** The table "Media Jobs". */
	rows: Fields[];
	entries(): Entry[];
	/** What a credential needs to use it as its job ledger. */
	ledgerFields: { useJobLedger: boolean; n8nUrl: string; n8nApiKey: string; ledgerTable: string };
	/** @throws when a row was changed in a way that its transitions do not allow. */
	stop(): Promise<void>;
}

const SENT_ALONG = 'n8n-api-key-of-the-ledger-5b1c77';
const TABLE = 'ledgertable00001';

export async function startDataTables(): Promise<DataTables> {
	const rows: Fields[] = [];
	const faults: string[] = [];
	const service = await startService({ further: (call) => answer(rows, faults, call) });
	return {
		service,
		rows,
		entries: () => rows.map(readEntry),
		ledgerFields: {
			...{ useJobLedger: true, n8nUrl: service.url },
			...{ n8nApiKey: SENT_ALONG, ledgerTable: 'Media Jobs' },
		},
		async stop() {
			await service.stop();
			if (faults.length) throw new Error(faults.join('\n'));
		},
	};
}

function answer(
	rows: Fields[],
	faults: string[],
	{ method, path, query, headers, body }: Call,
): Answer | undefined {
	const [api, version, tables, tableId, what, which] = partsOf(path) ?? [];
	if (api !== 'api' || version !== 'v1' || tables !== 'data-tables') return undefined;
	if (headers['x-n8n-api-key'] !== SENT_ALONG) return json({ message: 'unauthorized' }, 401);
	if (!tableId && method === 'GET') return json({ data: [table()], nextCursor: null });
	if (tableId !== TABLE) return json({ message: `Data table '${tableId}' not found` }, 404);
	if (what !== 'rows') return json({ message: 'not found' }, 404);
	if (method === 'GET') return json({ data: listed(rows, query), nextCursor: null });
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
		return json(found);
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

const nextId = (rows: Fields[]) => Math.max(0, ...rows.map(({ id }) => Number(id))) + 1;

interface Filter {
	type: 'and' | 'or';
	filters: Array<{ columnName: string; condition: string; value: string | number }>;
}

function toWhere({ type, filters }: Filter): Where {
	const clauses = filters.map(
		({ columnName, condition, value }) => [columnName, condition, value] as Clause,
	);
	return type === 'or' ? { any: clauses } : { all: clauses };
}

const table = () => ({
	id: TABLE,
	name: 'Media Jobs',
	columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
});

const isStrange = (row: Fields) =>
	Object.keys(row).some((name) => name !== 'id' && !(name in columns));

function listed(rows: Fields[], query: URLSearchParams): Fields[] {
	const filter = JSON.parse(query.get('filter') ?? '{"type":"and","filters":[]}') as Filter;
	const [by = 'id', order] = (query.get('sortBy') ?? 'id:asc').split(':');
	const found = rows.filter((row) => fits(row, filter));
	found.sort((one, other) => (one[by]! < other[by]! ? -1 : one[by]! > other[by]! ? 1 : 0));
	if (order === 'desc') found.reverse();
	return found.slice(0, Number(query.get('limit') ?? 100));
}

function fits(row: Fields, { type, filters }: Filter): boolean {
	const holds = ({ columnName, condition, value }: Filter['filters'][number]) => {
		const cell = row[columnName] as string | number;
		if (condition === 'eq') return cell === value;
		if (condition === 'neq') return cell !== value;
		if (condition === 'lt') return cell < value;
		if (condition === 'lte') return cell <= value;
		if (condition === 'gt') return cell > value;
		return condition === 'gte' && cell >= value;
	};
	return type === 'or' ? filters.some(holds) : filters.every(holds);
}

// The tables that requests are measured with, with rows like those of this package.
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Http } from '../../src/core/http.ts';
import type * as Entries from '../../src/ledger/entry.ts';
import type * as Spending from '../../src/spending/recordBook.ts';
import type * as DataTables from '../../src/tables/dataTable.ts';
import type { TableFormat } from '../../src/tables/tableFormat.ts';
import type * as Formats from '../../src/tables/tableFormat.ts';
import type { InstanceOn } from '../n8n/instanceOn.ts';
import { budgetRows, type Given, jobRow, spareRow, spendingRow } from './tableRequests.ts';

/** The package as it is built. */
function built() {
	const from = (path: string): unknown =>
		createRequire(import.meta.url)(join(import.meta.dirname, '../../dist/src', path));
	return {
		...(from('ledger/entry.js') as typeof Entries),
		...(from('spending/recordBook.js') as typeof Spending),
		...(from('tables/dataTable.js') as typeof DataTables),
		...(from('tables/tableFormat.js') as typeof Formats),
	};
}

/** Rows that are added at a time. */
const AT_A_TIME = 1000;
/** As many as the record of spending takes. */
const MOST_SPENDING = 20_000;

/** @param spare Rows that may be deleted. @returns the tables, and what fills them up to so many rows. */
export async function makeTables({ api, instance: { url, editor } }: InstanceOn, spare: number) {
	const { fillRow, ledgerFormat, openDataTable, spendingFormat } = built();
	const rights = ['read', 'create', 'update', 'delete'];
	const key = await editor.createApiKey(rights.map((right) => `dataTableRow:${right}`));
	const http = httpOf(url, key);
	const make = async <Row extends { id: number }>(name: string, format: TableFormat<Row>) => {
		const columns = Object.entries(format.columns).map(([column, type]) => ({
			name: column,
			type,
		}));
		const { id } = await api.call<{ id: string }>('POST', '/data-tables', { name, columns });
		const reference = {
			...{ field: '', id: async () => id },
			...{ missingColumns: async () => [], repair: async () => false },
		};
		return {
			table: openDataTable({ http, credentialName: '' }, reference, format),
			async add(count: number, rowOf: (index: number) => Partial<Row>, from = 0) {
				for (let at = from; at < count; at += AT_A_TIME) {
					const indexes = Array.from(
						{ length: Math.min(AT_A_TIME, count - at) },
						(_, index) => at + index,
					);
					const data = indexes.map((index) => fillRow(format, rowOf(index)));
					await api.call('POST', `/data-tables/${id}/rows`, { data, returnType: 'count' });
				}
			},
		};
	};
	const ledger = await make('Media Jobs', ledgerFormat);
	const spending = await make('Agent Spending', spendingFormat);
	const budgets = budgetRows();
	await ledger.add(budgets.length, (index) => budgets[index] ?? {});
	const found = await ledger.table.find({ all: [['state', 'eq', 'budget']] });
	const given: Given = {
		...{ table: ledger.table, jobs: 0, spending: spending.table, spendingRows: 0, spare: [] },
		budgets: new Map(found.map((row) => [row.uniqueKey, row])),
	};
	const fill = async (rows: number) => {
		await ledger.add(rows, jobRow, given.jobs);
		given.jobs = rows;
		const most = Math.min(rows, MOST_SPENDING);
		await spending.add(most, spendingRow, given.spendingRows);
		given.spendingRows = most;
		await ledger.add(spare, spareRow);
		const isSpare = { all: [['claim', 'eq', 'spare'] as const] };
		const last = await ledger.table.find(isSpare, { last: true, limit: spare });
		given.spare = last.map(({ id }) => id);
	};
	return { given, fill };
}

/** Like n8n's request helper, it makes a connection for each request. */
const httpOf = (url: string, key: string): Http => ({
	send: async ({ method, path, body }) =>
		await new Promise((resolve, reject) => {
			const text = body && JSON.stringify(body);
			const headers = {
				...{ 'x-n8n-api-key': key, accept: 'application/json' },
				...(text && {
					...{ 'content-type': 'application/json' },
					'content-length': Buffer.byteLength(text),
				}),
			};
			const sent = request(url + path, { method, agent: false, headers }, (response) =>
				resolve({
					status: response.statusCode ?? 0,
					headers: response.headers as Record<string, string | undefined>,
					body: response,
				}),
			);
			sent.once('error', reject).end(text);
		}),
});

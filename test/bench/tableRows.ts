// The table that requests are measured with, with rows like those of this package.
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Http } from '../../src/core/http.ts';
import type * as Entries from '../../src/ledger/entry.ts';
import type { NewEntry } from '../../src/ledger/entry.ts';
import type * as DataTables from '../../src/tables/dataTable.ts';
import type * as Formats from '../../src/tables/tableFormat.ts';
import type { InstanceOn } from '../n8n/instanceOn.ts';
import { budgetRows, type Given, jobRow, spareRow } from './tableRequests.ts';

/** The package as it is built. */
function built() {
	const from = (path: string): unknown =>
		createRequire(import.meta.url)(join(import.meta.dirname, '../../dist/src', path));
	return {
		...(from('ledger/entry.js') as typeof Entries),
		...(from('tables/dataTable.js') as typeof DataTables),
		...(from('tables/tableFormat.js') as typeof Formats),
	};
}

/** Rows that are added at a time. */
const AT_A_TIME = 1000;

/** @param spare Rows that may be deleted. @returns the table, and what fills it up to so many rows. */
export async function makeTable({ api, instance: { url, editor } }: InstanceOn, spare: number) {
	const { columns, fillRow, ledgerFormat, openDataTable } = built();
	const rights = ['read', 'create', 'update', 'delete'];
	const key = await editor.createApiKey(rights.map((right) => `dataTableRow:${right}`));
	const http = httpOf(url, key);
	const { id } = await api.call<{ id: string }>('POST', '/data-tables', {
		name: 'Media Jobs',
		columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
	});
	const reference = { field: '', id: async () => id, repair: async () => false };
	const table = openDataTable({ http, credentialName: '' }, reference, ledgerFormat);
	const add = async (count: number, rowOf: (index: number) => NewEntry, from = 0) => {
		for (let at = from; at < count; at += AT_A_TIME) {
			const length = Math.min(AT_A_TIME, count - at);
			const data = Array.from({ length }, (_, index) => fillRow(ledgerFormat, rowOf(at + index)));
			await api.call('POST', `/data-tables/${id}/rows`, { data, returnType: 'count' });
		}
	};
	const budgets = budgetRows();
	await add(budgets.length, (index) => budgets[index]!);
	const found = await table.find({ all: [['state', 'eq', 'budget']] });
	const given: Given = {
		table,
		jobs: 0,
		spare: [],
		budgets: new Map(found.map((row) => [row.uniqueKey, row])),
	};
	const fill = async (rows: number) => {
		await add(rows, jobRow, given.jobs);
		given.jobs = rows;
		await add(spare, spareRow);
		const isSpare = { all: [['claim', 'eq', 'spare'] as const] };
		const last = await table.find(isSpare, { last: true, limit: spare });
		given.spare = last.map(({ id: row }) => row);
	};
	return { given, fill };
}

/** Like n8n's request helper, it makes a connection for each request. */
const httpOf = (url: string, key: string): Http => ({
	send: async ({ method, path, body }) =>
		await new Promise((resolve, reject) => {
			const text = body && JSON.stringify(body);
			const headers = {
				'x-n8n-api-key': key,
				accept: 'application/json',
				...(text && {
					'content-type': 'application/json',
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

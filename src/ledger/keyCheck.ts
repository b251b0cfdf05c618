import { describeStatus, nameN8n } from '../core/errorResponses';
import { TABLES_PATH } from '../core/urls';
import { columns } from './entry';
import { detectStartup, STILL_STARTING, type Scope } from './n8nApi';
import {
	listPath,
	mayBeTableId,
	noSuchTable,
	parseTables,
	severalTables,
	type DataTable,
} from './tableSetup';

/** A request that n8n's public API answers without any effect. */
interface CheckRequest {
	method: 'DELETE' | 'GET' | 'PATCH' | 'POST';
	path: string;
	body?: object;
}

interface CheckResponse {
	status: number;
	/** Parsed where it is JSON, otherwise the text. */
	body: unknown;
	/** What came in place of n8n's response, in a few words. */
	page?: string;
}

/**
 * Checks whether an API key of n8n is good for the job ledger. Nothing is created, changed or deleted.
 *
 * @param send Must not follow redirects.
 * @param table The name or ID of the Data Table.
 * @returns whether the ledger can be used, and a sentence that says so.
 * @throws when n8n cannot be reached.
 */
export async function checkLedgerKey(
	send: (request: CheckRequest) => Promise<CheckResponse>,
	table: string,
): Promise<{ isUsable: boolean; message: string }> {
	const isId = mayBeTableId(table);
	const answer = await send({ method: 'GET', path: listPath({ name: table }) });
	const refusal = describeRefusal(answer);
	if (refusal) return { isUsable: false, message: refusal };
	const missing = new Set<Scope>();
	let found: DataTable[] = [];
	if (answer.status === 403) missing.add('dataTable:list');
	else {
		found = parseTables(answer.body, { name: table }) ?? [];
		if (isId && !found.length) {
			const { body } = await send({ method: 'GET', path: listPath({ id: table }) });
			found = parseTables(body, { id: table }) ?? [];
			if (!found.length) return { isUsable: false, message: `${noSuchTable(table)}.` };
		}
	}
	if (found.length > 1)
		return { isUsable: false, message: `${severalTables(table)}. Enter the ID of the right one.` };

	const [existing] = found;
	await Promise.all(
		SCOPE_PROBES.map(async ([scope, request]) => {
			if ((await send(request)).status === 403) missing.add(scope);
		}),
	);
	const needed = [...missing].filter((scope) => isNeeded(scope, existing, isId)).sort();
	if (needed.length) return { isUsable: false, message: describeMissing(needed) };
	return { isUsable: true, message: describeSuccess(table, existing, isId, missing) };
}

/** What n8n says about a table that does not exist: 403 without the scope, and else 404 or 400. */
const NO_TABLE = `${TABLES_PATH}/0000000000000000`;
const FILTER = {
	type: 'and',
	filters: [{ columnName: 'state', condition: 'eq', value: 'none' }],
};

/** n8n checks the scope before it looks for the table (n8n 2.41.1, public-api/v1/handlers/data-tables). */
const SCOPE_PROBES: ReadonlyArray<[Scope, CheckRequest]> = [
	['dataTableRow:read', { method: 'GET', path: `${NO_TABLE}/rows?limit=1` }],
	[
		'dataTableRow:create',
		{ method: 'POST', path: `${NO_TABLE}/rows`, body: { data: [{ state: '' }], returnType: 'id' } },
	],
	[
		'dataTableRow:update',
		{
			method: 'PATCH',
			path: `${NO_TABLE}/rows/update`,
			body: { filter: FILTER, data: { state: '' } },
		},
	],
	[
		'dataTableRow:delete',
		{
			method: 'DELETE',
			path: `${NO_TABLE}/rows/delete?filter=${encodeURIComponent(JSON.stringify(FILTER))}`,
		},
	],
	[
		'dataTableColumn:create',
		{ method: 'POST', path: `${NO_TABLE}/columns`, body: { name: 'state', type: 'string' } },
	],
	[
		// a blank name and a column that n8n reserves: each of them is refused
		'dataTable:create',
		{
			method: 'POST',
			path: TABLES_PATH,
			body: { name: ' ', columns: [{ name: 'id', type: 'string' }] },
		},
	],
];

/** A sentence for an answer that says nothing about scopes. */
function describeRefusal({ status, body, page }: CheckResponse): string | undefined {
	const text = typeof body === 'string' ? body : '';
	const startup = detectStartup({ status, text, isPage: page !== undefined });
	if (startup === 'certain') return `${STILL_STARTING}. Test again in a minute.`;
	if (startup === 'possible')
		return `The address answered with ${page} (${status}). If n8n is starting, test again in a minute. ${STATUS_ADVICE[404]}`;
	if (page || (status >= 200 && status < 300 && !parseTables(body, {}))) {
		const what = page ? `with ${page}` : 'but not with a list of Data Tables';
		return `The address answered ${what}. Check the n8n URL, and whether a proxy or a login page is in between.`;
	}
	if ((status >= 200 && status < 300) || status === 403) return undefined;
	const advice = STATUS_ADVICE[status] ?? 'Check the n8n URL.';
	return `${nameN8n(describeStatus(status))}. ${advice}`;
}

const UNAVAILABLE_ADVICE =
	'If n8n is starting, test again in a minute. Otherwise check the n8n URL.';

const STATUS_ADVICE: Record<number, string> = {
	401: 'Copy the n8n API key again.',
	404: 'Check the n8n URL, and that n8n is 2.7 or newer with its public API switched on.',
	502: UNAVAILABLE_ADVICE,
	503: UNAVAILABLE_ADVICE,
	504: UNAVAILABLE_ADVICE,
};

function isNeeded(scope: Scope, existing: DataTable | undefined, isId: boolean): boolean {
	if (scope === 'dataTableRow:delete') return false;
	if (scope === 'dataTable:list') return !isId;
	if (scope === 'dataTable:create') return !existing && !isId;
	if (scope === 'dataTableColumn:create')
		return Object.keys(columns).some((column) => existing?.columns?.includes(column) === false);
	return true;
}

function describeMissing(scopes: Scope[]): string {
	const last = scopes.at(-1) ?? '';
	const named =
		scopes.length === 1
			? `the scope ${last}`
			: `the scopes ${scopes.slice(0, -1).join(', ')} and ${last}`;
	return `The n8n API key needs ${named}. You can change its scopes in n8n under Settings > n8n API.`;
}

function describeSuccess(
	table: string,
	existing: DataTable | undefined,
	isId: boolean,
	missing: ReadonlySet<Scope>,
): string {
	const place = existing
		? `and the table "${existing.name}" is there`
		: isId
			? 'which may not list tables, so the table was not looked for'
			: `and the table "${table}" is created when it is first used`;
	const limits = missing.has('dataTableRow:delete')
		? ' Entries cannot be deleted without the scope dataTableRow:delete.'
		: '';
	return `n8n accepted the key, ${place}.${limits}`;
}

import { mapServiceError } from '../core/errors';
import type { Http } from '../core/http';
import type { N8nApi } from './n8nApi';
import { ensureTable, type LedgerTable } from './tableSetup';

/** The ID of the ledger's table, as long as it is right. */
export interface TableReference {
	/** @throws ServiceError when the table can be neither found nor created. */
	id(): Promise<string>;
	/**
	 * Looks again after n8n has refused a request: the table or a column may have been deleted.
	 *
	 * @returns whether the request can succeed now.
	 */
	repair(staleId: string): Promise<boolean>;
}

/** By HTTP client and table. Each execution has its own client, so all its items share one look. */
const references = new WeakMap<Http, Map<string, TableReference>>();

/** Finds or creates the table at its first use. What is found is remembered for all executions of the process. */
export function referTo(api: N8nApi, nameOrId: string): TableReference {
	const ofClient = references.get(api.http) ?? new Map<string, TableReference>();
	references.set(api.http, ofClient);
	const reference = ofClient.get(nameOrId) ?? createReference(api, nameOrId);
	ofClient.set(nameOrId, reference);
	return reference;
}

function createReference(api: N8nApi, nameOrId: string): TableReference {
	const known = api.http.serviceFacts ?? new Map<string, string>();
	const fact = `ledger table ${nameOrId}`;
	const findTable = async () => {
		const table = await ensureTable(api, nameOrId);
		known.set(fact, table.tableId);
		return table;
	};
	/** The search that all share. After a failure, the next one searches again. */
	let search: Promise<LedgerTable> | undefined;
	const look = async () => {
		const shared = (search ??= findTable());
		try {
			return await shared;
		} catch (cause) {
			if (search === shared) search = undefined;
			throw mapServiceError(cause);
		}
	};
	return {
		id: async () => known.get(fact) ?? (await look()).tableId,
		async repair(staleId) {
			if (known.get(fact) === staleId) {
				known.delete(fact);
				search = undefined;
			}
			const { tableId, addedColumns } = await look();
			return tableId !== staleId || addedColumns.length > 0;
		},
	};
}

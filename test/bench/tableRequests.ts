import { randomUUID } from 'node:crypto';
import type { Entry, NewEntry } from '../../src/ledger/entry.ts';
import type { LedgerTable } from '../../src/ledger/ledger.ts';
import type { Clause } from '../../src/tables/table.ts';

/** Callers that send at the same time. Each has rows of its own. */
export const CALLERS = 20;
/** Milliseconds before now at which the first job of a table was started. */
const AGE = 3_600_000;
const CREDENTIAL = 'Qm3vT8yZk1Ls0PwX';

/** A row of a job, with a record of 1 kB. Every second job is under way, and due; the others were delivered. */
export function jobRow(index: number): NewEntry {
	const isPending = index % 2 === 0;
	const startedAt = Date.now() - AGE + index;
	return {
		uniqueKey: `order-${index}`,
		state: isPending ? 'pending' : 'delivered',
		jobId: jobId(index),
		mediaType: 'images',
		model: 'canvas/sketch-1',
		credentialId: CREDENTIAL,
		triggerGroup: '',
		claim: isPending ? '' : randomUUID(),
		outcome: isPending ? '' : 'completed',
		deliveries: isPending ? 0 : 1,
		startedAt,
		checkAt: startedAt,
		requestId: `req_${index}`,
		executionId: String(index),
		record: JSON.stringify({ id: jobId(index), status: 'queued', prompt: filler(950) }),
	};
}

/** A row that may be deleted. */
export const spareRow = (index: number): NewEntry => ({
	...jobRow(index),
	state: 'withdrawn',
	jobId: '',
	credentialId: 'spare',
	claim: 'spare',
});

const jobId = (index: number) => `job_${String(index).padStart(12, '0')}`;
const filler = (length: number) =>
	'a lighthouse at dusk, '.repeat(Math.ceil(length / 22)).slice(0, length);

const budgetKey = (caller: number) => `budget:${caller}`;

/** The rows of budgets: one for each caller. */
export const budgetRows = (): NewEntry[] =>
	Array.from({ length: CALLERS }, (_, caller) => ({
		uniqueKey: budgetKey(caller),
		state: 'budget',
		mediaType: 'budget',
		claim: randomUUID(),
		startedAt: Date.now(),
		record: filler(1000),
	}));

/** A table, and what was read of it before. */
export interface Given {
	table: LedgerTable;
	/** jobs in it */
	jobs: number;
	/** its budgets, by key; kept as they are in the table */
	budgets: Map<string, Entry>;
	/** IDs of rows that may be deleted */
	spare: number[];
}

/** A kind of request that this package makes. @param caller From 0. @param turn Counts the requests. */
export type TableRequest = (given: Given, caller: number, turn: number) => Promise<unknown>;

const where = (fields: Partial<Entry>) => ({
	all: Object.entries(fields).map(
		([column, value]): Clause<Entry> => [column as keyof Entry, 'eq', value],
	),
});

const budgetOf = ({ budgets }: Given, caller: number) => {
	const row = budgets.get(budgetKey(caller));
	if (!row) throw new Error(`there is no budget for caller ${caller}`);
	return row;
};

/** Those that the simulations count with. */
export const tableRequests: Record<string, TableRequest> = {
	'find by key': async ({ table }, caller) =>
		await table.find(where({ uniqueKey: budgetKey(caller), mediaType: 'budget', state: 'budget' })),
	'find by ID': async (given, caller) => {
		const { id, claim } = budgetOf(given, caller);
		return await given.table.find(where({ id, claim }));
	},
	'change by ID and claim': async (given, caller, turn) => {
		const { id, claim, record, uniqueKey } = budgetOf(given, caller);
		const changes = { claim: randomUUID(), record, executionId: String(turn) };
		const [changed] = await given.table.change(where({ id, state: 'budget', claim }), changes);
		if (!changed) throw new Error('the budget was not changed');
		given.budgets.set(uniqueKey, changed);
	},
	insert: async ({ table }, caller, turn) =>
		await table.add({ ...spareRow(turn), requestId: String(caller) }),
	'delete by ID': async ({ table, spare }) => {
		const id = spare.pop();
		if (id === undefined) throw new Error('no row is left that may be deleted');
		await table.remove({ any: [['id', 'eq', id]] });
	},
};

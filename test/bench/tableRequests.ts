import { randomUUID } from 'node:crypto';
import type { Entry, NewEntry } from '../../src/ledger/entry.ts';
import type { LedgerTable } from '../../src/ledger/ledger.ts';
import type { SpendingTable } from '../../src/spending/recordBook.ts';
import type { Clause } from '../../src/tables/table.ts';

/** Callers that send at the same time. Each has rows of its own. */
export const CALLERS = 20;
/** Milliseconds before now at which the first job of a table was started. */
const AGE = 3_600_000;
/** Rows of the jobs that one poll has proposed to claim. */
const PROPOSED = 50;
const CREDENTIAL = 'Qm3vT8yZk1Ls0PwX';

/** A row of a job, with a record of 1 kB. Every second job is under way, and due; the others were delivered. */
export function jobRow(index: number): NewEntry {
	const isPending = index % 2 === 0;
	const startedAt = Date.now() - AGE + index;
	return {
		...{ uniqueKey: `order-${index}`, state: isPending ? 'pending' : 'delivered' },
		...{ jobId: jobId(index), mediaType: 'images', model: 'canvas/sketch-1' },
		...{ credentialId: CREDENTIAL, ledgerLabel: '', claim: isPending ? '' : randomUUID() },
		...{ proposal: proposal(Math.floor(index / PROPOSED)), leaseUntil: 0, checkAt: startedAt },
		...{ outcome: isPending ? '' : 'completed', failures: 0, deliveries: isPending ? 0 : 1 },
		...{ startedAt, requestId: `req_${index}`, executionId: String(index) },
		record: JSON.stringify({ id: jobId(index), status: 'queued', prompt: filler(950) }),
	};
}

/** A row that may be deleted. */
export const spareRow = (index: number): NewEntry => ({
	...jobRow(index),
	...{ state: 'withdrawn', jobId: '', credentialId: 'spare', claim: 'spare', proposal: '' },
});

const jobId = (index: number) => `job_${String(index).padStart(12, '0')}`;
const proposal = (poll: number) => `poll-${poll}`;
const filler = (length: number) =>
	'a lighthouse at dusk, '.repeat(Math.ceil(length / 22)).slice(0, length);

const budgetKey = (caller: number, bytes: number) => `budget:${caller}:${bytes}`;
const budgetRow = (caller: number, bytes: number): NewEntry => ({
	...{ uniqueKey: budgetKey(caller, bytes), state: 'budget', mediaType: 'budget' },
	...{ claim: randomUUID(), startedAt: Date.now(), record: filler(bytes) },
});

const SMALL = 1000;
const LARGE = 70_000;

/** The rows of budgets: for each caller one with a record of 1 kB, and one of 70 kB. */
export const budgetRows = (): NewEntry[] =>
	Array.from({ length: CALLERS }, (_, caller) => [
		budgetRow(caller, SMALL),
		budgetRow(caller, LARGE),
	]).flat();

/** A row of the record of spending, with a job under way. */
export const spendingRow = (index: number) => ({
	...{ day: '2026-11-24', workflowId: 'pooveVwFWTOCndIc', workflow: 'Answer mails' },
	...{ nodeId: randomUUID(), node: 'Message a Model', model: 'aurora-labs/omni-2' },
	...{ label: `customer-${index}`, requests: 8, inputTokens: 32, outputTokens: 640 },
	...{ costUsd: 0.00648, unknownCosts: 1, lastExecutionId: String(index) },
	record: JSON.stringify({
		writes: Array.from({ length: 20 }, () => randomUUID().slice(0, 8)),
		jobs: [jobId(index)],
		combined: [],
	}),
});

/** A table, and what was read of it before. */
export interface Given {
	table: LedgerTable;
	spending: Pick<SpendingTable, 'find'>;
	/** rows of it */
	spendingRows: number;
	/** jobs in it */
	jobs: number;
	/** its budgets, by key; kept as they are in the table */
	budgets: Map<string, Entry>;
	/** IDs of rows that may be deleted */
	spare: number[];
}

/** A kind of request that this package makes. @param caller From 0. @param turn Counts the requests. */
export type TableRequest = (given: Given, caller: number, turn: number) => Promise<unknown>;

const all = (...clauses: Array<Clause<Entry>>) => ({ all: clauses });
const UNDECIDED = ['completed', 'failed', 'lost', 'expired', 'threshold', 'outcomeUnknown'].map(
	(outcome): Clause<Entry> => ['outcome', 'neq', outcome],
);
/** Of a row, spread over the table. */
const anyOf = (rows: number, caller: number, turn: number) =>
	(caller * 7919 + turn * 104_729) % rows;

const budgetOf = ({ budgets }: Given, caller: number, bytes: number): Entry => {
	const row = budgets.get(budgetKey(caller, bytes));
	if (!row) throw new Error(`there is no budget of ${bytes} bytes for caller ${caller}`);
	return row;
};

const findBudget =
	(bytes: number): TableRequest =>
	async ({ table }, caller) =>
		await table.find(
			all(
				['uniqueKey', 'eq', budgetKey(caller, bytes)],
				['mediaType', 'eq', 'budget'],
				['state', 'eq', 'budget'],
			),
		);

const changeBudget =
	(bytes: number): TableRequest =>
	async (given, caller, turn) => {
		const { id, claim, record, uniqueKey } = budgetOf(given, caller, bytes);
		const isSame = all(['id', 'eq', id], ['state', 'eq', 'budget'], ['claim', 'eq', claim]);
		const changes = { claim: randomUUID(), record, executionId: String(turn) };
		const [changed] = await given.table.change(isSame, changes);
		if (!changed) throw new Error('the budget was not changed');
		given.budgets.set(uniqueKey, changed);
	};

const someOf = (rows: number, caller: number, turn: number, count: number) => {
	const from = anyOf(rows, caller, turn);
	return Array.from({ length: count }, (_, index) => (from + index) % rows);
};

const findListing =
	(count: number): TableRequest =>
	async ({ spending, spendingRows }, caller, turn) =>
		await spending.find({
			any: someOf(spendingRows, caller, turn, count).map(
				(index) => ['record', 'like', `%"${jobId(index)}"%`] as const,
			),
		});

const findDue =
	(now: () => number): TableRequest =>
	async ({ table }) =>
		await table.find(
			all(['credentialId', 'eq', CREDENTIAL], ['state', 'eq', 'pending'], ...UNDECIDED, [
				'checkAt',
				'lte',
				now(),
			]),
			{ by: 'checkAt' },
		);

/** Those that matter for how far it goes. */
export const tableRequests: Record<string, TableRequest> = {
	'find by key': findBudget(SMALL),
	'find by key, 70 kB': findBudget(LARGE),
	'find by ID': async (given, caller) => {
		const { id, claim } = budgetOf(given, caller, SMALL);
		return await given.table.find(all(['id', 'eq', id], ['claim', 'eq', claim]));
	},
	'find 250 due jobs': findDue(Date.now),
	'find no due job': findDue(() => 0),
	'find by one text in record': findListing(1),
	'find by 50 texts in record': findListing(50),
	'find by 50 job IDs': async ({ table, jobs }, caller, turn) =>
		await table.find({
			any: someOf(jobs, caller, turn, 50).map((index) => ['jobId', 'eq', jobId(index)] as const),
		}),
	'change by ID and claim': changeBudget(SMALL),
	'change by ID and claim, 70 kB': changeBudget(LARGE),
	'change by ID and claim, lost': async (given, caller) => {
		const { id } = budgetOf(given, caller, SMALL);
		const isOther = all(['id', 'eq', id], ['state', 'eq', 'budget'], ['claim', 'eq', 'another']);
		await given.table.change(isOther, { claim: randomUUID(), record: filler(SMALL) });
	},
	'change 250 by ID': async ({ table, jobs }, caller, turn) => {
		// not the same ones at the same time
		const from = ((caller * 250 + turn) % Math.max(1, jobs - 250)) + 1;
		const ids = Array.from({ length: 250 }, (_, index) => from + index);
		const any = ids.map((id) => ['id', 'eq', id] as const);
		await table.change({ any }, { checkAt: Date.now() - AGE }, 'nothing');
	},
	'change by state, none': async ({ table }) =>
		await table.change(all(['state', 'eq', 'emitting'], ['leaseUntil', 'lt', Date.now()]), {
			checkAt: 0,
		}),
	'change by state and proposal, 50': async ({ table, jobs }, caller) =>
		await table.change(
			all(
				['state', 'eq', 'pending'],
				['proposal', 'eq', proposal(caller % Math.ceil(jobs / PROPOSED))],
			),
			{ leaseUntil: 0 },
		),
	insert: async ({ table }, caller, turn) =>
		await table.add({ ...spareRow(turn), requestId: String(caller) }),
	'delete by ID': async ({ table, spare }) => {
		const id = spare.pop();
		if (id === undefined) throw new Error('no row is left that may be deleted');
		await table.remove({ any: [['id', 'eq', id]] });
	},
};

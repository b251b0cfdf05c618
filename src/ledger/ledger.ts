import { cutText, sentencesOf, ServiceError } from '../core/errors';
import { type Clock, retry } from '../core/retry';
import { emptyCells, type Entry, type NewEntry } from './entry';
import { type Transition, transitions } from './transitions';
import { type Update, updates } from './updates';

/** The job ledger of an n8n instance, as one execution uses it. */
export interface Ledger {
	table: Table;
	/** Its sleep ends with the execution. */
	clock: Clock;
	/** Its sleep does not end with the execution: outcomes are recorded even after Stop. */
	uncancellableClock: Clock;
	/** Creates a unique random text. */
	newClaim(): string;
	/** The n8n execution's ID. */
	executionId: string;
	/** Milliseconds since 1970, by the clock of n8n when it last answered: one clock for all processes. Absent without an n8n. */
	n8nTime?(): number;
}

/** The time of n8n where there is one, or of this process. */
export const n8nTimeOf = ({ n8nTime, clock }: Ledger): number => n8nTime?.() ?? clock.now();

/** A condition on one column. `like` has `%` for any text, `eq` null for a cell that a person has emptied. */
export type Clause<Row = Entry> = readonly [
	column: keyof Row,
	condition: 'eq' | 'neq' | 'lt' | 'lte' | 'gt' | 'gte' | 'like',
	value: string | number | null,
];

/** A filter. n8n supports one level of conditions: all of them, or any of them. */
export type Where<Row = Entry> =
	| { all: ReadonlyArray<Clause<Row>> }
	| { any: ReadonlyArray<Clause<Row>> };

/** Most conditions of `any` on row IDs: they are in the address of a request, and n8n's server takes an address of 16 KiB. */
export const MAX_CLAUSES = 150;
/** Characters of an address that conditions on other columns may take. */
const MAX_CLAUSE_LENGTH = 10_000;
/** Most rows that n8n returns at once. */
export const MAX_ROWS = 250;

/**
 * The rows of the ledger, or of another table: an n8n Data Table, reached over n8n's public API.
 *
 * A change by filter is atomic on SQLite and on PostgreSQL: of several concurrent changes of the same rows, one succeeds. Nothing
 * else is atomic: two rows with the same key can be added concurrently, and n8n's upsert adds both.
 *
 * @see n8n 2.41.1, modules/data-table/data-table-rows.repository.js (updateRows)
 */
export interface Table<Row = Entry, NewRow = NewEntry> {
	/** Reads at most `MAX_ROWS` rows, by default in the order in which they were added. @param options.offset Rows that are left out. */
	find(
		where: Where<Row>,
		options?: { by?: keyof Row; limit?: number; last?: boolean; offset?: number },
	): Promise<Row[]>;
	/** @throws ServiceError. Without a response from n8n the row may have been added. */
	add(row: NewRow): Promise<void>;
	/**
	 * @param answer `nothing` where no caller reads the rows: rows are long, and a poll changes thousands.
	 * @returns the changed rows, with their new values.
	 * @throws ServiceError. Without a response from n8n the rows may have been changed.
	 */
	change(where: Where<Row>, changes: Partial<Row>, answer?: 'rows' | 'nothing'): Promise<Row[]>;
	/** @returns the removed rows. */
	remove(where: Where<Row>): Promise<Row[]>;
}

/** What may be repeated: a row may have been added although n8n's answer was lost. */
export type RepeatableTable = Pick<Table, 'find' | 'change'>;

/** A comparison of a column, other than with one value. */
export interface Condition {
	condition: Clause[1];
	value: Clause[2];
}

/** The conditions on a row, by column. */
type Filter<Row = Entry> = {
	readonly [Column in keyof Row]?: Row[Column] | Condition | readonly Condition[] | undefined;
};

export const equal = (value: string | null): Condition => ({ condition: 'eq', value });
export const below = (value: Clause[2]): Condition => ({ condition: 'lt', value });
export const atMost = (value: Clause[2]): Condition => ({ condition: 'lte', value });
export const atLeast = (value: Clause[2]): Condition => ({ condition: 'gte', value });
export const above = (value: number): Condition => ({ condition: 'gt', value });
export const noneOf = <Value extends string>(...values: Value[]): Condition[] =>
	values.map((value) => ({ condition: 'neq', value }));

/** Selects rows that match all conditions. A column that is undefined is not compared. */
export const where = <Row = Entry>(filter: Filter<NoInfer<Row>>): { all: Array<Clause<Row>> } =>
	whereColumns<Row>(Object.keys(filter) as Array<keyof Row>, filter);

/** Selects rows that have one of these values in a column. */
export const anyOf = <Column extends string, Value extends Clause[2]>(
	column: Column,
	values: readonly Value[],
) => ({ any: values.map((value) => [column, 'eq', value] as const) });

function whereColumns<Row = Entry>(
	columns: ReadonlyArray<keyof Row>,
	filter: Filter<Row>,
): { all: Array<Clause<Row>> } {
	const all = columns.flatMap((column): Array<Clause<Row>> => {
		const expected = filter[column] as Clause[2] | Condition | readonly Condition[] | undefined;
		if (expected === undefined || expected === null) return [];
		if (typeof expected !== 'object') return [[column, 'eq', expected]];
		return [expected].flat().map(({ condition, value }) => [column, condition, value] as const);
	});
	return { all };
}

type Transitions = typeof transitions;
type Updates = typeof updates;

type EnteringName = {
	[Name in keyof Transitions]: Transitions[Name]['from'] extends 'new' ? Name : never;
}[keyof Transitions];

type DeletingName = {
	[Name in keyof Transitions]: Transitions[Name]['to'] extends 'deleted' ? Name : never;
}[keyof Transitions];

/** Values of the columns that a change compares, and of no others. Without `state`, each state that the change starts from is tried. */
type Matched<Columns extends keyof Entry> = {
	readonly [Column in Exclude<Columns, 'state'>]: Entry[Column] | Condition;
} & { readonly state?: 'state' extends Columns ? Entry['state'] : never };

/** Adds a row. @throws as `Table.add` does. */
export async function enterRow(
	table: Table,
	name: EnteringName,
	entry: Omit<NewEntry, 'state'>,
): Promise<void> {
	await table.add({ ...entry, state: transitions[name].to });
}

/**
 * Changes the state of rows that match the transition. With several source states, one is tried after the other until rows
 * match, because n8n's filters have one level.
 *
 * @returns the changed rows. @throws as `Table.change` does.
 */
export async function applyTransition<
	Name extends Exclude<keyof Transitions, EnteringName | DeletingName>,
>(
	table: RepeatableTable,
	name: Name,
	row: Matched<Transitions[Name]['matches'][number]>,
	changes: Partial<Omit<Entry, 'id' | 'state'>> = {},
): Promise<Entry[]> {
	const { from, matches = [], clears = [] }: Transition = transitions[name];
	const cells = { ...emptyCells(clears), ...changes, state: transitions[name].to };
	const triesEachState = matches.includes('state') && row.state === undefined;
	const filters: Filter[] = triesEachState ? from.map((state) => ({ ...row, state })) : [row];
	for (const filter of filters) {
		const changed = await table.change(whereColumns(matches, filter), cells);
		if (changed.length) return changed;
	}
	return [];
}

/**
 * Changes rows without changing their state. An update that compares the state is of one state (`Update`).
 *
 * @returns the changed rows. @throws as `Table.change` does.
 */
export async function applyUpdate<Name extends Exclude<keyof Updates, 'changeRows'>>(
	table: RepeatableTable,
	name: Name,
	row: Matched<Updates[Name]['matches'][number]>,
	changes: Partial<Pick<Entry, Updates[Name]['writes'][number]>>,
): Promise<Entry[]> {
	const { in: states, matches }: Update = updates[name];
	const [state] = states;
	return await table.change(whereColumns<Entry>(matches, { ...row, state }), changes);
}

/** Changes rows in any state, and keeps the state. */
export async function changeRows(
	table: RepeatableTable,
	rows: ReadonlyArray<Pick<Entry, 'id'>>,
	changes: Partial<Pick<Entry, Updates['changeRows']['writes'][number]>>,
): Promise<void> {
	for (const chunk of chunks(rows, MAX_ROWS)) {
		const ids = chunk.map(({ id }) => id);
		await table.change(anyOf('id', ids), changes, 'nothing');
	}
}

/** Reads all rows with these job IDs, including those of other credentials and media types. */
export async function findRowsOfJobs(
	table: RepeatableTable,
	jobIds: readonly string[],
): Promise<Entry[]> {
	const found: Entry[] = [];
	for (const chunk of chunksInAddress([...new Set(jobIds)], (jobId) => jobId)) {
		const rows = await table.find(anyOf('jobId', chunk));
		if (rows.length < MAX_ROWS) found.push(...rows);
		// n8n cannot return a second page of an "any" filter
		else for (const jobId of chunk) found.push(...(await findAllRows(table, { jobId })));
	}
	return found;
}

/** Reads all rows, in the order in which they were added. Pages by row ID, because n8n's own pages shift when a row is added or changed. */
export async function findAllRows<Row extends { id: number } = Entry>(
	table: Pick<Table<Row>, 'find'>,
	filter: Omit<Filter<Row>, 'id'>,
): Promise<Row[]> {
	const found: Row[] = [];
	for (let lastId = 0; ; lastId = found.at(-1)?.id ?? lastId) {
		const rows = await table.find(where<Row>({ ...filter, id: above(lastId) } as Filter<Row>));
		found.push(...rows);
		if (rows.length < MAX_ROWS) return found;
	}
}

/** Parts of a list that fit into the address of a request, as conditions on a column with texts. */
export function chunksInAddress<Value>(values: readonly Value[], textOf: (value: Value) => string) {
	const lengths = values.map((value) => encodeURIComponent(JSON.stringify(textOf(value))).length);
	return chunks(values, Math.ceil(MAX_CLAUSE_LENGTH / (100 + Math.max(0, ...lengths))));
}

/** Parts of a list, each of this size or smaller. */
export function* chunks<Value>(values: readonly Value[], size: number): Generator<Value[]> {
	for (let at = 0; at < values.length; at += size) yield values.slice(at, at + size);
}

/** Enough for a short failure of n8n; a poll cannot wait longer, and the next one follows soon. */
export const SHORT_RETRY_ATTEMPTS = 3;
/** Retries for about a minute, which is enough for most restarts of n8n. */
export const LONG_RETRY_ATTEMPTS = 10;

/**
 * Retries a read or an idempotent change after transient errors of n8n: it may be restarting, or PostgreSQL may have ended a
 * deadlock.
 *
 * @throws the error of the last attempt.
 */
export async function retryTransient<Result>(
	clock: Clock,
	attempts: number,
	action: () => Promise<Result>,
): Promise<Result> {
	return await retry(action, { attempts, isRetryable: isTransient, clock });
}

/** The same table for reads and changes that may be repeated, which are after transient errors of n8n. */
export function retrying(table: Table, clock: Clock, attempts: number): RepeatableTable {
	return {
		find: (...given) => retryTransient(clock, attempts, () => table.find(...given)),
		change: (...given) => retryTransient(clock, attempts, () => table.change(...given)),
	};
}

/** For a poll. */
export const retryingBriefly = ({ table, clock }: Ledger) =>
	retrying(table, clock, SHORT_RETRY_ATTEMPTS);

/** For what has to be recorded, even after Stop. */
export const retryingPersistently = ({ table, uncancellableClock }: Ledger) =>
	retrying(table, uncancellableClock, LONG_RETRY_ATTEMPTS);

/** Whether a retry may succeed soon. */
export function isTransient(cause: unknown): boolean {
	if (!(cause instanceof ServiceError)) return false;
	const { status = 0, permanent, transient = false } = cause.details;
	if (cause.kind === 'unreachable') return !permanent;
	return transient || cause.kind === 'truncated' || status === 429 || status >= 500;
}

/** Characters of a note. */
const MAX_NOTE_LENGTH = 500;

/** A failure as the note of a row. */
export const toNote = (cause: unknown): string =>
	cutText(sentencesOf(cause, 'reason'), MAX_NOTE_LENGTH);

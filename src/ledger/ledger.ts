import { cutText, sentencesOf } from '../core/errors';
import type { Clock } from '../core/retry';
import {
	LONG_RETRY_ATTEMPTS,
	type RepeatableTable,
	retrying,
	SHORT_RETRY_ATTEMPTS,
} from '../tables/retries';
import {
	anyOf,
	chunks,
	chunksInAddress,
	type Condition,
	type Filter,
	findAllRows,
	MAX_ROWS,
	type Table,
	whereColumns,
} from '../tables/table';
import { emptyCells, type Entry, type NewEntry } from './entry';
import { type Transition, transitions, type Update, updates } from './transitions';

/** The rows of the job ledger. */
export type LedgerTable = Table<Entry, NewEntry>;

/** The job ledger of an n8n instance, as one execution uses it. */
export interface Ledger {
	table: LedgerTable;
	/** Its sleep ends with the execution. */
	clock: Clock;
	/** Its sleep does not end with the execution: outcomes are recorded even after Stop. */
	uncancellableClock: Clock;
	/** Creates a unique random text. */
	newClaim(): string;
	/** The n8n execution's ID. */
	executionId: string;
	/**
	 * Milliseconds since 1970 by the clock of n8n, for what other processes judge. It is not later than that clock, and earlier by as long
	 * as the last answer was under way. Before the first answer, it is the time of this process.
	 */
	n8nTime(): number;
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
	table: LedgerTable,
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
	table: RepeatableTable<Entry>,
	name: Name,
	row: Matched<Transitions[Name]['matches'][number]>,
	changes: Partial<Omit<Entry, 'id' | 'state'>> = {},
): Promise<Entry[]> {
	const { from, matches = [], clears = [] }: Transition = transitions[name];
	const cells = { ...emptyCells(clears), ...changes, state: transitions[name].to };
	const triesEachState = matches.includes('state') && row.state === undefined;
	const filters: Array<Filter<Entry>> = triesEachState
		? from.map((state) => ({ ...row, state }))
		: [row];
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
	table: RepeatableTable<Entry>,
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
	table: RepeatableTable<Entry>,
	rows: ReadonlyArray<Pick<Entry, 'id'>>,
	changes: Partial<Pick<Entry, Updates['changeRows']['writes'][number]>>,
): Promise<void> {
	for (const chunk of chunks(rows, MAX_ROWS)) {
		const ids = chunk.map(({ id }) => id);
		await table.change(anyOf('id', ids), changes, 'nothing');
	}
}

/** Reads all rows with these job IDs, including those of other credentials and media types. */
export async function findRowsOfJobs(table: RepeatableTable<Entry>, jobIds: readonly string[]) {
	const found: Entry[] = [];
	for (const chunk of chunksInAddress([...new Set(jobIds)], (jobId) => jobId)) {
		const rows = await table.find(anyOf('jobId', chunk));
		if (rows.length < MAX_ROWS) found.push(...rows);
		// n8n cannot return a second page of an "any" filter
		else for (const jobId of chunk) found.push(...(await findAllRows(table, { jobId })));
	}
	return found;
}

/** For a poll. */
export const retryingBriefly = ({ table, clock }: Ledger) =>
	retrying(table, clock, SHORT_RETRY_ATTEMPTS);

/** For what has to be recorded, even after Stop. */
export const retryingPersistently = ({ table, uncancellableClock }: Ledger) =>
	retrying(table, uncancellableClock, LONG_RETRY_ATTEMPTS);

/** Characters of a note. */
const MAX_NOTE_LENGTH = 500;

/** A failure as the note of a row. */
export const toNote = (cause: unknown): string =>
	cutText(sentencesOf(cause, 'reason'), MAX_NOTE_LENGTH);

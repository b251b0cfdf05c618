import type { Entry, NewEntry } from '../../src/ledger/entry';
import type { LedgerTable } from '../../src/ledger/ledger';
import type { Where } from '../../src/tables/table';
import { transitions, type Transition, type Update, updates } from '../../src/ledger/transitions';

type Row = Pick<Entry, 'id' | 'state'>;

const allTransitions: Transition[] = Object.values(transitions);
const allUpdates: Update[] = Object.values(updates);

/** What the transitions do not allow of what is added, one sentence each. */
export function addFaults({ state }: NewEntry): string[] {
	const isAllowed = allTransitions.some(({ from, to }) => from === 'new' && to === state);
	return isAllowed ? [] : [`a row is added as ${state}`];
}

/** @param before The rows that the change finds, as they were. */
export function changeFaults(
	before: readonly Row[],
	where: Where<Entry>,
	changes: Partial<Entry>,
): string[] {
	return before.flatMap((row) =>
		isAllowedChange(row, where, changes)
			? []
			: [
					`row ${row.id} is changed from ${row.state} by ${JSON.stringify(changes)} where ${JSON.stringify(where)}`,
				],
	);
}

/** @param before The rows that are removed. */
export const removeFaults = (before: readonly Row[], where: Where<Entry>): string[] =>
	before.flatMap(({ id, state }) =>
		allTransitions.some(
			({ from, to, matches = [] }) =>
				to === 'deleted' && from !== 'new' && from.includes(state) && isMadeFrom(where, matches),
		)
			? []
			: [`row ${id} is deleted as ${state} where ${JSON.stringify(where)}`],
	);

function isAllowedChange({ state }: Row, where: Where<Entry>, changes: Partial<Entry>) {
	if (changes.state === undefined)
		return allUpdates.some(
			({ in: states, matches, writes }) =>
				isMadeFrom(where, matches) &&
				(states === 'any' || states.includes(state)) &&
				Object.keys(changes).every((column) => writes.some((written) => written === column)),
		);
	return allTransitions.some(({ from, to, matches = [], clears = [] }) => {
		if (from === 'new' || to !== changes.state || !isMadeFrom(where, matches)) return false;
		// a request whose answer was lost is made again
		const isRepeated = state === to && !matches.includes('state');
		const isCleared = clears.every((column) => changes[column] === '' || changes[column] === 0);
		return (from.includes(state) || isRepeated) && isCleared;
	});
}

/** Columns that a change may compare with a limit. */
const TIMES: readonly string[] = ['leaseUntil', 'checkAt'];

/** Whether a filter compares these columns, in this order, each with the value that was seen. */
function isMadeFrom(where: Where<Entry>, matches: ReadonlyArray<keyof Entry>) {
	// several rows are named by one column alone
	if ('any' in where) return where.any.every(([column]) => [column].join() === matches.join());
	const isSameColumns = where.all.map(([column]) => column).join() === matches.join();
	const isOneRow = matches.includes('id');
	return (
		isSameColumns &&
		where.all.every(
			([column, condition, value]) =>
				(condition === 'eq' || (TIMES.includes(column) && condition !== 'neq')) &&
				// an empty claim is everybody's
				(value !== '' || isOneRow || (column !== 'claim' && column !== 'proposal')),
		)
	);
}

/** A table of these rows that remembers what the transitions do not allow. */
export function checkedTable(
	table: LedgerTable,
	rows: readonly Entry[],
	faults: string[],
): LedgerTable {
	const before = () => new Map(rows.map((row) => [row.id, row]));
	const wereThere = (known: Map<number, Entry>, changed: readonly Entry[]) =>
		changed.flatMap(({ id }) => known.get(id) ?? []);
	return {
		find: table.find,
		async add(entry) {
			faults.push(...addFaults(entry));
			await table.add(entry);
		},
		async change(where, changes) {
			const known = before();
			const changed = await table.change(where, changes);
			faults.push(...changeFaults(wereThere(known, changed), where, changes));
			return changed;
		},
		async remove(where) {
			const known = before();
			const removed = await table.remove(where);
			faults.push(...removeFaults(wereThere(known, removed), where));
			return removed;
		},
	};
}

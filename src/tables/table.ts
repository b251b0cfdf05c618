import { encodeQueryValue } from '../core/urls';

/** A comparison of a column. `like` has `%` for any text, `eq` null for a cell that a person has emptied. */
export interface Condition {
	condition: 'eq' | 'neq' | 'lt' | 'lte' | 'gt' | 'gte' | 'like';
	value: string | number | null;
}

/** A condition on one column. */
export type Clause<Row> = readonly [
	column: keyof Row,
	condition: Condition['condition'],
	value: Condition['value'],
];

/** A filter. n8n supports one level of conditions: all of them, or any of them. */
export type Where<Row> = { all: ReadonlyArray<Clause<Row>> } | { any: ReadonlyArray<Clause<Row>> };

/** Most conditions of `any` on row IDs: they are in the address of a request, and n8n's server takes an address of 16 KiB. */
export const MAX_CLAUSES = 150;
/** Characters of an address that conditions on other columns may take. */
const MAX_CLAUSE_LENGTH = 10_000;
/** Most rows that n8n returns at once. */
export const MAX_ROWS = 250;

/**
 * The rows of an n8n Data Table, reached over n8n's public API.
 *
 * A change by filter is atomic on SQLite and on PostgreSQL: of several concurrent changes of the same rows, one succeeds. Nothing
 * else is atomic: two rows with the same key can be added concurrently, and n8n's upsert adds both.
 *
 * @see n8n 2.41.1, modules/data-table/data-table-rows.repository.js (updateRows)
 */
export interface Table<Row, NewRow = Partial<Row>> {
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

/** The conditions on a row, by column. */
export type Filter<Row> = {
	readonly [Column in keyof Row]?: Row[Column] | Condition | readonly Condition[] | undefined;
};

export const equal = (value: string | null): Condition => ({ condition: 'eq', value });
export const below = (value: Condition['value']): Condition => ({ condition: 'lt', value });
export const atMost = (value: Condition['value']): Condition => ({ condition: 'lte', value });
export const atLeast = (value: Condition['value']): Condition => ({ condition: 'gte', value });
export const above = (value: number): Condition => ({ condition: 'gt', value });
export const noneOf = <Value extends string>(...values: Value[]): Condition[] =>
	values.map((value) => ({ condition: 'neq', value }));

/** Selects rows that match all conditions. A column that is undefined is not compared. */
export const where = <Row>(filter: Filter<NoInfer<Row>>): { all: Array<Clause<Row>> } =>
	whereColumns<Row>(Object.keys(filter) as Array<keyof Row>, filter);

/** Selects rows that have one of these values in a column. */
export const anyOf = <Column extends string, Value extends Condition['value']>(
	column: Column,
	values: readonly Value[],
) => ({ any: values.map((value) => [column, 'eq', value] as const) });

/** Selects rows that match the conditions on these columns, in this order. */
export function whereColumns<Row>(
	columns: ReadonlyArray<keyof Row>,
	filter: Filter<Row>,
): { all: Array<Clause<Row>> } {
	const all = columns.flatMap((column): Array<Clause<Row>> => {
		const expected = filter[column] as
			| Condition['value']
			| Condition
			| readonly Condition[]
			| undefined;
		if (expected === undefined || expected === null) return [];
		if (typeof expected !== 'object') return [[column, 'eq', expected]];
		return [expected].flat().map(({ condition, value }) => [column, condition, value] as const);
	});
	return { all };
}

/** Reads all rows, in the order in which they were added. Pages by row ID, because n8n's own pages shift when a row is added or changed. */
export async function findAllRows<Row extends { id: number }>(
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
	const lengths = values.map((value) => encodeQueryValue(JSON.stringify(textOf(value))).length);
	return chunks(values, Math.ceil(MAX_CLAUSE_LENGTH / (100 + Math.max(0, ...lengths))));
}

/** Parts of a list, each of this size or smaller. */
export function* chunks<Value>(values: readonly Value[], size: number): Generator<Value[]> {
	for (let at = 0; at < values.length; at += size) yield values.slice(at, at + size);
}

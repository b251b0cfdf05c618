/** The columns of a Data Table and their types in n8n. Existing tables use them, so names and types never change. */
type Columns = Readonly<Record<string, 'string' | 'number'>>;

/** A row of a table with these columns. */
export type RowOf<Of extends Columns> = {
	-readonly [Column in keyof Of]: Of[Column] extends 'number' ? number : string;
} & {
	/** Assigned by n8n. */
	id: number;
};

/** What is known of a table before it is opened. @typeParam Row Its rows. */
export interface TableFormat<Row extends { id: number } = { id: number }> {
	columns: Columns & { readonly [Column in Exclude<keyof Row, 'id'>]: 'string' | 'number' };
	/** The field of the credential that names the table. */
	field: string;
}

/** The last time that a date can have. A number above it, in a cell that a person edited, is the time of no row. */
const MAX_TIME = 8.64e15;

/** Reads a row as n8n returns it. Empty cells and cells that a person edited are converted to the column's type. */
export function readRow<Row extends { id: number }>(
	{ columns }: TableFormat<Row>,
	row: Record<string, unknown>,
): Row {
	const cells = Object.entries(columns).map(([name, type]) => {
		const value = row[name] ?? '';
		const number = Math.max(-MAX_TIME, Math.min(Number(value) || 0, MAX_TIME));
		return [name, type === 'number' ? number : String(value)];
	});
	return { ...Object.fromEntries(cells), id: Number(row['id']) } as Row;
}

/** Fills every cell with 0 or an empty text, because n8n's filters treat empty (null) cells differently. */
export function fillRow<Row extends { id: number }>(
	{ columns }: TableFormat<Row>,
	cells: Partial<Row>,
): Omit<Row, 'id'> {
	const empty = Object.entries(columns).map(([name, type]) => [name, type === 'number' ? 0 : '']);
	return { ...Object.fromEntries(empty), ...cells } as Omit<Row, 'id'>;
}

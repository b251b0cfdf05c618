/** A table for people: columns side by side, the first one to the left. */
export function aligned(rows: string[][]): string {
	const widths = (rows[0] ?? []).map((_, column) =>
		Math.max(...rows.map((row) => row[column]?.length ?? 0)),
	);
	const pad = (cell: string, column: number) =>
		column ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
	return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

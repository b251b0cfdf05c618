/** A table of Markdown, as prettier writes it. */
export function renderTable(columns: readonly string[], rows: readonly string[][]): string {
	const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
	const widths = columns.map((_name, at) =>
		Math.max(...[columns, ...cells].map((row) => row[at]?.length ?? 0)),
	);
	const line = (row: readonly string[]) =>
		`| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
	const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
	return [line(columns), rule, ...cells.map(line)].join('\n');
}

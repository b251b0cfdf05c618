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

/** A name that other pages link to. */
export const anchored = (name: string): string =>
	`<a id="${name.toLowerCase().replaceAll(/[^a-z\d]+/g, '-')}"></a>${name}`;

import { readFileSync } from 'node:fs';

/** The cells of README's tables with three columns, by the first of each row. */
const rows = new Map(
	readFileSync('README.md', 'utf8')
		.split('\n')
		.filter((line) => line.startsWith('| '))
		.map((line) => line.split('|').map((cell) => cell.trim()))
		.map(([, what = '', theirs = '', ours = '']) => [what, { theirs, ours }]),
);

/** Prints a row of "Why not n8n's own nodes?", and compares it with README's. */
export function tellRow(what: string, theirs: string, ours: string) {
	process.stdout.write(`${what}: n8n's own nodes ${theirs}; this package ${ours}\n`);
	expect(rows.get(what)).toEqual({ theirs, ours });
}

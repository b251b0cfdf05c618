import * as parser from '@typescript-eslint/parser';
import { Linter } from 'eslint';

/**
 * How many lines of code `src`, `nodes` and `credentials` may have together, without comments and blanks. It is raised on purpose, in a
 * commit of its own that says what for.
 */
export const MAX_CODE_LINES = 22_854;

const MAX_COMPLEXITY = 15;
const MAX_FUNCTION_LINES = 60;

const linter = new Linter();

/** The functions of a source file that are longer, or have more branches, than a reader can hold in mind; a sentence for each. */
export function largeFunctions(path: string, text: string): string[] {
	const findings = linter.verify(
		text,
		{
			files: ['**/*.ts'],
			languageOptions: { parser },
			rules: {
				complexity: ['error', { max: MAX_COMPLEXITY }],
				'max-lines-per-function': ['error', { max: MAX_FUNCTION_LINES }],
			},
		},
		path,
	);
	return findings.map(({ message }) => message);
}

/** Lines that are neither blank nor comments. */
export const countCodeLines = (text: string): number =>
	text.split('\n').filter((line) => !/^\s*(\/\/|\/\*|\*|$)/.test(line)).length;

import * as parser from '@typescript-eslint/parser';
import { Linter } from 'eslint';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, sep } from 'node:path';
import ts from 'typescript';

const MAX_COMPLEXITY = 15;
const MAX_FUNCTION_LINES = 60;

const linter = new Linter();

/** What a reader cannot hold in mind: functions that are long or have many branches, and fields that are packed; a sentence for each. */
export function largeFunctions(path: string, text: string): string[] {
	const findings = linter.verify(
		text,
		{
			files: ['**/*.ts'],
			languageOptions: { parser },
			rules: {
				complexity: ['error', { max: MAX_COMPLEXITY }],
				'max-lines-per-function': ['error', { max: MAX_FUNCTION_LINES }],
				'no-restricted-syntax': [
					'error',
					{
						selector: 'SpreadElement > :matches(ObjectExpression, ArrayExpression)',
						message: 'A spread packs its members: write them out.',
					},
				],
			},
		},
		path,
	);
	return findings.map(({ message }) => message);
}

/**
 * Tokens of the syntax, as the parser finds them: comments, blanks and the form of lines do not count. A text is one token.
 *
 * Not those of a scanner alone: it takes what follows a `${…}` for code, and then code for text.
 */
export function countTokens(text: string): number {
	const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest);
	const count = (node: ts.Node): number => {
		if (ts.isJSDoc(node)) return 0;
		const children = node.getChildren(file);
		if (children.length) return children.reduce((sum, child) => sum + count(child), 0);
		return ts.isToken(node) && node.kind !== ts.SyntaxKind.EndOfFileToken ? 1 : 0;
	};
	return count(file);
}

export type Sizes = Readonly<Record<string, number>>;

/** The tokens of each folder: of those that are shipped and of the tests, two levels deep. */
export function readSizes(): Sizes {
	const sizes: Record<string, number> = {};
	const files = globSync('{src,nodes,credentials,test,demo}/**/*.{ts,mjs,cjs}', {
		exclude: (path) => /^(node_modules|\..*)$/.test(basename(path)),
	});
	for (const file of files) {
		const folder = dirname(file).split(sep).slice(0, 2).join('/');
		sizes[folder] = (sizes[folder] ?? 0) + countTokens(readFileSync(file, 'utf8'));
	}
	return sizes;
}

/** Folders that have grown beyond what was recorded, one sentence each. */
export const findGrowth = (recorded: Sizes, now: Sizes): string[] =>
	Object.entries(now)
		.filter(([folder, size]) => size > (recorded[folder] ?? 0))
		.map(
			([folder, size]) =>
				`${folder} has grown by ${size - (recorded[folder] ?? 0)} tokens: say what for in the commit, and write "${folder}": ${size} into test/package/sizes.json`,
		);

/** The record after folders have shrunk: what has grown stays as it was, so that growth is never recorded by itself. */
export const recordShrinking = (recorded: Sizes, now: Sizes): Sizes =>
	Object.fromEntries(
		Object.entries(recorded)
			.filter(([folder]) => folder in now)
			.map(([folder, size]) => [folder, Math.min(size, now[folder] ?? 0)]),
	);

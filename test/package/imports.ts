import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** Who may import whom. A folder may always import itself; what is named here is all it may import beside. */
const ALLOWED: Record<string, readonly string[]> = {
	'src/core': [
		'@cfworker/json-schema',
		'big.js',
		'content-disposition',
		'magic-bytes.js',
		'sanitize-filename',
	],
	'src/agent': ['src/core'],
	'src/assistant': ['src/core'],
	'src/router': ['src/core'],
	'src/conversation': ['src/core'],
	'src/tables': ['src/core'],
	'src/ledger': ['src/core', 'src/tables', 'crypto'],
	'src/spending': ['src/core', 'src/tables', 'src/ledger', 'crypto'],
	'src/paid': ['src/core', 'src/router', 'src/tables', 'src/ledger'],
	'src/n8n': ['src/core', 'n8n-workflow', 'crypto', 'uuid'],
	nodes: [
		'src/core',
		'src/agent',
		'src/assistant',
		'src/router',
		'src/conversation',
		'src/tables',
		'src/ledger',
		'src/spending',
		'src/paid',
		'src/n8n',
		'n8n-workflow',
		'@n8n/ai-node-sdk',
		'crypto',
	],
	credentials: ['src/core', 'src/agent', 'src/router', 'src/n8n', 'n8n-workflow'],
};

const MAX_LINES = 300;
const EMPTY_NAMES = /^(utils?|helpers?|common|generic|types?|misc|shared)\b/i;

/** Values of n8n-workflow that older versions of n8n lack. A file that imports one of them fails there when it is used. */
const NEWER = ['assertUrlAllowed', 'safeRegex'];
const N8N_VERSIONS = 'src/n8n/n8nVersions.ts';

const folderOf = (path: string) =>
	Object.keys(ALLOWED).find((folder) => path.startsWith(`${folder}/`));

/** What a shipped source file does that it may not, one sentence each. */
export function violations(path: string, text: string): string[] {
	const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
	const name = path.split('/').at(-1) ?? '';
	const lines = text.replace(/\n$/, '').split('\n').length;
	return [
		...forbiddenImports(path, source),
		...(path === N8N_VERSIONS ? [] : newerValues(source)),
		...(EMPTY_NAMES.test(name) ? [`the name ${name} says nothing`] : []),
		...(lines > MAX_LINES ? [`${lines} lines`] : []),
		...(/eslint-disable/.test(text) ? ['switches the linter off'] : []),
		...(/@ts-(ignore|expect-error|nocheck)/.test(text) ? ['switches the compiler off'] : []),
	];
}

/**
 * The circles in which files import each other, types included: whoever reads one of them has to read all.
 *
 * @param texts By path.
 * @returns the paths of each circle, the first one again at the end.
 */
export function importCircles(texts: Readonly<Record<string, string>>): string[][] {
	const imported = new Map(
		Object.entries(texts).map(([path, text]) => [
			path,
			importsOf(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
				.filter((name) => name.startsWith('.'))
				.map((name) => `${normalize(join(dirname(path), name))}.ts`),
		]),
	);
	const circles: string[][] = [];
	const done = new Set<string>();
	const visit = (path: string, way: readonly string[]) => {
		const at = way.indexOf(path);
		if (at >= 0) circles.push([...way.slice(at), path]);
		else if (!done.has(path))
			for (const next of imported.get(path) ?? []) visit(next, [...way, path]);
		done.add(path);
	};
	for (const path of imported.keys()) visit(path, []);
	return circles;
}

function forbiddenImports(path: string, source: ts.SourceFile) {
	const folder = folderOf(path);
	if (!folder) return [`${path} is in no known folder`];
	return importsOf(source)
		.map((name) => {
			if (!name.startsWith('.')) return name.replace(/^node:/, '');
			const target = normalize(join(dirname(path), name));
			return folderOf(target) ?? target;
		})
		.filter((target) => target !== folder && !ALLOWED[folder]?.includes(target))
		.map((target) => `imports ${target}`);
}

function newerValues(source: ts.SourceFile) {
	return source.statements.flatMap((statement) => {
		if (!ts.isImportDeclaration(statement)) return [];
		const { moduleSpecifier, importClause } = statement;
		const bindings = importClause?.namedBindings;
		const isN8n = ts.isStringLiteral(moduleSpecifier) && moduleSpecifier.text === 'n8n-workflow';
		if (!isN8n || !bindings || !ts.isNamedImports(bindings)) return [];
		return bindings.elements
			.map(({ name, propertyName }) => (propertyName ?? name).text)
			.filter((name) => NEWER.includes(name))
			.map((name) => `imports ${name}, which older versions of n8n lack`);
	});
}

/** Static and dynamic imports, re-exports and require. */
function importsOf(source: ts.SourceFile) {
	const found: string[] = [];
	const visit = (node: ts.Node) => {
		if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
			if (node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier))
				found.push(node.moduleSpecifier.text);
		} else if (ts.isCallExpression(node)) {
			const called = node.expression;
			const imports = called.kind === ts.SyntaxKind.ImportKeyword || called.getText() === 'require';
			const [argument] = node.arguments;
			if (imports)
				found.push(argument && ts.isStringLiteral(argument) ? argument.text : 'something computed');
		} else if (ts.isImportTypeNode(node)) {
			found.push(node.argument.getText().slice(1, -1));
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

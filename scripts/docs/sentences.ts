import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

import { nameOf, PossibleTexts, UNKNOWN, visit } from './possibleTexts';

/** What a user sees when something goes wrong. Where a value stands in it, there is "…". */
export interface Sentence {
	/** Where it is made, e.g. `src/router/jobs.ts`. */
	file: string;
	/** What happened. */
	message: string;
	/** What to do; empty if the message says it. */
	advice: string;
}

/** Words that a sentence begins with when it tells a user what to do. */
const VERBS =
	'add|ask|attach|check|choose|clear|connect|copy|correct|create|delete|divide|do not|download|enter|give|increase|install|leave|look|lower|make|mark|open|put|raise|reduce|remove|rename|repeat|replace|resolve|restart|run|select|send|set|shorten|split|start|switch|take|tell|top up|try|turn on|turn off|update|use|wait'.split(
		'|',
	);
const capitalized = VERBS.map((verb) => verb.charAt(0).toUpperCase() + verb.slice(1));
const INSTRUCTION = new RegExp(
	`(?:^|[.!…] )(?:${capitalized.join('|')}) |[:;,] (?:so |then )?(?:${VERBS.join('|')}) `,
);

/** A title that says what a value has to be, or that a cap does not allow it, says what to do. */
const SAYS =
	/ (?:is|are) empty$| must (?:be|not|begin|have) | is longer than | cannot be (?:an? |expressions|used)|spending cap/;

/** Whether a title needs nothing beside it. */
export const isClear = (title: string) => SAYS.test(title);

/** Whether a text tells somebody what to do. */
export const instructs = (text: string) => INSTRUCTION.test(text) || isClear(text);

/**
 * Finds the sentences in the code, not in a list: the arguments of what makes errors and hints, wherever their texts are declared.
 */
export function findSentences(): Sentence[] {
	const program = parse(globSync('{src,nodes,credentials}/**/*.ts').sort());
	const finder = new Finder(program);
	const found = finder.files.flatMap((file) => finder.sentencesOf(file));
	const byText = new Map<string, Sentence>();
	for (const { file, message, advice } of found) {
		const sentence = {
			file,
			message: withoutValues(message),
			advice: withoutValues(advice).replace(/(?<=\.)( …\.?)+$/, ''),
		};
		byText.set(`${sentence.message}\n${sentence.advice}`, sentence);
	}
	return [...byText.values()].filter(({ message }) => isTitle(message));
}

/** Only our own files: of packages no type is needed. */
function parse(paths: string[]): ts.Program {
	const options: ts.CompilerOptions = {
		noLib: true,
		noResolve: false,
		types: [],
		moduleResolution: ts.ModuleResolutionKind.Bundler,
		module: ts.ModuleKind.ESNext,
		target: ts.ScriptTarget.ES2022,
	};
	const host = ts.createCompilerHost(options);
	host.resolveModuleNameLiterals = (names, containing) =>
		names.map(({ text }) => {
			const path = `${join(containing, '..', text)}.ts`;
			const isOurs = text.startsWith('.') && ts.sys.fileExists(path);
			return {
				resolvedModule: isOurs ? { resolvedFileName: path, extension: '.ts' } : undefined,
			};
		});
	return ts.createProgram(
		paths.map((path) => join(process.cwd(), path)),
		options,
		host,
	);
}

class Finder {
	readonly files: ts.SourceFile[];
	private readonly possible: PossibleTexts;
	private readonly calls = new Map<ts.Symbol, ts.CallExpression[]>();

	constructor(program: ts.Program) {
		this.possible = new PossibleTexts(program.getTypeChecker());
		this.files = program.getSourceFiles().filter(({ fileName }) => !fileName.endsWith('.d.ts'));
		for (const file of this.files)
			visit(file, (node) => {
				if (!ts.isCallExpression(node)) return;
				const symbol = ts.isIdentifier(node.expression) && this.possible.symbolOf(node.expression);
				if (symbol) this.calls.set(symbol, [...(this.calls.get(symbol) ?? []), node]);
			});
	}

	sentencesOf(file: ts.SourceFile): Sentence[] {
		const found: Sentence[] = [];
		const add = (message?: ts.Expression, advice?: ts.Expression) =>
			found.push(...this.pairs(pathOf(file), message, advice));
		visit(file, (node) => {
			if (ts.isCallExpression(node)) {
				const name = nameOf(node.expression);
				if (name === 'invalidInputError') add(node.arguments[0], node.arguments[1]);
				if (name === 'addHint') add(node.arguments.at(-1));
			}
			if (ts.isNewExpression(node)) {
				const name = nameOf(node.expression);
				const [, message, details] = node.arguments ?? [];
				// the factory, whose callers are found by its name
				if (name === 'ServiceError' && node.arguments?.[0]?.getText() !== "'invalid'")
					add(message, property(details, 'advice'));
				if (name === 'NodeOperationError') add(message, property(details, 'description'));
			}
		});
		return found;
	}

	/** @returns every way in which the two can be filled, each message with its own advice. */
	private pairs(file: string, message?: ts.Expression, advice?: ts.Expression): Sentence[] {
		// of a factory, what its callers give
		const calls = [message, advice]
			.map((one) => this.callsThatGive(one))
			.find(({ length }) => length);
		if (calls) {
			const replaced = (one: ts.Expression | undefined, call: ts.CallExpression) => {
				const at = one ? this.parameterIndex(one) : undefined;
				return at === undefined ? one : call.arguments[at];
			};
			return calls.flatMap((call) =>
				this.pairs(pathOf(call.getSourceFile()), replaced(message, call), replaced(advice, call)),
			);
		}
		const messages = message ? this.possible.texts(message) : [''];
		const advices = advice ? this.possible.texts(advice) : [''];
		if (messages.length === advices.length)
			return messages.map((one, at) => ({ file, message: one, advice: advices[at] ?? '' }));
		return messages.flatMap((one) =>
			advices.map((other) => ({ file, message: one, advice: other })),
		);
	}

	/** The calls of the function with a name whose parameter the expression is. */
	private callsThatGive(expression: ts.Expression | undefined): ts.CallExpression[] {
		if (!expression || this.parameterIndex(expression) === undefined) return [];
		const made = this.possible.declarationOf(expression)?.parent;
		if (!made) return [];
		const named = ts.isFunctionDeclaration(made) ? made.name : undefined;
		const assigned = ts.isVariableDeclaration(made.parent) ? made.parent.name : undefined;
		const symbol = this.possible.symbolOf(named ?? assigned);
		return (symbol && this.calls.get(symbol)) ?? [];
	}

	private parameterIndex(expression: ts.Expression): number | undefined {
		const declaration = ts.isIdentifier(expression)
			? this.possible.declarationOf(expression)
			: undefined;
		if (!declaration || !ts.isParameter(declaration)) return undefined;
		return declaration.parent.parameters.indexOf(declaration);
	}
}

const pathOf = ({ fileName }: ts.SourceFile) => relative(process.cwd(), fileName);

function property(details: ts.Expression | undefined, name: string): ts.Expression | undefined {
	if (!details || !ts.isObjectLiteralExpression(details)) return undefined;
	const found = details.properties.find((one) => one.name?.getText() === name);
	if (found && ts.isShorthandPropertyAssignment(found)) return found.name;
	return found && ts.isPropertyAssignment(found) ? found.initializer : undefined;
}

/** One "…" for several values, and none before the first sentence or in place of all. */
function withoutValues(text: string): string {
	const short = text
		.replace(/…{2,}/g, UNKNOWN)
		.replace(/^…\.? (?=[A-Z])/, '')
		.trim();
	return isSaid(short) ? short : '';
}

/** Whether there is more than values. */
const isSaid = (text: string) => /[A-Za-z]{2}/.test(text);

/** Whether a text can be looked up as the title of an error or a hint. A half of a sentence cannot, nor can three words between values. */
const isTitle = (text: string) =>
	/^(?![a-z])|^n8n\b/.test(text) && (text.match(/[\p{L}\d][\p{L}\d'/.-]*/gu)?.length ?? 0) >= 4;

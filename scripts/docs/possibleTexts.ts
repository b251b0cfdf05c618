import ts from 'typescript';

/** Stands for a value that only a run knows. */
export const UNKNOWN = '…';
/** More ways than this to fill one place of a sentence are shown as "…". */
const MAX_WAYS = 3;
const MAX_DEPTH = 6;

/** Finds what the texts of a program can be, without running it. */
export class PossibleTexts {
	private readonly checker: ts.TypeChecker;

	constructor(checker: ts.TypeChecker) {
		this.checker = checker;
	}

	symbolOf(node: ts.Node | undefined): ts.Symbol | undefined {
		const symbol = node && this.checker.getSymbolAtLocation(node);
		return symbol && symbol.flags & ts.SymbolFlags.Alias
			? this.checker.getAliasedSymbol(symbol)
			: symbol;
	}

	declarationOf(node: ts.Node): ts.Declaration | undefined {
		return this.symbolOf(node)?.declarations?.[0];
	}

	/** What an expression can be, "…" for what only a run knows. */
	texts(expression: ts.Expression, depth = 0): string[] {
		if (depth > MAX_DEPTH) return [UNKNOWN];
		const next = (one: ts.Expression) => this.texts(one, depth + 1);
		const all = (many: readonly ts.Expression[]) => unique(many.flatMap(next));
		if (ts.isStringLiteralLike(expression)) return [expression.text];
		if (ts.isTemplateExpression(expression)) {
			const spans = expression.templateSpans.map(({ expression: hole, literal }) =>
				filled(next(hole)).map((text) => text + literal.text),
			);
			return [[expression.head.text], ...spans].reduce(crossed);
		}
		if (ts.isConditionalExpression(expression)) {
			const ways = all([expression.whenTrue, expression.whenFalse]);
			// a single word, as in "hold" or "holds", is a value
			return ways.every((way) => /^[a-z]+$/.test(way)) ? [UNKNOWN] : ways;
		}
		if (ts.isBinaryExpression(expression)) {
			const { left, right, operatorToken } = expression;
			if (operatorToken.kind === ts.SyntaxKind.PlusToken) return crossed(next(left), next(right));
			if (operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken) return next(right);
			return known(all([left, right]));
		}
		if (ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression))
			return next(expression.expression);
		if (ts.isNonNullExpression(expression) || ts.isSatisfiesExpression(expression))
			return next(expression.expression);
		if (ts.isElementAccessExpression(expression)) return this.valuesOf(expression.expression, next);
		if (ts.isArrayLiteralExpression(expression)) return known(all(expression.elements));
		if (ts.isCallExpression(expression)) return this.returned(expression, next);
		if (ts.isIdentifier(expression)) return this.declared(expression, next);
		return [UNKNOWN];
	}

	private valuesOf(table: ts.Expression, next: (one: ts.Expression) => string[]): string[] {
		const declaration = this.declarationOf(table);
		const value =
			declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
		if (!value || !ts.isObjectLiteralExpression(value)) return [UNKNOWN];
		return value.properties.flatMap((one) =>
			ts.isPropertyAssignment(one) ? next(one.initializer) : [],
		);
	}

	private declared(name: ts.Identifier, next: (one: ts.Expression) => string[]): string[] {
		const declaration = this.declarationOf(name);
		if (declaration && ts.isVariableDeclaration(declaration) && declaration.initializer)
			return next(declaration.initializer);
		// of `const [message, advice] = describe()`
		if (declaration && ts.isBindingElement(declaration)) {
			const { parent: pattern } = declaration;
			const source = ts.isVariableDeclaration(pattern.parent) && pattern.parent.initializer;
			if (!ts.isArrayBindingPattern(pattern) || !source || !ts.isCallExpression(source))
				return [UNKNOWN];
			const at = pattern.elements.indexOf(declaration);
			return this.returnsOf(source).flatMap((one) =>
				ts.isArrayLiteralExpression(one) ? next(one.elements[at]!) : [UNKNOWN],
			);
		}
		return [UNKNOWN];
	}

	private returned(call: ts.CallExpression, next: (one: ts.Expression) => string[]): string[] {
		const { expression } = call;
		if (ts.isPropertyAccessExpression(expression)) {
			// `[…].filter(Boolean).join(' ')`: each of the list is a text of its own
			if (['join', 'filter'].includes(expression.name.text)) return next(expression.expression);
			return [UNKNOWN];
		}
		if (/^(format|iso)[A-Z]/.test(nameOf(expression))) return [UNKNOWN];
		if (nameOf(expression) === 'withFullStop' && call.arguments[0]) return next(call.arguments[0]);
		const given = unique(this.returnsOf(call).flatMap(next));
		return given.length ? given : [UNKNOWN];
	}

	private returnsOf(call: ts.CallExpression): ts.Expression[] {
		const declaration = this.declarationOf(call.expression);
		const made =
			declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : declaration;
		if (!made || !(ts.isFunctionDeclaration(made) || ts.isArrowFunction(made))) return [];
		if (!made.body) return [];
		if (!ts.isBlock(made.body)) return [made.body];
		const found: ts.Expression[] = [];
		visit(made.body, (node) => {
			if (ts.isReturnStatement(node) && node.expression) found.push(node.expression);
		});
		return found.filter((one) => one.getText() !== 'undefined');
	}
}

export function visit(node: ts.Node, look: (node: ts.Node) => void): void {
	look(node);
	ts.forEachChild(node, (child) => visit(child, look));
}

export const nameOf = (called: ts.Expression): string =>
	ts.isPropertyAccessExpression(called) ? called.name.text : called.getText();

const unique = (texts: readonly string[]) => [...new Set(texts)];
const known = (texts: string[]) => {
	const others = texts.filter((text) => text !== UNKNOWN && text !== '');
	return others.length ? others : [UNKNOWN];
};
const filled = (texts: string[]) =>
	texts.length && texts.length <= MAX_WAYS && !texts.includes(UNKNOWN) ? texts : [UNKNOWN];
const crossed = (heads: string[], tails: string[]): string[] =>
	heads.length * tails.length > 3 * MAX_WAYS
		? heads.map((head) => head + UNKNOWN)
		: heads.flatMap((head) => tails.map((tail) => head + tail));

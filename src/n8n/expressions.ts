import type { INodeProperties } from 'n8n-workflow';

/** Whether a stored value is an expression, as n8n sees it. */
export const isExpression = (typed: unknown): typed is string =>
	typeof typed === 'string' && typed.startsWith('=');

/** All expressions in a stored value, nested ones included. */
export function findExpressions(typed: unknown): string[] {
	if (isExpression(typed)) return [typed];
	if (typeof typed !== 'object' || typed === null) return [];
	return Object.values(typed).flatMap(findExpressions);
}

export const hasExpression = (typed: unknown): boolean => findExpressions(typed).length > 0;

/** A part of an expression: literal text, or code between `{{` and `}}`. */
interface ExpressionPart {
	isCode: boolean;
	text: string;
	/** Whether the code's `}}` is missing. */
	isOpen?: boolean;
}

/**
 * Splits an expression as n8n does: the first `}}` ends the code, even inside quotes, and a backslash before the brackets makes
 * them literal.
 *
 * @see @n8n/tournament 1.0, ExpressionSplitter.js
 */
export function splitExpression(expression: string): ExpressionPart[] {
	const pieces: ExpressionPart[] = [];
	let isCode = false;
	let text = '';
	let rest = expression.slice(1);
	for (;;) {
		const at = rest.indexOf(isCode ? '}}' : '{{');
		if (at < 0) return [...pieces, { isCode, text: text + rest, ...(isCode && { isOpen: true }) }];
		const before = rest.slice(0, at);
		const isEscaped = (/\\*$/.exec(before)?.[0].length ?? 0) % 2 === 1;
		text += isEscaped ? rest.slice(0, at + 2) : before;
		rest = rest.slice(at + 2);
		if (isEscaped) continue;
		pieces.push({ isCode, text });
		isCode = !isCode;
		text = '';
	}
}

/**
 * Whether a field is shown, given the values of other fields. n8n always shows it if such a value is an expression
 * (n8n-workflow 2.41.0, node-helpers.js, displayParameter).
 *
 * @param siblings Values of the fields beside it.
 * @param topLevel Values of the node's top-level parameters, for names that begin with a slash.
 * @param asTool Whether an AI agent calls the node; undefined where that is not known.
 */
export function isShown(
	{ displayOptions: { show = {} } = {} }: Pick<INodeProperties, 'displayOptions'>,
	siblings: Record<string, unknown>,
	topLevel: Record<string, unknown>,
	asTool?: boolean,
): boolean {
	const valueOf = (name: string) => {
		if (name === '@tool') return asTool;
		return name.startsWith('/') ? topLevel[name.slice(1)] : siblings[name];
	};
	return Object.entries(show).every(([name, values]) => {
		const value = valueOf(name);
		if (value === undefined) return true;
		// one of several chosen values is enough
		const chosen: unknown[] = Array.isArray(value) ? value : [value];
		return (values ?? []).some((one) => chosen.includes(one));
	});
}

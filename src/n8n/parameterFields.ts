import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import { isPlainObject } from '../core/json';

/** Rules of a field that n8n's declaration cannot express. */
export interface FieldRules {
	/** An expression may find nothing, always or beside certain values; the field then counts as not set. Its description says so. */
	mayBeEmpty?: true | ((siblings: Record<string, unknown>) => boolean);
	/** Each `{{ }}` in the text has to find something: without it, the rest would be the same key for many items. */
	isKey?: true;
	/**
	 * In an AI agent's tool, for a field that the model must not choose: no expression at all, or only one that the model cannot
	 * influence. For a collection, it applies to each field without such a rule of its own.
	 */
	inTool?: 'fixed' | 'notFromModel';
	/** A number need not be whole. n8n's own `numberPrecision` would show 1 as 1.000000. */
	isDecimal?: true;
}

/** A symbol, since n8n's declarations have no field for it. n8n neither copies it to the editor nor stores it. */
const FIELD_RULES = Symbol('rules of a field');

/** Declares a field with rules, and keeps the type of its literal. A copy by spreading keeps the rules. */
export const withFieldRules =
	(rules: FieldRules) =>
	<const P extends INodeProperties>(param: P): P => ({ ...param, [FIELD_RULES]: rules });

export function getFieldRules(param: INodeProperties): FieldRules {
	return (param as { [FIELD_RULES]?: FieldRules })[FIELD_RULES] ?? {};
}

/** A parameter of a node, a row of a fixed collection, or a field in one of these. */
export interface Field {
	param: INodeProperties;
	/** Its name in the editor, after the names of the collections that it is in. */
	path: string;
	/** As the workflow has it, with its expressions. */
	stored: unknown;
	/** After evaluation. */
	value: unknown;
	/** Values of the fields beside it in a collection or row. */
	siblings?: Record<string, unknown>;
	/** The rule of the collection that it is in. */
	outerRule?: FieldRules['inTool'];
}

export const getToolRule = ({ param, outerRule }: Field): FieldRules['inTool'] =>
	getFieldRules(param).inTool ?? outerRule;

export const isCollection = ({ type }: INodeProperties): boolean =>
	type === 'collection' || type === 'fixedCollection';

/**
 * Walks over a parameter and the fields in it.
 *
 * @param visit Called for every field, and for a collection or row before the fields in it. Returns the value of the field, or
 *   undefined to leave it out, together with the fields in it.
 * @returns the values of the fields, in the form of the declaration.
 */
export function walkParam(field: Field, visit: (field: Field) => unknown): unknown {
	const { param, path } = field;
	const visited = visit(field);
	if (visited === undefined || !isCollection(param)) return visited;
	const outerRule = getToolRule(field);
	const siblings = isPlainObject(field.value) ? field.value : {};
	const options = param.options as Array<INodeProperties | INodePropertyCollection>;
	const entries = options.map((option) => {
		const { name, displayName } = option;
		const stored = getInner(field.stored, name);
		const value = getInner(field.value, name);
		if ('type' in option) {
			const inner = { param: option, path: `${path}: ${displayName}`, stored, value };
			return [name, walkParam({ ...inner, siblings, outerRule }, visit)];
		}
		// a group of rows
		if (value === undefined) return [name, undefined];
		const rows = [value].flat().map((row, index) => ({
			param: {
				displayName,
				name,
				type: 'collection' as const,
				default: {},
				options: option.values,
			},
			// where only one row is possible, it has no number in the editor
			path: param.typeOptions?.multipleValues ? `${path} ${index + 1}` : path,
			stored: [stored].flat()[index],
			value: row,
			outerRule,
		}));
		return [name, rows.map((row) => walkParam(row, visit))];
	});
	return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}

const getInner = (outer: unknown, name: string): unknown =>
	typeof outer === 'object' ? (outer as Record<string, unknown> | null)?.[name] : undefined;

/** As n8n sees it. */
const isExpression = (stored: unknown): stored is string =>
	typeof stored === 'string' && stored.startsWith('=');

/** Whether there is an expression in a stored value, however deep. */
export const hasExpression = (stored: unknown): boolean =>
	isExpression(stored) ||
	(typeof stored === 'object' && Object.values(stored ?? {}).some(hasExpression));

/**
 * The expressions of a field, each with its own value. Those of the fields in a collection are not among them.
 *
 * @returns paths that, in JSON that is stored as an object, also say where in it an expression is.
 */
export function getExpressions(field: Field): Array<Field & { stored: string }> {
	const { param, path, stored, value } = field;
	if (isExpression(stored)) return [{ ...field, stored }];
	if (typeof stored !== 'object' || stored === null || isCollection(param)) return [];
	const isJsonObject = param.type === 'json' && !Array.isArray(stored);
	return Object.entries(stored).flatMap(([name, inner]) =>
		getExpressions({
			...field,
			path: isJsonObject ? `${path}: ${name}` : path,
			stored: inner,
			value: getInner(value, name),
		}),
	);
}

/**
 * Splits an expression into texts, at even places, and the code between `{{` and `}}`, at odd places. Code that is not closed ends
 * with the expression.
 */
export const splitExpression = (expression: string): string[] =>
	expression.slice(1).split(/\{\{(.*?)(?:\}\}|$)/s);

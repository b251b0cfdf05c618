import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import { invalidInputError, type ServiceError } from '../core/errors';
import { isPlainObject } from '../core/json';
import { isExpression, isShown, splitExpression } from './expressions';
import { getFieldRules, getRowPath } from './parameterValidation';

/** A parameter as stored, with its expressions, and its value after evaluation. */
export interface EvaluatedParam {
	stored: unknown;
	value: unknown;
}

/** What the check has to know about the node and the item. */
export interface EvaluationContext {
	/** Whether an AI agent calls the node as its tool, and reads the error. */
	asTool: boolean;
	/** Evaluates `{{ }}` for the same item. A poll cannot, and has no parameters that are checked part by part. */
	evaluate?(code: string): unknown;
	/** Values of the node's top-level parameters that have been read so far. */
	topLevel: Record<string, unknown>;
}

/**
 * Rejects expressions that find nothing, nested ones included. Without a field that the user filled in, something else than
 * intended would be sent.
 *
 * Only expressions are checked: an empty field without one counts as not set. Fields that an expression may leave empty, and fields
 * that are hidden, are skipped.
 *
 * @param path The parameter's name in the editor.
 * @param siblings Values of the fields beside it.
 * @throws ServiceError `invalid`, naming the path.
 */
export function rejectEmptyExpressions(
	param: INodeProperties,
	{ stored, value }: EvaluatedParam,
	path: string,
	context: EvaluationContext,
	siblings = context.topLevel,
): void {
	if (!isShown(param, siblings, context.topLevel, context.asTool)) return;
	if (isExpression(stored)) return rejectIfEmpty(param, { stored, value }, path, context, siblings);
	if (Array.isArray(stored)) {
		for (const [index, one] of stored.entries())
			rejectEmptyExpressions(
				param,
				{ stored: one, value: getChild(value, index) },
				path,
				context,
				siblings,
			);
	} else if (isPlainObject(stored)) {
		for (const [name, inner] of Object.entries(stored)) {
			const evaluated = { stored: inner, value: getChild(value, name) };
			if (param.type === 'collection')
				rejectInField(param.options as INodeProperties[], name, evaluated, path, value, context);
			else if (param.type === 'fixedCollection')
				rejectInRows(param, name, evaluated, path, context);
			else if (param.type === 'resourceLocator')
				rejectEmptyExpressions(param, evaluated, path, context, siblings);
			// JSON that is stored as an object
			else rejectEmptyExpressions(param, evaluated, `${path}: ${name}`, context, siblings);
		}
	}
}

function rejectInField(
	fields: readonly INodeProperties[],
	name: string,
	evaluated: EvaluatedParam,
	path: string,
	siblings: unknown,
	context: EvaluationContext,
): void {
	const field = fields.find((one) => one.name === name);
	if (!field) return;
	const chosen = isPlainObject(siblings) ? siblings : {};
	rejectEmptyExpressions(field, evaluated, `${path}: ${field.displayName}`, context, chosen);
}

function rejectInRows(
	param: INodeProperties,
	group: string,
	{ stored, value }: EvaluatedParam,
	path: string,
	context: EvaluationContext,
): void {
	const values = [value].flat();
	const { values: fields = [] } =
		(param.options as INodePropertyCollection[]).find(({ name }) => name === group) ?? {};
	for (const [index, row] of [stored].flat().entries()) {
		for (const [name, inner] of isPlainObject(row) ? Object.entries(row) : []) {
			const evaluated = { stored: inner, value: getChild(values[index], name) };
			const place = getRowPath(param, path, index);
			rejectInField(fields, name, evaluated, place, values[index], context);
		}
	}
}

/** Whether a value is what an expression that finds nothing gives. */
export function isEmptyValue(value: unknown): boolean {
	if (typeof value === 'object' && value !== null && 'toJSON' in value) {
		// an invalid date
		return typeof value.toJSON === 'function' && isEmptyValue(value.toJSON());
	}
	if (typeof value === 'string') return !value.trim();
	return value === undefined || value === null || Number.isNaN(value);
}

function rejectIfEmpty(
	param: INodeProperties,
	{ stored, value }: EvaluatedParam & { stored: string },
	path: string,
	context: EvaluationContext,
	siblings: Record<string, unknown>,
): void {
	const isEmptyList = param.type === 'multiOptions' && [value].flat().every(isEmptyValue);
	if (isEmptyValue(value) || isEmptyList) {
		if (mayParamBeEmpty(param, siblings)) return;
		throw emptyExpressionError(path, stored, context);
	}
	const { isKey } = getFieldRules(param);
	if (isKey && typeof value === 'string' && EMPTY_AS_TEXT.test(value))
		throw emptyPartError(`${path} reads "${value.slice(0, 100)}": its expression`, stored, context);
	if (isKey || param.type === 'json') rejectEmptyParts(stored, path, context, Boolean(isKey));
}

/** Whether a field may be empty, given the values of the fields beside it. */
export function mayParamBeEmpty(
	param: INodeProperties,
	siblings: Record<string, unknown>,
): boolean {
	const { mayBeEmpty: may } = getFieldRules(param);
	if (may === undefined || may === true) return may ?? false;
	return Object.entries(may).every(([name, values]) => values.includes(String(siblings[name])));
}

/** Text that JavaScript makes of a missing value, as in "order-undefined". */
const EMPTY_AS_TEXT =
	/(?<![\p{L}\p{N}])undefined(?![\p{L}\p{N}])|^(?:null|NaN)(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?:null|NaN)$|\[object Object\]/u;

/**
 * Inside a text, n8n replaces an expression that finds nothing with an empty text. In a message that is allowed. In a key, or in a
 * JSON value that consists of one expression, it is not.
 */
function rejectEmptyParts(
	stored: string,
	path: string,
	context: EvaluationContext,
	everywhere: boolean,
): void {
	const pieces = splitExpression(stored);
	// a single expression has been checked already
	if (!pieces.some(({ isCode, text }) => !isCode && text) && pieces.length === 3) return;
	for (const [index, { isCode, text }] of pieces.entries()) {
		if (!isCode) continue;
		const isWholeText =
			pieces[index - 1]?.text.endsWith('"') && pieces[index + 1]?.text.startsWith('"');
		if (!everywhere && !isWholeText) continue;
		const code = `{{${text}}}`;
		if (context.evaluate && isEmptyValue(context.evaluate(code)))
			throw emptyPartError(`${path} contains ${code.slice(0, 100)}, which`, code, context);
	}
}

function emptyPartError(what: string, stored: string, context: EvaluationContext): ServiceError {
	const { details } = emptyExpressionError('', stored, context);
	return invalidInputError(`${what} found nothing${describeItem(context)}`, details.advice);
}

const describeItem = ({ evaluate }: EvaluationContext) => (evaluate ? ' for this item' : '');

function emptyExpressionError(
	path: string,
	stored: string,
	context: EvaluationContext,
): ServiceError {
	const asked = context.asTool ? findModelArguments(stored) : [];
	if (asked.length) {
		return invalidInputError(
			`${path} is empty: nothing was given for ${asked.join(', ')}`,
			`Nothing was sent. Call the tool again with a value for ${asked.join(', ')}.`,
		);
	}
	return invalidInputError(
		`${path} is empty: its expression found nothing${describeItem(context)}`,
		context.asTool
			? 'Nothing was sent. Do not call this tool again: tell the user to correct the expression in its node.'
			: `Correct the expression, or give it a fallback, such as {{ ${context.evaluate ? '$json' : '$vars'}.x ?? 'text' }}. To leave the field out, remove the expression.`,
	);
}

/** Names of the arguments that an AI model gives. */
const findModelArguments = (stored: string) =>
	[...stored.matchAll(/\$fromAI\s*\(\s*(['"`])([\w-]+)\1/gi)].map(([, , name]) => `"${name}"`);

function getChild(value: unknown, place: string | number): unknown {
	return typeof value === 'object' && value !== null
		? (value as Record<string | number, unknown>)[place]
		: undefined;
}

import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { invalidInputError } from '../core/errors';
import { isPlainObject, parseJsonExactly, findRoundedNumber } from '../core/json';

/** Rules of a field that n8n's declaration cannot express. */
export interface FieldRules {
	/**
	 * An expression may find nothing; the field then counts as not set. Its description says so. A record limits this to certain
	 * values of the fields beside it.
	 */
	mayBeEmpty?: true | Record<string, readonly string[]>;
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

/** Characters of the longest text that is accepted. No real message is longer. */
const MAX_TEXT_LENGTH = 4 * 1024 * 1024;

/**
 * Checks a value against its parameter's declaration, nested ones included, and converts it to the declared type.
 *
 * @param path The parameter's name in the editor.
 * @throws ServiceError `invalid`, naming the path.
 */
export function validateParam(param: INodeProperties, value: unknown, path: string): unknown {
	switch (param.type) {
		case 'string':
		case 'resourceLocator':
		case 'dateTime':
			return validateText(param, value, path);
		case 'number':
			return validateNumber(param, value, path);
		case 'boolean':
			if (value === true || value === 'true') return true;
			if (value === false || value === 'false') return false;
			throw invalidInputError(`${path} must be true or false`);
		case 'options':
			return validateOption(param, value, path);
		case 'multiOptions': {
			// an expression may give one value, several separated by commas, or a list
			const given = typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value;
			if (!Array.isArray(given)) throw invalidInputError(`${path} must be a list`);
			const chosen = given.filter((one) => one !== '');
			return [...new Set(chosen)].map((one) => validateOption(param, one, path));
		}
		case 'json':
			return isListParam(param) ? validateList(value, path) : validateObject(value, path);
		case 'collection':
			return validateCollection(param.options as INodeProperties[], value, path);
		case 'fixedCollection':
			return validateFixedCollection(param, value, path);
		default:
			return value;
	}
}

function validateOption({ options }: INodeProperties, value: unknown, path: string): unknown {
	const allowed = (options as INodePropertyOptions[]).map((option) => option.value);
	if (!allowed.includes(value as string))
		throw invalidInputError(`${path} must be one of: ${allowed.join(', ')}`);
	return value;
}

function validateText(
	{ required, displayOptions }: INodeProperties,
	value: unknown,
	path: string,
): string {
	// a resource locator is an object with its mode; n8n's own extraction of its value fails for hidden parameters
	const chosen = isPlainObject(value) && '__rl' in value ? value['value'] : value;
	const text = convertToText(chosen);
	// a hidden field may be empty; `prepare` checks it when it is shown
	if (required && !displayOptions && !text.trim()) throw invalidInputError(`${path} is empty`);
	if (text.length > MAX_TEXT_LENGTH)
		throw invalidInputError(`${path} is longer than 4 million characters`);
	if (!text.isWellFormed())
		throw invalidInputError(`${path} contains an incomplete character, such as half of an emoji`);
	return text;
}

function convertToText(value: unknown): string {
	if (typeof value !== 'object' || value === null) return String(value ?? '');
	// a date, such as $now, without the quotes that it has in JSON
	const plain = 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : value;
	return typeof plain === 'string' ? plain : JSON.stringify(plain);
}

function validateNumber(param: INodeProperties, value: unknown, path: string): number {
	const written = typeof value === 'string' && value.trim() !== '';
	const number = written || typeof value === 'number' ? Number(value) : NaN;
	if (!Number.isFinite(number)) throw invalidInputError(`${path} must be a number`);
	const { minValue = -Infinity, maxValue = Infinity, numberPrecision } = param.typeOptions ?? {};
	if (number < minValue || number > maxValue) {
		const upTo = maxValue === Infinity ? 'or more' : `to ${maxValue}`;
		throw invalidInputError(`${path} must be ${minValue} ${upTo}`, `It is ${number}.`);
	}
	const isDecimal = numberPrecision || getFieldRules(param).isDecimal;
	if (!isDecimal && !Number.isInteger(number))
		throw invalidInputError(`${path} must be a whole number`, `It is ${number}.`);
	return number;
}

/** Whether a JSON parameter expects a list: its default is one. */
const isListParam = ({ default: preset }: INodeProperties) =>
	typeof preset === 'string' && preset.startsWith('[');

function validateList(value: unknown, path: string): unknown[] {
	const parsed =
		typeof value === 'string' ? (value.trim() ? parseJsonText(value, path) : []) : value;
	if (!Array.isArray(parsed))
		throw invalidInputError(
			`${path} must be a JSON list`,
			'It has to begin with [ and end with ].',
		);
	return rejectRoundedNumbers(parsed, path);
}

function validateObject(value: unknown, path: string): unknown {
	const parsed = typeof value === 'string' ? parseJsonText(value, path) : value;
	if (!isPlainObject(parsed))
		throw invalidInputError(
			`${path} must be a JSON object`,
			'It has to begin with { and end with }.',
		);
	return rejectRoundedNumbers(parsed, path);
}

/** An expression that gives an object has lost the digits already; one that gives text keeps them. */
function rejectRoundedNumbers<Value>(value: Value, path: string): Value {
	const rounded = findRoundedNumber(value);
	if (rounded === undefined) return value;
	throw invalidInputError(
		`${path} has a whole number with more digits than n8n keeps (${rounded})`,
		'It has been rounded already. Write the JSON as text with an expression for each value in it, or the number in quotes.',
	);
}

function parseJsonText(text: string, path: string): unknown {
	if (!text.trim()) return {};
	try {
		return parseJsonExactly(text);
	} catch (cause) {
		throw invalidInputError(
			`${path} is not valid JSON`,
			cause instanceof Error ? `${cause.message}.` : undefined,
		);
	}
}

/**
 * In a collection, an empty value means "not set" and is left out. Texts and required fields are kept.
 */
function validateCollection(fields: INodeProperties[], value: unknown, path: string): object {
	if (!isPlainObject(value)) throw invalidInputError(`${path} must be an object`);
	return Object.fromEntries(
		fields
			.filter(({ name, type, required }) => {
				if (required || type === 'string') return Object.hasOwn(value, name);
				const given = value[name];
				return given !== undefined && given !== null && given !== '';
			})
			.map((field) => [
				field.name,
				validateParam(field, value[field.name], `${path}: ${field.displayName}`),
			]),
	);
}

function validateFixedCollection(param: INodeProperties, value: unknown, path: string): object {
	if (!isPlainObject(value)) throw invalidInputError(`${path} must be an object`);
	return Object.fromEntries(
		(param.options as INodePropertyCollection[])
			.filter(({ name }) => value[name] !== undefined)
			.map(({ name, values }) => [
				name,
				[value[name]]
					.flat()
					.map((row, index) => validateCollection(values, row, getRowPath(param, path, index))),
			]),
	);
}

/** The name of a row in the editor. A collection that has only one row has no number. */
export const getRowPath = ({ typeOptions }: INodeProperties, path: string, index: number) =>
	typeOptions?.multipleValues ? `${path} ${index + 1}` : path;

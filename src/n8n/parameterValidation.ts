import type { INodeProperties, INodePropertyOptions, NodePropertyTypes } from 'n8n-workflow';

import { invalidInputError, messageOf } from '../core/errors';
import { isMissing, isPlainObject, parseJson } from '../core/json';
import { type Field, getFieldRules, walkParam } from './parameterFields';

/** Characters of the longest text that is accepted. No real message is longer. */
const MAX_TEXT_LENGTH = 4_000_000;

/**
 * Checks a value against its parameter's declaration, nested ones included, and converts it to the declared type.
 *
 * @param path The parameter's name in the editor.
 * @throws ServiceError `invalid`, naming the path.
 */
export const validateParam = (param: INodeProperties, value: unknown, path: string): unknown =>
	walkParam({ param, path, stored: undefined, value }, validateField);

/**
 * The same for one field, without those in it.
 *
 * In a collection, an empty value means "not set" and is left out (undefined). Texts and required fields are kept.
 */
export function validateField(field: Field): unknown {
	const { param, value, siblings } = field;
	if (siblings) {
		const isKept = param.required || param.type === 'string';
		const isSet = isKept ? Object.hasOwn(siblings, param.name) : !isMissing(value);
		if (!isSet) return undefined;
	}
	const validate = VALIDATORS[param.type];
	return validate ? validate(field) : value;
}

const VALIDATORS: Partial<Record<NodePropertyTypes, (field: Field) => unknown>> = {
	string: validateText,
	dateTime: validateText,
	resourceLocator: validateText,
	number: validateNumber,
	boolean: validateBoolean,
	options: validateOption,
	multiOptions: validateOptions,
	json: validateJson,
	collection: requireObject,
	fixedCollection: requireObject,
};

function validateText({ param: { required, displayOptions }, value, path }: Field): string {
	// a resource locator is an object with its mode; n8n's own extraction of its value fails for hidden parameters
	const chosen = isPlainObject(value) && '__rl' in value ? readLocator(value) : value;
	const text = convertToText(chosen);
	// a hidden field may be empty; `prepare` checks it when it is shown
	if (required && !displayOptions && !text.trim()) throw invalidInputError(`${path} is empty`);
	if (text.length > MAX_TEXT_LENGTH)
		throw invalidInputError(`${path} is longer than 4 million characters`);
	if (!text.isWellFormed())
		throw invalidInputError(`${path} contains an incomplete character, such as half of an emoji`);
	return text;
}

/** A mode of another kind than n8n's own two says what its value is: "modelList:support". */
const readLocator = ({ mode, value }: Record<string, unknown>) =>
	mode === 'modelList' ? `${mode}:${convertToText(value)}` : value;

function convertToText(value: unknown): string {
	if (typeof value !== 'object' || value === null) return String(value ?? '');
	// a date, such as $now, without the quotes that it has in JSON
	const plain = 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : value;
	return typeof plain === 'string' ? plain : JSON.stringify(plain);
}

function validateNumber({ param, value, path }: Field): number {
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

function validateBoolean({ value, path }: Field): boolean {
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	throw invalidInputError(`${path} must be true or false`);
}

function validateOption({ param, value, path }: Field): unknown {
	const allowed = (param.options as INodePropertyOptions[]).map((option) => option.value);
	const [yes, no] = getFieldRules(param).yesAndNo ?? [];
	const chosen = typeof value === 'boolean' ? ((value ? yes : no) ?? value) : value;
	if (!allowed.includes(chosen as string))
		throw invalidInputError(`${path} must be one of: ${allowed.join(', ')}`);
	return chosen;
}

/** An expression may give one value, several separated by commas, or a list. */
function validateOptions(field: Field): unknown[] {
	const { value, path } = field;
	const given = typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value;
	if (!Array.isArray(given)) throw invalidInputError(`${path} must be a list`);
	const chosen = given.filter((one) => one !== '');
	return [...new Set(chosen)].map((one) => validateOption({ ...field, value: one }));
}

/** A JSON parameter expects a list if its default is one. */
function validateJson({ param, value, path }: Field): unknown {
	const isList = typeof param.default === 'string' && param.default.startsWith('[');
	const isEmpty = typeof value === 'string' && !value.trim();
	const parsed = isEmpty ? (isList ? [] : {}) : parseJsonValue(value, path);
	if (isList && !Array.isArray(parsed))
		throw invalidInputError(
			`${path} must be a JSON list`,
			'It has to begin with [ and end with ].',
		);
	if (!isList && !isPlainObject(parsed))
		throw invalidInputError(
			`${path} must be a JSON object`,
			'It has to begin with { and end with }.',
		);
	return parsed;
}

/** @param value Text, or what an expression gives, in which such a number has already been rounded. */
function parseJsonValue(value: unknown, path: string): unknown {
	let rounded: string | undefined;
	const keepFirst = (number: string) => {
		rounded ??= number;
		return number;
	};
	let parsed: unknown;
	try {
		const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
		parsed = parseJson(text, keepFirst);
	} catch (cause) {
		throw invalidInputError(`${path} is not valid JSON`, `${messageOf(cause)}.`);
	}
	if (rounded === undefined) return parsed;
	throw invalidInputError(
		`${path} has a whole number with more digits than n8n keeps (${rounded})`,
		'It would be sent as another number. Write it in quotes, if the service takes a text there.',
	);
}

function requireObject({ value, path }: Field): object {
	if (!isPlainObject(value)) throw invalidInputError(`${path} must be an object`);
	return value;
}

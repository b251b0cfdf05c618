import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { invalid } from '../service/errors';
import { isObject, parseJson } from '../service/json';

const FOUND_NOTHING = 'If it is an expression, it found nothing for this item.';

/** The longest text taken from a parameter. No message of this service has an honest reason to be longer. */
const MAX_TEXT = 4 * 1024 * 1024;

/**
 * Checks a value against the declaration of its parameter, nested ones included, and gives it its type.
 *
 * @param path What the parameter is called in the editor.
 * @throws ServiceError `invalid`, naming the path.
 */
export function checked(param: INodeProperties, value: unknown, path: string): unknown {
	switch (param.type) {
		case 'string':
		case 'resourceLocator':
		case 'dateTime':
			return checkedText(param, value, path);
		case 'number':
			return checkedNumber(param, value, path);
		case 'boolean':
			if (value === true || value === 'true') return true;
			if (value === false || value === 'false') return false;
			throw invalid(`${path} must be true or false`);
		case 'options':
			return checkedOption(param, value, path);
		case 'multiOptions': {
			// an expression may give one, several with commas between them, or a list
			const given = typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value;
			if (!Array.isArray(given)) throw invalid(`${path} must be a list`);
			const chosen = given.filter((one) => one !== '');
			return [...new Set(chosen)].map((one) => checkedOption(param, one, path));
		}
		case 'json':
			return isListParam(param) ? checkedList(value, path) : checkedObject(value, path);
		case 'collection':
			return checkedFields(param.options as INodeProperties[], value, path);
		case 'fixedCollection':
			return checkedGroups(param.options as INodePropertyCollection[], value, path);
		default:
			return value;
	}
}

function checkedOption({ options }: INodeProperties, value: unknown, path: string): unknown {
	const allowed = (options as INodePropertyOptions[]).map((option) => option.value);
	if (!allowed.includes(value as string))
		throw invalid(`${path} must be one of: ${allowed.join(', ')}`);
	return value;
}

function checkedText(
	{ required, displayOptions }: INodeProperties,
	value: unknown,
	path: string,
): string {
	// a resource locator comes with how it was chosen; n8n's own way to extract its value fails for hidden parameters
	const chosen = isObject(value) && '__rl' in value ? value['value'] : value;
	const text = writtenOut(chosen);
	// what is hidden for other choices may be empty then: `prepare` knows
	if (required && !displayOptions && !text.trim()) throw invalid(`${path} is empty`, FOUND_NOTHING);
	if (text.length > MAX_TEXT) throw invalid(`${path} is longer than 4 million characters`);
	if (!text.isWellFormed()) throw invalid(`${path} contains half a character`);
	return text;
}

function writtenOut(value: unknown): string {
	if (typeof value !== 'object' || value === null) return String(value ?? '');
	// a date, such as $now, is a text in JSON: here it goes without the quotes
	const plain = 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : value;
	return typeof plain === 'string' ? plain : JSON.stringify(plain);
}

function checkedNumber({ typeOptions }: INodeProperties, value: unknown, path: string): number {
	const written = typeof value === 'string' && value.trim() !== '';
	const number = written || typeof value === 'number' ? Number(value) : NaN;
	if (!Number.isFinite(number)) {
		const isEmpty = value === undefined || value === null || value === '';
		throw invalid(`${path} must be a number`, isEmpty ? FOUND_NOTHING : undefined);
	}
	const { minValue = -Infinity, maxValue = Infinity, numberPrecision } = typeOptions ?? {};
	if (number < minValue || number > maxValue) {
		const upTo = maxValue === Infinity ? 'or more' : `to ${maxValue}`;
		throw invalid(`${path} must be ${minValue} ${upTo}`, `It is ${number}.`);
	}
	if (!numberPrecision && !Number.isInteger(number))
		throw invalid(`${path} must be a whole number`, `It is ${number}.`);
	return number;
}

/** Whether a JSON parameter holds a list: then its default is one. */
const isListParam = ({ default: preset }: INodeProperties) =>
	typeof preset === 'string' && preset.startsWith('[');

function checkedList(value: unknown, path: string): unknown[] {
	const parsed = typeof value === 'string' ? (value.trim() ? parsedText(value, path) : []) : value;
	if (!Array.isArray(parsed))
		throw invalid(`${path} must be a JSON list`, 'It has to begin with [ and end with ].');
	return parsed;
}

function checkedObject(value: unknown, path: string): unknown {
	const parsed = typeof value === 'string' ? parsedText(value, path) : value;
	if (!isObject(parsed))
		throw invalid(`${path} must be a JSON object`, 'It has to begin with { and end with }.');
	return parsed;
}

function parsedText(text: string, path: string): unknown {
	if (!text.trim()) return {};
	try {
		return parseJson(text);
	} catch (cause) {
		throw invalid(
			`${path} is not valid JSON`,
			cause instanceof Error ? `${cause.message}.` : undefined,
		);
	}
}

/**
 * In a collection, an empty value means "not set": it is left out, unless it must not go missing once it was chosen. A text is
 * empty then, also where an expression found nothing.
 */
function checkedFields(fields: INodeProperties[], value: unknown, path: string): object {
	if (!isObject(value)) throw invalid(`${path} must be an object`);
	return Object.fromEntries(
		fields
			.filter(({ name, type, required }) => {
				if (required || type === 'string') return Object.hasOwn(value, name);
				const given = value[name];
				return given !== undefined && given !== null && given !== '';
			})
			.map((field) => [
				field.name,
				checked(field, value[field.name], `${path}: ${field.displayName}`),
			]),
	);
}

function checkedGroups(groups: INodePropertyCollection[], value: unknown, path: string): object {
	if (!isObject(value)) throw invalid(`${path} must be an object`);
	return Object.fromEntries(
		groups
			.filter(({ name }) => value[name] !== undefined)
			.map(({ name, values }) => [
				name,
				[value[name]]
					.flat()
					.map((row, index) => checkedFields(values, row, `${path} ${index + 1}`)),
			]),
	);
}

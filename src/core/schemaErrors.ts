import { format, validate, type OutputUnit } from '@cfworker/json-schema';

import { shortenText } from './errors';

export type JsonSchema = Record<string, unknown>;

export type Formats = Record<string, (text: string) => boolean>;

// `toString` is not a format, and `url` may take hours for some addresses
Object.setPrototypeOf(format, null);
delete format['url'];

/** Keys as strings, indexes as numbers. */
export type SchemaPath = Array<string | number>;

const MAX_KEY_LENGTH = 80;
const MAX_REASON_LENGTH = 500;

/** A path as text, e.g. `items[2].price`. */
export function formatPath(path: SchemaPath): string {
	const parts = path.map((step, index) => {
		if (typeof step === 'number') return `[${step}]`;
		const name = shortenText(step, MAX_KEY_LENGTH);
		if (!/^[\p{L}_$][\p{L}\p{N}_$-]*…?$/u.test(name)) return `[${JSON.stringify(name)}]`;
		return index ? `.${name}` : name;
	});
	return parts.join('') || 'the top level';
}

/** Checks a value with the library. `formats` are valid for this check only. */
export function findSchemaError(value: unknown, schema: JsonSchema, formats: Formats = {}) {
	// the library has one list of formats for all schemas
	Object.assign(format, formats);
	try {
		const { valid, errors } = validate(value, schema, '2020-12', {});
		return valid ? undefined : selectMostSpecificError(errors, value);
	} finally {
		for (const name of Object.keys(formats)) delete format[name];
	}
}

/** Selects the most specific error of the library: the first of the most deeply nested ones. */
function selectMostSpecificError(errors: OutputUnit[], value: unknown) {
	const inner = [...new Set(errors.flatMap(listInnerLocations))];
	const specific = errors.filter(
		(error, index) =>
			!inner.some((location) => error.keywordLocation.startsWith(location)) &&
			(isFalseSchema(errors[index + 1]) || !(isFalseSchema(error) || isWrapper(error))),
	);
	const [deepest] = specific.sort((one, other) => locationDepth(other) - locationDepth(one));
	// an invalid value has at least one error
	const selected = deepest ?? errors[0]!;
	const reason = describeError(selected, isFalseSchema(errors[errors.indexOf(selected) + 1]));
	return {
		path: parseLocation(selected.instanceLocation, value),
		reason: shortenText(reason, MAX_REASON_LENGTH),
	};
}

const locationDepth = ({ instanceLocation }: OutputUnit) => instanceLocation.split('/').length;

/** The schema `false` allows no value. The error before it identifies the part of the value. */
const isFalseSchema = (error: OutputUnit | undefined) => error?.keyword === 'false';

const WRAPPER_KEYWORDS = new Set([
	'allOf',
	'anyOf',
	'oneOf',
	'if',
	'properties',
	'additionalProperties',
	'unevaluatedProperties',
	'items',
	'prefixItems',
	'additionalItems',
	'unevaluatedItems',
]);

/** Whether an error only reports that a part is wrong. The error of that part follows. */
function isWrapper({ keyword, error }: OutputUnit): boolean {
	if (keyword === 'oneOf') return error.includes('(0 matches)');
	return WRAPPER_KEYWORDS.has(keyword) || error.endsWith('does not match dependant schema.');
}

/** Locations of errors that only explain another one: why a name is invalid, why an item does not match `contains`. */
function listInnerLocations(error: OutputUnit): string[] {
	const { keyword, keywordLocation } = error;
	if (/^(min|max)?contains$/i.test(keyword))
		return [keywordLocation.replace(/[^/]+$/, 'contains/')];
	if (keyword === 'propertyNames' || (keyword === 'oneOf' && !isWrapper(error)))
		return [`${keywordLocation}/`];
	return [];
}

/** The library's message, corrected where it is wrong or unclear. */
function describeError({ keyword, error }: OutputUnit, isForbidden: boolean): string {
	const message = isForbidden
		? error.replace(/^(Property ".*") .*$/s, '$1 is not allowed.')
		: error;
	return message
		.replace(/^String does not match format "(pattern .*)"\.$/s, 'String does not match $1.')
		.replace(/^Items .*$/, 'The list contains an item that is not allowed.')
		.replace(/^Instance type/, 'The type')
		.replace(/^Instance/, 'The value')
		.replace('at least', keyword === 'maxProperties' ? 'at most' : '$&')
		.replace('less than', keyword === 'exclusiveMinimum' ? 'less than or equal to' : '$&');
}

/** Decodes the keys of a location of the library, in reverse order of its encoding. */
function parseLocation(location: string, value: unknown): SchemaPath {
	let current = value;
	const [, ...steps] = location.split('/');
	return steps.map((step) => {
		const name = decodeURI(step).replaceAll('~1', '/').replaceAll('~0', '~');
		const key = Array.isArray(current) ? Number(name) : name;
		current = (current as Record<string | number, unknown> | undefined)?.[key];
		return key;
	});
}

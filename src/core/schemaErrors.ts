import type { OutputUnit } from '@cfworker/json-schema';

import { shortenText } from './errors';
import { findDuplicate } from './json';

/** Keys as strings, indexes as numbers. */
export type SchemaPath = Array<string | number>;

export interface ValueError {
	path: SchemaPath;
	reason: string;
}

/** Prefix of the name of a format that replaces a `pattern`. */
export const PATTERN_FORMAT_PREFIX = 'pattern ';
/** Not equal to any list, so the library reports the place of a list with duplicates. */
export const UNIQUE_ITEMS_MARKER = 'a list without equal items';

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

/** Selects the most specific error of the library: the first of the most deeply nested ones. */
export function selectMostSpecificError(errors: OutputUnit[], value: unknown): ValueError {
	const inner = [...new Set(errors.flatMap(listInnerLocations))];
	const specific = errors.filter(
		(error, index) =>
			!inner.some((location) => error.keywordLocation.startsWith(location)) &&
			(isFalseSchema(errors[index + 1]) || !(isFalseSchema(error) || isWrapper(error))),
	);
	const [deepest] = specific.sort((one, other) => locationDepth(other) - locationDepth(one));
	// an invalid value has at least one error
	const selected = deepest ?? errors[0]!;
	const reason = describeError(
		selected,
		isFalseSchema(errors[errors.indexOf(selected) + 1]),
		value,
	);
	return {
		path: parseLocation(selected.instanceLocation, value),
		reason: shortenText(reason, MAX_REASON_LENGTH),
	};
}

const locationDepth = ({ instanceLocation }: OutputUnit) => instanceLocation.split('/').length;

/** The schema `false` allows no value. The error before it identifies the part of the value. */
const isFalseSchema = (error: OutputUnit | undefined) => error?.keyword === 'false';

const WRAPPER_KEYWORDS = new Set([
	...['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'properties', 'additionalProperties'],
	...['unevaluatedProperties', 'items', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
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
function describeError(
	{ keyword, error, instanceLocation }: OutputUnit,
	forbidden: boolean,
	value: unknown,
): string {
	if (keyword === 'format' && error.includes(PATTERN_FORMAT_PREFIX))
		return error.replace(/format "(.*)"\.$/s, (_, pattern: string) => `${pattern}.`);
	if (keyword === 'const' && error.includes(UNIQUE_ITEMS_MARKER)) {
		const list = parseLocation(instanceLocation, value).reduce<unknown>(getChild, value);
		const repeat = Array.isArray(list) ? findDuplicate(list) : undefined;
		if (repeat) return `Duplicate items at indexes ${repeat.join(' and ')}.`;
	}
	const message = forbidden
		? error.replace(/^Property (".*") .*$/s, 'Property $1 is not allowed.')
		: error;
	return message
		.replace(/^Items .*$/, 'The list contains an item that is not allowed.')
		.replace(/^Instance type/, 'The type')
		.replace(/^Instance/, 'The value')
		.replace('at least', keyword === 'maxProperties' ? 'at most' : '$&')
		.replace('less than', keyword === 'exclusiveMinimum' ? 'less than or equal to' : '$&');
}

const getChild = (parent: unknown, step: string | number): unknown =>
	(parent as Record<string | number, unknown> | undefined)?.[step];

function parseLocation(location: string, value: unknown): SchemaPath {
	let current = value;
	return splitLocation(location).map((step) => {
		const key = Array.isArray(current) ? Number(step) : step;
		current = getChild(current, key);
		return key;
	});
}

/** Decodes the keys of a location of the library, in reverse order of its encoding. */
const splitLocation = (location: string) =>
	location
		.split('/')
		.slice(1)
		.map((step) => decodeURI(step).replaceAll('~1', '/').replaceAll('~0', '~'));

import type { OutputUnit, Schema } from '@cfworker/json-schema';

import { isObject } from './json';

/** Keys, and indexes as numbers. */
export type Path = Array<string | number>;

export interface Fault {
	path: Path;
	reason: string;
}

const MAX_KEY = 80;
const MAX_REASON = 500;

/** A place in words, e.g. `items[2].price`. */
export function placeOf(path: Path): string {
	const words = path.map((step, at) => {
		if (typeof step === 'number') return `[${step}]`;
		const name = shortened(step, MAX_KEY);
		if (!/^[\p{L}_$][\p{L}\p{N}_$-]*…?$/u.test(name)) return `[${JSON.stringify(name)}]`;
		return at ? `.${name}` : name;
	});
	return words.join('') || 'the top level';
}

/** Of all that the library has to say the one thing that tells most: what is wrong farthest inside, and of that the first. */
export function tellingFault(
	errors: OutputUnit[],
	value: unknown,
	schema: Schema,
	lookup: Record<string, Schema | boolean>,
): Fault {
	const inner = [...new Set(errors.flatMap(innerOf))];
	const telling = errors.filter(
		(error, at) =>
			!inner.some((location) => error.keywordLocation.startsWith(location)) &&
			(isForbidden(errors[at + 1]) || !(isForbidden(error) || isFrame(error))),
	);
	const [error] = telling.sort((one, other) => depth(other) - depth(one));
	// at least one error came, or the value would be valid
	const told = error ?? errors[0]!;
	const choice = errors.find((one) => isChoice(one) && isWithin(told, one));
	const reasons = (choice ? telling.filter((one) => isWithin(one, choice)) : [told]).map((one) =>
		reasonOf(one, isForbidden(errors[errors.indexOf(one) + 1]), schema, lookup),
	);
	return {
		path: pathOf(told.instanceLocation, value),
		reason: shortened([...new Set(reasons)].join(' Or: '), MAX_REASON),
	};
}

/** One of several schemas has to fit: where none gets any farther than the others, each has its reason. */
const isChoice = ({ keyword }: OutputUnit) => keyword === 'anyOf' || keyword === 'oneOf';

const isWithin = (error: OutputUnit, choice: OutputUnit) =>
	error.instanceLocation === choice.instanceLocation &&
	error.keywordLocation.startsWith(`${choice.keywordLocation}/`);

const depth = ({ instanceLocation }: OutputUnit) => instanceLocation.split('/').length;

/** No value at all is allowed where the schema is `false`; what came before tells which part of the value that is. */
const isForbidden = (error: OutputUnit | undefined) => error?.keyword === 'false';

const FRAMES = new Set([
	...['$ref', '$recursiveRef', 'allOf', 'anyOf', 'oneOf', 'if', 'properties', 'patternProperties'],
	...['additionalProperties', 'unevaluatedProperties', 'items', 'prefixItems', 'additionalItems'],
	...['unevaluatedItems'],
]);

/** Only says that something is wrong in one of its parts, which follows. */
function isFrame({ keyword, error }: OutputUnit): boolean {
	if (keyword === 'oneOf') return error.includes('(0 matches)');
	return FRAMES.has(keyword) || error.endsWith('does not match dependant schema.');
}

/** Where errors are that only explain a telling one: why a name is wrong, why an item is not the one that was looked for. */
function innerOf(error: OutputUnit): string[] {
	const { keyword, keywordLocation } = error;
	if (/^(min|max)?contains$/i.test(keyword))
		return [keywordLocation.replace(/[^/]+$/, 'contains/')];
	if (keyword === 'propertyNames' || (keyword === 'oneOf' && !isFrame(error)))
		return [`${keywordLocation}/`];
	return [];
}

/** The library's words, where they are right and tell enough. */
function reasonOf(
	{ keyword, error, keywordLocation }: OutputUnit,
	forbidden: boolean,
	schema: Schema,
	lookup: Record<string, Schema | boolean>,
): string {
	if (keyword === 'pattern') {
		const pattern = JSON.stringify(heldAt(keywordLocation, schema, lookup));
		return pattern ? error.replace('pattern', () => `pattern ${pattern}`) : error;
	}
	const told = forbidden
		? error.replace(/^Property (".*") .*$/s, 'Property $1 is not allowed.')
		: error;
	return told
		.replace(/^Items .*$/, 'The list holds an item that is not allowed.')
		.replace(/^Instance type/, 'The type')
		.replace(/^Instance/, 'The value')
		.replace('at least', keyword === 'maxProperties' ? 'at most' : '$&')
		.replace('less than', keyword === 'exclusiveMinimum' ? 'less than or equal to' : '$&');
}

/** What a schema holds at a place that the library names; references are followed there. */
function heldAt(
	location: string,
	schema: Schema,
	lookup: Record<string, Schema | boolean>,
): unknown {
	return stepsOf(location).reduce<unknown>((held, step) => {
		if (Array.isArray(held)) return held[Number(step)] as unknown;
		if (!isObject(held)) return undefined;
		const link = step === '$ref' && held['__absolute_ref__'];
		return typeof link === 'string' ? lookup[link] : held[step];
	}, schema);
}

function pathOf(location: string, value: unknown): Path {
	let held = value;
	return stepsOf(location).map((step) => {
		const key = Array.isArray(held) ? Number(step) : step;
		held = (held as Record<string | number, unknown> | undefined)?.[key];
		return key;
	});
}

/** Undoes what the library does to keys, in reverse order. */
const stepsOf = (location: string) =>
	location
		.split('/')
		.slice(1)
		.map((step) => decodeURI(step).replaceAll('~1', '/').replaceAll('~0', '~'));

const shortened = (text: string, length: number) =>
	text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;

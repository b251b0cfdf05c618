import { format, validate, type Schema, type SchemaDraft } from '@cfworker/json-schema';

import { invalidInputError, ServiceError } from './errors';
import { isPlainObject, findListsWithDuplicates } from './json';
import { compileSafeRegex, type SafeRegex } from './safeRegex';
import {
	formatPath,
	selectMostSpecificError,
	type ValueError,
	PATTERN_FORMAT_PREFIX,
	UNIQUE_ITEMS_MARKER,
	type SchemaPath,
} from './schemaErrors';
import { resolveReferences, META_SCHEMA, invalidSchemaError } from './schemaReferences';

export interface SchemaError {
	/** Where in the value, e.g. `items[2].price`, or `the top level`. */
	place: string;
	/** What is wrong there, as a sentence. */
	reason: string;
}

/**
 * Compiles a JSON schema into a check. The draft is 7 when `$schema` names 7 or 6. Draft 4 and older are rejected. Anything else is
 * read as 2020-12. The schema itself is not changed. Formats are checked. Unknown formats and keywords are ignored.
 *
 * @returns a function that returns the most specific error of a JSON value, or undefined for a valid one. It throws ServiceError
 *   `invalid` for a value that is nested too deeply, or whose check would take too long.
 * @throws ServiceError `invalid` for a schema that cannot be used: a keyword with an invalid value, a `$ref` that is circular or
 *   points outside the schema, a regular expression that is malformed or takes more than linear time.
 */
export function compileSchema(
	schema: Record<string, unknown>,
): (value: unknown) => SchemaError | undefined {
	const draft = detectDraft(schema['$schema']);
	const { root, lookup, limits } = runOrThrowInvalid('The JSON schema cannot be used', () => {
		const root = copyWithoutPrototype(schema) as Schema;
		const { lookup, levels } = resolveReferences(root, (level) =>
			findSchemaError(level, META_SCHEMA, '2020-12'),
		);
		return { root, lookup, limits: limitSchemas(levels) };
	});
	return (value) =>
		runOrThrowInvalid('The value cannot be checked against the JSON schema', () => {
			const copy = copyWithoutPrototype(value);
			const error = withFormats(limits, copy, () => findSchemaError(copy, root, draft, lookup));
			return error && { place: formatPath(error.path), reason: error.reason };
		});
}

function findSchemaError(
	value: unknown,
	schema: Schema,
	draft: SchemaDraft,
	lookup: Record<string, Schema | boolean> = {},
): ValueError | undefined {
	const { valid, errors } = validate(value, schema, draft, lookup);
	return valid ? undefined : selectMostSpecificError(errors, value);
}

/** The library has one global list of formats. Those of a schema are added only while a value is checked. */
function withFormats<T>({ formats, prepare }: SchemaLimits, value: unknown, work: () => T): T {
	prepare(value);
	Object.assign(format, formats);
	try {
		return work();
	} finally {
		for (const name of Object.keys(formats)) delete format[name];
	}
}

function detectDraft(schemaUri: unknown): SchemaDraft {
	const [, draft = ''] = /\bdraft[-/](0\d)\b/.exec(String(schemaUri)) ?? [];
	if (draft && draft < '06')
		throw invalidInputError(
			'The JSON schema cannot be used: draft 4 and older are not supported',
			'Write it as draft 2020-12 or 7, and change "$schema".',
		);
	return draft ? '7' : '2020-12';
}

/**
 * Copies a value for the library. The library uses `key in value`, which finds `toString` in every ordinary object. It encodes keys
 * as URIs, which fails on a lone surrogate. It also adds properties to a schema.
 */
function copyWithoutPrototype(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(copyWithoutPrototype);
	if (!isPlainObject(value)) return value;
	const copy = Object.create(null) as Record<string, unknown>;
	for (const [key, child] of Object.entries(value)) {
		if (child !== undefined) copy[key.toWellFormed()] = copyWithoutPrototype(child);
	}
	return copy;
}

function runOrThrowInvalid<T>(what: string, work: () => T): T {
	try {
		return work();
	} catch (cause) {
		throw toInvalidInputError(what, cause);
	}
}

function toInvalidInputError(what: string, cause: unknown): ServiceError {
	if (cause instanceof ServiceError) return cause;
	// stack overflow
	if (cause instanceof RangeError)
		return invalidInputError(`${what}: it is nested too deeply, or too large`);
	return invalidInputError(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`);
}

type SchemaObject = Record<string, unknown>;

/** Maximum steps of a check: schemas read, or equally slow work. They take about a second. */
const MAX_STEPS = 300_000;
/** Additional steps for each part of a value. */
const STEPS_PER_PART = 30;
/** Work that takes as long as one step: characters read by a one-letter pattern, lists compared, names looked up. */
const CHARACTERS_PER_STEP = 100;
const LISTS_PER_STEP = 10;
const NAMES_PER_STEP = 10;

interface SchemaLimits {
	/** Registered in the library during a check. */
	formats: Record<string, (text: string) => boolean>;
	/** Called for each value before it is checked. */
	prepare(value: unknown): void;
}

/**
 * Changes a schema so that the library checks any value in bounded time, with the same result.
 *
 * The library runs patterns with JavaScript's own engine, which may take hours for some texts. It compares all items of a list with
 * each other, and tries all paths through recursive schemas. Here `pattern` becomes a custom format, `patternProperties` become
 * `properties` with the matching names of the value, and `uniqueItems` forbids the lists of the value that contain duplicates. Every
 * read of a schema is counted.
 *
 * @param levels All schemas that are reachable from the root, with their paths. They are changed.
 * @throws ServiceError `invalid` for a pattern that cannot be used.
 */
function limitSchemas(
	levels: ReadonlyArray<[schema: SchemaObject, path: SchemaPath]>,
): SchemaLimits {
	const formats: SchemaLimits['formats'] = {};
	const duplicates: unknown[][] = [];
	const preparations: Array<(names: Set<string>) => void> = [];
	const counter = createStepCounter();
	const hasUniqueItems = levels.some(([schema]) => schema['uniqueItems']);

	for (const [schema, path] of levels) {
		const { pattern, patternProperties, uniqueItems } = schema;
		const compile = (source: string, keyword: string) =>
			counter.counted(compilePatternAt(source, [...path, keyword]));
		const rules: SchemaObject[] = [];
		if (typeof pattern === 'string') {
			const name = PATTERN_FORMAT_PREFIX + JSON.stringify(pattern);
			formats[name] = compile(pattern, 'pattern');
			rules.push({ format: name });
		}
		if (uniqueItems === true) rules.push(forbidLists(duplicates, counter));
		for (const keyword of ['pattern', 'uniqueItems', 'patternProperties']) delete schema[keyword];
		if (rules.length) schema['allOf'] = [...((schema['allOf'] as unknown[]) ?? []), ...rules];

		let { properties } = schema;
		let names = 0;
		if (isPlainObject(patternProperties)) {
			const patterns = Object.entries(patternProperties).map(
				([source, child]): PropertyPattern => [compile(source, 'patternProperties'), child],
			);
			const declared = isPlainObject(properties) ? properties : {};
			preparations.push((valueNames) => {
				const all = addMatchingNames(declared, patterns, valueNames);
				names = Object.keys(all).length;
				properties = all;
			});
		}
		counter.onPropertiesRead(schema, () => {
			counter.spend(1 + names / NAMES_PER_STEP);
			return properties;
		});
	}

	return {
		formats,
		prepare(value) {
			counter.reset(MAX_STEPS + STEPS_PER_PART * countValues(value));
			if (hasUniqueItems) duplicates.splice(0, Infinity, ...findListsWithDuplicates(value));
			const names = preparations.length ? collectPropertyNames(value) : new Set<string>();
			for (const prepare of preparations) prepare(names);
		},
	};
}

type PropertyPattern = [matches: (name: string) => boolean, schema: unknown];

/** Merges `properties` and `patternProperties`: each name with all schemas that its property must match. */
function addMatchingNames(
	declared: SchemaObject,
	patterns: readonly PropertyPattern[],
	names: Iterable<string>,
): SchemaObject {
	const all = Object.assign(Object.create(null) as SchemaObject, declared);
	for (const name of names) {
		const schemas = patterns.filter(([matches]) => matches(name)).map(([, schema]) => schema);
		if (!schemas.length) continue;
		if (Object.hasOwn(declared, name)) schemas.unshift(declared[name]);
		// `false` alone gives the clearest error
		if (schemas.includes(false)) all[name] = false;
		else all[name] = schemas.length > 1 ? { allOf: schemas } : schemas[0];
	}
	return all;
}

/** All property names in a value. */
function collectPropertyNames(value: unknown, names = new Set<string>()): Set<string> {
	if (isPlainObject(value)) for (const name of Object.keys(value)) names.add(name);
	if (Array.isArray(value) || isPlainObject(value))
		for (const part of Object.values(value)) collectPropertyNames(part, names);
	return names;
}

/** The number of values in a value, itself included. */
function countValues(value: unknown): number {
	if (typeof value !== 'object' || value === null) return 1;
	return Object.values(value).reduce<number>((count, part) => count + countValues(part), 1);
}

function compilePatternAt(source: string, path: SchemaPath): SafeRegex {
	try {
		return compileSafeRegex(source, 'u');
	} catch (cause) {
		throw invalidSchemaError(path, cause instanceof Error ? cause.message : String(cause));
	}
}

/** A schema for any value except these lists. */
function forbidLists(lists: unknown[][], counter: StepCounter): SchemaObject {
	const isListed = { type: 'array', enum: lists };
	counter.onPropertiesRead(isListed, () => counter.spend(1 + lists.length / LISTS_PER_STEP));
	return { if: isListed, then: { const: UNIQUE_ITEMS_MARKER } };
}

type StepCounter = ReturnType<typeof createStepCounter>;

function createStepCounter() {
	let remaining = 0;
	const spend = (steps: number) => {
		remaining -= steps;
		if (remaining < 0) throw new Error('it would take too long');
	};
	return {
		reset: (steps: number) => void (remaining = steps),
		spend,
		counted:
			({ test, programSize }: SafeRegex): SafeRegex['test'] =>
			(text) => {
				spend((programSize * text.length) / CHARACTERS_PER_STEP);
				return test(text);
			},
		/** Whenever the library uses a schema, it reads all keywords. This one gets a getter. */
		onPropertiesRead(schema: SchemaObject, properties: () => unknown) {
			Object.defineProperty(schema, 'properties', { get: properties });
		},
	};
}

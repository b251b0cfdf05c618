import { invalidInputError, mapServiceError, messageOf, ServiceError, shortenText } from './errors';
import { isPlainObject } from './json';
import type { RegexEngine } from './regex';
import {
	findSchemaError,
	formatPath,
	type Formats,
	type JsonSchema,
	type SchemaPath,
} from './schemaErrors';

export interface SchemaError {
	/** Where in the value, e.g. `items[2].price`, or `the top level`. */
	place: string;
	/** What is wrong there, as a sentence. */
	reason: string;
}

export type SchemaCheck = (json: string) => SchemaError | undefined;

/**
 * Compiles a JSON schema into a check. It is read as draft 2020-12, with the keywords of draft 7. Formats are checked. Unknown formats
 * and keywords are ignored.
 *
 * @returns a function that returns the most specific error of a JSON text, or undefined for a valid one. It throws ServiceError
 *   `invalid` for a text that is nested too deeply, or whose check would take too long.
 * @throws ServiceError `invalid` for a schema that cannot be used: a keyword with an invalid value, a `$ref` that is circular or
 *   points outside the schema, a malformed regular expression.
 */
export function compileSchema(schema: JsonSchema, regex: RegexEngine): SchemaCheck {
	const counter = new ReadCounter();
	const { root, formats } = runOrThrowInvalid(UNUSABLE, () => {
		const root = counter.parse(JSON.stringify(schema)) as JsonSchema;
		return { root, formats: prepareSchema(root, regex, counter) };
	});
	return (json) =>
		runOrThrowInvalid(UNCHECKABLE, () => {
			counter.remaining = MAX_READS;
			const error = findSchemaError(counter.parse(json), root, formats);
			return error && { place: formatPath(error.path), reason: error.reason };
		});
}

const UNUSABLE = 'The JSON schema cannot be used';
const UNCHECKABLE = 'The value cannot be checked against the JSON schema';
const unusableAt = (path: SchemaPath) => `${UNUSABLE}, at ${formatPath(path)}`;

const invalidSchemaError = (path: SchemaPath, reason: string) =>
	invalidInputError(`${unusableAt(path)}: ${reason.replace(/\.$/, '')}`);

/** A misspelled type is found faster if the error says it. */
const nameValue = (reason: string, value: unknown) =>
	reason.replace(/^The value does not match any of/, () => {
		return `${shortenText(JSON.stringify(value), 60)} is none of`;
	});

function runOrThrowInvalid<T>(what: string, work: () => T): T {
	try {
		return work();
	} catch (cause) {
		if (cause instanceof ServiceError) throw mapServiceError(cause);
		// a stack overflow
		if (cause instanceof RangeError)
			throw invalidInputError(`${what}: it is nested too deeply, or too large`);
		throw invalidInputError(`${what}: ${messageOf(cause)}`);
	}
}

/**
 * Reads of the schema and the value during one check, which take a second or two. An ordinary item takes 300 of them. The items of a
 * list with `uniqueItems` are compared with each other: it may have 3,000 texts, or 800 objects.
 */
const MAX_READS = 10_000_000;
/** What a millisecond of matching patterns counts: all matches of a check may take five seconds. */
const READS_PER_MILLISECOND = 2000;

/**
 * Limits the work of the library, which tries all paths through a recursive schema, and compares all items of a list with each
 * other: what is parsed here counts how often it is read.
 */
class ReadCounter implements ProxyHandler<object> {
	/** To be set before each check. */
	remaining = MAX_READS;

	/** @throws if none remains. */
	count(reads: number): void {
		this.remaining -= reads;
		if (this.remaining < 0) throw new Error('it would take too long');
	}

	parse(json: string): unknown {
		return JSON.parse(json, (_key, part: unknown) =>
			typeof part === 'object' && part !== null ? new Proxy(part, this) : part,
		);
	}

	get(part: object, key: PropertyKey): unknown {
		this.count(1);
		return Reflect.get(part, key);
	}

	/** Not `Reflect.has`: the library would find `toString` in every object. */
	has(part: object, key: PropertyKey): boolean {
		this.count(1);
		return Object.hasOwn(part, key);
	}

	/** Called for each key of an object. */
	getOwnPropertyDescriptor(part: object, key: PropertyKey): PropertyDescriptor | undefined {
		this.count(1);
		return Reflect.getOwnPropertyDescriptor(part, key);
	}
}

/**
 * Checks a schema with all reachable subschemas, and prepares it for the library.
 *
 * Each `$ref` becomes an `allOf` with its target. The library would report an unresolvable reference only when it checks a value,
 * which is an answer that is already paid for. A reference must be a JSON pointer such as `#/$defs/item`: anchors and references to
 * other schemas are rejected. Each `pattern` becomes a format, since the library would match it without a limit of time.
 *
 * @param root Is changed.
 * @param counter Counts the time that its patterns take.
 * @returns the formats.
 * @throws ServiceError `invalid`.
 */
function prepareSchema(root: JsonSchema, regex: RegexEngine, counter: ReadCounter): Formats {
	const formats: Formats = {};
	const paths = new Map<unknown, SchemaPath>();

	function visit(schema: unknown, path: SchemaPath, outerBase: JsonSchema): void {
		if (!isPlainObject(schema) || paths.has(schema)) return;
		paths.set(schema, path);
		const error = findSchemaError(schema, META_SCHEMA);
		if (error) {
			const value = error.path.reduce<unknown>(
				(part, step) => Reflect.get(Object(part), step),
				schema,
			);
			throw invalidSchemaError([...path, ...error.path], nameValue(error.reason, value));
		}
		// in draft 7 an `$id` that is only a fragment defines an anchor
		const base = /^[^#]/.test(String(schema['$id'] ?? '')) ? schema : outerBase;
		for (const { steps, subschema } of listSubschemas(schema))
			visit(subschema, [...path, ...steps], base);

		const { $ref, pattern, allOf } = schema;
		const rules: unknown[] = [];
		if (typeof $ref === 'string') {
			const target = resolvePointer(base, $ref, [...path, '$ref']);
			visit(target, [...path, '$ref'], base);
			rules.push(target);
		}
		if (typeof pattern === 'string') {
			const name = `pattern ${JSON.stringify(pattern)}`;
			formats[name] = compilePattern(pattern, [...path, 'pattern']);
			rules.push({ format: name });
		}
		if (!rules.length) return;
		schema['allOf'] = [...((allOf as unknown[] | undefined) ?? []), ...rules];
		delete schema['$ref'];
		delete schema['pattern'];
	}
	function compilePattern(pattern: string, path: SchemaPath) {
		runOrThrowInvalid(unusableAt(path), () => new RegExp(pattern, 'u'));
		const what = `${UNCHECKABLE}, with the pattern ${pattern}`;
		return (text: string) => {
			const began = Date.now();
			const matches = runOrThrowInvalid(what, () => regex.test(pattern, text, 'u'));
			counter.count((Date.now() - began) * READS_PER_MILLISECOND);
			return matches;
		};
	}

	visit(root, [], root);
	rejectCircularReferences(paths);
	return formats;
}

/** Rejects a schema that applies itself to the same value: its check would never end. */
function rejectCircularReferences(paths: ReadonlyMap<unknown, SchemaPath>): void {
	const done = new Set<unknown>();
	function follow(schema: unknown, open: unknown[]): void {
		if (!isPlainObject(schema) || done.has(schema)) return;
		if (open.includes(schema))
			throw invalidSchemaError(paths.get(schema) ?? [], 'It refers to itself in an endless loop');
		for (const { keyword, subschema } of listSubschemas(schema))
			if (SAME_VALUE_KEYWORDS.has(keyword)) follow(subschema, [...open, schema]);
		done.add(schema);
	}
	for (const schema of paths.keys()) follow(schema, []);
}

function resolvePointer(base: JsonSchema, reference: string, path: SchemaPath): unknown {
	const [start, ...steps] = reference.split('/');
	const target = steps
		.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
		.reduce<unknown>(
			(parent, step) =>
				typeof parent === 'object' && parent && Object.hasOwn(parent, step)
					? (parent as JsonSchema)[step]
					: undefined,
			base,
		);
	if (start === '#' && (typeof target === 'boolean' || isPlainObject(target))) return target;
	throw invalidSchemaError(
		path,
		`${JSON.stringify(reference)} does not refer to a part of this schema; only references such as "#/$defs/item" are supported`,
	);
}

const SCHEMA = { type: ['object', 'boolean'] };
const SCHEMAS = { type: 'array', items: SCHEMA, minItems: 1 };
const SCHEMA_OR_SCHEMAS = { type: ['object', 'boolean', 'array'], items: SCHEMA };
const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
const SCHEMA_OR_TEXTS = { type: ['object', 'boolean', 'array'], items: TEXT };
const byName = (rule: object) => ({ type: 'object', additionalProperties: rule });
const TYPE = {
	enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'],
};

type Rules = Array<[keywords: string, rule: unknown]>;

/** A schema for the value of each keyword with subschemas. `$defs` are first: a path through them reads best. */
const SUBSCHEMA_RULES: Rules = [
	['$defs definitions properties dependentSchemas', byName(SCHEMA)],
	['dependencies', byName(SCHEMA_OR_TEXTS)],
	['not if then else propertyNames contains additionalProperties additionalItems', SCHEMA],
	['unevaluatedProperties unevaluatedItems', SCHEMA],
	['allOf anyOf oneOf prefixItems', SCHEMAS],
	['items', SCHEMA_OR_SCHEMAS],
];

/** A schema for the value of each keyword. Other keywords may have any value. */
const RULES: Rules = [
	...SUBSCHEMA_RULES,
	['dependentRequired', byName(TEXTS)],
	['required', TEXTS],
	['$schema $id $ref pattern format', TEXT],
	// the library would run these patterns itself, and ignore these references
	['patternProperties $dynamicRef $recursiveRef', false],
	['type', { if: { type: 'array' }, then: { items: TYPE, minItems: 1 }, else: TYPE }],
	['enum', { type: 'array' }],
	['uniqueItems', { type: 'boolean' }],
	['minLength maxLength minItems maxItems minContains', { type: 'integer', minimum: 0 }],
	['maxContains minProperties maxProperties', { type: 'integer', minimum: 0 }],
	['minimum maximum exclusiveMinimum exclusiveMaximum', { type: 'number' }],
	['multipleOf', { type: 'number', exclusiveMinimum: 0 }],
];

/** A JSON schema for one level of JSON schemas. */
const META_SCHEMA: JsonSchema = {
	properties: Object.fromEntries(
		RULES.flatMap(([keywords, rule]) => keywords.split(' ').map((keyword) => [keyword, rule])),
	),
};
const SUBSCHEMA_KEYWORDS = SUBSCHEMA_RULES.flatMap(([keywords]) => keywords.split(' '));
/** Keywords with subschemas by name. */
const KEYED_KEYWORDS = new Set(
	'$defs definitions properties dependentSchemas dependencies'.split(' '),
);
/** Keywords whose subschemas check the same value as the schema that contains them. */
const SAME_VALUE_KEYWORDS = new Set(
	'allOf anyOf oneOf not if then else dependentSchemas dependencies'.split(' '),
);

/** Lists the direct subschemas of a schema, which must be valid by `META_SCHEMA`. */
function listSubschemas(schema: JsonSchema) {
	return SUBSCHEMA_KEYWORDS.flatMap((keyword) => {
		const value = schema[keyword];
		const isList = Array.isArray(value);
		if (!isList && !KEYED_KEYWORDS.has(keyword))
			return [{ keyword, steps: [keyword], subschema: value }];
		return Object.entries(value ?? {}).map(([key, subschema]: [string, unknown]) => ({
			keyword,
			steps: [keyword, isList ? Number(key) : key],
			subschema,
		}));
	});
}

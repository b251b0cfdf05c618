import { invalidInputError, mapServiceError, messageOf, ServiceError } from './errors';
import { isPlainObject } from './json';
import { compileRegex } from './regex';
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

/**
 * Compiles a JSON schema into a check. It is read as draft 2020-12, with the keywords of draft 7. Formats are checked. Unknown formats
 * and keywords are ignored.
 *
 * @returns a function that returns the most specific error of a JSON text, or undefined for a valid one. It throws ServiceError
 *   `invalid` for a text that is nested too deeply, or whose check would take too long.
 * @throws ServiceError `invalid` for a schema that cannot be used: a keyword with an invalid value, a `$ref` that is circular or
 *   points outside the schema, a regular expression that is malformed or that RE2 does not support.
 */
export function compileSchema(schema: JsonSchema): (json: string) => SchemaError | undefined {
	const counter = createReadCounter();
	const { root, formats } = runOrThrowInvalid(UNUSABLE, () => {
		const root = counter.parse(JSON.stringify(schema)) as JsonSchema;
		return { root, formats: prepareSchema(root, counter.count) };
	});
	return (json) =>
		runOrThrowInvalid('The value cannot be checked against the JSON schema', () => {
			counter.reset();
			const error = findSchemaError(counter.parse(json), root, formats);
			return error && { place: formatPath(error.path), reason: error.reason };
		});
}

const UNUSABLE = 'The JSON schema cannot be used';
const unusableAt = (path: SchemaPath) => `${UNUSABLE}, at ${formatPath(path)}`;

const invalidSchemaError = (path: SchemaPath, reason: string) =>
	invalidInputError(`${unusableAt(path)}: ${reason.replace(/\.$/, '')}`);

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

/**
 * Limits the work of the library, which tries all paths through a recursive schema, and compares all items of a list with each
 * other. What is parsed here counts how often it is read.
 */
function createReadCounter() {
	let remaining = MAX_READS;
	const count = (reads: number) => {
		remaining -= reads;
		if (remaining < 0) throw new Error('it would take too long');
	};
	const counted =
		<Args extends unknown[], Result>(read: (...args: Args) => Result) =>
		(...args: Args) => {
			count(1);
			return read(...args);
		};
	const counting: ProxyHandler<object> = {
		get: counted(Reflect.get),
		// not `Reflect.has`: the library would find `toString` in every object
		has: counted(Object.hasOwn),
		// called for each key of an object
		getOwnPropertyDescriptor: counted(Reflect.getOwnPropertyDescriptor),
	};
	return {
		count,
		reset: () => void (remaining = MAX_READS),
		parse: (json: string): unknown =>
			JSON.parse(json, (_key, part: unknown) =>
				typeof part === 'object' && part !== null ? new Proxy(part, counting) : part,
			),
	};
}

/**
 * Checks a schema with all reachable subschemas, and prepares it for the library.
 *
 * Each `$ref` becomes an `allOf` with its target. The library would report an unresolvable reference only when it checks a value,
 * which is an answer that is already paid for. A reference must be a JSON pointer such as `#/$defs/item`: anchors and references to
 * other schemas are rejected. Each `pattern` becomes a format, since the library runs patterns with JavaScript's own engine.
 *
 * @param root Is changed.
 * @param count Called with the number of characters that a pattern is matched against.
 * @returns the formats.
 * @throws ServiceError `invalid`.
 */
function prepareSchema(root: JsonSchema, count: (characters: number) => void): Formats {
	const formats: Formats = {};
	const paths = new Map<unknown, SchemaPath>();

	function visit(schema: unknown, path: SchemaPath, outerBase: JsonSchema): void {
		if (!isPlainObject(schema) || paths.has(schema)) return;
		paths.set(schema, path);
		const error = findSchemaError(schema, META_SCHEMA);
		if (error) throw invalidSchemaError([...path, ...error.path], error.reason);
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
		const { test } = runOrThrowInvalid(unusableAt(path), () => compileRegex(pattern, 'u'));
		return (text: string) => {
			count(text.length);
			return test(text);
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

const splitRules = (rules: Rules) =>
	rules.flatMap(([keywords, rule]) => keywords.split(' ').map((keyword) => [keyword, rule]));
/** A JSON schema for one level of JSON schemas. */
const META_SCHEMA: JsonSchema = { properties: Object.fromEntries(splitRules(RULES)) };
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

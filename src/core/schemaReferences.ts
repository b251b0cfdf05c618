import type { Schema } from '@cfworker/json-schema';

import { invalidInputError } from './errors';
import { isPlainObject } from './json';
import { type ValueError, type SchemaPath, formatPath } from './schemaErrors';

type SchemaObject = Record<string, unknown>;

interface VisitedSchema {
	path: SchemaPath;
	/** The schema that its references are resolved against: the nearest one with an `$id`, or the root. */
	base: SchemaObject;
	/** Schemas that check the same value, references included. */
	sameValue: unknown[];
}

/**
 * Checks a schema with all reachable subschemas, and prepares it for the library: each `$ref` gets a key.
 *
 * The library would report an unresolvable reference only when it checks a value, which is an answer that is already paid for. A
 * reference must be a JSON pointer such as `#/$defs/item`: anchors and references to other schemas are rejected.
 *
 * @param root Is changed.
 * @param findError Checks one level of a schema.
 * @returns the target schemas by their keys, and all reachable schemas with their paths.
 * @throws ServiceError `invalid`.
 */
export function resolveReferences(
	root: SchemaObject,
	findError: (schema: SchemaObject) => ValueError | undefined,
): { lookup: Record<string, Schema | boolean>; levels: Array<[SchemaObject, SchemaPath]> } {
	const visited = new Map<SchemaObject, VisitedSchema>();

	function visit(schema: unknown, path: SchemaPath, outerBase: SchemaObject): void {
		if (!isPlainObject(schema) || visited.has(schema)) return;
		checkSchemaLevel(schema, path, findError);
		// in draft 7 an `$id` that is only a fragment defines an anchor
		const base = /^[^#]/.test(String(schema['$id'] ?? '')) ? schema : outerBase;
		const subschemas = listSubschemas(schema);
		const sameValue = subschemas
			.filter(([keyword]) => SAME_VALUE_KEYWORDS.has(keyword))
			.map(([, , subschema]) => subschema);
		visited.set(schema, { path, base, sameValue });
		for (const [, steps, subschema] of subschemas) visit(subschema, [...path, ...steps], base);
	}

	visit(root, [], root);
	const lookup: Record<string, Schema | boolean> = {};
	// the loop also visits schemas that it adds, those only reachable by reference
	for (const [schema, { path, base, sameValue }] of visited) {
		if (schema['$ref'] === undefined) continue;
		const referencePath = [...path, '$ref'];
		const target = resolvePointer(base, String(schema['$ref']), referencePath);
		const key = JSON.stringify(referencePath);
		lookup[key] = target;
		schema['__absolute_ref__'] = key;
		sameValue.push(target);
		visit(target, referencePath, base);
	}
	rejectCircularReferences(visited);
	return { lookup, levels: [...visited].map(([schema, { path }]) => [schema, path]) };
}

/** Rejects a schema that applies itself to the same value: its check would never end. */
function rejectCircularReferences(visited: Map<SchemaObject, VisitedSchema>): void {
	const open = new Set<unknown>();
	const done = new Set<unknown>();
	function follow(schema: unknown): void {
		const entry = visited.get(schema as SchemaObject);
		if (!entry || done.has(schema)) return;
		if (open.has(schema))
			throw invalidSchemaError(entry.path, 'It refers to itself in an endless loop');
		open.add(schema);
		entry.sameValue.forEach(follow);
		done.add(schema);
	}
	for (const schema of visited.keys()) follow(schema);
}

/** Resolves a JSON pointer. The objects of the schema have no prototype. */
function resolvePointer(base: SchemaObject, reference: string, path: SchemaPath): Schema | boolean {
	const [start, ...steps] = reference.split('/');
	const target = steps
		.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
		.reduce<unknown>((parent, step) => {
			if (Array.isArray(parent)) return parent[Number(step)] as unknown;
			return isPlainObject(parent) ? parent[step] : undefined;
		}, base);
	if (start === '#' && (typeof target === 'boolean' || isPlainObject(target))) return target;
	throw invalidSchemaError(
		path,
		`${JSON.stringify(reference)} does not refer to a part of this schema; only references such as "#/$defs/item" are supported`,
	);
}

const SCHEMA = { type: ['object', 'boolean'] };
const SCHEMAS = { type: 'array', items: SCHEMA, minItems: 1 };
const SCHEMA_OR_SCHEMAS = { type: ['object', 'boolean', 'array'], items: SCHEMA };
const SCHEMAS_BY_NAME = { type: 'object', additionalProperties: SCHEMA };
const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };
const SCHEMAS_OR_NAMES = {
	type: 'object',
	additionalProperties: { type: ['object', 'boolean', 'array'], items: TEXT },
};
const TYPE = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] };

/** A schema for the value of each keyword. Other keywords may have any value. */
const RULES: Array<[keywords: string, rule: unknown]> = [
	['not if then else propertyNames contains additionalProperties additionalItems', SCHEMA],
	['unevaluatedProperties unevaluatedItems', SCHEMA],
	['allOf anyOf oneOf prefixItems', SCHEMAS],
	['items', SCHEMA_OR_SCHEMAS],
	['properties patternProperties dependentSchemas $defs definitions', SCHEMAS_BY_NAME],
	['dependencies', SCHEMAS_OR_NAMES],
	['dependentRequired', { type: 'object', additionalProperties: TEXTS }],
	['required', TEXTS],
	['$schema $id $ref pattern format', TEXT],
	// the library would ignore them and accept every value
	['$dynamicRef $recursiveRef', false],
	['type', { if: { type: 'array' }, then: { items: TYPE, minItems: 1 }, else: TYPE }],
	['enum', { type: 'array' }],
	['uniqueItems', { type: 'boolean' }],
	['minLength maxLength minItems maxItems minContains', { type: 'integer', minimum: 0 }],
	['maxContains minProperties maxProperties', { type: 'integer', minimum: 0 }],
	['minimum maximum exclusiveMinimum exclusiveMaximum', { type: 'number' }],
	['multipleOf', { type: 'number', exclusiveMinimum: 0 }],
];
const keywordsWith = (...rules: unknown[]) =>
	RULES.flatMap(([keywords, rule]) => (rules.includes(rule) ? keywords.split(' ') : []));

/** A JSON schema for one level of JSON schemas. */
export const META_SCHEMA: Record<string, unknown> = {
	properties: Object.fromEntries(
		RULES.flatMap(([keywords, rule]) => keywords.split(' ').map((keyword) => [keyword, rule])),
	),
};

/** Keywords whose schemas check the same value as the schema that contains them. */
const SAME_VALUE_KEYWORDS = new Set(
	'allOf anyOf oneOf not if then else dependentSchemas dependencies'.split(' '),
);
const KEYED_KEYWORDS = keywordsWith(SCHEMAS_BY_NAME, SCHEMAS_OR_NAMES);
const OTHER_KEYWORDS = keywordsWith(SCHEMA, SCHEMAS, SCHEMA_OR_SCHEMAS);

/** Formats that the library checks. Others are ignored, as in the standard; some names would make the library throw. */
const SUPPORTED_FORMATS = new Set(
	`date time date-time duration email hostname ipv4 ipv6 uuid uri uri-reference uri-template json-pointer relative-json-pointer
	regex`.split(/\s+/),
);

/**
 * Checks a schema without its subschemas, and removes a format that the library does not support.
 *
 * @throws ServiceError `invalid`.
 */
function checkSchemaLevel(
	schema: SchemaObject,
	path: SchemaPath,
	findError: (schema: SchemaObject) => ValueError | undefined,
): void {
	const error = findError(schema);
	if (error) throw invalidSchemaError([...path, ...error.path], error.reason);
	if (!SUPPORTED_FORMATS.has(String(schema['format']))) delete schema['format'];
}

type Subschema = [keyword: string, path: SchemaPath, schema: unknown];

/** Lists the direct subschemas of a schema, which must be valid by `META_SCHEMA`. */
function listSubschemas(schema: SchemaObject): Subschema[] {
	const keyed = KEYED_KEYWORDS.flatMap((keyword) =>
		Object.entries(schema[keyword] ?? {}).map(
			([name, subschema]): Subschema => [keyword, [keyword, name], subschema],
		),
	);
	const others = OTHER_KEYWORDS.flatMap((keyword) => {
		const value = schema[keyword];
		if (!Array.isArray(value)) return [[keyword, [keyword], value] satisfies Subschema];
		return value.map((subschema, index): Subschema => [keyword, [keyword, index], subschema]);
	});
	return [...others, ...keyed];
}

export function invalidSchemaError(path: SchemaPath, reason: string) {
	return invalidInputError(
		`The JSON schema cannot be used, at ${formatPath(path)}: ${reason.replace(/\.$/, '')}`,
	);
}

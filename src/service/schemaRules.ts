import type { SchemaDraft } from '@cfworker/json-schema';

import { invalid } from './errors';
import { isObject } from './json';
import { placeOf, type Fault, type Path } from './schemaFault';

const SCHEMA = { type: ['object', 'boolean'] };
const SCHEMAS = { type: 'array', items: SCHEMA, minItems: 1 };
const SCHEMAS_BY_NAME = { type: 'object', additionalProperties: SCHEMA };
const NAMES = { type: 'array', items: { type: 'string' } };
const COUNT = { type: 'integer', minimum: 0 };
const TEXT = { type: 'string' };
const TYPE = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] };

/** Keywords whose schemas judge the same value as the schema that holds them. */
const SAME_VALUE = [
	...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
	...['dependentSchemas', 'dependencies'],
];
const PARTS_OF_VALUE = [
	...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
	...['propertyNames', 'items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
	...['$defs', 'definitions'],
];

/** A JSON schema for one level of JSON schemas: what each keyword has to hold. Other keywords say nothing and may hold anything. */
export function rulesOf(draft: SchemaDraft): Record<string, unknown> {
	const limit = { type: 'number' };
	const exclusiveLimit = draft === '4' ? { type: 'boolean' } : limit;
	return {
		properties: {
			...all(['$schema', '$id', '$anchor', '$ref', 'pattern', 'format'], TEXT),
			...all(['id'], draft === '4' ? TEXT : true),
			$recursiveRef: { const: '#' },
			$recursiveAnchor: { type: 'boolean' },
			// the library would pass over it, and find nothing wrong with any value
			$dynamicRef: false,
			type: { if: { type: 'array' }, then: { items: TYPE, minItems: 1 }, else: TYPE },
			enum: { type: 'array' },
			...all(['allOf', 'anyOf', 'oneOf', 'prefixItems'], SCHEMAS),
			...all(['not', 'if', 'then', 'else', 'propertyNames', 'contains'], SCHEMA),
			...all(['additionalProperties', 'unevaluatedProperties'], SCHEMA),
			...all(['additionalItems', 'unevaluatedItems'], SCHEMA),
			items: { type: ['object', 'boolean', 'array'], items: SCHEMA },
			...all(['properties', 'patternProperties', 'dependentSchemas'], SCHEMAS_BY_NAME),
			...all(['$defs', 'definitions'], SCHEMAS_BY_NAME),
			dependencies: {
				type: 'object',
				additionalProperties: { type: ['object', 'boolean', 'array'], items: TEXT },
			},
			dependentRequired: { type: 'object', additionalProperties: NAMES },
			required: NAMES,
			...all(['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains'], COUNT),
			...all(['maxContains', 'minProperties', 'maxProperties'], COUNT),
			uniqueItems: { type: 'boolean' },
			...all(['minimum', 'maximum'], limit),
			...all(['exclusiveMinimum', 'exclusiveMaximum'], exclusiveLimit),
			multipleOf: { type: 'number', exclusiveMinimum: 0 },
		},
	};
}

const all = (keywords: string[], rule: unknown) =>
	Object.fromEntries(keywords.map((keyword) => [keyword, rule]));

/** What the library checks of them in texts. Others are passed over, as the standard has it; some names make the library stumble. */
const FORMATS = new Set([
	...['date', 'time', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'],
	...['uri', 'uri-reference', 'uri-template', 'json-pointer', 'relative-json-pointer', 'regex'],
]);

/**
 * Checks a schema without those that it holds, and takes out a format that the library does not know.
 *
 * @throws ServiceError `invalid`.
 */
export function checkLevel(
	schema: Record<string, unknown>,
	path: Path,
	faultIn: (schema: Record<string, unknown>) => Fault | undefined,
): void {
	const fault = faultIn(schema);
	if (fault) throw unusable([...path, ...fault.path], fault.reason);
	const { pattern, patternProperties = {}, format } = schema;
	if (pattern !== undefined) checkPattern(String(pattern), [...path, 'pattern']);
	for (const name of Object.keys(patternProperties as Record<string, unknown>))
		checkPattern(name, [...path, 'patternProperties']);
	if (!FORMATS.has(String(format))) delete schema['format'];
}

function checkPattern(pattern: string, path: Path): void {
	try {
		RegExp(pattern, 'u');
	} catch (cause) {
		throw unusable(path, cause instanceof Error ? cause.message : String(cause));
	}
}

export interface Subschema {
	path: Path;
	schema: unknown;
	/** Whether it judges the same value as the schema that holds it. */
	sameValue: boolean;
}

/** The schemas that a schema holds, wherever a keyword may hold one. Call it for a schema that keeps to the rules. */
export function subschemasOf(schema: Record<string, unknown>): Subschema[] {
	return [...SAME_VALUE, ...PARTS_OF_VALUE].flatMap((keyword) => {
		const held = schema[keyword];
		const sameValue = SAME_VALUE.includes(keyword);
		if (!Array.isArray(held) && !(BY_NAME.has(keyword) && isObject(held)))
			return [{ path: [keyword], schema: held, sameValue }];
		return Object.entries(held).map(([name, one]) => {
			const step = Array.isArray(held) ? Number(name) : name;
			return { path: [keyword, step], schema: one as unknown, sameValue };
		});
	});
}

const BY_NAME = new Set([
	...['properties', 'patternProperties', '$defs', 'definitions'],
	...['dependentSchemas', 'dependencies'],
]);

export function unusable(path: Path, reason: string) {
	return invalid(
		`The JSON schema cannot be used, at ${placeOf(path)}: ${reason.replace(/\.$/, '')}`,
	);
}

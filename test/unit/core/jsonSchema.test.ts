import { ServiceError } from '../../../src/core/errors';
import { compileSchema } from '../../../src/core/jsonSchema';
import fc from '../../support/fastCheck';

type Schema = Record<string, unknown>;

const check = (schema: Schema, value: unknown) => compileSchema(schema)(JSON.stringify(value));
const TOP = 'the top level';

const ITEM = {
	type: 'object',
	required: ['price'],
	properties: { price: { type: 'number' }, size: { enum: ['S', 'M'] } },
};
const ORDER = {
	type: 'object',
	required: ['id', 'items'],
	properties: { id: { type: 'string' }, items: { type: 'array', items: ITEM } },
	additionalProperties: false,
};
const LIST = { properties: { value: { type: 'number' }, next: { $ref: '#' } } };

const wrongType = (came: string, expected: string) =>
	`The type "${came}" is invalid. Expected "${expected}".`;
const missing = (name: string) => `The value does not have required property "${name}".`;

it.each<[string, Schema, unknown, string, string]>([
	['the whole', ORDER, [], TOP, wrongType('array', 'object')],
	['a missing property', ORDER, { id: 'a' }, TOP, missing('items')],
	['a property too many', ORDER, { id: 'a', items: [], b: 5 }, TOP, 'Property "b" is not allowed.'],
	[
		'two, the one farther inside',
		ORDER,
		{ items: [{ price: null }] },
		'items[0].price',
		wrongType('null', 'number'),
	],
	[
		'an odd name',
		{ properties: { 'a b/~%"': { type: 'null' } } },
		{ 'a b/~%"': 1 },
		'["a b/~%\\""]',
		wrongType('number', 'null'),
	],
	[
		'a long name',
		{ additionalProperties: { type: 'null' } },
		{ ['x'.repeat(200)]: 1 },
		`${'x'.repeat(80)}…`,
		wrongType('number', 'null'),
	],
	[
		'an item too many',
		{ prefixItems: [{}], items: false },
		[1, 2],
		TOP,
		'The list contains an item that is not allowed.',
	],
	['a limit', { exclusiveMinimum: 5 }, 5, TOP, '5 is less than or equal to 5.'],
	[
		'a name',
		{ propertyNames: { maxLength: 2 } },
		{ abc: { d: 1 } },
		TOP,
		'Property name "abc" does not match schema.',
	],
	[
		'a missing item',
		{ contains: ITEM },
		[1, {}],
		TOP,
		'Array does not contain item matching schema.',
	],
	[
		'a choice, the one that got farthest',
		{ anyOf: [{ type: 'null' }, LIST] },
		{ value: 'x' },
		'value',
		wrongType('string', 'number'),
	],
	[
		'a choice, the first of those that got as far',
		{ anyOf: [{ type: 'null' }, { type: 'number' }] },
		'x',
		TOP,
		wrongType('string', 'null'),
	],
	[
		'a choice that is not one',
		{ oneOf: [{ type: 'number' }, { minimum: 2 }] },
		5,
		TOP,
		'The value does not match exactly one subschema (2 matches).',
	],
	[
		'a long list of values',
		{ enum: ['x'.repeat(600)] },
		1,
		TOP,
		`The value does not match any of ["${'x'.repeat(466)}…`,
	],
	[
		'a schema that holds itself',
		LIST,
		{ next: { next: { value: '3' } } },
		'next.next.value',
		wrongType('string', 'number'),
	],
	['a name of JavaScript', { required: ['toString'] }, {}, TOP, missing('toString')],
])('tells of %s', (_what, schema, value, place, reason) => {
	expect(check(schema, value)).toEqual({ place, reason });
});

it.each<[string, Schema, unknown]>([
	['a value that fits', ORDER, { id: 'a', items: [{ price: 1.5, size: 'S' }] }],
	['an unknown keyword', { example: { type: 'x' }, format: 'phone' }, 5],
	['a format that JavaScript has as a name', { format: 'hasOwnProperty' }, 'x'],
	['a format whose check would take hours', { format: 'url' }, `http://${'a'.repeat(100)}!`],
	[
		'a reference from a schema with an address, which starts there',
		{
			$ref: '#/$defs/a',
			$defs: { a: { $id: 'a', $ref: '#/$defs/b', $defs: { b: {} } }, b: false },
		},
		5,
	],
])('finds nothing wrong with %s', (_what, schema, value) => {
	expect(check(schema, value)).toBeUndefined();
});

const nowhere = (reference: string) =>
	`"${reference}" does not refer to a part of this schema; only references such as "#/$defs/item" are supported`;

const unsupported = (what: string) =>
	`RE2 does not support it (${what}). Lookahead, references to groups and more than 1000 repetitions are not possible`;

it.each<[Schema, string, string]>([
	[
		{ type: 'text' },
		'type',
		'The value does not match any of ["array","boolean","integer","null","number","object","string"]',
	],
	[
		{ properties: { a: 'string' } },
		'properties.a',
		'The type "string" is invalid. Expected "object", "boolean"',
	],
	[{ multipleOf: 0 }, 'multipleOf', '0 is less than or equal to 0'],
	[{ pattern: '(' }, 'pattern', 'Invalid regular expression: /(/u: Unterminated group'],
	[
		{ items: { pattern: '^(?!a)' } },
		'items.pattern',
		unsupported('invalid or unsupported Perl syntax: `(?!`'),
	],
	[
		{ $defs: { a: { pattern: '(a)\\1' } } },
		'$defs.a.pattern',
		unsupported('invalid escape sequence: `\\1`'),
	],
	[
		{ items: { patternProperties: { a: {} } } },
		'items',
		'Property "patternProperties" is not allowed',
	],
	[
		{ minimum: 5, exclusiveMinimum: true },
		'exclusiveMinimum',
		'The type "boolean" is invalid. Expected "number"',
	],
	[{ $ref: '#/$defs/a' }, '$ref', nowhere('#/$defs/a')],
	[{ $ref: '#/constructor' }, '$ref', nowhere('#/constructor')],
	[{ $ref: 'other.json', '': {} }, '$ref', nowhere('other.json')],
	[{ $ref: '#name', $defs: { a: { $anchor: 'name' } } }, '$ref', nowhere('#name')],
	[
		{ $defs: { a: { $id: 'a', $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
		'$defs.a.$ref',
		nowhere('#/$defs/a'),
	],
	[{ $recursiveRef: '#' }, TOP, 'Property "$recursiveRef" is not allowed'],
	[{ $dynamicRef: '#a' }, TOP, 'Property "$dynamicRef" is not allowed'],
	[{ $ref: '#' }, TOP, 'It refers to itself in an endless loop'],
	[
		{ properties: { a: { if: { $ref: '#/properties/a' } } } },
		'properties.a',
		'It refers to itself in an endless loop',
	],
	[
		{ properties: { a: { items: [{ anyOf: [{}, { minLength: -1 }] }] } } },
		'properties.a.items[0].anyOf[1].minLength',
		'-1 is less than 0',
	],
	[
		{ shapes: { a: { enum: 5 } }, $ref: '#/shapes/a' },
		'$ref.enum',
		'The type "number" is invalid. Expected "array"',
	],
])('refuses %j', (schema, place, reason) => {
	expect(() => compileSchema(schema)).toThrow(
		new ServiceError('invalid', `The JSON schema cannot be used, at ${place}: ${reason}`),
	);
});

const nested = (levels: number, wrap: (inner: unknown) => unknown) =>
	Array.from({ length: levels }).reduce<unknown>((inner) => wrap(inner), {});
const because = (message: RegExp) =>
	expect.objectContaining({ kind: 'invalid', message: expect.stringMatching(message) });

it('refuses what is nested too deeply to be checked', () => {
	expect(() => compileSchema(nested(50_000, (not) => ({ not })) as Schema)).toThrow(
		because(/^The JSON schema cannot be used: it is nested too deeply/),
	);
	const find = compileSchema({ items: { $ref: '#' } });
	const list = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
	expect(() => find(list(50_000))).toThrow(
		because(/^The value cannot be checked against the JSON schema: it is nested too deeply/),
	);
	expect(find(list(200))).toBeUndefined();
});

function frozen<T>(value: T): T {
	if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen);
	return Object.freeze(value);
}

it('leaves the schema as it is', () => {
	const schema = frozen({
		...{ ...ORDER, pattern: 'a', uniqueItems: true },
		$defs: { a: { format: 'phone' } },
		not: { $ref: '#/$defs/a', type: 'null' },
	});
	const value = { id: 'a', items: [{ price: 1 }] };
	for (const find of [compileSchema(schema), compileSchema(schema)])
		expect([value, value].map((one) => find(JSON.stringify(one)))).toEqual([undefined, undefined]);
});

it('throws nothing but ServiceError for an object that is no schema', () => {
	const keyword = fc.constantFrom(
		...['type', 'enum', 'const', 'required', 'properties', 'patternProperties', 'items', 'allOf'],
		...['anyOf', 'not', '$ref', '$id', '$anchor', 'pattern', 'format', 'minimum', 'uniqueItems'],
		...['dependencies', '$defs', '$recursiveRef', 'unevaluatedProperties', '__absolute_ref__'],
	);
	const value = fc.letrec<{ any: unknown }>((tie) => ({
		any: fc.oneof(
			{ maxDepth: 3 },
			fc.jsonValue({ maxDepth: 1 }),
			fc.dictionary(keyword, tie('any'), { maxKeys: 3 }),
			fc.array(tie('any'), { maxLength: 2 }),
		),
	})).any;
	fc.assert(
		fc.property(fc.dictionary(keyword, value, { maxKeys: 4 }), fc.json(), (schema, given) => {
			try {
				compileSchema(schema)(given);
			} catch (cause) {
				expect(cause).toMatchObject({ name: 'ServiceError', kind: 'invalid' });
			}
		}),
	);
});

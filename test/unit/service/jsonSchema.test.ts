import fc from 'fast-check';

import { ServiceError } from '../../../src/service/errors';
import { schemaChecker } from '../../../src/service/jsonSchema';

type Schema = Record<string, unknown>;

const DRAFT_4 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';
const TOP = 'the top level';
const TYPES = '["array","boolean","integer","null","number","object","string"]';

const ORDER = {
	type: 'object',
	required: ['id', 'items'],
	properties: {
		id: { type: 'string' },
		items: {
			type: 'array',
			items: {
				type: 'object',
				required: ['price'],
				properties: { price: { type: 'number' }, size: { enum: ['S', 'M'] } },
			},
		},
	},
	additionalProperties: false,
};
const LIST = { properties: { value: { type: 'number' }, next: { $ref: '#' } } };
const OWN = { const: { own: true } };

const wrongType = (came: string, expected: string) =>
	`The type "${came}" is invalid. Expected "${expected}".`;

describe('a fault', () => {
	it.each<[string, Schema, unknown, string, string]>([
		['of the whole', ORDER, [], TOP, wrongType('array', 'object')],
		['of null', ORDER, null, TOP, wrongType('null', 'object')],
		[
			'of a missing property',
			ORDER,
			{ id: 'a' },
			TOP,
			'The value does not have required property "items".',
		],
		[
			'deep inside',
			ORDER,
			{ id: 'a', items: [{ price: 1 }, { price: 2 }, { price: '3' }] },
			'items[2].price',
			wrongType('string', 'number'),
		],
		[
			'of a property missing deep inside',
			ORDER,
			{ id: 'a', items: [{}] },
			'items[0]',
			'The value does not have required property "price".',
		],
		[
			'of a value out of a list',
			ORDER,
			{ id: 'a', items: [{ price: 1, size: 'XL' }] },
			'items[0].size',
			'The value does not match any of ["S","M"].',
		],
		[
			'of a property too many',
			ORDER,
			{ id: 'a', items: [], total: 5 },
			TOP,
			'Property "total" is not allowed.',
		],
		[
			'of two, the one farther inside',
			ORDER,
			{ items: [{ price: null }] },
			'items[0].price',
			wrongType('null', 'number'),
		],
		[
			'of a property that is forbidden',
			{ properties: { a: false } },
			{ a: 1 },
			TOP,
			'Property "a" is not allowed.',
		],
		[
			'of a property with an odd name',
			{ properties: { 'a b/~%"': { type: 'null' } } },
			{ 'a b/~%"': 1 },
			'["a b/~%\\""]',
			wrongType('number', 'null'),
		],
		[
			'of a property with digits for a name',
			{ additionalProperties: { type: 'null' } },
			{ 2: 1 },
			'["2"]',
			wrongType('number', 'null'),
		],
		[
			'of a property after one with an odd name',
			{ additionalProperties: { type: 'null' }, properties: { 'a b': LIST } },
			{ 'a b': { value: '1' } },
			'["a b"].value',
			wrongType('string', 'number'),
		],
		[
			'of a property with a long name',
			{ additionalProperties: { type: 'null' } },
			{ ['x'.repeat(200)]: 1 },
			`${'x'.repeat(80)}…`,
			wrongType('number', 'null'),
		],
		[
			'of a property with half a character for a name',
			{ additionalProperties: { type: 'null' } },
			{ '\ud83d': 1 },
			'["\ufffd"]',
			wrongType('number', 'null'),
		],
		[
			'of an item too many',
			{ prefixItems: [{}], items: false },
			[1, 2],
			TOP,
			'The list holds an item that is not allowed.',
		],
		[
			'of several types',
			{ type: ['string', 'null'] },
			5,
			TOP,
			'The type "number" is invalid. Expected "string", "null".',
		],
		['of a fraction', { type: 'integer' }, 1.5, TOP, wrongType('number', 'integer')],
		['of a constant', { const: { a: 1 } }, { a: 2 }, TOP, 'The value does not match {"a":1}.'],
		[
			'of a pattern',
			{ pattern: '^\\d+"$' },
			'x',
			TOP,
			'String does not match pattern "^\\\\d+\\"$".',
		],
		[
			'of a pattern behind references',
			{ properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { items: [{ pattern: '$&' }] } } },
			{ a: ['x'] },
			'a[0]',
			'String does not match pattern "$&".',
		],
		['of a format', { format: 'date' }, '2020-02-30', TOP, 'String does not match format "date".'],
		['of a text too short', { minLength: 2 }, '🙂', TOP, 'String is too short (1 < 2).'],
		['of a list too long', { maxItems: 1 }, [1, 2], TOP, 'Array has too many items (2 > 1).'],
		[
			'of too many properties',
			{ maxProperties: 1 },
			{ a: 1, b: 2 },
			TOP,
			'The value does not have at most 1 properties.',
		],
		[
			'of too few properties',
			{ minProperties: 1 },
			{},
			TOP,
			'The value does not have at least 1 properties.',
		],
		['of a number too small', { minimum: 5 }, 4, TOP, '4 is less than 5.'],
		['of a number at the limit', { exclusiveMinimum: 5 }, 5, TOP, '5 is less than or equal to 5.'],
		[
			'of a thing that is there twice',
			{ uniqueItems: true },
			[{ a: 1 }, { a: 1 }],
			TOP,
			'Duplicate items at indexes 0 and 1.',
		],
		[
			'of a name',
			{ propertyNames: { maxLength: 2 } },
			{ abc: { d: 1 } },
			TOP,
			'Property name "abc" does not match schema.',
		],
		[
			'of a missing item',
			{ contains: { type: 'object', required: ['a'] } },
			[1, {}],
			TOP,
			'Array does not contain item matching schema.',
		],
		[
			'of too few items',
			{ contains: { type: 'string' }, minContains: 2 },
			['a', 1],
			TOP,
			'Array must contain at least 2 items matching schema. Only 1 items were found.',
		],
		[
			'of what must not be',
			{ not: { type: 'string' } },
			'x',
			TOP,
			'The value matched "not" schema.',
		],
		[
			'of a choice, the one that got farthest',
			{ anyOf: [{ type: 'null' }, LIST, { type: 'string' }] },
			{ value: 'x' },
			'value',
			wrongType('string', 'number'),
		],
		[
			'of a choice, all that got as far',
			{ anyOf: [{ type: 'null' }, { type: 'number' }, { type: 'null' }] },
			'x',
			TOP,
			`${wrongType('string', 'null')} Or: ${wrongType('string', 'number')}`,
		],
		[
			'of a choice inside',
			{ items: { oneOf: [{ type: 'null' }, { type: 'object', required: ['a'] }] } },
			[null, {}],
			'[1]',
			`${wrongType('object', 'null')} Or: The value does not have required property "a".`,
		],
		['of an empty choice', { anyOf: [false] }, 1, TOP, 'The value does not match any subschemas.'],
		[
			'of a choice that is not one',
			{ oneOf: [{ type: 'number' }, { minimum: 2 }, { type: 'string' }] },
			5,
			TOP,
			'The value does not match exactly one subschema (2 matches).',
		],
		[
			'of a choice that is not one, whatever is wrong with the rest',
			{
				oneOf: [{ type: 'object' }, { minProperties: 1 }, { properties: { a: { type: 'null' } } }],
			},
			{ a: 1 },
			TOP,
			'The value does not match exactly one subschema (2 matches).',
		],
		[
			'behind a recursive reference',
			{ $schema: DRAFT_2019, type: 'object', additionalProperties: { $recursiveRef: '#' } },
			{ a: { b: 1 } },
			'a.b',
			wrongType('number', 'object'),
		],
		[
			'of a name that looks as if it was escaped',
			{ additionalProperties: { type: 'null' } },
			{ 'a~1%41': 1 },
			'["a~1%41"]',
			wrongType('number', 'null'),
		],
		[
			'of a condition',
			{ if: { type: 'number' }, then: { minimum: 5 } },
			3,
			TOP,
			'3 is less than 5.',
		],
		[
			'of the other side of a condition',
			{ if: { type: 'number' }, else: { type: 'null' } },
			'x',
			TOP,
			wrongType('string', 'null'),
		],
		[
			'of something that depends on another',
			{ dependentRequired: { a: ['b'] } },
			{ a: 1 },
			TOP,
			'The value has "a" but does not have "b".',
		],
		[
			'of a schema that depends on a property',
			{ dependentSchemas: { a: { required: ['c'] } } },
			{ a: 1 },
			TOP,
			'The value does not have required property "c".',
		],
		[
			'of a schema that depends on a property, in older drafts',
			{ dependencies: { a: { properties: { b: { type: 'null' } } }, c: ['d'] } },
			{ a: 1, b: 1 },
			'b',
			wrongType('number', 'null'),
		],
		[
			'of all of several schemas',
			{ allOf: [{ type: 'number' }, { minimum: 5 }] },
			3,
			TOP,
			'3 is less than 5.',
		],
		[
			'of what nothing else looked at',
			{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
			{ a: 1, b: 1 },
			TOP,
			'Property "b" is not allowed.',
		],
		[
			'of a long list of values',
			{ enum: ['x'.repeat(600)] },
			1,
			TOP,
			`The value does not match any of ["${'x'.repeat(466)}…`,
		],
		[
			'in a schema that holds itself',
			LIST,
			{ value: 1, next: { value: 2, next: { value: '3' } } },
			'next.next.value',
			wrongType('string', 'number'),
		],
	])('%s', (_name, schema, value, place, reason) => {
		expect(schemaChecker(schema)(value)).toEqual({ place, reason });
	});
});

it.each<[string, Schema, unknown]>([
	['a value that fits', ORDER, { id: 'a', items: [{ price: 1.5, size: 'S' }] }],
	['anything, for an empty schema', {}, null],
	['a whole number written as a fraction', { type: 'integer' }, 2.0],
	['the same object', { enum: [{ a: [1] }] }, { a: [1] }],
	['a date', { format: 'date' }, '2020-02-29'],
	['a format that nobody knows', { format: 'phone' }, 'x'],
	['a format that is no standard', { format: 'url' }, 'x'],
	['formats that are names of JavaScript', { format: '__proto__' }, 'x'],
	['formats that are functions of JavaScript', { format: 'hasOwnProperty' }, 'x'],
	[
		'keywords that nobody knows',
		{ nullable: true, 'x-order': [1], example: { $ref: 5, id: 'a' } },
		'x',
	],
	[
		'keywords that nobody knows, twice',
		{ items: [{ example: { id: 'a' } }, { example: { id: 'a' } }] },
		[1],
	],
	[
		'old names of properties',
		{ properties: { id: { type: 'string' }, $ref: { type: 'number' } }, id: { not: 'read' } },
		{ id: 'a', $ref: 1 },
	],
	[
		'absent properties with names of JavaScript',
		{ properties: { constructor: { type: 'string' }, toString: { type: 'string' } } },
		{},
	],
	['a list of schemas for items', { items: [{ type: 'number' }] }, [1, 'x']],
	[
		'a value within an exclusive limit of draft 4',
		{ $schema: DRAFT_4, minimum: 1, exclusiveMinimum: true },
		1.5,
	],
	[
		'what stands beside a reference in draft 7',
		{
			$schema: DRAFT_7,
			properties: { a: { $ref: '#/definitions/b', type: 'number' } },
			definitions: { b: {} },
		},
		{ a: 'x' },
	],
	[
		'an address beside a reference in draft 7',
		{
			$schema: DRAFT_7,
			properties: { a: { $id: 'other/', $ref: '#/definitions/b' } },
			definitions: { b: {} },
		},
		{ a: 'x' },
	],
])('finds nothing wrong with %s', (_name, schema, value) => {
	expect(schemaChecker(schema)(value)).toBeUndefined();
});

it.each<[string, Schema, unknown]>([
	['a required property with a name of JavaScript', { required: ['toString'] }, {}],
	[
		'a property of the name __proto__',
		{ properties: JSON.parse('{"__proto__":{"type":"string"}}') as Schema },
		JSON.parse('{"__proto__":5}'),
	],
	['an exclusive limit of draft 4', { $schema: DRAFT_4, minimum: 1, exclusiveMinimum: true }, 1],
	[
		'what stands beside a reference in 2019-09',
		{
			$schema: DRAFT_2019,
			properties: { a: { $ref: '#/$defs/b', type: 'number' } },
			$defs: { b: {} },
		},
		{ a: 'x' },
	],
	[
		'what stands beside a reference in 2020-12',
		{ properties: { a: { $ref: '#/$defs/b', type: 'number' } }, $defs: { b: {} } },
		{ a: 'x' },
	],
	[
		'a recursive reference',
		{
			$schema: DRAFT_2019,
			$recursiveAnchor: true,
			type: 'object',
			additionalProperties: { $recursiveRef: '#' },
		},
		{ a: { b: 1 } },
	],
])('finds %s', (_name, schema, value) => {
	expect(schemaChecker(schema)(value)).toBeDefined();
});

it.each<[string, string, Schema]>([
	['a definition', '#/$defs/a', { $defs: { a: OWN } }],
	['a definition of an older draft', '#/definitions/a', { definitions: { a: OWN } }],
	[
		'a definition where no keyword has one',
		'#/components/schemas/A',
		{ components: { schemas: { A: OWN } } },
	],
	['an item of a list', '#/prefixItems/1', { prefixItems: [{}, OWN] }],
	['a name that has to be escaped', '#/$defs/a~1b~0c%25d', { $defs: { 'a/b~c%d': OWN } }],
	['a name that looks as if it was escaped', '#/$defs/a~01', { $defs: { 'a~1': OWN } }],
	['a name that need not be escaped', '#/$defs/{a} ü^', { $defs: { '{a} ü^': OWN } }],
	['a name with a stray percent sign', '#/$defs/100%', { $defs: { '100%': OWN } }],
	['an anchor', '#here', { $defs: { a: { $anchor: 'here', ...OWN } } }],
	['a dynamic anchor', '#here', { $defs: { a: { $dynamicAnchor: 'here', ...OWN } } }],
	[
		'an anchor of an older draft',
		'#here',
		{ $schema: DRAFT_7, definitions: { a: { $id: '#here', ...OWN } } },
	],
	[
		'an address inside',
		'own.json',
		{ $id: 'https://example.com/root.json', $defs: { a: { $id: 'own.json', ...OWN } } },
	],
	[
		'a whole address',
		'https://example.com/own.json#',
		{ $defs: { a: { $id: 'https://example.com/own.json', ...OWN } } },
	],
	[
		'an address with a fragment',
		'own.json#/$defs/b',
		{ $defs: { a: { $id: 'own.json#', $defs: { b: OWN } } } },
	],
	[
		'an anchor of an address',
		'own.json#here',
		{ $defs: { a: { $id: 'own.json', $defs: { b: { $anchor: 'here', ...OWN } } } } },
	],
	[
		'an address that is a name',
		'urn:example:own',
		{ $id: 'urn:example:root', $defs: { a: { $id: 'urn:example:own', ...OWN } } },
	],
	[
		'an id of draft 4',
		'own.json',
		{ $schema: DRAFT_4, definitions: { a: { id: 'own.json', ...OWN } } },
	],
	['the other end of a reference', '#/$defs/a', { $defs: { a: { $ref: '#/$defs/b' }, b: OWN } }],
])('a reference leads to %s', (_name, $ref, schema) => {
	const check = schemaChecker({ ...schema, properties: { value: { $ref } } });
	expect(check({ value: { own: true } })).toBeUndefined();
	expect(check({ value: 5 })).toEqual({
		place: 'value',
		reason: 'The value does not match {"own":true}.',
	});
});

it('a reference is relative to the nearest address', () => {
	const check = schemaChecker({
		$defs: {
			a: { type: 'number' },
			inner: { $id: 'inner', $defs: { a: { type: 'string' } }, $ref: '#/$defs/a' },
		},
		$ref: 'inner',
	});
	expect(check('x')).toBeUndefined();
	expect(check(5)).toEqual({ place: TOP, reason: wrongType('number', 'string') });
});

it('follows a reference once, however many ways lead to it', () => {
	const levels = Array.from({ length: 100 }, (_, level) => {
		const next = { $ref: `#/$defs/${level + 1}` };
		return [String(level), { allOf: [next, next] }];
	});
	const schema = { $defs: { ...Object.fromEntries(levels), 100: true } };
	expect(schemaChecker(schema)(5)).toBeUndefined();
});

describe('a schema cannot be used', () => {
	const nowhere = (reference: string) =>
		`"${reference}" leads to no part of this schema; others are not fetched`;
	it.each<[string, Schema, string, string]>([
		['for a wrong type', { type: 'text' }, 'type', `The value does not match any of ${TYPES}`],
		['for a type that is no word', { type: 5 }, 'type', `The value does not match any of ${TYPES}`],
		[
			'for a wrong type among others',
			{ type: ['string', 'date'] },
			'type[1]',
			`The value does not match any of ${TYPES}`,
		],
		['for no type', { type: [] }, 'type', 'Array has too few items (0 < 1)'],
		[
			'for a required that is no list',
			{ required: true },
			'required',
			'The type "boolean" is invalid. Expected "array"',
		],
		[
			'for a required that is no list of names',
			{ required: ['a', 1] },
			'required[1]',
			'The type "number" is invalid. Expected "string"',
		],
		[
			'for properties that are no object',
			{ properties: [] },
			'properties',
			'The type "array" is invalid. Expected "object"',
		],
		[
			'for a property that is no schema',
			{ properties: { a: 'string' } },
			'properties.a',
			'The type "string" is invalid. Expected "object", "boolean"',
		],
		[
			'for an enum that is no list',
			{ enum: 'a' },
			'enum',
			'The type "string" is invalid. Expected "array"',
		],
		['for a choice of nothing', { anyOf: [] }, 'anyOf', 'Array has too few items (0 < 1)'],
		[
			'for an allOf that is no list',
			{ allOf: {} },
			'allOf',
			'The type "object" is invalid. Expected "array"',
		],
		[
			'for a not that is no schema',
			{ not: [] },
			'not',
			'The type "array" is invalid. Expected "object", "boolean"',
		],
		[
			'for items that are no schema',
			{ items: 5 },
			'items',
			'The type "number" is invalid. Expected "object", "boolean", "array"',
		],
		[
			'for items that are no list of schemas',
			{ items: [5] },
			'items[0]',
			'The type "number" is invalid. Expected "object", "boolean"',
		],
		[
			'for definitions that are no schemas',
			{ $defs: { a: null } },
			'$defs.a',
			'The type "null" is invalid. Expected "object", "boolean"',
		],
		[
			'for a wrong dependency',
			{ dependencies: { a: [1] } },
			'dependencies.a[0]',
			'The type "number" is invalid. Expected "string"',
		],
		['for a negative length', { minLength: -1 }, 'minLength', '-1 is less than 0'],
		[
			'for a limit that is no number',
			{ maximum: '5' },
			'maximum',
			'The type "string" is invalid. Expected "number"',
		],
		['for a multiple of zero', { multipleOf: 0 }, 'multipleOf', '0 is less than or equal to 0'],
		[
			'for a limit of draft 4',
			{ exclusiveMinimum: true },
			'exclusiveMinimum',
			'The type "boolean" is invalid. Expected "number"',
		],
		[
			'for a limit that draft 4 does not know',
			{ $schema: DRAFT_4, exclusiveMaximum: 5 },
			'exclusiveMaximum',
			'The type "number" is invalid. Expected "boolean"',
		],
		[
			'for a $schema that is no address',
			{ $schema: 7 },
			'$schema',
			'The type "number" is invalid. Expected "string"',
		],
		[
			'for a broken pattern',
			{ pattern: '(' },
			'pattern',
			'Invalid regular expression: /(/u: Unterminated group',
		],
		[
			'for a broken pattern of names',
			{ patternProperties: { '(': {} } },
			'patternProperties',
			'Invalid regular expression: /(/u: Unterminated group',
		],
		['for a reference that leads nowhere', { $ref: '#/$defs/a' }, '$ref', nowhere('#/$defs/a')],
		['for a reference to an anchor that is not there', { $ref: '#a' }, '$ref', nowhere('#a')],
		[
			'for a reference to what is no schema',
			{ type: 'object', $ref: '#/type' },
			'$ref',
			nowhere('#/type'),
		],
		[
			'for a reference to a name of JavaScript',
			{ $ref: '#/constructor' },
			'$ref',
			nowhere('#/constructor'),
		],
		[
			'for a reference to the length of a list',
			{ enum: [1], $ref: '#/enum/length' },
			'$ref',
			nowhere('#/enum/length'),
		],
		[
			'for a reference to another schema',
			{ $ref: 'https://example.com/a.json' },
			'$ref',
			nowhere('https://example.com/a.json'),
		],
		['for a reference to a standard', { $ref: DRAFT_7 }, '$ref', nowhere(DRAFT_7)],
		[
			'for a reference that is no text',
			{ $ref: 5 },
			'$ref',
			'The type "number" is invalid. Expected "string"',
		],
		[
			'for a reference that is no address',
			{ $ref: 'http://[' },
			'$ref',
			'"http://[" is no address',
		],
		['for an $id that is no address', { $id: 'http://[' }, '$id', '"http://[" is no address'],
		['for a reference to itself', { $ref: '#' }, TOP, 'It refers to itself without end'],
		[
			'for a recursive reference to itself',
			{ $recursiveRef: '#' },
			TOP,
			'It refers to itself without end',
		],
		[
			'for references in a circle',
			{
				$ref: '#/$defs/a',
				$defs: { a: { not: { $ref: '#/$defs/b' } }, b: { anyOf: [{}, { $ref: '#/$defs/a' }] } },
			},
			'$defs.a',
			'It refers to itself without end',
		],
		[
			'for a circle that begins inside',
			{ properties: { a: { if: { $ref: '#/properties/a' } } } },
			'properties.a',
			'It refers to itself without end',
		],
		[
			'for a dynamic reference',
			{ items: { $dynamicRef: '#a' } },
			'items',
			'Property "$dynamicRef" is not allowed',
		],
		[
			'deep inside',
			{ properties: { a: { items: [{ anyOf: [{}, { type: 'x' }] }] } } },
			'properties.a.items[0].anyOf[1].type',
			`The value does not match any of ${TYPES}`,
		],
		[
			'where only a reference leads',
			{ shapes: { a: { enum: 5 } }, $ref: '#/shapes/a' },
			'$ref.enum',
			'The type "number" is invalid. Expected "array"',
		],
	])('%s', (_name, schema, place, reason) => {
		expect(() => schemaChecker(schema)).toThrow(
			new ServiceError('invalid', `The JSON schema cannot be used, at ${place}: ${reason}`),
		);
	});

	it.each(
		'additionalProperties unevaluatedProperties propertyNames items additionalItems unevaluatedItems contains not if then else'.split(
			' ',
		),
	)('for a mistake in %s', (keyword) => {
		expect(() => schemaChecker({ [keyword]: { type: 'x' } })).toThrow(`at ${keyword}.type: `);
	});

	it.each('allOf anyOf oneOf prefixItems items'.split(' '))(
		'for a mistake in a list of %s',
		(keyword) => {
			expect(() => schemaChecker({ [keyword]: [{}, { type: 'x' }] })).toThrow(
				`at ${keyword}[1].type: `,
			);
		},
	);

	it.each(
		'properties patternProperties dependentSchemas dependencies $defs definitions'.split(' '),
	)('for a mistake in one of the %s', (keyword) => {
		expect(() => schemaChecker({ [keyword]: { a: {}, b: { type: 'x' } } })).toThrow(
			`at ${keyword}.b.type: `,
		);
	});
});

const nested = (levels: number, wrap: (inner: unknown) => unknown) =>
	Array.from({ length: levels }).reduce<unknown>((inner) => wrap(inner), {});

it('refuses what is nested too deeply to be checked', () => {
	const tooDeep = expect.objectContaining({
		kind: 'invalid',
		message: expect.stringMatching(/^The JSON schema cannot be used: it is nested too deeply/),
	});
	expect(() => schemaChecker(nested(50_000, (not) => ({ not })) as Schema)).toThrow(tooDeep);
	const check = schemaChecker({ items: { $ref: '#' } });
	expect(() => check(nested(50_000, (item) => [item]))).toThrow(
		new ServiceError(
			'invalid',
			'The value cannot be checked against the JSON schema: it is nested too deeply, or too large',
		),
	);
	expect(check(nested(200, (item) => [item]))).toBeUndefined();
});

it('refuses a value that JSON does not have', () => {
	expect(() => schemaChecker({})(() => 5)).toThrow(ServiceError);
	expect(() => schemaChecker({})(5n)).toThrow(ServiceError);
	// a property without a value is none
	expect(schemaChecker({ additionalProperties: false })({ a: undefined })).toBeUndefined();
});

it('is quick with an answer that is wrong all over', () => {
	const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`name${at}`, at]));
	const check = schemaChecker({
		propertyNames: { maxLength: 2 },
		additionalProperties: { type: 'null' },
	});
	expect(check(names)).toEqual({ place: 'name0', reason: wrongType('number', 'null') });
});

function frozen<T>(value: T): T {
	if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen);
	return Object.freeze(value);
}

it('leaves schema and value as they are', () => {
	const schema = frozen({
		...ORDER,
		$defs: { a: { $id: 'a', format: 'phone' } },
		not: { $ref: 'a', type: 'null' },
	});
	const value = frozen({ id: 'a', items: [{ price: 1 }] });
	expect(schemaChecker(schema)(value)).toBeUndefined();
	expect(schemaChecker(schema)(value)).toBeUndefined();
});

/** Schemas that are mostly right, and hold every keyword. */
const schemas = fc.letrec<{ schema: unknown; object: Schema }>((tie) => {
	const schema = fc.oneof({ maxDepth: 4, depthIdentifier: 'schema' }, fc.boolean(), tie('object'));
	const name = fc.constantFrom('a', 'b', 'constructor', '__proto__', 'a/b~%', '\ud800', '');
	const list = fc.array(schema, { minLength: 1, maxLength: 3 });
	const map = fc.dictionary(name, schema, { maxKeys: 3 });
	const names = fc.array(name, { maxLength: 2 });
	const amount = fc.nat(3);
	const all = <T>(keywords: string, value: fc.Arbitrary<T>) =>
		Object.fromEntries(keywords.split(' ').map((keyword) => [keyword, value]));
	const keywords: Record<string, fc.Arbitrary<unknown>> = {
		...all('allOf anyOf oneOf prefixItems', list),
		...all(
			'not if then else contains propertyNames items additionalItems unevaluatedItems',
			schema,
		),
		...all('additionalProperties unevaluatedProperties', schema),
		...all('properties dependentSchemas $defs', map),
		patternProperties: fc.dictionary(fc.constantFrom('a', '^.$', ''), schema, { maxKeys: 2 }),
		dependencies: fc.dictionary(name, fc.oneof(schema, names), { maxKeys: 2 }),
		dependentRequired: fc.dictionary(name, names, { maxKeys: 2 }),
		required: names,
		type: fc.constantFrom('string', 'number', 'object', 'array', 'integer', 'null', [
			'string',
			'null',
		]),
		enum: fc.array(fc.jsonValue(), { maxLength: 3 }),
		const: fc.jsonValue(),
		...all(
			'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains',
			amount,
		),
		...all('minimum maximum exclusiveMinimum exclusiveMaximum', amount),
		multipleOf: fc.constantFrom(1, 0.5, 1e-7),
		uniqueItems: fc.boolean(),
		pattern: fc.constantFrom('^a', '\\d', ''),
		format: fc.constantFrom('date', 'email', 'uri', 'regex', 'constructor', '__proto__', 'valueOf'),
		$ref: fc.constantFrom(
			'#',
			'#/$defs/a',
			'#/properties/a',
			'#/items',
			'#x',
			'y',
			'#/properties/%',
		),
		$recursiveRef: fc.constant('#'),
		$recursiveAnchor: fc.boolean(),
		$anchor: fc.constant('x'),
		$id: fc.constantFrom('y', 'urn:z', '#x', ''),
		example: fc.jsonValue(),
	};
	const some = fc
		.uniqueArray(fc.constantFrom(...Object.keys(keywords)), { maxLength: 4 })
		.chain((picked) =>
			fc.record(Object.fromEntries(picked.map((keyword) => [keyword, keywords[keyword]!]))),
		);
	return { schema, object: some as fc.Arbitrary<Schema> };
});

it('throws nothing but ServiceError, whatever the schema and the value', () => {
	let [usable, fitting] = [0, 0];
	const root = fc.record({
		head: schemas.object,
		definitions: fc.dictionary(fc.constantFrom('a', 'b'), schemas.schema),
		draft: fc.constantFrom(undefined, DRAFT_4, DRAFT_7, DRAFT_2019),
	});
	fc.assert(
		fc.property(
			root,
			fc.array(fc.jsonValue(), { minLength: 3, maxLength: 6 }),
			({ head, definitions, draft }, values) => {
				const schema = { ...head, $defs: definitions, ...(draft && { $schema: draft }) };
				const before = JSON.stringify(schema);
				try {
					const check = schemaChecker(schema);
					usable++;
					for (const value of values) {
						const fault = check(value);
						if (fault)
							expect(fault).toEqual({
								place: expect.stringMatching(/./s),
								reason: expect.stringMatching(/./s),
							});
						else fitting++;
					}
				} catch (cause) {
					expect(cause).toMatchObject({ name: 'ServiceError', kind: 'invalid' });
				}
				expect(JSON.stringify(schema)).toBe(before);
			},
		),
		{ numRuns: 2000 },
	);
	// or the generator would prove little
	expect(usable).toBeGreaterThan(1000);
	expect(fitting).toBeGreaterThan(2000);
});

it('throws nothing but ServiceError for an object that is no schema', () => {
	const keyword = fc.constantFrom(
		...'type enum const required properties items allOf anyOf not $ref $id id $anchor pattern format minimum multipleOf dependencies $defs $recursiveRef __absolute_ref__'.split(
			' ',
		),
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
		fc.property(fc.dictionary(keyword, value, { maxKeys: 4 }), fc.jsonValue(), (schema, given) => {
			try {
				schemaChecker(schema)(given);
			} catch (cause) {
				expect(cause).toMatchObject({ name: 'ServiceError', kind: 'invalid' });
			}
		}),
		{ numRuns: 3000 },
	);
});

it('names the place of a fault wherever it is', () => {
	const step = fc.oneof(
		fc.nat(3),
		fc.string({ unit: 'binary', maxLength: 5 }),
		fc.constantFrom('a', '__proto__', '0'),
	);
	fc.assert(
		fc.property(fc.array(step, { maxLength: 6 }), (path) => {
			const value = path.reduceRight<unknown>((inner, at) => {
				if (typeof at === 'number') return [...Array.from({ length: at }, () => 1), inner];
				return JSON.parse(`{${JSON.stringify(at)}:${JSON.stringify(inner)}}`) as unknown;
			}, 'wrong');
			const check = schemaChecker({
				if: { type: ['array', 'object'] },
				then: { items: { $ref: '#' }, additionalProperties: { $ref: '#' } },
				else: { type: 'number' },
			});
			const place = check(value)!.place;
			const words = path.map((at, index) => {
				if (typeof at === 'number') return `[${at}]`;
				const whole = at.toWellFormed();
				if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(whole)) return `[${JSON.stringify(whole)}]`;
				return index ? `.${whole}` : whole;
			});
			expect(place).toBe(words.join('') || TOP);
		}),
		{ numRuns: 1000 },
	);
});

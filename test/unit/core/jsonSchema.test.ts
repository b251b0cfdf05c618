import { validate, type Schema as LibrarySchema } from '@cfworker/json-schema';

import { ServiceError } from '../../../src/core/errors';
import { compileSchema } from '../../../src/core/jsonSchema';
import fc from '../../support/fastCheck';
import { ownRegex, slowRegex } from '../../support/regex';

type Schema = Record<string, unknown>;

const compile = (schema: Schema) => compileSchema(schema, ownRegex);
const check = (schema: Schema, value: unknown) => compile(schema)(JSON.stringify(value));
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

const NULL = { type: 'null' };
const NUMBER = { type: 'number' };
const ODD = 'a b/~%"';
const LONG = 'x'.repeat(600);

it.each<[place: string, came: string, expected: string, Schema, unknown]>([
	[TOP, 'array', 'object', ORDER, []],
	// the one farther inside counts
	['items[0].price', 'null', 'number', ORDER, { items: [{ price: null }] }],
	['["a b/~%\\""]', 'number', 'null', { properties: { [ODD]: NULL } }, { [ODD]: 1 }],
	[`${LONG.slice(0, 80)}…`, 'number', 'null', { additionalProperties: NULL }, { [LONG]: 1 }],
	// the choice that got farthest, or the first of those
	['value', 'string', 'number', { anyOf: [NULL, LIST] }, { value: 'x' }],
	[TOP, 'string', 'null', { anyOf: [NULL, NUMBER] }, 'x'],
	['next.next.value', 'string', 'number', LIST, { next: { next: { value: '3' } } }],
])('at %s, tells of the type %s in place of %s', (place, came, expected, schema, value) => {
	expect(check(schema, value)).toEqual({ place, reason: wrongType(came, expected) });
});

const LONG_LIST = `The value does not match any of ["${LONG.slice(0, 466)}…`;
const NO_ITEM = 'The list contains an item that is not allowed.';
const NO_NAME = 'Property name "abc" does not match schema.';
const NOT_ONE = 'The value does not match exactly one subschema (2 matches).';
const NO_MATCH = 'String does not match pattern "^\\\\d+\\"$".';
const EQUAL = [{ b: 1, c: 2 }, 3, { c: 2, b: 1 }];

it.each([
	[missing('items'), ORDER, { id: 'a' }],
	['Property "b" is not allowed.', ORDER, { id: 'a', items: [], b: 5 }],
	[NO_ITEM, { prefixItems: [{}], items: false }, [1, 2]],
	['5 is less than or equal to 5.', { exclusiveMinimum: 5 }, 5],
	[NO_NAME, { propertyNames: { maxLength: 2 } }, { abc: { d: 1 } }],
	[NO_NAME, { propertyNames: { pattern: '^b' } }, { abc: 1 }],
	[NO_MATCH, { pattern: '^\\d+"$' }, 'x'],
	['Duplicate items at indexes 0 and 2.', { uniqueItems: true }, EQUAL],
	['Array does not contain item matching schema.', { contains: ITEM }, [1, {}]],
	[NOT_ONE, { oneOf: [NUMBER, { minimum: 2 }] }, 5],
	[LONG_LIST, { enum: [LONG] }, 1],
	[missing('toString'), { required: ['toString'] }, {}],
])('tells: %s', (reason, schema, value) => {
	expect(check(schema, value)).toEqual({ place: TOP, reason });
});

const DIFFERENT = [1, '1', [1], ['1'], { a: 1 }, { a: '1' }, {}, null, false, 0];
const WITH_ADDRESS = { $id: 'a', $ref: '#/$defs/b', $defs: { b: {} } };

it.each([
	['a value that fits', ORDER, { id: 'a', items: [{ price: 1.5, size: 'S' }] }],
	['an unknown keyword', { example: { type: 'x' }, format: 'phone' }, 5],
	['a format that JavaScript has as a name', { format: 'hasOwnProperty' }, 'x'],
	['a format whose check would take hours', { format: 'url' }, `http://${'a'.repeat(100)}!`],
	['a reference below an address', { $ref: '#/$defs/a', $defs: { a: WITH_ADDRESS, b: false } }, 5],
	['different items', { uniqueItems: true }, DIFFERENT],
])('finds nothing wrong with %s', (_what, schema, value) => {
	expect(check(schema, value)).toBeUndefined();
});

const nowhere = (reference: string) =>
	`"${reference}" does not refer to a part of this schema; only references such as "#/$defs/item" are supported`;
const TYPES = '["array","boolean","integer","null","number","object","string"]';
const LOOP = 'It refers to itself in an endless loop';
const notAllowed = (name: string) => `Property "${name}" is not allowed`;
const mustBe = (came: string, ...expected: string[]) =>
	`The type "${came}" is invalid. Expected ${expected.map((one) => `"${one}"`).join(', ')}`;
const toA = { $ref: '#/$defs/a' };
const WITH_PATTERN = { $defs: { a: { pattern: '(' } } };
const WRONG = { anyOf: [{}, { minLength: -1 }] };

it.each<[place: string, reason: string, Schema]>([
	['type', `"text" is none of ${TYPES}`, { type: 'text' }],
	['properties.a', mustBe('string', 'object', 'boolean'), { properties: { a: 'string' } }],
	['multipleOf', '0 is less than or equal to 0', { multipleOf: 0 }],
	['$defs.a.pattern', 'Invalid regular expression: /(/u: Unterminated group', WITH_PATTERN],
	['items', notAllowed('patternProperties'), { items: { patternProperties: { a: {} } } }],
	['exclusiveMinimum', mustBe('boolean', 'number'), { minimum: 5, exclusiveMinimum: true }],
	['$ref', nowhere('#/$defs/a'), toA],
	['$ref', nowhere('#/constructor'), { $ref: '#/constructor' }],
	['$ref', nowhere('other.json'), { $ref: 'other.json', '': {} }],
	['$ref', nowhere('#name'), { $defs: { a: { $anchor: 'name' } }, $ref: '#name' }],
	['$defs.a.$ref', nowhere('#/$defs/a'), { $defs: { a: { $id: 'a', ...toA } }, ...toA }],
	[TOP, notAllowed('$recursiveRef'), { $recursiveRef: '#' }],
	[TOP, notAllowed('$dynamicRef'), { $dynamicRef: '#a' }],
	[TOP, LOOP, { $ref: '#' }],
	['properties.a', LOOP, { properties: { a: { if: { $ref: '#/properties/a' } } } }],
	['items[0].anyOf[1].minLength', '-1 is less than 0', { items: [WRONG] }],
	['$ref.enum', mustBe('number', 'array'), { shapes: { a: { enum: 5 } }, $ref: '#/shapes/a' }],
])('refuses, at %s: %s', (place, reason, schema) => {
	expect(() => compile(schema)).toThrow(
		new ServiceError('invalid', `The JSON schema cannot be used, at ${place}: ${reason}`),
	);
});

const nested = (levels: number, wrap: (inner: unknown) => unknown) =>
	Array.from({ length: levels }).reduce<unknown>((inner) => wrap(inner), {});
const because = (message: RegExp) =>
	expect.objectContaining({ kind: 'invalid', message: expect.stringMatching(message) });

it('refuses what is nested too deeply to be checked', () => {
	expect(() => compile(nested(50_000, (not) => ({ not })) as Schema)).toThrow(
		because(/^The JSON schema cannot be used: it is nested too deeply/),
	);
	const find = compile({ items: { $ref: '#' } });
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
		...ORDER,
		pattern: 'a',
		uniqueItems: true,
		$defs: { a: { format: 'phone' } },
		not: { $ref: '#/$defs/a', type: 'null' },
	});
	const value = { id: 'a', items: [{ price: 1 }] };
	for (const find of [compile(schema), compile(schema)])
		expect([value, value].map((one) => find(JSON.stringify(one)))).toEqual([undefined, undefined]);
});

const BESIDE_REFERENCE = { $ref: '#/$defs/a', oneOf: [{ unevaluatedProperties: false }] };

/** The library shows what a `$ref` has evaluated to the schemas next to it. What an `allOf` has evaluated is not shown, as specified. */
const withoutDirectReferences = (schema: object): unknown =>
	JSON.parse(JSON.stringify(schema), (_key, part: Schema) => {
		if (typeof part?.['$ref'] !== 'string') return part;
		const { $ref, allOf = [], ...more } = part;
		return { ...more, allOf: [...(allOf as unknown[]), { $ref }] };
	});

it('gives the verdict of the library, whatever schema and value', () => {
	const name = fc.constantFrom('a', 'b', 'ab', 'c1');
	const schemas = fc.letrec<{ schema: unknown; object: object }>((tie) => {
		const schema = fc.oneof({ maxDepth: 3, depthIdentifier: 's' }, fc.boolean(), tie('object'));
		const list = fc.array(schema, { minLength: 1, maxLength: 2 });
		const pattern = fc.constantFrom('a', '^.$', '', 'b$', '^[^c]', '\\d');
		const keywords: Record<string, fc.Arbitrary<unknown>> = {
			allOf: list,
			anyOf: list,
			oneOf: list,
			not: schema,
			items: schema,
			contains: schema,
			additionalProperties: schema,
			unevaluatedProperties: schema,
			propertyNames: schema,
			properties: fc.dictionary(name, schema, { maxKeys: 2 }),
			pattern,
			uniqueItems: fc.boolean(),
			$ref: fc.constantFrom('#/$defs/a', '#/$defs/b'),
			type: fc.constantFrom('string', 'object', ['object', 'array', 'number']),
		};
		const some = fc
			.uniqueArray(fc.constantFrom(...Object.keys(keywords)), { minLength: 1, maxLength: 4 })
			.chain((picked) => fc.record(Object.fromEntries(picked.map((one) => [one, keywords[one]!]))));
		return { schema, object: some };
	});
	const value = fc.letrec<{ any: unknown }>((tie) => ({
		any: fc.oneof(
			{ maxDepth: 3 },
			fc.constantFrom(1, 1, 2, 'a', 'b', 'ab', null, '1'),
			fc.array(tie('any'), { maxLength: 3 }),
			fc.dictionary(name, tie('any'), { maxKeys: 3 }),
		),
	})).any;
	let [given, usable] = [0, 0];
	fc.assert(
		fc.property(schemas.object, schemas.schema, schemas.schema, value, (head, a, b, one) => {
			const schema = { ...head, $defs: { a, b } };
			given++;
			let found: ReturnType<typeof compileSchema>;
			try {
				found = compile(schema);
			} catch {
				return;
			}
			usable++;
			const { valid } = validate(one, withoutDirectReferences(schema) as LibrarySchema, '2020-12');
			expect(found(JSON.stringify(one)) === undefined).toBe(valid);
		}),
		{ examples: [[BESIDE_REFERENCE, { unevaluatedProperties: true }, true, { a: 1 }]] },
	);
	// or the generator would prove little
	expect(usable / given).toBeGreaterThan(0.5);
});

const rows = <Row>(count: number, row: (index: number) => Row) =>
	Array.from({ length: count }, (_, index) => row(index));
const SELF = { properties: { next: { $ref: '#' } } };

const indexed = (count: number) => rows(count, (index) => ({ index }));
const MAP = { propertyNames: { pattern: '^k' }, additionalProperties: NUMBER };

// each of these would take minutes, hours or for ever if it took more than linear time
it.each([
	['a long list', { items: { required: ['index'] } }, indexed(15_000)],
	['different items', { uniqueItems: true }, indexed(500)],
	['a large map', MAP, Object.fromEntries(rows(15_000, (at) => [`k${at}`, at]))],
])('checks %s', (_what, schema, value) => {
	expect(check(schema, value)).toBeUndefined();
});

const CHAIN = rows(100, () => 0).reduce<unknown>((next) => ({ next }), {});

it.each([
	['a schema that holds itself tries two ways at each level', { anyOf: [SELF, SELF] }, CHAIN],
	['many items have to differ', { uniqueItems: true }, indexed(15_000)],
])('gives up where %s', (_what, schema, value) => {
	const find = compile(schema);
	expect(() => find(JSON.stringify(value))).toThrow(
		'The value cannot be checked against the JSON schema: it would take too long',
	);
	// the next value has its own time
	expect(find('[]')).toBeUndefined();
});

it('gives up with a pattern that takes too long', () => {
	const find = compileSchema({ propertyNames: { pattern: '^(a+)+$' } }, slowRegex);
	expect(() => find('{"aaa!":1}')).toThrow(
		'The value cannot be checked against the JSON schema, with the pattern ^(a+)+$: Regular expression execution timed out',
	);
	expect(find('{}')).toBeUndefined();
});

it('gives up where its matches take more than five seconds together', () => {
	const now = jest.spyOn(Date, 'now').mockReturnValue(0);
	const test = () => Boolean(now.mockReturnValue(Date.now() + 240));
	const find = compileSchema({ items: { pattern: 'a' } }, { ...slowRegex, test });
	const texts = (count: number) => JSON.stringify(rows(count, () => 'a'));
	expect(find(texts(20))).toBeUndefined();
	expect(() => find(texts(21))).toThrow('it would take too long');
	now.mockRestore();
});

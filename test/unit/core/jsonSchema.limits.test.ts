import { validate, type Schema } from '@cfworker/json-schema';

import { compileSchema } from '../../../src/core/jsonSchema';
import fc from '../../support/fastCheck';

const check = (schema: object, value: unknown) =>
	compileSchema({ ...schema })(JSON.stringify(value));
const noMatch = (pattern: string) => `String does not match pattern ${JSON.stringify(pattern)}.`;

it.each<[string, object, unknown, string, string]>([
	['a pattern', { pattern: '^\\d+"$' }, 'x', 'the top level', noMatch('^\\d+"$')],
	[
		'one of names',
		{ propertyNames: { pattern: '^a' } },
		{ b: 1 },
		'the top level',
		'Property name "b" does not match schema.',
	],
	[
		'equal items',
		{ properties: { a: { uniqueItems: true } } },
		{ a: [{ b: 1, c: 2 }, 3, { c: 2, b: 1 }] },
		'a',
		'Duplicate items at indexes 0 and 2.',
	],
])('tells of %s', (_what, schema, value, place, reason) => {
	expect(check(schema, value)).toEqual({ place, reason });
});

it.each<[string, object, unknown]>([
	[
		'different items',
		{ uniqueItems: true },
		[1, '1', [1], ['1'], { a: 1 }, { a: '1' }, {}, null, false, 0],
	],
])('finds nothing wrong with %s', (_what, schema, value) => {
	expect(check(schema, value)).toBeUndefined();
});

it('gives the verdict of the library, whatever schema and value', () => {
	const name = fc.constantFrom('a', 'b', 'ab', 'c1');
	const schemas = fc.letrec<{ schema: unknown; object: object }>((tie) => {
		const schema = fc.oneof({ maxDepth: 3, depthIdentifier: 's' }, fc.boolean(), tie('object'));
		const list = fc.array(schema, { minLength: 1, maxLength: 2 });
		const pattern = fc.constantFrom('a', '^.$', '', 'b$', '^[^c]', '\\d');
		const keywords: Record<string, fc.Arbitrary<unknown>> = {
			...{ allOf: list, anyOf: list, oneOf: list, not: schema, items: schema, contains: schema },
			...{ additionalProperties: schema, unevaluatedProperties: schema, propertyNames: schema },
			properties: fc.dictionary(name, schema, { maxKeys: 2 }),
			...{ pattern, uniqueItems: fc.boolean(), $ref: fc.constantFrom('#/$defs/a', '#/$defs/b') },
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
				found = compileSchema(schema);
			} catch {
				return;
			}
			usable++;
			const { valid } = validate(one, structuredClone(schema) as Schema, '2020-12');
			expect(found(JSON.stringify(one)) === undefined).toBe(valid);
		}),
	);
	// or the generator would prove little
	expect(usable / given).toBeGreaterThan(0.5);
});

const rows = <Row>(count: number, row: (index: number) => Row) =>
	Array.from({ length: count }, (_, index) => row(index));
const SELF = { properties: { next: { $ref: '#' } } };

// each of these would take minutes, hours or for ever if it took more than linear time
it.each<[string, object, unknown, object | undefined]>([
	[
		'a pattern that explodes',
		{ pattern: '^(a+)+$' },
		`${'a'.repeat(50_000)}!`,
		{ place: 'the top level' },
	],
	[
		'a name that explodes',
		{ propertyNames: { pattern: '^(a+)+$' } },
		{ [`${'a'.repeat(50_000)}!`]: 1 },
		{ place: 'the top level' },
	],
	[
		'a long list',
		{ items: { required: ['index'] } },
		rows(15_000, (index) => ({ index })),
		undefined,
	],
	['different items', { uniqueItems: true }, rows(500, (index) => ({ index })), undefined],
	[
		'a large map',
		{ propertyNames: { pattern: '^k' }, additionalProperties: { type: 'number' } },
		Object.fromEntries(rows(15_000, (index) => [`k${index}`, index])),
		undefined,
	],
])('checks %s', (_what, schema, value, fault) => {
	if (fault) expect(check(schema, value)).toMatchObject(fault);
	else expect(check(schema, value)).toBeUndefined();
});

it.each<[string, object, unknown]>([
	[
		'a schema that holds itself tries two ways at each level',
		{ anyOf: [SELF, SELF] },
		rows(100, () => 0).reduce<unknown>((next) => ({ next }), {}),
	],
	['many items have to differ', { uniqueItems: true }, rows(15_000, (index) => ({ index }))],
	[
		'many long texts have to match',
		{ items: { pattern: 'a' } },
		rows(150, () => 'a'.repeat(100_000)),
	],
])('gives up where %s', (_what, schema, value) => {
	const find = compileSchema({ ...schema });
	expect(() => find(JSON.stringify(value))).toThrow(
		'The value cannot be checked against the JSON schema: it would take too long',
	);
	// the next value has its own time
	expect(find('[]')).toBeUndefined();
});

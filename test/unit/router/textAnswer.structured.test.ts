import { ServiceError } from '../../../src/core/errors';
import { createStructuredReader } from '../../../src/router/textAnswer';
import fc, { character } from '../../support/fastCheck';

const TOP = 'the top level';
const ORDER = {
	type: 'object',
	required: ['items'],
	properties: { items: { items: { properties: { price: { type: 'number' } } } } },
};

it.each<[string, string, unknown]>([
	['an object', '{"a":1}', { a: 1 }],
	['a list', '[1]', [1]],
	['a text', '"a"', 'a'],
	['null', 'null', null],
	['false', 'false', false],
	['zero', '0', 0],
	['white space around', ' \r\n\t{"a":1}\u00a0\n', { a: 1 }],
	['a byte order mark', '\ufeff{"a":1}', { a: 1 }],
	['a code fence', '```json\n{"a":1}\n```', { a: 1 }],
	['a code fence without a language', '```\n{"a":1}\n```', { a: 1 }],
	['a code fence with other line ends', '```JSON\r\n{"a":1}\r\n```\r\n', { a: 1 }],
	['a code fence with words after it', '``` json title="x"\n{"a":1}\n```', { a: 1 }],
	['a code fence with white space around', '\n ```json\n\n  {"a":1}\n\n  ```  \n', { a: 1 }],
	['a byte order mark within a code fence', '```json\n\ufeff{"a":1}\n```', { a: 1 }],
	['a longer code fence', '````json\n{"a":"```"}\n````', { a: '```' }],
	['a code fence of tildes', '~~~\n{"a":1}\n~~~', { a: 1 }],
	['a code fence within a text', '"```\\n1\\n```"', '```\n1\n```'],
	['several lines in a code fence', '```json\n{\n"a":\n1}\n```', { a: 1 }],
	['an integer with many digits', '[12345678901234567890]', ['12345678901234567890']],
	['a key that could change a prototype', '{"__proto__":{"a":1},"b":2}', { b: 2 }],
])('reads %s', (_name, answer, parsed) => {
	expect(createStructuredReader()(answer)).toEqual({ parsed });
});

it.each<[string, string, string]>([
	['nothing', '', 'it is empty.'],
	['white space', ' \n\ufeff', 'it is empty.'],
	['an empty code fence', '```json\n\n```', 'it is empty.'],
	['words', 'Sure!', 'Unexpected token \'S\', "Sure!" is not valid JSON.'],
	['half of it', '{"a":[1,', 'Unexpected end of JSON input.'],
	[
		'words before it',
		'Here: {"a":1}',
		'Unexpected token \'H\', "Here: {"a":1}" is not valid JSON.',
	],
	[
		'two code fences',
		'```\n1\n```\n```\n2\n```',
		'Unexpected non-whitespace character after JSON at position 2 (line 2 column 1).',
	],
	[
		'a code fence without an end',
		'```json\n{"a":1}',
		'Unexpected token \'`\', "```json\n{"a":1}" is not valid JSON.',
	],
	[
		'a code fence with another end',
		'````\n1\n~~~',
		'Unexpected token \'`\', "````\n1\n~~~" is not valid JSON.',
	],
	[
		'words after a code fence',
		'```\n1\n```\nDone.',
		'Unexpected token \'`\', "```\n1\n```\nDone." is not valid JSON.',
	],
	[
		'what is nested too deeply',
		'['.repeat(201) + ']'.repeat(201),
		'nested more than 200 levels deep.',
	],
])('%s is not JSON', (_name, answer, reason) => {
	expect(createStructuredReader({})(answer)).toEqual({
		place: TOP,
		reason: `The answer is not JSON: ${reason}`,
	});
});

it('names the place that breaks the schema', () => {
	const read = createStructuredReader(ORDER);
	expect(read('{"items":[]}')).toEqual({ parsed: { items: [] } });
	expect(read('```\n{"items":[{},{"price":1},{"price":"2"}]}\n```')).toEqual({
		place: 'items[2].price',
		reason:
			'The answer breaks the JSON schema at items[2].price: The type "string" is invalid. Expected "number".',
	});
	expect(read('{}')).toEqual({
		place: TOP,
		reason:
			'The answer breaks the JSON schema at the top level: The value does not have required property "items".',
	});
});

it('checks what was sent, with all its digits and keys', () => {
	const read = createStructuredReader({
		properties: { a: { type: 'integer' } },
		additionalProperties: false,
	});
	expect(read('{"a":12345678901234567890}')).toEqual({ parsed: { a: '12345678901234567890' } });
	expect(read('{"__proto__":1}')).toMatchObject({ place: TOP });
});

it('refuses a schema that cannot be used before there is an answer', () => {
	expect(() => createStructuredReader({ type: 'text' })).toThrow(ServiceError);
});

it('gives a fault for an answer that cannot be checked', () => {
	const many = { additionalProperties: { allOf: [{ type: 'null' }, { type: 'null' }] } };
	const deep = Array.from({ length: 300 }).reduce<object>((inner) => ({ allOf: [inner] }), {
		$ref: '#/$defs/list',
	});
	const endless = { $defs: { list: { items: deep } }, ...deep };
	const answer = '['.repeat(200) + ']'.repeat(200);
	expect(createStructuredReader(many)('{"a":1}')).toMatchObject({ place: 'a' });
	expect(createStructuredReader(endless)(answer)).toEqual({
		place: TOP,
		reason:
			'The value cannot be checked against the JSON schema: it is nested too deeply, or too large.',
	});
});

it('reads back any JSON, in a fence or not', () => {
	const padding = fc.constantFrom('', ' ', '\n', '\r\n', '\ufeff');
	const read = createStructuredReader({});
	const fence = fc.constantFrom(['', ''], ['```json\n', '\n```'], ['~~~~\n', '\n~~~~']);
	fc.assert(
		fc.property(
			fc.jsonValue(),
			padding,
			fence,
			fc.constantFrom(undefined, 2),
			(value, space, around, indent) => {
				const text = JSON.stringify(value, null, indent);
				// what parseJson makes of these is its own matter
				fc.pre(!/__proto__|constructor|\d{16}/.test(text));
				const answer = `${space}${around[0]}${text}${around[1]}${space}`;
				expect(read(answer)).toEqual({ parsed: JSON.parse(text) as unknown });
			},
		),
	);
});

it('never throws at any text', () => {
	const text = fc.oneof(
		fc.string({ unit: character }),
		fc.string({ unit: fc.constantFrom('`', '\n', '{', '"', '1', '~', ' ') }),
	);
	const read = createStructuredReader(ORDER);
	fc.assert(
		fc.property(text, (answer) => {
			const result = read(answer);
			expect('parsed' in result || result.reason.startsWith('The answer ')).toBe(true);
		}),
	);
});

it('does not hang at a long text that only looks like a fence', () => {
	for (const answer of [`\`\`\`${'\n'.repeat(500_000)}\``, '`'.repeat(200_000) + '\n'.repeat(2000)])
		expect(createStructuredReader()(answer)).toMatchObject({ place: TOP });
});

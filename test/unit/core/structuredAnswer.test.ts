import { compileSchema } from '../../../src/core/jsonSchema';
import { createStructuredReader } from '../../../src/core/structuredAnswer';
import { toToolCall } from '../../../src/router/textAnswer';
import fc, { character } from '../../support/fastCheck';
import { ownRegex } from '../../support/regex';

const readerOf = (schema: Record<string, unknown>) =>
	createStructuredReader(compileSchema(schema, ownRegex));
const TOP = 'the top level';
const ORDER = {
	type: 'object',
	required: ['items'],
	properties: { items: { items: { properties: { price: { type: 'number' } } } } },
};

it.each([
	['a byte order mark', '\ufeff{"a":1}', { a: 1 }],
	['a code fence with other line ends', '```JSON\r\n{"a":1}\r\n```\r\n', { a: 1 }],
	['a code fence with words after it', '``` json title="x"\n{"a":1}\n```', { a: 1 }],
	['a code fence with white space around', '\n ```json\n\n  {"a":1}\n\n  ```  \n', { a: 1 }],
	['a byte order mark within a code fence', '```json\n\ufeff{"a":1}\n```', { a: 1 }],
	['thinking', '<think>\nWhich {"a"}?\n</think>\n\n{"a":1}', { a: 1 }],
	['a longer code fence', '````json\n{"a":"```"}\n````', { a: '```' }],
	['a code fence within a text', '"```\\n1\\n```"', '```\n1\n```'],
	['an integer with many digits', '[12345678901234567890]', ['12345678901234567890']],
	['a key that could change a prototype', '{"__proto__":{"a":1},"b":2}', { b: 2 }],
])('reads %s', (_name, answer, value) => {
	expect(createStructuredReader()(answer)).toEqual({ value });
});

const unexpected = (answer: string) =>
	`Unexpected token '${answer.charAt(0)}', "${answer}" is not valid JSON.`;

it.each([
	['nothing', '', 'it is empty.'],
	['white space', ' \n\ufeff', 'it is empty.'],
	['an empty code fence', '```json\n\n```', 'it is empty.'],
	['words', 'Sure!', unexpected('Sure!')],
	['half of it', '{"a":[1,', 'Unexpected end of JSON input.'],
	['a code fence without an end', '```json\n{"a":1}', unexpected('```json\n{"a":1}')],
	['a code fence with another end', '````\n1\n~~~', unexpected('````\n1\n~~~')],
	['words after a code fence', '```\n1\n```\nDone.', unexpected('```\n1\n```\nDone.')],
	['deep nesting', '['.repeat(201) + ']'.repeat(201), 'nested more than 200 levels deep.'],
	[
		'two code fences',
		'```\n1\n```\n```\n2\n```',
		'Unexpected non-whitespace character after JSON at position 2 (line 2 column 1).',
	],
])('%s is not JSON', (_name, answer, reason) => {
	const expected = { place: TOP, reason: `The answer is not JSON: ${reason}` };
	expect(readerOf({})(answer)).toEqual(expected);
});

it('names the place that breaks the schema', () => {
	const read = readerOf(ORDER);
	expect(read('{"items":[]}')).toEqual({ value: { items: [] } });
	expect(read('```\n{"items":[{},{"price":1},{"price":"2"}]}\n```')).toEqual({
		place: 'items[2].price',
		reason:
			'The answer breaks the JSON schema at items[2].price: The type "string" is invalid. Expected "number".',
	});
	expect(read('{}')).toMatchObject({ place: TOP });
});

it('checks what was sent, with all its digits and keys', () => {
	const read = readerOf({
		properties: { a: { type: 'integer' } },
		additionalProperties: false,
	});
	expect(read('{"a":12345678901234567890}')).toEqual({ value: { a: '12345678901234567890' } });
	expect(read('{"__proto__":1}')).toMatchObject({ place: TOP });
});

it('gives a fault for an answer that cannot be checked', () => {
	const deep = Array.from({ length: 300 }).reduce<object>((inner) => ({ allOf: [inner] }), {
		$ref: '#/$defs/list',
	});
	const endless = { $defs: { list: { items: deep } }, ...deep };
	expect(readerOf(endless)('['.repeat(200) + ']'.repeat(200))).toEqual({
		place: TOP,
		reason:
			'The value cannot be checked against the JSON schema: it is nested too deeply, or too large.',
	});
});

it('reads back any JSON, in a fence or not, and as the arguments of a call', () => {
	const padding = fc.constantFrom('', ' ', '\n', '\r\n', '\ufeff');
	const fence = fc.constantFrom(['', ''], ['```json\n', '\n```'], ['~~~~\n', '\n~~~~']);
	const read = readerOf({});
	const indent = fc.constantFrom(undefined, 2);
	fc.assert(
		fc.property(fc.jsonValue(), padding, fence, indent, (value, space, [open, close], by) => {
			const text = JSON.stringify(value, null, by);
			// what parseJson makes of these is its own matter
			fc.pre(!/__proto__|constructor|\d{16}/.test(text));
			const parsed = JSON.parse(text) as unknown;
			expect(read(`${space}${open}${text}${close}${space}`)).toEqual({ value: parsed });
			expect(toToolCall('c', 'f', text).arguments).toEqual(parsed);
		}),
	);
});

it('never throws at any text', () => {
	const text = fc.oneof(
		fc.string({ unit: character }),
		fc.string({ unit: fc.constantFrom('`', '\n', '{', '"', '1', '~', ' ') }),
	);
	const read = readerOf(ORDER);
	fc.assert(
		fc.property(text, (answer) => {
			const result = read(answer);
			expect('value' in result || result.reason.startsWith('The answer ')).toBe(true);
		}),
	);
});

it('does not hang at a long text that only looks like a fence', () => {
	for (const answer of [`\`\`\`${'\n'.repeat(500_000)}\``, '`'.repeat(200_000) + '\n'.repeat(2000)])
		expect(createStructuredReader()(answer)).toMatchObject({ place: TOP });
});

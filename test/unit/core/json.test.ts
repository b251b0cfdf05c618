import { isPlainObject, isTruncatedJson, parseJson, tryParseJson } from '../../../src/core/json';
import fc from '../../support/fastCheck';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

it.each([
	['{"__proto__":{"polluted":true},"a":1}', { a: 1 }],
	['{"\\u005f_proto__":{"polluted":true},"a":1}', { a: 1 }],
	['{"a":{"__proto__":{"polluted":true}}}', { a: {} }],
	['{"constructor":"Ferrari"}', { constructor: 'Ferrari' }],
	['[{"constructor":{"prototype":{"polluted":true}},"a":1}]', [{ a: 1 }]],
	['{"a":1,"a":2}', { a: 2 }],
])('%s cannot change a prototype', (text, expected) => {
	const parsed = parseJson(text);
	expect(JSON.stringify(parsed)).toBe(JSON.stringify(expected));
	const merged: object = Object.assign({}, parsed);
	expect('polluted' in merged || 'polluted' in {}).toBe(false);
});

const LARGE = '12345678901234567890';

it.each([
	['9007199254740991', 9007199254740991],
	['9007199254740993', '9007199254740993'],
	['{"id":12345678901234567890}', { id: '12345678901234567890' }],
	['[-9007199254740993]', ['-9007199254740993']],
	['1234567890123456.5', 1234567890123456.5],
	['"12345678901234567890"', '12345678901234567890'],
	['1234567890.123', 1234567890.123],
	['[0.12345678901234567890,1e300]', [0.12345678901234568, 1e300]],
	['1234567890123456e2', 1.234567890123456e17],
	[`{"a":"b\\",: ${LARGE}","c":${LARGE}}`, { a: `b",: ${LARGE}`, c: LARGE }],
	[`{"${LARGE}":"\\\\","a":[1, -${LARGE} ]}`, { [LARGE]: '\\', a: [1, `-${LARGE}`] }],
	['{"__proto__":{"a":1},"b":12345678901234567890}', { b: '12345678901234567890' }],
])('%s keeps all its digits', (text, expected) => {
	expect(parseJson(text)).toEqual(expected);
});

it('says which numbers would be rounded', () => {
	const rounded: string[] = [];
	const text =
		'[9007199254740993, 9007199254740991, 1e400, -1e400, 1e21, 0.1, 123456789012345678901234567890, "9007199254740993"]';
	parseJson(text, (number) => (rounded.push(number), '0'));
	expect(rounded.join()).toBe('9007199254740993,1e400,-1e400,123456789012345678901234567890');
});

it.each([
	['200 levels', nested(200), true],
	['201 levels', nested(201), false],
	['a million levels', nested(1_000_000), false],
	['a million objects', '{"a":'.repeat(1_000_000) + '1' + '}'.repeat(1_000_000), false],
	['brackets in a text', JSON.stringify('['.repeat(500)), true],
	['brackets behind an escaped quote', JSON.stringify(`\\"${'{'.repeat(500)}`), true],
	['brackets behind a backslash at the end of a text', `["\\\\",${nested(198)}]`, true],
	['a list of lists', `[${Array(500).fill('[]').join()}]`, true],
])('%s', (_name, text, allowed) => {
	if (allowed) expect(parseJson(text)).toEqual(JSON.parse(text));
	else expect(() => parseJson(text)).toThrow(new SyntaxError('nested more than 200 levels deep'));
});

it.each([[''], ['nonsense'], ['{'], ['{"a":1}x'], [nested(201)]])(
	'tryParseJson gives undefined for %.20j',
	(text) => {
		expect(tryParseJson(text)).toBeUndefined();
	},
);

it('counts nesting in linear time', () => {
	const text = JSON.stringify({ text: '\\"'.repeat(1_000_000) });
	expect(parseJson(text)).toEqual(JSON.parse(text));
});

it('reads everything else as JSON.parse does', () => {
	fc.assert(
		fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
			const plain = JSON.parse(text) as unknown;
			fc.pre(!/__proto__|constructor|\d{16}/.test(JSON.stringify(plain)));
			expect(parseJson(text)).toEqual(plain);
		}),
	);
});

it('an object is no list and not null', () => {
	expect([{}, [], null, '', 0, undefined].map(isPlainObject)).toEqual([
		true,
		false,
		false,
		false,
		false,
		false,
	]);
});

it.each([
	[true, ['{', '{"a"', '{"a":', '{"a":"b', '{"a":"b\\', '{"a":1,', '[1, 2', '[1, tru', '"a', '']],
	[false, ['{"a":1}', '{"a":1}{"b":2}', '[1] is a footnote', '[see below]', '{curly} braces']],
	[false, ['{"a":1} is what it said', 'hello']],
])('is cut JSON, %s: %j', (is, texts) => {
	expect(texts.map(isTruncatedJson)).toEqual(texts.map(() => is));
});

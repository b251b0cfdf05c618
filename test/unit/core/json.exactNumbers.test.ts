import { parseJsonExactly, findRoundedNumber } from '../../../src/core/json';

it.each([
	'{"seed":12345678901234567890}',
	'{"seed":-12345678901234567890,"n":1}',
	'[9007199254740993,1.5,1e3]'.replace('1e3', '1000'),
	'{"a":{"b":[18446744073709551615]}}',
	'{"a":1e400}',
	'{"a":"12345678901234567890"}',
	'{"a":9007199254740991}',
	'12345678901234567890',
	'{"a":123456789012345678901234567890123456789012345678901234567890}',
])('%s is sent as it was written', (text) => {
	expect(JSON.stringify(parseJsonExactly(text))).toBe(text);
});

it('what is harmful is dropped as ever', () => {
	const value = parseJsonExactly(
		'{"__proto__":{"a":1},"constructor":{"prototype":{}},"b":12345678901234567890}',
	);
	expect(JSON.stringify(value)).toBe('{"b":12345678901234567890}');
	expect(() => parseJsonExactly('{')).toThrow(SyntaxError);
	expect(() => parseJsonExactly('['.repeat(300) + ']'.repeat(300))).toThrow('levels deep');
});

it('where Node has no such values, that is said', () => {
	const json = JSON as { rawJSON?: unknown };
	const { rawJSON } = json;
	delete json.rawJSON;
	try {
		expect(() => parseJsonExactly('{"a":12345678901234567890}')).toThrow(
			'12345678901234567890 has more digits than this version of Node keeps',
		);
		expect(parseJsonExactly('{"a":1}')).toEqual({ a: 1 });
	} finally {
		json.rawJSON = rawJSON;
	}
});

it.each<[unknown, number | undefined]>([
	[{ a: [1, 2 ** 53] }, 2 ** 53],
	[[{ b: 12345678901234567000 }], 12345678901234567000],
	[{ a: 1e21, b: 1e300, c: 0.1, d: Number.MAX_SAFE_INTEGER }, undefined],
	[{ a: '12345678901234567890' }, undefined],
	[parseJsonExactly('{"a":12345678901234567890}'), undefined],
	[null, undefined],
])('in %j the number that was rounded is %j', (value, rounded) => {
	expect(findRoundedNumber(value)).toBe(rounded);
});

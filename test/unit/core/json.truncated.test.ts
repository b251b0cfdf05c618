import { isTruncatedJson, isKeepAlive, parseConcatenatedObjects } from '../../../src/core/json';

it.each([
	['{', true],
	['{"a"', true],
	['{"a":', true],
	['{"a":"b', true],
	['{"a":"b\\', true],
	['{"a":1,', true],
	['[1, 2', true],
	['[1, tru', true],
	['"a', true],
	['{"a":1} {"b":', true],
	['{"a":1}{"b":2}{', true],
	['{"a":1}', false],
	['{"a":1}{"b":2}', false],
	['[1] is a footnote', false],
	['[see below]', false],
	['{curly} braces', false],
	['{"a":1} is what it said', false],
	['hello', false],
	['', true],
])('%s is cut JSON: %s', (text, is) => {
	expect(isTruncatedJson(text)).toBe(is);
});

it('looks at two hundred thousand objects in a row in linear time', () => {
	const text = '{} '.repeat(200_000);
	expect(isTruncatedJson(text)).toBe(false);
	expect(parseConcatenatedObjects(text)).toHaveLength(200_000);
	expect(isTruncatedJson(`${text}{"a":`)).toBe(true);
});

it.each<[string, unknown]>([
	['{"a":1}{"b":"}{"}', [{ a: 1 }, { b: '}{' }]],
	['{"a":1}\n\n{"b":2}\n', [{ a: 1 }, { b: 2 }]],
	['{"a":1}', undefined],
	['{"a":1},{"b":2}', undefined],
	['{"a":1}{"b":', undefined],
	['{"a":1}{b}', undefined],
	['[1][2]', undefined],
	['', undefined],
])('the objects in %s are %j', (text, objects) => {
	expect(parseConcatenatedObjects(text)).toEqual(objects);
});

it.each([
	...['ping', 'PING', 'ping 2024-01-01T00:00:00Z', 'pong', 'keep-alive', 'keepalive', 'heartbeat'],
	...[': hi', '.', '...', '--', '💓', 'OK', 'connected', 'None', 'no-op'],
])('%s is a sign of life', (text) => {
	expect(isKeepAlive(text)).toBe(true);
});

it.each(['{', '{"a"', '["a', '"ping', 'pingpong ball', 'okra', 'hello', 'a b', '17 apples'])(
	'%s is none',
	(text) => {
		expect(isKeepAlive(text)).toBe(false);
	},
);

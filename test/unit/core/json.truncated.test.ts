import { isTruncatedJson } from '../../../src/core/json';

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

import { parseRetryAfter } from '../../../src/core/http';

const NOW = Date.UTC(2026, 9, 21, 7, 28, 0);

it.each([
	['0', 0],
	['1', 1000],
	[' 30 ', 30_000],
	['0.5', 500],
	['86400', 86_400_000],
	['2020', 2_020_000],
	['1000000000', 1e12],
	['Wed, 21 Oct 2026 07:28:10 GMT', 10_000],
	['Wed, 21 Oct 2026 07:27:00 GMT', 0],
	['Wednesday, 21-Oct-26 07:28:05 GMT', 5000],
	['Wed Oct 21 07:28:07 2026 GMT', 7000],
])('%j asks for %d ms', (header, expected) => {
	expect(parseRetryAfter(header, NOW)).toBe(expected);
});

it.each([
	[undefined, '', '   ', '-1', 'soon', 'NaN', 'Infinity', '1e9', '0x10', '1,5', '5s'],
	['2026-10-21T07:28:10Z', 'Wed, 99 Foo 2026', '9'.repeat(30)],
])('%j, %j, %j and the like make no sense', (...headers) => {
	expect(headers.map((header) => parseRetryAfter(header, NOW))).toEqual(
		headers.map(() => undefined),
	);
});

import { parseRetryAfter, readWait } from '../../../src/core/http';

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

it.each([
	['Google', '{"details":[{"@type":"google.rpc.RetryInfo","retryDelay": "34.4s"}]}', 34_400],
	['Google, in words', 'You exceeded your current quota. Please retry in 34.074824224s.', 34_074],
	['Azure', 'rate limit of your current S0 tier. Please retry after 26 seconds.', 26_000],
	['GitHub', 'Rate limit of 10 per 60s exceeded. Please wait 45 seconds before retrying.', 45_000],
	['OpenAI', 'Limit 3, Used 3, Requested 1. Please try again in 20s.', 20_000],
	['OpenAI, for long', 'Please try again in 114h18m0s. Visit', 411_480_000],
	['less than a second', 'Please try again in 120ms.', undefined],
	['others', 'temporarily rate-limited upstream. Please retry shortly', undefined],
])('the wait that %s asks for in a body', (_who, body, expected) => {
	const wait = readWait(429, body);
	expect(wait && Math.floor(wait)).toBe(expected);
});

import fc from 'fast-check';

import {
	microUsdWithin,
	product,
	readCount,
	readDecimal,
	readWhole,
	roundedUpSum,
} from '../../../src/router/decimal';

it.each<[unknown, bigint, number]>([
	[0, 0n, 0],
	[-0, 0n, 0],
	[0.07, 7n, 2],
	['0.07', 7n, 2],
	[' 1.50 ', 150n, 2],
	['007', 7n, 0],
	['.5', 5n, 1],
	['5.', 5n, 0],
	[1e-7, 1n, 7],
	['1E-7', 1n, 7],
	['2.5e3', 2500n, 0],
	['2.5e+1', 25n, 0],
	['2.55e1', 255n, 1],
	[1e21, 10n ** 21n, 0],
	[5e-324, 5n, 324],
	[Number.MAX_VALUE, 17976931348623157n * 10n ** 292n, 0],
	[0.1 + 0.2, 30000000000000004n, 17],
])('%p is read without rounding', (value, digits, scale) => {
	expect(readDecimal(value)).toEqual({ digits, scale });
});

it.each<[unknown]>([
	[undefined],
	[null],
	[''],
	[' '],
	['.'],
	['e5'],
	['.e5'],
	['free'],
	['$0.07'],
	['0,07'],
	['0x10'],
	['1_000'],
	['1 0'],
	['-1'],
	['+1'],
	[-0.01],
	[NaN],
	[Infinity],
	['Infinity'],
	[true],
	[5n],
	[[1]],
	[{}],
	['1e9999'],
	['1'.repeat(61)],
])('%p is no decimal number', (value) => {
	expect(readDecimal(value)).toBeUndefined();
});

it('reads every number exactly as JavaScript writes it', () => {
	fc.assert(
		fc.property(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), (value) => {
			const { digits, scale } = readDecimal(value)!;
			expect(Number(`${digits}e-${scale}`)).toBe(value);
			expect(readDecimal(String(value))).toEqual({ digits, scale });
		}),
		{ numRuns: 2000 },
	);
});

it('never throws and never gives a negative number or scale', () => {
	fc.assert(
		fc.property(fc.anything(), (value) => {
			const read = readDecimal(value);
			expect(read === undefined || (read.digits >= 0n && read.scale >= 0)).toBe(true);
		}),
		{ numRuns: 2000 },
	);
});

it.each<[unknown, bigint | undefined, number | undefined]>([
	[0, 0n, 0],
	['12', 12n, 12],
	[' 12 ', 12n, 12],
	[-3, -3n, undefined],
	['-3', -3n, undefined],
	[Number.MAX_SAFE_INTEGER, 2n ** 53n - 1n, 2 ** 53 - 1],
	['9007199254740992', 2n ** 53n, undefined],
	['12345678901234567890', 12345678901234567890n, undefined],
	['1'.repeat(31), undefined, undefined],
	[1.5, undefined, undefined],
	['1.0', undefined, undefined],
	['1e3', undefined, undefined],
	['', undefined, undefined],
	[null, undefined, undefined],
	[true, undefined, undefined],
	[[5], undefined, undefined],
])('%p is the whole number %p and the count %p', (value, whole, count) => {
	expect(readWhole(value)).toBe(whole);
	expect(readCount(value)).toBe(count);
});

it.each<[Array<[bigint, unknown]>, bigint]>([
	[[], 0n],
	[[[100n, 0.07]], 7n],
	[[[101n, 0.07]], 8n],
	[[[1n, 1e-7]], 1n],
	[[[10_000_000n, 1e-7]], 1n],
	// each of the three is rounded down to nothing, or up to one: together they are one
	[
		[
			[1n, 0.3],
			[1n, 0.3],
			[1n, '0.4'],
		],
		1n,
	],
	[
		[
			[1n, 0.3],
			[1n, 0.3],
			[1n, '0.4001'],
		],
		2n,
	],
	[
		[
			[3n, 2],
			[2n, 0.25],
		],
		7n,
	],
])('%p is rounded up once', (parts, sum) => {
	expect(roundedUpSum(parts.map(([count, price]) => [count, readDecimal(price)!]))).toBe(sum);
});

it('multiplies without rounding', () => {
	expect(product()).toEqual({ digits: 1n, scale: 0 });
	expect(product({ digits: 7n, scale: 2 }, { digits: 11n, scale: 1 })).toEqual({
		digits: 77n,
		scale: 3,
	});
});

it.each<[unknown, bigint | undefined]>([
	[1, 1_000_000n],
	[0.07, 70_000n],
	['0.000001', 1n],
	[0.0000019, 1n],
	[0, 0n],
	[-1, undefined],
	['much', undefined],
])('%j dollars allow %d micro-dollars', (usd, microUsd) => {
	expect(microUsdWithin(usd)).toBe(microUsd);
});

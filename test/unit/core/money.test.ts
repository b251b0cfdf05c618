import Big from 'big.js';

import {
	divideRoundedDown,
	floorToMicroUsd,
	formatUsd,
	readCount,
	readDecimal,
	readInteger,
	sumRoundedUp,
	toUsd,
} from '../../../src/core/money';
import fc from '../../support/fastCheck';

it.each([
	[0, '0'],
	[0.07, '0.07'],
	['0.07', '0.07'],
	[' 1.50 ', '1.5'],
	['007', '7'],
	['.5', '0.5'],
	['5.', '5'],
	[1e-7, '0.0000001'],
	['1E-7', '0.0000001'],
	['2.5e3', '2500'],
	['2.55e1', '25.5'],
	[5e-324, `0.${'0'.repeat(323)}5`],
	[Number.MAX_VALUE, `17976931348623157${'0'.repeat(292)}`],
	[0.1 + 0.2, '0.30000000000000004'],
])('%p is read without rounding', (value, digits) => {
	expect(readDecimal(value)?.toFixed()).toBe(digits);
});

it.each([
	[[undefined, null, '', ' ', '.', 'e5', '.e5', 'free', '$0.07', '0,07', '0x10', '1_000', '1 0']],
	[['-1', '+1', -0.01, NaN, Infinity, 'Infinity', true, 5n, [1], {}, '1e9999', '1'.repeat(61)]],
])('%p are no decimal numbers', (values) => {
	expect(values.map(readDecimal)).toEqual(values.map(() => undefined));
});

it('reads every number exactly as JavaScript writes it', () => {
	fc.assert(
		fc.property(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), (value) => {
			expect(readDecimal(value)!.toNumber()).toBe(value);
			expect(readDecimal(String(value))).toEqual(readDecimal(value));
		}),
	);
});

it.each([
	[0, '0', 0],
	['12', '12', 12],
	[' 12 ', '12', 12],
	[-3, '-3', undefined],
	['-3', '-3', undefined],
	[Number.MAX_SAFE_INTEGER, '9007199254740991', 2 ** 53 - 1],
	['9007199254740992', '9007199254740992', undefined],
	['12345678901234567890', '12345678901234567890', undefined],
	['1'.repeat(31), undefined, undefined],
	[1.5, undefined, undefined],
	['1.0', undefined, undefined],
	['1e3', undefined, undefined],
	['', undefined, undefined],
	[null, undefined, undefined],
	[true, undefined, undefined],
	[[5], undefined, undefined],
])('%p is the whole number %p and the count %p', (value, whole, count) => {
	expect(readInteger(value)?.toFixed()).toBe(whole);
	expect(readCount(value)).toBe(count);
});

it.each([
	[0, {}],
	[7, { 0.07: 100 }],
	[8, { 0.07: 101 }],
	[1, { 1e-7: 1 }],
	[1, { 1e-7: 10_000_000 }],
	// each of the three is rounded down to nothing, or up to one: together they are one
	[1, { 0.3: 1, '0.30': 1, 0.4: 1 }],
	[2, { 0.3: 1, '0.30': 1, 0.4001: 1 }],
	[7, { 2: 3, 0.25: 2 }],
])('%d is the sum, rounded up once, of %p', (sum, parts) => {
	const read = Object.entries(parts).map(([price, count]) => [count, readDecimal(price)!] as const);
	expect(sumRoundedUp(read.map(([count, price]) => [count, price])).toNumber()).toBe(sum);
});

it('counts how many whole times a part fits, however near the next one is', () => {
	expect(divideRoundedDown(Big(7), Big(2)).toNumber()).toBe(3);
	// nearer to 3 than the library's twenty places tell
	expect(divideRoundedDown(Big(3).minus('1e-30'), Big(1)).toNumber()).toBe(2);
	const amount = fc.bigInt({ min: 0n, max: 10n ** 30n });
	fc.assert(
		fc.property(amount, fc.bigInt({ min: 1n, max: 10n ** 25n }), (whole, part) => {
			const [one, other] = [Big(String(whole)), Big(String(part)).times('1e-5')];
			expect(divideRoundedDown(one, other).toFixed()).toBe(String((whole * 100_000n) / part));
		}),
	);
});

it.each([
	[1, 1_000_000],
	[0.07, 70_000],
	['0.000001', 1],
	[0.0000019, 1],
	[0, 0],
	[-1, undefined],
	['much', undefined],
])('%j dollars allow %d micro-dollars', (usd, microUsd) => {
	expect(floorToMicroUsd(usd)?.toNumber()).toBe(microUsd);
});

it('shows any amount of micro-dollars in dollars, and loses nothing of it', () => {
	const amounts = [100_000, ' 0001234500 ', Big('0.1')];
	expect(amounts.map(formatUsd)).toEqual(['$0.10', '$1.2345', '$0.0000001']);
	fc.assert(
		fc.property(fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n }), (amount) => {
			const shown = formatUsd(String(amount)) ?? '';
			expect(shown).toMatch(/^-?\$(0|[1-9]\d*)\.\d{2,6}$/);
			const [whole = '', fraction = ''] = shown.replace('$', '').split('.');
			expect(BigInt(whole + fraction.padEnd(6, '0'))).toBe(amount);
		}),
	);
	const none = [0.5, '1.5', '1e6', NaN, Infinity, '  ', '$5', null, undefined, true, {}, [5]];
	for (const one of [...none, '1'.repeat(31)])
		expect([one, formatUsd(one)]).toEqual([one, undefined]);
});

describe('toUsd', () => {
	it.each([
		[0, 0],
		[1, 0.000001],
		['40000', 0.04],
		[Big(123_456_789), 123.456789],
		[-5, -0.000005],
		['9007199254740993', 9007199254.740993],
		// more digits than a number keeps
		['90071992547409931', undefined],
		[Big('1e400'), undefined],
		[0.5, undefined],
		['many', undefined],
		[null, undefined],
		[undefined, undefined],
	])('%p micro-dollars are %p', (microUsd, usd) => {
		expect(toUsd(microUsd)).toBe(usd);
	});

	it('is exact to six places', () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 10 ** 12 }), (microUsd) => {
				const digits = toUsd(microUsd)!.toFixed(6).replace('.', '').replace(/^0+/, '');
				expect(digits).toBe(String(microUsd));
			}),
		);
	});
});

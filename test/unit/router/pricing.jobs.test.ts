import { minimumJobCost } from '../../../src/router/pricing';
import fc from '../../support/fastCheck';

const least = (unit: unknown, perUnit: unknown, body: Record<string, unknown> = {}) =>
	minimumJobCost({ unit, per_unit: perUnit }, body);

it.each<[string, unknown, Record<string, unknown>, number, string]>([
	['image', 0.04, {}, 40_000, '1 image at $0.04'],
	['image', 0.04, { n: 4 }, 160_000, '4 images at $0.04'],
	['image', '0.04', { n: '4' }, 160_000, '4 images at $0.04'],
	['image', 0.04, { num_images: 3, n: 4 }, 120_000, '3 images at $0.04'],
	['image', 0.04, { n: 'four', count: 0 }, 40_000, '1 image at $0.04'],
	['image', 0.04, { n: null, count: -2 }, 40_000, '1 image at $0.04'],
	['image', 0.04, { duration: 9 }, 40_000, '1 image at $0.04'],
	['video', 0.35, { n: 2, duration: 9 }, 700_000, '2 videos at $0.35'],
	['second', 0.1, {}, 100_000, '1 second at $0.10'],
	['second', 0.1, { duration: 8 }, 800_000, '8 seconds at $0.10'],
	['second', 0.1, { seconds: '8s' }, 800_000, '8 seconds at $0.10'],
	['second', 0.1, { seconds: '7.5 sec' }, 750_000, '7.5 seconds at $0.10'],
	['second', 0.1, { duration: '5 seconds', n: 2 }, 1_000_000, '10 seconds at $0.10'],
	['second', 0.1, { duration: 10, duration_seconds: 6 }, 600_000, '6 seconds at $0.10'],
	['second', 0.07, { duration: 1.1 }, 77_000, '1.1 seconds at $0.07'],
	['request', 0.015, { n: 5, duration: 9, prompt: 'x' }, 15_000, '1 request at $0.015'],
	['1k_characters', 0.015, { prompt: 'hello' }, 75, '5 characters at $0.015 per 1,000'],
	['1k_characters', 0.015, { prompt: '😀é' }, 30, '2 characters at $0.015 per 1,000'],
	['1k_characters', 0.0001, { text: 'x' }, 1, '1 character at $0.0001 per 1,000'],
	['1k_characters', 0.015, { prompt: '', input: 'ab' }, 30, '2 characters at $0.015 per 1,000'],
	['1k_characters', 0.015, { prompt: 7 }, 15_000, '1 unit at $0.015'],
	['minute', 2, { n: 3 }, 2_000_000, '1 unit at $2.00'],
	['image', 0, {}, 0, '1 image at $0.00'],
	['image', 1e-7, {}, 1, '1 image at $0.0000001'],
])('per %s at %j, %j', (unit, price, body, microUsd, counted) => {
	const bound = least(unit, price, body)!;
	expect([bound.microUsd.toNumber(), bound.isLeast]).toEqual([microUsd, true]);
	expect(bound.advise('The Cap')).toBe(
		`The catalog has the price of the cheapest configuration: ${counted}. Ask for less, or raise "The Cap".`,
	);
});

it.each([[undefined], [null], [''], ['free'], [-1], [{}]])('%j is no price', (price) => {
	expect(least('image', price)).toBeUndefined();
});

it('nothing is known without prices', () => {
	expect(minimumJobCost(undefined, {})).toBeUndefined();
	expect(minimumJobCost([0.04], {})).toBeUndefined();
});

it('is exact to the micro-dollar, however the decimals fall', () => {
	fc.assert(
		fc.property(fc.nat(1_000_000), fc.integer({ min: 1, max: 1000 }), (millionths, n) => {
			const price = `0.${String(millionths).padStart(7, '0')}`;
			const tenths = BigInt(millionths) * BigInt(n);
			expect(least('image', price, { n })?.microUsd.toFixed()).toBe(String((tenths + 9n) / 10n));
		}),
	);
});

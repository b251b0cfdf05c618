import { textCost } from '../../../src/router/pricing';
import fc from '../../support/fastCheck';

const PRICING = { input_per_mtok: 0.5, output_per_mtok: 1.5, cached_input_per_mtok: 0.05 };

describe('textCost', () => {
	it.each<[string, unknown, unknown, number]>([
		['both kinds', PRICING, { prompt_tokens: 1000, completion_tokens: 200 }, 800],
		['the responses protocol', PRICING, { input_tokens: 1000, output_tokens: 200 }, 800],
		[
			'0.07 x 100, which is 7.000000000000001 in floating point',
			{ input_per_mtok: 0.07 },
			{ prompt_tokens: 100, completion_tokens: 0 },
			7,
		],
		[
			'0.1 + 0.2, which is 0.30000000000000004 in floating point',
			{ input_per_mtok: 0.1, output_per_mtok: 0.2 },
			{ prompt_tokens: 10, completion_tokens: 10 },
			3,
		],
		[
			'prices and counts as text',
			{ input_per_mtok: '0.07', output_per_mtok: '1e-7' },
			{ prompt_tokens: '100', completion_tokens: '0' },
			7,
		],
		[
			'one token of a cheap model',
			{ input_per_mtok: 1e-7 },
			{ prompt_tokens: 1, completion_tokens: 0 },
			1,
		],
		[
			'one rounding up, not two',
			{ input_per_mtok: 0.4, output_per_mtok: 0.4 },
			{ prompt_tokens: 1, completion_tokens: 1 },
			1,
		],
		[
			'a model that is free, by the least charge',
			{ input_per_mtok: 0, output_per_mtok: 0 },
			{ prompt_tokens: 5, completion_tokens: 5 },
			1,
		],
		['no token', PRICING, { prompt_tokens: 0, completion_tokens: 0 }, 0],
		['no token, without prices', {}, { prompt_tokens: 0, completion_tokens: 0 }, 0],
		[
			'hidden reasoning, which is in the output already',
			PRICING,
			{
				prompt_tokens: 0,
				completion_tokens: 200,
				completion_tokens_details: { reasoning_tokens: 150 },
				reasoning_tokens: 150,
			},
			300,
		],
		[
			'cached tokens',
			PRICING,
			{ prompt_tokens: 1000, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 600 } },
			230,
		],
		[
			'cached tokens of the responses protocol',
			PRICING,
			{ input_tokens: 1000, output_tokens: 0, input_tokens_details: { cached_tokens: '600' } },
			230,
		],
		[
			'cached tokens without a price of their own',
			{ input_per_mtok: 0.5, cached_input_per_mtok: null },
			{ prompt_tokens: 1000, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 600 } },
			500,
		],
		[
			'cached tokens that are free',
			{ input_per_mtok: 0.5, cached_input_per_mtok: 0 },
			{ prompt_tokens: 1000, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 600 } },
			200,
		],
		[
			'more cached than prompt tokens',
			PRICING,
			{ prompt_tokens: 100, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 600 } },
			5,
		],
		[
			'a cached count that is none',
			PRICING,
			{ prompt_tokens: 1000, completion_tokens: 0, prompt_tokens_details: { cached_tokens: -600 } },
			500,
		],
		[
			'cached tokens alone, where only their price is known',
			{ cached_input_per_mtok: 0.05 },
			{ prompt_tokens: 100, completion_tokens: 0, cached_tokens: 100 },
			5,
		],
		[
			'a count in the one place that can be read',
			PRICING,
			{ prompt_tokens: null, input_tokens: 1000, completion_tokens: 'many', output_tokens: 200 },
			800,
		],
	])('%s', (_name, pricing, usage, expected) => {
		expect(textCost(pricing, usage)).toEqual(expected);
	});

	it.each([
		['prompt_tokens_details', { cached_tokens: 600 }],
		['input_tokens_details', { cached_tokens: 600 }],
		['input_token_details', { cache_read: 600 }],
		['cached_tokens', 600],
		['prompt_cache_hit_tokens', 600],
		['cache_read_input_tokens', 600],
	])('finds the cached tokens in %s', (field, value) => {
		const usage = { prompt_tokens: 1000, completion_tokens: 0, [field]: value };
		expect(textCost(PRICING, usage)).toEqual(230);
	});

	it.each([undefined, null, -1, NaN, Infinity, '', 'free', true, [], {}])(
		'takes %p for no price, never for zero',
		(price) => {
			const usage = { prompt_tokens: 1, completion_tokens: 1 };
			expect(textCost({ ...PRICING, input_per_mtok: price }, usage)).toBeUndefined();
			expect(textCost({ ...PRICING, output_per_mtok: price }, usage)).toBeUndefined();
			// a price that nothing is multiplied with is not needed
			expect(
				textCost(
					{ ...PRICING, output_per_mtok: price },
					{ prompt_tokens: 2, completion_tokens: 0 },
				),
			).toEqual(1);
			expect(
				textCost({ ...PRICING, input_per_mtok: price }, { prompt_tokens: 0, completion_tokens: 2 }),
			).toEqual(3);
		},
	);

	it.each<[string, unknown, unknown]>([
		['no prices', undefined, { prompt_tokens: 1, completion_tokens: 1 }],
		['prices that are no object', [0.5], { prompt_tokens: 1, completion_tokens: 1 }],
		['no usage', PRICING, undefined],
		['usage that is no object', PRICING, [1, 1]],
		['no output count', PRICING, { prompt_tokens: 1 }],
		['no prompt count', PRICING, { completion_tokens: 1 }],
		['a count that is no whole number', PRICING, { prompt_tokens: 1.5, completion_tokens: 1 }],
		['a negative count', PRICING, { prompt_tokens: 1, completion_tokens: -1 }],
		[
			'more than can be told exactly',
			{ ...PRICING, input_per_mtok: 1e10 },
			{ prompt_tokens: 1_000_000, completion_tokens: 1 },
		],
	])('gives nothing for %s', (_name, pricing, usage) => {
		expect(textCost(pricing, usage)).toBeUndefined();
	});

	it('is the sum of counts times prices, rounded up once, for any of them', () => {
		const price = fc.record({
			digits: fc.integer({ min: 0, max: 99_999_999 }),
			places: fc.integer({ min: 0, max: 7 }),
		});
		const tokens = fc.integer({ min: 0, max: 10_000_000 });
		const textOf = ({ digits, places }: { digits: number; places: number }) =>
			String(digits)
				.padStart(places + 1, '0')
				.replace(new RegExp(`(\\d{${places}})$`), '.$1')
				.replace(/\.$/, '');
		// in units of 10^-7
		const exact = ({ digits, places }: { digits: number; places: number }) =>
			BigInt(digits) * 10n ** BigInt(7 - places);
		fc.assert(
			fc.property(price, price, price, tokens, tokens, tokens, (input, cached, output, a, b, c) => {
				const pricing = {
					input_per_mtok: Number(textOf(input)),
					cached_input_per_mtok: textOf(cached),
					output_per_mtok: Number(textOf(output)),
				};
				const usage = { prompt_tokens: a + b, cached_tokens: b, completion_tokens: c };
				const sum =
					BigInt(a) * exact(input) + BigInt(b) * exact(cached) + BigInt(c) * exact(output);
				const whole = sum / 10_000_000n + (sum % 10_000_000n ? 1n : 0n);
				const least = a + b + c ? 1n : 0n;
				const expected = whole > least ? whole : least;
				expect(textCost(pricing, usage)).toEqual(
					expected > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(expected),
				);
			}),
		);
	});

	it('never throws, and never gives anything but a whole number', () => {
		fc.assert(
			fc.property(fc.anything(), fc.anything(), (price, count) => {
				for (const [pricing, usage] of [
					[price, count],
					[
						{ ...PRICING, input_per_mtok: price },
						{ prompt_tokens: count, completion_tokens: count },
					],
				]) {
					const microUsd = textCost(pricing, usage) ?? 0;
					expect(Number.isSafeInteger(microUsd) && microUsd >= 0).toBe(true);
				}
			}),
		);
	});
});

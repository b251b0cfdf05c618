import fc from 'fast-check';

import {
	DEFAULT_ALLOWANCE,
	holdBound,
	largestOutput,
	promptBound,
	textCost,
} from '../../../src/router/prices';

const PRICING = { input_per_mtok: 0.5, output_per_mtok: 1.5, cached_input_per_mtok: 0.05 };
const cost = (microUsd: number) => ({ microUsd, usd: microUsd / 1e6, computed: true });

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
		expect(textCost(pricing, usage)).toEqual(cost(expected));
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
		expect(textCost(PRICING, usage)).toEqual(cost(230));
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
			).toEqual(cost(1));
			expect(
				textCost({ ...PRICING, input_per_mtok: price }, { prompt_tokens: 0, completion_tokens: 2 }),
			).toEqual(cost(3));
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

	it('gives dollars that are exact to six places', () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 10 ** 12 }), (tokens) => {
				const usage = { prompt_tokens: tokens, completion_tokens: 0 };
				const { microUsd, usd } = textCost({ input_per_mtok: 1 }, usage)!;
				expect(microUsd).toBe(tokens);
				expect(usd.toFixed(6).replace('.', '').replace(/^0+/, '')).toBe(String(tokens));
			}),
		);
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
					expected > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : cost(Number(expected)),
				);
			}),
			{ numRuns: 2000 },
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
					const { microUsd = 0 } = textCost(pricing, usage) ?? {};
					expect(Number.isSafeInteger(microUsd) && microUsd >= 0).toBe(true);
				}
			}),
			{ numRuns: 2000 },
		);
	});
});

const messages = [{ role: 'user', content: 'Hello!' }];

describe('holdBound', () => {
	it.each<[string, Record<string, unknown>, number]>([
		['no cap', {}, DEFAULT_ALLOWANCE],
		['a cap that is null', { max_tokens: null }, 4096],
		['max_tokens', { max_tokens: 100 }, 100],
		['max_completion_tokens', { max_completion_tokens: 100 }, 100],
		['max_output_tokens', { max_output_tokens: '100' }, 100],
		['the largest of several caps', { max_tokens: 5, max_completion_tokens: 100 }, 100],
		['a cap of zero', { max_tokens: 0 }, 0],
		['several choices', { max_tokens: 100, n: 3 }, 300],
		['several choices without a cap', { n: 2 }, 8192],
	])('holds for %s', (_name, fields, outputTokens) => {
		// 6 bytes and the frame of one message
		expect(holdBound(PRICING, { messages, ...fields })).toEqual({
			cost: cost(11 + outputTokens * 1.5),
			promptTokens: 22,
			outputTokens,
		});
	});

	it('is rounded up once', () => {
		const pricing = { input_per_mtok: 0.1, output_per_mtok: 0.2 };
		// 2.2 + 0.6 is 2.8; rounded one by one it would be 4
		expect(holdBound(pricing, { messages, max_tokens: 3 })).toMatchObject({ cost: cost(3) });
	});

	it('needs the least charge for a model that is free', () => {
		const pricing = { input_per_mtok: 0, output_per_mtok: 0 };
		expect(holdBound(pricing, { messages })).toMatchObject({ cost: cost(1) });
	});

	it.each<[string, unknown, Record<string, unknown>, string]>([
		[
			'input price',
			{ output_per_mtok: 1 },
			{ messages },
			'The catalog has no price for the input tokens of this model.',
		],
		[
			'output price',
			{ input_per_mtok: 1, output_per_mtok: null },
			{ messages },
			'The catalog has no price for the output tokens of this model.',
		],
		[
			'price at all',
			undefined,
			{ messages },
			'The catalog has no price for the input tokens of this model.',
		],
		[
			'cap that can be read',
			PRICING,
			{ messages, max_tokens: -1 },
			'The cap on output tokens or the number of choices is not a whole number.',
		],
		[
			'number of choices that can be read',
			PRICING,
			{ messages, n: 0 },
			'The cap on output tokens or the number of choices is not a whole number.',
		],
		[
			'amount that can be told',
			PRICING,
			{ messages, max_tokens: Number.MAX_SAFE_INTEGER },
			'The largest possible cost is too large to be told.',
		],
		[
			'text alone',
			PRICING,
			{ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
			'A message holds "image_url", and how many tokens that takes is not known before the request.',
		],
	])('has no bound without %s', (_name, pricing, body, unbounded) => {
		expect(holdBound(pricing, body)).toEqual({ unbounded });
	});

	it('needs no price for what there is none of', () => {
		expect(holdBound({ output_per_mtok: 1 }, { max_tokens: 5 })).toMatchObject({ cost: cost(5) });
		expect(holdBound({ input_per_mtok: 1 }, { messages, max_tokens: 0 })).toMatchObject({
			cost: cost(22),
		});
	});

	it('is never less than what any usage within it costs', () => {
		const price = fc.double({ min: 0, max: 100, noNaN: true });
		const share = fc.double({ min: 0, max: 1, noNaN: true });
		fc.assert(
			fc.property(price, price, share, share, fc.string(), (input, output, a, b, content) => {
				const pricing = { input_per_mtok: input, output_per_mtok: output };
				const held = holdBound(pricing, { messages: [{ role: 'user', content }], n: 2 });
				if ('unbounded' in held) throw new Error(held.unbounded);
				const usage = {
					prompt_tokens: Math.floor(held.promptTokens * a),
					completion_tokens: Math.floor(held.outputTokens * b),
				};
				expect(textCost(pricing, usage)!.microUsd).toBeLessThanOrEqual(held.cost.microUsd);
			}),
			{ numRuns: 1000 },
		);
	});
});

describe('largestOutput', () => {
	const refusal = (more: object) =>
		largestOutput({
			requiredMicroUsd: 2000,
			balanceMicroUsd: 1500,
			heldMicroUsd: 300,
			pricing: { output_per_mtok: 1.5 },
			body: { max_tokens: 1000 },
			...more,
		});

	it.each<[string, object, number | undefined]>([
		// 2000 - 1000 x 1.5 = 500 are for the prompt; (1200 - 500) / 1.5 = 466.67
		['the free balance', {}, 466],
		[
			'figures as text',
			{ requiredMicroUsd: '2000', balanceMicroUsd: '1500', heldMicroUsd: '300' },
			466,
		],
		['a price as text', { pricing: { output_per_mtok: '1.50' } }, 466],
		['nothing held', { heldMicroUsd: 0 }, 666],
		['several choices', { body: { max_tokens: 500, n: 2 } }, 233],
		['the other protocol', { body: { max_output_tokens: 1000 } }, 466],
		['the allowance of a request without a cap', { requiredMicroUsd: 6644, body: {} }, 466],
		['just one token', { balanceMicroUsd: 802, heldMicroUsd: 300 }, 1],
		['not quite one token', { balanceMicroUsd: 801, heldMicroUsd: 300 }, 0],
		['nothing left beside the prompt', { balanceMicroUsd: 800 }, 0],
		['less than the prompt takes', { balanceMicroUsd: 400 }, 0],
		['a balance below zero', { balanceMicroUsd: -5 }, 0],
		['one micro-dollar too little', { balanceMicroUsd: 2299 }, 999],
		['a prompt that takes nothing', { requiredMicroUsd: 1500 }, 800],
		['an output that takes more than is required', { requiredMicroUsd: 1499 }, undefined],
		['a balance that would do', { balanceMicroUsd: 2300 }, undefined],
		['a price of zero', { pricing: { output_per_mtok: 0 } }, undefined],
		['no price', { pricing: { input_per_mtok: 1 } }, undefined],
		['no entry in the catalog', { pricing: undefined }, undefined],
		['no amount required', { requiredMicroUsd: undefined }, undefined],
		['no balance', { balanceMicroUsd: null }, undefined],
		['no amount held', { heldMicroUsd: 'some' }, undefined],
		['a negative amount held', { heldMicroUsd: -1 }, undefined],
		['a fraction', { heldMicroUsd: 0.5 }, undefined],
		['a cap that cannot be read', { body: { max_tokens: 'lots' } }, undefined],
		['no choice', { body: { n: 0 } }, undefined],
	])('%s', (_name, more, expected) => {
		expect(refusal(more)).toBe(expected);
	});

	it('fits, and one token more does not, but for the one rounding', () => {
		const price = fc.oneof(
			fc.integer({ min: 1, max: 999 }).map((digits) => digits / 100),
			fc.double({ min: 1e-7, max: 100, noNaN: true }),
		);
		const figures = fc.record({
			input: price,
			output: price,
			prompt: fc.string({ unit: 'binary', maxLength: 300 }),
			cap: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
			n: fc.integer({ min: 1, max: 4 }),
			share: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
			held: fc.integer({ min: 0, max: 1_000_000 }),
		});
		fc.assert(
			fc.property(figures, ({ input, output, prompt, cap, n, share, held }) => {
				const pricing = { input_per_mtok: input, output_per_mtok: output };
				const request = (max_tokens: number | undefined) => {
					const body = { messages: [{ role: 'user', content: prompt }], n };
					const bound = holdBound(pricing, {
						...body,
						...(max_tokens !== undefined && { max_tokens }),
					});
					if ('unbounded' in bound) throw new Error(bound.unbounded);
					return bound.cost.microUsd;
				};
				const required = request(cap);
				const free = Math.floor(required * share);
				const largest = largestOutput({
					requiredMicroUsd: required,
					balanceMicroUsd: free + held,
					heldMicroUsd: String(held),
					pricing,
					body: { n, ...(cap !== undefined && { max_tokens: cap }) },
				})!;
				if (largest > 0) expect(request(largest)).toBeLessThanOrEqual(free);
				expect(request(largest + 1)).toBeGreaterThanOrEqual(free);
				// the rounding took less than one micro-dollar
				const more = Math.ceil(1 / (output * n));
				expect(request(largest + 1 + more)).toBeGreaterThan(free);
				expect(largest).toBeLessThan(cap ?? DEFAULT_ALLOWANCE);
			}),
			{ numRuns: 2000 },
		);
	});
});

it('gives the bound of the prompt', () => {
	expect(promptBound({ messages })).toEqual({ tokens: 22 });
});

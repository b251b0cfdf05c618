import { Big } from '../../../src/core/money';
import {
	type CostBound,
	DEFAULT_OUTPUT_TOKENS,
	maximumTextCost,
	maximumAffordableOutput,
	textCost,
} from '../../../src/router/pricing';
import fc, { character } from '../../support/fastCheck';

const PRICING = { input_per_mtok: 0.5, output_per_mtok: 1.5, cached_input_per_mtok: 0.05 };

const messages = [{ role: 'user', content: 'Hello!' }];

describe('maximumTextCost', () => {
	it.each<[string, Record<string, unknown>, number]>([
		['no cap', {}, DEFAULT_OUTPUT_TOKENS],
		['a cap that is null', { max_tokens: null }, 4096],
		['max_tokens', { max_tokens: 100 }, 100],
		['max_completion_tokens', { max_completion_tokens: 100 }, 100],
		['max_output_tokens', { max_output_tokens: '100' }, 100],
		['the largest of several caps', { max_tokens: 5, max_completion_tokens: 100 }, 100],
		['a cap of zero', { max_tokens: 0 }, 0],
		['several choices', { max_tokens: 100, n: 3 }, 300],
		['several choices without a cap', { n: 2 }, 8192],
	])('counts %s', (_name, fields, outputTokens) => {
		// 36 bytes of JSON and the frame of one message
		expect(maximumTextCost({ pricing: PRICING }, { messages, ...fields })).toEqual({
			microUsd: 26 + outputTokens * 1.5,
			promptTokens: 52,
			promptCountedBy: 'bytes',
			outputTokens,
		});
	});

	describe('where nobody set a maximum, and a cap leaves some money', () => {
		// 52 tokens of prompt are 26 micro-dollars
		const limited = (left: number, more: object = {}, fields: object = {}) => {
			const model = { pricing: PRICING, ...more };
			return maximumTextCost(model, { messages, ...fields }, new Big(left)) as CostBound;
		};

		it.each<[string, number, object, object, number]>([
			['what is left affords', 26 + 15_000, {}, {}, 10_000],
			['not one token more', 26 + 14_999, {}, {}, 9999],
			['several answers', 26 + 15_000, {}, { n: 2 }, 5000],
			['the default at least: the cap then refuses it', 26 + 5000, {}, {}, 4096],
			['the same where nothing is left', -5, {}, {}, 4096],
			['no more than 16,384', 1e9, {}, {}, 16_384],
			['no more than the model can write', 1e9, { max_output_tokens: 2048 }, {}, 2048],
			['whatever the catalog says instead of a number', 1e9, { max_output_tokens: 0 }, {}, 16_384],
			[
				'what fits into the context window beside the prompt',
				1e9,
				{ context_length: 9052 },
				{},
				9000,
			],
			['no more than the context window', 1e9, { context_length: 3000 }, {}, 3000],
			['a maximum that is null', 1e9, {}, { max_tokens: null }, 16_384],
		])('%s', (_what, left, more, fields, maxTokens) => {
			const bound = limited(left, more, fields);
			expect(bound).toMatchObject({ maxTokens });
			const { n: count = 1 } = fields as { n?: number };
			expect(bound).toMatchObject({ outputTokens: maxTokens * count });
			if (maxTokens > DEFAULT_OUTPUT_TOKENS) expect(bound.microUsd).toBeLessThanOrEqual(left);
		});

		it('a model without a price for its output is not limited by money', () => {
			const pricing = { input_per_mtok: 1, output_per_mtok: 0 };
			expect(limited(0, { pricing })).toMatchObject({ maxTokens: 16_384 });
		});

		it('a maximum that is set stays, and says nothing of one', () => {
			const bound = limited(1e9, {}, { max_completion_tokens: 100 });
			expect(bound).toMatchObject({ outputTokens: 100 });
			expect(bound).not.toHaveProperty('maxTokens');
		});
	});

	it('is rounded up once', () => {
		const pricing = { input_per_mtok: 0.1, output_per_mtok: 0.2 };
		// 5.2 + 0.6 is 5.8; rounded one by one it would be 7
		expect(maximumTextCost({ pricing }, { messages, max_tokens: 3 })).toMatchObject({
			microUsd: 6,
		});
	});

	it('needs the least charge for a model that is free', () => {
		const pricing = { input_per_mtok: 0, output_per_mtok: 0 };
		expect(maximumTextCost({ pricing }, { messages })).toMatchObject({ microUsd: 1 });
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
			'The cap on output tokens or the number of answers is not a whole number.',
		],
		[
			'number of choices that can be read',
			PRICING,
			{ messages, n: 0 },
			'The cap on output tokens or the number of answers is not a whole number.',
		],
		[
			'amount that can be calculated',
			PRICING,
			{ messages, max_tokens: Number.MAX_SAFE_INTEGER },
			'The largest possible cost is too large to calculate.',
		],
		[
			'text alone',
			PRICING,
			{ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
			'A message contains "image_url", and its number of tokens is not known before the request. The catalog does not have the context window of this model, which would be the limit.',
		],
	])('has no bound without %s', (_name, pricing, body, unbounded) => {
		expect(maximumTextCost({ pricing } as never, body)).toEqual({ unbounded });
	});

	it('needs no price for what there is none of', () => {
		const bound = (pricing: Record<string, number>, body: Record<string, unknown>) =>
			maximumTextCost({ pricing }, body);
		expect(bound({ output_per_mtok: 1 }, { max_tokens: 5 })).toMatchObject({ microUsd: 5 });
		expect(bound({ input_per_mtok: 1 }, { messages, max_tokens: 0 })).toMatchObject({
			microUsd: 52,
		});
	});

	describe('with the context window', () => {
		const image = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }];
		const search = { messages, tools: [{ type: 'search' }] };
		const bound = (context_length: unknown, body: Record<string, unknown>) =>
			maximumTextCost({ pricing: PRICING, context_length } as never, body);

		it('counts all of it for a prompt that cannot be measured', () => {
			expect(bound(10_000, { messages: image, max_tokens: 100 })).toEqual({
				microUsd: 5000 + 150,
				promptTokens: 10_000,
				promptCountedBy: 'contextWindow',
				outputTokens: 100,
			});
		});

		it.each([{ conversation: 'x' }, { previous_response_id: 'x' }, { prompt: { id: 'x' } }])(
			'counts all of it with %j',
			(body) => {
				expect(bound(1000, body)).toMatchObject({
					promptTokens: 1000,
					promptCountedBy: 'contextWindow',
				});
			},
		);

		it('counts no more than it for a long text', () => {
			const long = [{ role: 'user', content: 'x'.repeat(5000) }];
			expect(bound(2000, { messages: long, max_tokens: 10 })).toMatchObject({
				promptTokens: 2000,
				promptCountedBy: 'contextWindow',
			});
			expect(bound(52, { messages })).toMatchObject({ promptCountedBy: 'bytes' });
			expect(bound(51, { messages })).toMatchObject({ promptCountedBy: 'contextWindow' });
		});

		it('counts no answer that is longer than it, and each of several answers', () => {
			expect(bound(2000, { messages })).toMatchObject({ promptTokens: 52, outputTokens: 2000 });
			expect(bound(2000, { messages, max_tokens: 9000, n: 3 })).toMatchObject({
				outputTokens: 6000,
			});
			expect(bound(2000, { messages, max_tokens: 100, n: 3 })).toMatchObject({
				outputTokens: 300,
			});
		});

		it('has no bound where the service runs tools: each of their results is a further prompt', () => {
			expect(bound(2000, search)).toEqual({
				unbounded: '"search" adds text to the prompt that is not known before the request.',
			});
		});

		it.each([undefined, null, 0, -5, 1.5, '128k', {}, [128_000]])(
			'ignores a window of %j',
			(window) => {
				expect(bound(window, { messages: image })).toEqual({
					unbounded: expect.stringContaining('does not have the context window'),
				});
				expect(bound(window, { messages })).toEqual(bound(undefined, { messages }));
			},
		);

		it('reads a window that is text', () => {
			expect(bound('2000', { messages: image })).toMatchObject({ promptTokens: 2000 });
		});

		it('is never less than what any usage within the window costs', () => {
			const price = fc.double({ min: 0, max: 100, noNaN: true });
			const tokens = fc.integer({ min: 0, max: 5000 });
			const cap = fc.option(fc.integer({ min: 1, max: 9000 }), { nil: undefined });
			fc.assert(
				fc.property(
					price,
					price,
					tokens,
					tokens,
					cap,
					(input, output, prompt, answer, max_tokens) => {
						const pricing = { input_per_mtok: input, output_per_mtok: output };
						const held = maximumTextCost(
							{ pricing, context_length: 5000 },
							{ messages: image, max_tokens },
						);
						if ('unbounded' in held) throw new Error(held.unbounded);
						const usage = {
							prompt_tokens: prompt,
							completion_tokens: Math.min(answer, max_tokens ?? DEFAULT_OUTPUT_TOKENS),
						};
						expect(textCost(pricing, usage)!).toBeLessThanOrEqual(held.microUsd);
					},
				),
			);
		});
	});

	it('is never less than what any usage within it costs', () => {
		const price = fc.double({ min: 0, max: 100, noNaN: true });
		const share = fc.double({ min: 0, max: 1, noNaN: true });
		fc.assert(
			fc.property(price, price, share, share, fc.string(), (input, output, a, b, content) => {
				const pricing = { input_per_mtok: input, output_per_mtok: output };
				const held = maximumTextCost({ pricing }, { messages: [{ role: 'user', content }], n: 2 });
				if ('unbounded' in held) throw new Error(held.unbounded);
				const usage = {
					prompt_tokens: Math.floor(held.promptTokens * a),
					completion_tokens: Math.floor(held.outputTokens * b),
				};
				expect(textCost(pricing, usage)!).toBeLessThanOrEqual(held.microUsd);
			}),
		);
	});
});

describe('largestOutput', () => {
	const refusal = (more: object) => {
		const { pricing, body, ...meta } = {
			required_micro_usd: 2000,
			balance_micro_usd: 1500,
			held_micro_usd: 300,
			pricing: { output_per_mtok: 1.5 },
			body: { max_tokens: 1000 },
			...more,
		};
		return maximumAffordableOutput(meta, pricing, body);
	};

	it.each<[string, object, number | undefined]>([
		// 2000 - 1000 x 1.5 = 500 are for the prompt; (1200 - 500) / 1.5 = 466.67
		['the free balance', {}, 466],
		[
			'figures as text',
			{ required_micro_usd: '2000', balance_micro_usd: '1500', held_micro_usd: '300' },
			466,
		],
		['a price as text', { pricing: { output_per_mtok: '1.50' } }, 466],
		['nothing held', { held_micro_usd: 0 }, 666],
		['several choices', { body: { max_tokens: 500, n: 2 } }, 233],
		['the other protocol', { body: { max_output_tokens: 1000 } }, 466],
		['the allowance of a request without a cap', { required_micro_usd: 6644, body: {} }, 466],
		['just one token', { balance_micro_usd: 802, held_micro_usd: 300 }, 1],
		['not quite one token', { balance_micro_usd: 801, held_micro_usd: 300 }, 0],
		['nothing left beside the prompt', { balance_micro_usd: 800 }, 0],
		['less than the prompt takes', { balance_micro_usd: 400 }, 0],
		['a balance below zero', { balance_micro_usd: -5 }, 0],
		['one micro-dollar too little', { balance_micro_usd: 2299 }, 999],
		['a prompt that takes nothing', { required_micro_usd: 1500 }, 800],
		['an output that takes more than is required', { required_micro_usd: 1499 }, undefined],
		['a balance that would do', { balance_micro_usd: 2300 }, undefined],
		['a price of zero', { pricing: { output_per_mtok: 0 } }, undefined],
		['no price', { pricing: { input_per_mtok: 1 } }, undefined],
		['no entry in the catalog', { pricing: undefined }, undefined],
		['no amount required', { required_micro_usd: undefined }, undefined],
		['no balance', { balance_micro_usd: null }, undefined],
		['no amount held', { held_micro_usd: 'some' }, undefined],
		['a negative amount held', { held_micro_usd: -1 }, undefined],
		['a fraction', { held_micro_usd: 0.5 }, undefined],
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
			prompt: fc.string({ unit: character, maxLength: 300 }),
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
					const fields = { ...body, ...(max_tokens !== undefined && { max_tokens }) };
					const bound = maximumTextCost({ pricing }, fields);
					if ('unbounded' in bound) throw new Error(bound.unbounded);
					return bound.microUsd;
				};
				const required = request(cap);
				const free = Math.floor(required * share);
				const meta = {
					required_micro_usd: required,
					balance_micro_usd: free + held,
					held_micro_usd: String(held),
				};
				const sent = { n, ...(cap !== undefined && { max_tokens: cap }) };
				const largest = maximumAffordableOutput(meta, pricing, sent)!;
				if (largest > 0) expect(request(largest)).toBeLessThanOrEqual(free);
				expect(request(largest + 1)).toBeGreaterThanOrEqual(free);
				// the rounding took less than one micro-dollar
				const more = Math.ceil(1 / (output * n));
				expect(request(largest + 1 + more)).toBeGreaterThan(free);
				expect(largest).toBeLessThan(cap ?? DEFAULT_OUTPUT_TOKENS);
			}),
		);
	});
});

import {
	DEFAULT_OUTPUT_TOKENS,
	maximumHold,
	maximumAffordableOutput,
	maximumPromptTokens,
	textCost,
} from '../../../src/router/pricing';
import fc, { character } from '../../support/fastCheck';

const PRICING = { input_per_mtok: 0.5, output_per_mtok: 1.5, cached_input_per_mtok: 0.05 };
const cost = (microUsd: number) => ({ microUsd, usd: microUsd / 1e6, computed: true });

const messages = [{ role: 'user', content: 'Hello!' }];

describe('holdBound', () => {
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
	])('holds for %s', (_name, fields, outputTokens) => {
		// 36 bytes of JSON and the frame of one message
		expect(maximumHold(PRICING, { messages, ...fields })).toEqual({
			cost: cost(26 + outputTokens * 1.5),
			promptTokens: 52,
			outputTokens,
		});
	});

	it('is rounded up once', () => {
		const pricing = { input_per_mtok: 0.1, output_per_mtok: 0.2 };
		// 5.2 + 0.6 is 5.8; rounded one by one it would be 7
		expect(maximumHold(pricing, { messages, max_tokens: 3 })).toMatchObject({ cost: cost(6) });
	});

	it('needs the least charge for a model that is free', () => {
		const pricing = { input_per_mtok: 0, output_per_mtok: 0 };
		expect(maximumHold(pricing, { messages })).toMatchObject({ cost: cost(1) });
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
			'amount that can be calculated',
			PRICING,
			{ messages, max_tokens: Number.MAX_SAFE_INTEGER },
			'The largest possible cost is too large to calculate.',
		],
		[
			'text alone',
			PRICING,
			{ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
			'A message contains "image_url", and its number of tokens is not known before the request.',
		],
	])('has no bound without %s', (_name, pricing, body, unbounded) => {
		expect(maximumHold(pricing, body)).toEqual({ unbounded });
	});

	it('needs no price for what there is none of', () => {
		expect(maximumHold({ output_per_mtok: 1 }, { max_tokens: 5 })).toMatchObject({ cost: cost(5) });
		expect(maximumHold({ input_per_mtok: 1 }, { messages, max_tokens: 0 })).toMatchObject({
			cost: cost(52),
		});
	});

	it('is never less than what any usage within it costs', () => {
		const price = fc.double({ min: 0, max: 100, noNaN: true });
		const share = fc.double({ min: 0, max: 1, noNaN: true });
		fc.assert(
			fc.property(price, price, share, share, fc.string(), (input, output, a, b, content) => {
				const pricing = { input_per_mtok: input, output_per_mtok: output };
				const held = maximumHold(pricing, { messages: [{ role: 'user', content }], n: 2 });
				if ('unbounded' in held) throw new Error(held.unbounded);
				const usage = {
					prompt_tokens: Math.floor(held.promptTokens * a),
					completion_tokens: Math.floor(held.outputTokens * b),
				};
				expect(textCost(pricing, usage)!.microUsd).toBeLessThanOrEqual(held.cost.microUsd);
			}),
		);
	});
});

describe('largestOutput', () => {
	const refusal = (more: object) =>
		maximumAffordableOutput({
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
					const bound = maximumHold(pricing, {
						...body,
						...(max_tokens !== undefined && { max_tokens }),
					});
					if ('unbounded' in bound) throw new Error(bound.unbounded);
					return bound.cost.microUsd;
				};
				const required = request(cap);
				const free = Math.floor(required * share);
				const largest = maximumAffordableOutput({
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
				expect(largest).toBeLessThan(cap ?? DEFAULT_OUTPUT_TOKENS);
			}),
		);
	});
});

it('gives the bound of the prompt', () => {
	expect(maximumPromptTokens({ messages })).toEqual({ tokens: 52 });
});

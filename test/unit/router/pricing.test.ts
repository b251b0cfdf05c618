import { Big } from '../../../src/core/money';
import { withPricing } from '../../../src/router/catalogPrices';
import {
	type CostBound,
	DEFAULT_OUTPUT_TOKENS,
	maximumTextCost,
	maximumAffordableOutput,
	textCost,
} from '../../../src/router/pricing';
import fc, { character } from '../../support/fastCheck';
import { readTokenCounts } from '../../../src/core/tokenCounts';

const costOf = (pricing: unknown, usage: unknown) => textCost(pricing, readTokenCounts(usage));

const PRICING = { input_per_mtok: 0.5, output_per_mtok: 1.5, cached_input_per_mtok: 0.05 };
const messages = [{ role: 'user', content: 'Hello!' }];
const image = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }];
const chat = (prompt_tokens: unknown, completion_tokens: unknown = 0, cached_tokens?: unknown) => ({
	prompt_tokens,
	completion_tokens,
	...(cached_tokens !== undefined && { prompt_tokens_details: { cached_tokens } }),
});

const RESPONSE = { input_tokens: 1000, output_tokens: 200 };
const cachedAt = (price: unknown) => ({ input_per_mtok: 0.5, cached_input_per_mtok: price });

describe('textCost', () => {
	it('nobody but the specified router charges for what is free', () => {
		const free = { input_per_mtok: '0', output_per_mtok: '0' };
		const { pricing } = withPricing({ id: 'a', pricing: undefined }, free);
		expect(textCost(pricing, { input: 5, output: 5 })).toBe(0);
	});

	it.each([
		['both kinds', PRICING, chat(1000, 200), 800],
		['the least charge', { input_per_mtok: 0, output_per_mtok: 0 }, chat(5, 5), 1],
		['no token', {}, chat(0), 0],
		['hidden reasoning', PRICING, { ...chat(0, 200), reasoning_tokens: 150 }, 300],
		['cached tokens', PRICING, chat(1000, 0, 600), 230],
		['that have no price', cachedAt(null), chat(1000, 0, 600), 500],
		['that are free', cachedAt(0), chat(1000, 0, 600), 200],
		['in another field', PRICING, { ...chat(1000), prompt_cache_hit_tokens: 600 }, 230],
		['beside the counts', PRICING, { ...chat(1000), cached_tokens: 600 }, 230],
		['of responses', PRICING, { ...RESPONSE, input_tokens_details: { cached_tokens: '600' } }, 530],
		['more of them than prompt tokens, which are beside it', PRICING, chat(100, 0, 600), 80],
		[
			'tokens that go into a cache, at the price of their vendor',
			PRICING,
			{ ...chat(1000), cache_creation_input_tokens: 400 },
			550,
		],
		[
			'those that stay there for an hour',
			PRICING,
			{
				...chat(1000),
				cache_creation_input_tokens: 400,
				cache_creation: { ephemeral_1h_input_tokens: 100 },
			},
			588,
		],
		[
			'those whose price is only that of the storage',
			{ ...PRICING, cache_write_per_mtok: '0.1', cache_write_1h_per_mtok: '0.2' },
			{
				...chat(1000),
				cache_creation_input_tokens: 400,
				cache_creation: { ephemeral_1h_input_tokens: 100 },
			},
			550,
		],
		[
			'a total that is more',
			{ ...PRICING, output_per_mtok: 10 },
			{ ...chat(0, 1), total_tokens: 100 },
			1000,
		],
		['a cached count that is none', PRICING, chat(1000, 0, -600), 500],
		['only their price', { cached_input_per_mtok: 0.05 }, chat(100, 0, 100), 5],
		['a count in one place', PRICING, { ...chat(null, 'many'), ...RESPONSE }, 800],
		['no prices', undefined, chat(1, 1), undefined],
		['prices that are no object', [0.5], chat(1, 1), undefined],
		['no usage', PRICING, undefined, undefined],
		['no output count', PRICING, { prompt_tokens: 1 }, undefined],
		['no prompt count', PRICING, { completion_tokens: 1 }, undefined],
		[
			'more than can be told exactly',
			{ ...PRICING, input_per_mtok: 1e10 },
			chat(1e6, 1),
			undefined,
		],
	])('%s', (_name, pricing, usage, expected) => {
		expect(costOf(pricing, usage)).toEqual(expected);
	});

	it.each([undefined, 'free'])('takes %p for no price, never for zero', (price) => {
		const noInput = { ...PRICING, input_per_mtok: price };
		const noOutput = { ...PRICING, output_per_mtok: price };
		expect(costOf(noInput, chat(1, 1))).toBeUndefined();
		expect(costOf(noOutput, chat(1, 1))).toBeUndefined();
		// a price that nothing is multiplied with is not needed
		expect(costOf(noOutput, chat(2))).toBe(1);
		expect(costOf(noInput, chat(0, 2))).toBe(3);
	});

	it('is the sum of counts times prices, rounded up once, for any of them', () => {
		const price = fc.record({
			digits: fc.integer({ min: 0, max: 99_999_999 }),
			places: fc.integer({ min: 0, max: 7 }),
		});
		const tokens = fc.integer({ min: 0, max: 10_000_000 });
		type Price = { digits: number; places: number };
		const textOf = ({ digits, places }: Price) => Big(digits).times(`1e-${places}`).toFixed();
		// in units of 10^-7
		const exact = ({ digits, places }: Price) => BigInt(digits) * 10n ** BigInt(7 - places);
		fc.assert(
			fc.property(price, price, price, tokens, tokens, tokens, (input, cached, output, a, b, c) => {
				const pricing = {
					input_per_mtok: Number(textOf(input)),
					cached_input_per_mtok: textOf(cached),
					output_per_mtok: Number(textOf(output)),
				};
				const sum =
					BigInt(a) * exact(input) + BigInt(b) * exact(cached) + BigInt(c) * exact(output);
				const whole = sum / 10_000_000n + (sum % 10_000_000n ? 1n : 0n);
				const least = a + b + c ? 1n : 0n;
				const expected = whole > least ? whole : least;
				expect(costOf(pricing, chat(a + b, c, b))).toEqual(
					expected > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(expected),
				);
			}),
		);
	});
});

describe('maximumTextCost', () => {
	it.each([
		[{}, DEFAULT_OUTPUT_TOKENS],
		[{ max_tokens: null }, 4096],
		[{ max_tokens: 100 }, 100],
		// only the protocol's own field is a bound
		[{ max_completion_tokens: 100 }, 4096],
		[{ max_output_tokens: 100 }, 4096],
		[{ max_tokens: 6, max_completion_tokens: 100 }, 6],
		[{ max_tokens: 100, n: 3 }, 300],
		[{ n: 2 }, 8192],
	])('counts %j as %d tokens', (fields, outputTokens) => {
		// 36 bytes of JSON and the frame of one message
		const costWithin = maximumTextCost(
			{ pricing: PRICING },
			{ messages, ...fields },
			'max_tokens',
			0,
		);
		expect(costWithin()).toEqual({
			microUsd: 26 + outputTokens * 1.5,
			outputTokens,
			promptTokens: 52,
			promptCountedBy: 'bytes',
			advise: expect.any(Function) as unknown,
		});
	});

	const most = (model: object, body: object, left?: number) => {
		const costWithin = maximumTextCost(
			{ pricing: PRICING, ...model },
			{ messages, ...body },
			'max_tokens',
			0,
		);
		const bound = costWithin(left === undefined ? left : new Big(left)) as CostBound;
		return { ...bound, advise: undefined };
	};

	it.each([
		// 52 tokens of prompt are 26 micro-dollars
		['what is left affords', 26 + 15_000, {}, {}, 10_000],
		['not one token more', 26 + 14_999, {}, {}, 9999],
		['several answers', 26 + 15_000, {}, { n: 2 }, 5000],
		['the default at least: the cap then refuses it', 26 + 5000, {}, {}, 4096],
		['the same where nothing is left', -5, {}, {}, 4096],
		['no more than 16,384', 1e9, {}, {}, 16_384],
		['no more than the model can write', 1e9, { max_output_tokens: 2048 }, {}, 2048],
		['whatever the catalog says instead of a number', 1e9, { max_output_tokens: 0 }, {}, 16_384],
		['what fits into the context window', 1e9, { context_length: 9052 }, {}, 9000],
		['no more than the context window', 1e9, { context_length: 3000 }, {}, 3000],
		['the default where the window cannot be true', 4096, { context_length: 128 }, {}, 4096],
		['a maximum that is null', 1e9, {}, { max_tokens: null }, 16_384],
		['a free output', 0, { pricing: { input_per_mtok: 1, output_per_mtok: 0 } }, {}, 16_384],
	])(
		'where nobody set a maximum, and a cap leaves some money: %s',
		(_what, left, model, fields, maxTokens) => {
			const bound = most(model, fields, left);
			const { n: count = 1 } = fields as { n?: number };
			expect(bound).toMatchObject({ maxTokens, outputTokens: maxTokens * count });
			if (maxTokens > DEFAULT_OUTPUT_TOKENS && left)
				expect(bound.microUsd).toBeLessThanOrEqual(left);
		},
	);

	it('a maximum that is set stays, and says nothing of one', () => {
		const bound = most({}, { max_tokens: 100 }, 1e9);
		expect(bound).toMatchObject({ outputTokens: 100 });
		expect(bound).not.toHaveProperty('maxTokens');
	});

	it.each([
		// 5.2 + 0.6 is 5.8; rounded one by one it would be 7
		['one rounding', { input_per_mtok: 0.1, output_per_mtok: 0.2 }, { max_tokens: 3 }, 6],
		['the least charge', { input_per_mtok: 0, output_per_mtok: 0 }, {}, 1],
		['no price for no prompt', { output_per_mtok: 1 }, { messages: null, max_tokens: 5 }, 5],
		[
			'the dearer price where cached tokens cost more',
			{ ...PRICING, cached_input_per_mtok: 2 },
			{ max_tokens: 1 },
			106,
		],
	])('needs %s', (_what, pricing, body, microUsd) => {
		expect(most({ pricing }, body)).toMatchObject({ microUsd });
	});

	const NO_PRICE = 'The catalog has no price for the';
	const TOKENS = 'tokens of this model.';
	const TOO_LARGE = 'The largest possible cost is too large to calculate.';
	const SEARCH = '"search" adds text to the prompt that is not known before the request.';
	const NO_COUNT =
		'The cap on output tokens or the number of answers is not a whole number above 0.';
	const IMAGE =
		'A message contains "image_url", and its number of tokens is not known before the request. The catalog does not have the context window of this model, which would be the limit.';

	const PRICED = {
		remedy: expect.stringMatching(
			/^Choose a model whose price is in the catalog, or enter a line in Prices .*"vendor\/model 0\.25 2".* Zero counts only in your own network\.$/,
		),
	};
	const WHAT_TO_DO: Record<string, object> = {
		[`${NO_PRICE} input ${TOKENS}`]: PRICED,
		[`${NO_PRICE} output ${TOKENS}`]: PRICED,
		[NO_COUNT]: { remedy: 'Correct it in Additional Fields.', trouble: 'fault' },
		[TOO_LARGE]: { remedy: 'Lower "Maximum Output Tokens".', trouble: 'fault' },
		[IMAGE]: { remedy: 'Choose a model whose context window is in the catalog.' },
		[SEARCH]: { remedy: 'Leave it out.' },
	};

	it.each([
		['input price', { pricing: { output_per_mtok: 1 } }, {}, `${NO_PRICE} input ${TOKENS}`],
		['output price', { pricing: { input_per_mtok: 1 } }, {}, `${NO_PRICE} output ${TOKENS}`],
		['price at all', { pricing: undefined }, {}, `${NO_PRICE} input ${TOKENS}`],
		['cap above 0', {}, { max_tokens: 0 }, NO_COUNT],
		[
			'cap by another name that can be read',
			{},
			{ max_tokens: 5, max_output_tokens: -1 },
			NO_COUNT,
		],
		['number of choices', {}, { n: 0 }, NO_COUNT],
		['number of choices that can be read', {}, { n: true }, NO_COUNT],
		['amount', {}, { max_tokens: Number.MAX_SAFE_INTEGER }, TOO_LARGE],
		['text alone', {}, { messages: image }, IMAGE],
		['one prompt', { context_length: 2048 }, { tools: [{ type: 'search' }] }, SEARCH],
	])('has no bound without %s', (_name, model, body, unbounded) => {
		expect(most(model, body)).toEqual({ unbounded, ...WHAT_TO_DO[unbounded] });
	});

	const window = { promptCountedBy: 'contextWindow' };

	it.each([
		[
			'a prompt that cannot be measured',
			10_000,
			{ messages: image, max_tokens: 100 },
			{ ...window, promptTokens: 10_000, microUsd: 5150, outputTokens: 100 },
		],
		['a window that is text', '2048', { messages: image }, { promptTokens: 2048 }],
		['a conversation', 2048, { conversation: 'x' }, { ...window, promptTokens: 2048 }],
		['an earlier response', 2048, { previous_response_id: 'x' }, { promptTokens: 2048 }],
		['a short prompt', 2048, {}, { promptTokens: 52, promptCountedBy: 'bytes' }],
		[
			'a longer prompt',
			2048,
			{ instructions: 'x'.repeat(2048) },
			{ ...window, promptTokens: 2048 },
		],
		['no answer', 2048, { max_tokens: 9000, n: 3 }, { outputTokens: 27_000 }],
	])('counts within the context window: %s', (_what, context_length, body, expected) => {
		expect(most({ context_length }, body)).toMatchObject(expected);
	});

	it.each([undefined, 0, -1, 1.5, '128k', 8, 128, 2000])(
		'ignores a window of %j',
		(context_length) => {
			expect(most({ context_length }, { messages: image })).toMatchObject({ unbounded: IMAGE });
			expect(most({ context_length }, {})).toEqual(most({}, {}));
		},
	);

	const LONG = { messages: [{ role: 'user', content: 'word '.repeat(5000) }], max_tokens: 4096 };
	const PDF = {
		type: 'file',
		file: { file_data: `data:application/pdf;base64,${'A'.repeat(90_000)}` },
	};

	it.each([
		['less than a quarter of the bytes', { context_length: 6000 }, LONG],
		['less than the longest answer', { context_length: 8192, max_output_tokens: 16_384 }, LONG],
	])('ignores a window that has %s', (_what, model, body) => {
		expect(most(model, body)).toEqual(most({}, body));
	});

	it('does not take the bytes of a file for the length of the text', () => {
		const body = { messages: [{ role: 'user', content: [PDF] }] };
		expect(most({ context_length: 10_000 }, body)).toMatchObject({ promptTokens: 10_000 });
	});

	it.each([
		[{ type: 'ephemeral' }, 1.25],
		[{ type: 'ephemeral', ttl: '5m' }, 1.25],
		[{ type: 'ephemeral', ttl: '1h' }, 2],
		[{ ttl: 'forever' }, 2],
		[null, 1],
	])('counts a prompt with the mark %j at %d times its price', (cache_control, factor) => {
		const body = {
			messages: [{ role: 'user', content: [{ type: 'text', text: 'a', cache_control }] }],
			max_tokens: 1,
		};
		const pricing = { input_per_mtok: 100, output_per_mtok: 0 };
		const { promptTokens, microUsd } = most({ pricing }, body);
		expect(microUsd).toBe(promptTokens * 100 * factor);
		const hour = { cache_creation: { ephemeral_1h_input_tokens: factor === 2 ? promptTokens : 0 } };
		const written = { cache_creation_input_tokens: factor === 1 ? 0 : promptTokens };
		expect(costOf(pricing, { ...chat(promptTokens), ...written, ...hour })).toBe(microUsd);
	});

	it('counts what stays in a cache for an hour at its own price, where that is dearer', () => {
		const cache_control = { type: 'ephemeral', ttl: '1h' };
		const body = {
			messages: [{ role: 'user', content: [{ type: 'text', text: 'a', cache_control }] }],
			max_tokens: 1,
		};
		const pricing = { input_per_mtok: 1, output_per_mtok: 0, cache_write_1h_per_mtok: 24 };
		const { promptTokens, microUsd } = most({ pricing }, body);
		expect(microUsd).toBe(promptTokens * 24);
		const written = {
			cache_creation_input_tokens: promptTokens,
			cache_creation: { ephemeral_1h_input_tokens: promptTokens },
		};
		expect(costOf(pricing, { ...chat(promptTokens), ...written })).toBe(microUsd);
	});

	it('counts sound at its own price, in a prompt that may have it', () => {
		const pricing = { input_per_mtok: 1, output_per_mtok: 0, audio_input_per_mtok: 32 };
		const mp3 = Buffer.from([0xff, 0xfb, 0, 0]).toString('base64');
		const part = { type: 'input_audio', input_audio: { data: mp3, format: 'mp3' } };
		const heard = most({ pricing }, { messages: [{ role: 'user', content: [part] }] });
		expect(heard.microUsd).toBe(heard.promptTokens * 32);
		const { promptTokens, microUsd } = most({ pricing }, {});
		expect(microUsd).toBe(promptTokens);
		const usage = { ...chat(100), prompt_tokens_details: { audio_tokens: 60 } };
		expect(costOf(pricing, usage)).toBe(40 + 60 * 32);
		expect(costOf({ ...pricing, audio_input_per_mtok: undefined }, usage)).toBe(100);
	});

	it('is never less than what any usage within it, or within the window, costs', () => {
		const price = fc.double({ min: 0, max: 100, noNaN: true });
		const share = fc.double({ min: 0, max: 1, noNaN: true });
		const cap = fc.option(fc.integer({ min: 1, max: 9000 }), { nil: undefined });
		const content = fc.oneof(fc.string(), fc.constant(image[0]!.content));
		fc.assert(
			fc.property(
				price,
				price,
				share,
				share,
				content,
				cap,
				(input, output, a, b, said, max_tokens) => {
					const pricing = { input_per_mtok: input, output_per_mtok: output };
					const body = { messages: [{ role: 'user', content: said }], n: 2, max_tokens };
					const { promptTokens, outputTokens, microUsd } = most(
						{ pricing, context_length: 5000 },
						body,
					);
					const usage = chat(Math.floor(promptTokens * a), Math.floor(outputTokens * b));
					expect(costOf(pricing, usage)!).toBeLessThanOrEqual(microUsd);
				},
			),
		);
	});
});

describe('maximumAffordableOutput', () => {
	const PLAIN = { required_micro_usd: 2000, balance_micro_usd: 1500, held_micro_usd: 300 };

	it.each([
		// 2000 - 1000 x 1.5 = 500 are for the prompt; (1200 - 500) / 1.5 = 466.67
		['the free balance', {}, 466],
		['nothing held', { held_micro_usd: 0 }, 666],
		['several choices', { body: { max_tokens: 500, n: 2 } }, 233],
		['a cap by a name that is not its own', { body: { max_output_tokens: 9 } }, undefined],
		['the allowance of a request without a cap', { required_micro_usd: 6644, body: {} }, 466],
		['just one token', { balance_micro_usd: 802 }, 1],
		['not quite one token', { balance_micro_usd: 801 }, 0],
		['nothing left beside the prompt', { balance_micro_usd: 800 }, 0],
		['less than the prompt takes', { balance_micro_usd: 400 }, 0],
		['a balance below zero', { balance_micro_usd: -5 }, 0],
		['one micro-dollar too little', { balance_micro_usd: 2299 }, 999],
		['a prompt that takes nothing', { required_micro_usd: 1500 }, 800],
		['an output that takes more than is required', { required_micro_usd: 1499 }, undefined],
		['a balance that would do', { balance_micro_usd: 2300 }, undefined],
		['a price of zero', { pricing: { output_per_mtok: 0 } }, undefined],
		['no price', { pricing: { input_per_mtok: 1 } }, undefined],
		['no amount required', { required_micro_usd: undefined }, undefined],
		['no balance', { balance_micro_usd: null }, undefined],
		['no amount held', { held_micro_usd: 'some' }, undefined],
		['a negative amount held', { held_micro_usd: -1 }, undefined],
		['a cap that cannot be read', { body: { max_tokens: 'lots' } }, undefined],
		['no choice', { body: { n: 0 } }, undefined],
	])('%s', (_name, more, expected) => {
		const usual = { ...PLAIN, pricing: { output_per_mtok: 1.5 }, body: { max_tokens: 1000 } };
		const { pricing, body, ...meta } = { ...usual, ...more };
		expect(maximumAffordableOutput(meta, pricing, body, 'max_tokens')).toBe(expected);
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
				const request = (max_tokens?: number) => {
					const body = { messages: [{ role: 'user', content: prompt }], n, max_tokens };
					return (maximumTextCost({ pricing }, body, 'max_tokens', 0)() as CostBound).microUsd;
				};
				const required = request(cap);
				const free = Math.floor(required * share);
				const meta = {
					required_micro_usd: required,
					balance_micro_usd: free + held,
					held_micro_usd: String(held),
				};
				const sent = { n, max_tokens: cap };
				const largest = maximumAffordableOutput(meta, pricing, sent, 'max_tokens')!;
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

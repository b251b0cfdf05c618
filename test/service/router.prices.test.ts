import fc from '../support/fastCheck';

import { roundedUp } from './router/money.ts';
import { jobCost, textCost, type Consumed } from './router/pricing.ts';
import { findModel, type Entry } from './router/catalog.ts';
import { askRouter, user } from './routerProbe.ts';
import { startService, type Service } from './service.ts';

const entry = (id: string) => {
	const found = findModel(id);
	if (!found) throw new Error(id);
	return found.entry;
};
const QUILL = 'northwind/quill-2.5';
const ODD = 'tiny/odd-price-1';

describe('C prices (8, cost rules)', () => {
	it.each<[string, Consumed, number]>([
		[QUILL, { input: 1_000_000, output: 0 }, 500_000],
		[QUILL, { input: 0, output: 1_000_000 }, 1_500_000],
		[QUILL, { input: 3, output: 1 }, 3],
		[QUILL, { input: 1, output: 1 }, 2],
		[QUILL, { input: 1, output: 0 }, 1],
		[QUILL, { input: 0, output: 0 }, 0],
		// the minimum
		['tiny/plain-text-1', { input: 1, output: 1 }, 1],
		// 100 times 0.07 is 7.000000000000001 in binary fractions
		[ODD, { input: 100, output: 0 }, 7],
		[ODD, { input: 100, output: 100 }, 36],
		[ODD, { input: 101, output: 0 }, 8],
		// rounded up once: 0.07 + 0.29
		[ODD, { input: 1, output: 1 }, 1],
		// cached tokens at their own price, of all that are input
		[QUILL, { input: 1_000_000, cached: 1_000_000, output: 0 }, 50_000],
		[QUILL, { input: 1_000_000, cached: 400_000, output: 0 }, 320_000],
		[ODD, { input: 2000, cached: 1000, output: 0 }, 77],
		// no price for cached ones: as any other
		['northwind/quill-mini', { input: 1000, cached: 900, output: 0 }, 100],
		// a missing price
		['tiny/input-price-1', { input: 100, output: 1000 }, 15],
		['tiny/no-price-1', { input: 100, output: 100 }, 1],
		['tiny/no-price-1', { input: 0, output: 0 }, 0],
		['canvas/sketch-1', { input: 100, output: 100 }, 0],
	])('%s: %j costs %i µ$', (id, consumed, cost) => {
		expect(textCost(entry(id), consumed)).toBe(cost);
	});

	it.each([
		['canvas/sketch-1', 80_000],
		['reel/clip-3', 500_000],
		['reel/short-1.0', 350_000],
		['tune/melody-1', 60_000],
		['voice/speaker-1', 15_000],
		[QUILL, 0],
	])('%s', (id, cost) => {
		const extent = { images: 2, seconds: 5, characters: 1000, factor: 1 };
		expect(jobCost(entry(id), extent)).toBe(cost);
		expect(jobCost(entry(id), { ...extent, factor: 2 })).toBe(cost * 2);
	});

	it('a job by the thousand characters: rounded up, at least 1', () => {
		const costOf = (characters: number) =>
			jobCost(entry('voice/speaker-1'), { images: 1, seconds: 1, characters, factor: 1 });
		expect([1, 3, 1001].map(costOf)).toEqual([15, 45, 15_015]);
		const cheap = { ...entry('tune/melody-1'), pricing: { unit: 'request', per_unit: 1e-8 } };
		const extent = { images: 1, seconds: 1, characters: 1, factor: 1 };
		expect(jobCost(cheap as Entry, extent)).toBe(1);
	});
});

describe('sums of money are exact', () => {
	it.each([
		[[[0.1, 3]], 1],
		[[[1.1, 1.1, 100]], 121],
		[[[0.1], [0.2]], 1],
		[[[1e-7, 1e7]], 1],
		[[[1e-7, 1e7], [1e-7]], 2],
		[[[1e21, 1e-20]], 10],
		[[[0, 5]], 0],
		[[[]], 1],
		[[], 0],
	])('%j gives %i', (products, sum) => {
		expect(roundedUp(...products)).toBe(sum);
	});

	it('are those of whole numbers, whatever the price', () => {
		const tokens = fc.nat(10_000_000);
		// a price with four places is a whole number of its ten-thousandths
		const price = fc.nat(1_000_000);
		fc.assert(
			fc.property(tokens, price, tokens, price, (input, inPrice, output, outPrice) => {
				const exact = BigInt(input) * BigInt(inPrice) + BigInt(output) * BigInt(outPrice);
				const up = exact / 10_000n + (exact % 10_000n ? 1n : 0n);
				const factors = [
					[input, inPrice / 10_000],
					[output, outPrice / 10_000],
				];
				expect(BigInt(roundedUp(...factors))).toBe(up);
			}),
		);
	});
});

describe('C cached input (2C: cached_input_per_mtok)', () => {
	let service: Service;
	beforeAll(async () => (service = await startService()));
	beforeEach(() => service.reset());
	afterAll(() => service.stop());

	const account = () => service.world.accounts.get(service.router.keys.main);
	/** A thousand words. */
	const prompt = (cached: string) => `${'a '.repeat(998)}[[cached:${cached}]] [[say:ok]]`;

	it.each([
		// (1,000 - 800) * 0.5 + 800 * 0.05 + 1 * 1.5, rounded up
		['800', 800, 142],
		['5000', 1000, 52],
		['0', 0, 502],
		['-3', 0, 502],
		['1.7', 1, 502],
	])('[[cached:%s]] reports %i tokens and costs %i µ$', async (said, cached_tokens, cost) => {
		const before = account()?.balance ?? 0;
		const chat = (await askRouter(service).chat({ messages: user(prompt(said)) })).data;
		expect(chat.usage).toMatchObject({
			prompt_tokens: 1000,
			prompt_tokens_details: { cached_tokens },
			completion_tokens: 1,
			total_tokens: 1001,
		});
		expect(account()?.balance).toBe(before - cost);
		const response = (await askRouter(service).respond({ input: prompt(said) })).data;
		expect(response.usage).toMatchObject({
			input_tokens: 1000,
			input_tokens_details: { cached_tokens },
			total_tokens: 1001,
		});
		expect(account()?.balance).toBe(before - 2 * cost);
	});

	it('streamed as plain', async () => {
		const ask = askRouter(service);
		const before = account()?.balance ?? 0;
		const chunks = await ask.chunks({ messages: user(prompt('800')) });
		const events = await ask.events({ input: prompt('800') });
		expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens_details: { cached_tokens: 800 } });
		expect(events.at(-1)?.response?.usage).toMatchObject({
			input_tokens_details: { cached_tokens: 800 },
		});
		expect(account()?.balance).toBe(before - 2 * 142);
	});

	it('the hold does not count on it (8: the largest possible cost)', async () => {
		const ask = askRouter(service, service.router.keys.poor);
		const body = { messages: user(prompt('1000')), max_tokens: 1001 };
		expect((await ask.chat(body)).data.error.meta.required_micro_usd).toBe(2002);
	});

	it('nothing is said of it without the directive', async () => {
		const { usage } = (await askRouter(service).chat({ messages: user('hi') })).data;
		expect(usage).not.toHaveProperty('prompt_tokens_details');
		const response = (await askRouter(service).respond({ input: 'hi' })).data;
		expect(response.usage).not.toHaveProperty('input_tokens_details');
	});
});

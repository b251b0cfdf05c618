import { describeJobSettings, minimumJobCost } from '../../../src/router/jobPricing';
import fc from '../../support/fastCheck';

describe('minimumJobCost', () => {
	const least = (unit: unknown, perUnit: unknown, body: Record<string, unknown> = {}) =>
		minimumJobCost({ unit, per_unit: perUnit }, body);

	it.each([
		['image', 0.04, {}, 40_000, '1 image at $0.04'],
		['image', '0.04', { n: '4' }, 160_000, '4 images at $0.04'],
		['image', 0.04, { num_images: 3, n: 4 }, 120_000, '3 images at $0.04'],
		['image', 0.04, { n: 'four', count: 0 }, 40_000, '1 image at $0.04'],
		['video', 0.35, { n: 2, duration: 9 }, 700_000, '2 videos at $0.35'],
		['second', 0.1, {}, 100_000, '1 second at $0.10'],
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

	it('nothing is known without a price', () => {
		for (const price of [undefined, 'free', -1, {}]) expect(least('image', price)).toBeUndefined();
		for (const prices of [undefined, [0.04]]) expect(minimumJobCost(prices, {})).toBeUndefined();
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
});

describe('describeJobSettings', () => {
	const LONG = 'a lighthouse in the fog, in the style of old postcards';
	const settings = (
		unit: string,
		body: Record<string, unknown>,
		inputs: string[] = [],
		price: unknown = 0.04,
	) => describeJobSettings({ unit, per_unit: price }, { model: 'm', ...body }, inputs);

	it.each([
		['the prompt', 'image', { prompt: 'a cat' }, { prompt: LONG }],
		['the text of a speech', '1k_characters', { input: 'Hi' }, { input: LONG }],
		['a prompt further in', 'image', { input: { prompt: 'a' } }, { input: { prompt: 'b' } }],
		['how many pictures', 'image', { n: 1 }, { n: '4' }],
		['how many seconds', 'second', { duration: 4, n: 2 }, { n: 1, duration: '8s' }],
		['seed, user and metadata', 'image', { seed: 1, user: 'a', metadata: { a: 1 } }, {}],
		['what a long text says', 'image', { negative: LONG }, { negative: `${LONG}!` }],
		['how the model is spelled', 'image', { model: 'M' }, { model: 'm' }],
		['the order', 'image', { a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 }],
	])('leaves out %s', (_what, unit, one, other) => {
		expect(settings(unit, one)).toBe(settings(unit, other));
	});

	it.each([
		['the resolution', 'image', { size: '1K' }, { size: '4K' }],
		['what is further in', 'image', { a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 2 }] } }],
		['sound', 'second', { audio: true }, { audio: false }],
		['seconds that are not counted', 'video', { duration: 4 }, { duration: 8 }],
		['a second number of pictures', 'image', { n: 1, count: 4 }, { n: 1, count: 8 }],
		['a number that cannot be read', 'image', { n: 'many' }, { n: 1 }],
		['a text of 40 characters', 'image', { style: 'x'.repeat(40) }, { style: 'y'.repeat(40) }],
		['that there is a long text', 'image', { image_url: LONG }, {}],
		['a prompt that is not a text', 'image', { input: { tier: 1 } }, { input: { tier: 2 } }],
		['which field says how many', 'image', { n: 4 }, { num_images: 4 }],
		['that no field says how many', 'second', { duration: 4 }, {}],
		['what the text of a speech is called', '1k_characters', { input: LONG }, { text: LONG }],
		[
			'how long a text further in is',
			'1k_characters',
			{ input: { text: 'b' } },
			{ input: { text: 'bc' } },
		],
		[
			'how long a text of another name is',
			'1k_characters',
			{ script: LONG },
			{ script: `${LONG}!` },
		],
		['a model further in', 'image', { a: { model: 'x' } }, { a: { model: 'y' } }],
	])('has %s', (_what, unit, one, other) => {
		expect(settings(unit, one)).not.toBe(settings(unit, other));
	});

	it.each([0, undefined])('has every number where the price is %j', (price) => {
		const of = (unit: string, body: object) => settings(unit, { ...body }, [], price ?? null);
		expect(of('image', { n: 1 })).not.toBe(of('image', { n: 2 }));
		expect(of('second', { duration: 1 })).not.toBe(of('second', { duration: 2 }));
		expect(of('1k_characters', { input: 'a' })).not.toBe(of('1k_characters', { input: 'ab' }));
	});

	it('are others once the price of the catalog has changed', () => {
		expect(settings('image', {}, [], 0.04)).not.toBe(settings('image', {}, [], 0.004));
		expect(settings('image', {})).not.toBe(settings('video', {}));
	});

	it('has the inputs by their number', () => {
		expect(settings('image', {}, ['mask', 'image'])).toBe(settings('image', {}, ['image', 'mask']));
		expect(settings('image', {}, ['image', 'image'])).not.toBe(settings('image', {}, ['image']));
	});
});

import { readReportedCost, settleCost } from '../../../src/router/reportedCost';

it.each<[string, unknown, string | undefined, number | undefined]>([
	['OpenRouter', { cost: 0.00045 }, undefined, 450],
	['a fraction of a micro-dollar', { cost: 0.0000001 }, undefined, 1],
	[
		'a key of the user for the provider',
		{ cost: 0.00002, is_byok: true, cost_details: { upstream_inference_cost: 0.0004 } },
		undefined,
		420,
	],
	[
		'no such key',
		{ cost: 0.00045, is_byok: false, cost_details: { upstream_inference_cost: 0.00045 } },
		undefined,
		450,
	],
	['Perplexity', { cost: { request_cost: 0.005, total_cost: 0.00501 } }, undefined, 5010],
	[
		'Perplexity, which names its currency',
		{ cost: { currency: 'USD', total_cost: 0.00501 } },
		undefined,
		5010,
	],
	['a currency in small letters', { cost: 0.00045, cost_currency: 'usd' }, undefined, 450],
	['a currency without a name', { cost: 0.00045, cost_currency: '' }, undefined, 450],
	['Logos, in euros', { cost: 0.00045, cost_currency: 'EUR' }, undefined, undefined],
	['a currency that is no text', { cost: 1, cost_currency: { toString: 1 } }, undefined, undefined],
	['euros', { cost: { currency: 'EUR', total_cost: 0.00501 } }, undefined, undefined],
	['DeepInfra', { estimated_cost: 0.0000268 }, undefined, 27],
	['Pydantic', { pydantic_ai_gateway: { cost_estimate: 0.00009625 } }, undefined, 97],
	['xAI', { cost_in_usd_ticks: 15_000_000 }, undefined, 1500],
	['LiteLLM', {}, '0.00045', 450],
	['nothing', { prompt_tokens: 1 }, undefined, undefined],
	['what is no amount', { cost: '$1' }, 'free', undefined],
	['a negative amount', { cost: -1 }, undefined, undefined],
])('%s', (_what, usage, header, expected) => {
	expect(readReportedCost(usage, header)).toBe(expected);
});

it.each<
	[string, number | undefined, { most?: number; least?: number }, number | undefined, boolean]
>([
	['the service, where both are near', 450, { most: 500 }, 450, true],
	[
		'the service, between the lowest and the dearest price',
		300,
		{ most: 1000, least: 300 },
		300,
		true,
	],
	['the service, where there is no price', 450, {}, 450, true],
	['the service, where nothing was counted', 150, { least: 300 }, 150, true],
	['nothing, where less is reported than the texts cost', 149, { least: 300 }, undefined, false],
	['the price, where nothing is reported', undefined, { most: 500 }, 500, false],
	['the price, where 0 is reported', 0, { most: 500 }, 500, false],
	['0, where the price is 0, too', 0, { most: 0 }, 0, true],
	['nothing, where 0 is reported and there is no price', 0, {}, undefined, false],
])('what counts is %s', (_what, reported, computed, cost, isReported) => {
	expect(settleCost(reported, computed)).toEqual({ cost, isReported });
});

it.each([
	[200, { most: 500 }, 500],
	[1001, { most: 500 }, 1001],
	[149, { most: 1000, least: 300 }, 1000],
])(
	'of %d reported and %j calculated the dearer counts, and is told',
	(reported, computed, cost) => {
		expect(settleCost(reported, computed)).toMatchObject({
			cost,
			isReported: cost === reported,
			notice: expect.stringMatching(
				/^The service reports a cost of \$0\.00.*The dearer one is counted\.$/,
			),
		});
	},
);

it('one micro-dollar is no contradiction', () => {
	expect(settleCost(1, { most: 2 })).toEqual({ cost: 1, isReported: true });
});

import Big from 'big.js';

import { ServiceError, type ServiceErrorDetails } from '../../../src/core/errors';
import { explainBalance, explainJobBalance } from '../../../src/router/advice';
import { maximumTextCost } from '../../../src/router/pricing';
import fc from '../../support/fastCheck';

const MODEL = { id: 'v/m', pricing: { input_per_mtok: 1, output_per_mtok: 2 } };
const BODY = { model: 'v/m', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1000 };
const META = { required_micro_usd: 2100, balance_micro_usd: 1600, held_micro_usd: 500 };

const refused = (details: ServiceErrorDetails) =>
	new ServiceError('refused', 'The balance does not cover this request (402)', {
		status: 402,
		...details,
	});
const told = (
	details: ServiceErrorDetails,
	more: Partial<Parameters<typeof explainBalance>[1]> = {},
) => explainBalance(refused(details), { body: BODY, model: MODEL, others: 0, ...more }).details;

it('says who holds the money, and the largest cap that fits', () => {
	const code = 'insufficient_balance';
	expect(told({ code, meta: META, advice: 'Top up.', requestId: 'r' }, { others: 1 })).toEqual({
		status: 402,
		code,
		requestId: 'r',
		meta: META,
		advice:
			'Top up. One more of your own requests is under way in this n8n and holds money. Lower "Max Items at Once" in Request Settings, or send this one later. The largest "Maximum Output Tokens" that fits now is 500.',
		computed: {
			requiredUsd: '$0.0021',
			balanceUsd: '$0.0016',
			heldUsd: '$0.0005',
			ownRequestsUnderWay: 1,
			largestMaximumOutputTokens: 500,
		},
	});
});

const holder = /^(The held amount|One more|\d+ more).*/;
const OUTSIDE =
	'The held amount belongs to unfinished media jobs, or to requests from outside this n8n process.';

it.each<[unknown, number, string | undefined]>([
	[500, 0, OUTSIDE],
	['500', 0, OUTSIDE],
	[500, 1, 'One more of your own requests is under way in this n8n and holds money. '],
	[500, 2, '2 more of your own requests are under way in this n8n and hold money. '],
	[0, 2, undefined],
	['0', 2, undefined],
	[undefined, 2, undefined],
	[null, 0, undefined],
	['lots', 0, undefined],
	[[5], 0, undefined],
	[true, 0, undefined],
])('%j held, %d others under way', (held, others, sentence) => {
	const { advice = '', computed } = told({ meta: { held_micro_usd: held } }, { others });
	if (sentence) expect(advice).toContain(sentence);
	else expect(advice).not.toMatch(holder);
	expect(computed).toMatchObject({ ownRequestsUnderWay: others });
});

const NEEDS_LESS = 'A lower "Maximum Output Tokens" needs less.';

it.each<[string, object, object, string, number | undefined]>([
	['fits', META, {}, 'The largest "Maximum Output Tokens" that fits now is 500.', 500],
	[
		'fits in part, in texts',
		{ required_micro_usd: '2100', balance_micro_usd: '1601', held_micro_usd: '500' },
		{},
		'The largest "Maximum Output Tokens" that fits now is 500.',
		500,
	],
	[
		'for two choices',
		{ ...META, required_micro_usd: 4100 },
		{ body: { ...BODY, n: 2 } },
		'The largest "Maximum Output Tokens" that fits now is 250.',
		250,
	],
	[
		'no token',
		{ ...META, balance_micro_usd: 600 },
		{},
		'Not even one output token fits: lowering "Maximum Output Tokens" does not help.',
		0,
	],
	['no figures', {}, {}, NEEDS_LESS, undefined],
	['figures that contradict', { ...META, balance_micro_usd: 9999 }, {}, NEEDS_LESS, undefined],
	['no model', META, { model: undefined }, NEEDS_LESS, undefined],
	['no price', META, { model: { id: 'v/m' } }, NEEDS_LESS, undefined],
])('the cap: %s', (_name, meta, more, sentence, largest) => {
	const { advice, computed = {} } = told({ meta: { ...meta } }, more);
	expect(advice?.endsWith(sentence)).toBe(true);
	expect(computed['largestMaximumOutputTokens']).toBe(largest);
	expect('largestMaximumOutputTokens' in computed).toBe(largest !== undefined);
});

it('a figure that is no amount is not computed', () => {
	const meta = { required_micro_usd: null, balance_micro_usd: 'lots', held_micro_usd: 0 };
	expect(told({ meta }).computed).toStrictEqual({ heldUsd: '$0.00', ownRequestsUnderWay: 0 });
	expect(told({}).computed).toEqual({ ownRequestsUnderWay: 0 });
	expect(told({}).advice).toBe(NEEDS_LESS);
});

it('any other error stays as it is', () => {
	const other = refused({ status: 429, meta: META });
	expect(explainBalance(other, { body: BODY, model: MODEL, others: 1 })).toBe(other);
	const byCode = refused({ status: 400, code: 'insufficient_balance' });
	expect(explainBalance(byCode, { body: BODY, model: MODEL, others: 1 })).not.toBe(byCode);
});

it('the cap that is named fits, and one token more does not', () => {
	const price = fc.integer({ min: 1, max: 10_000 }).map((cents) => cents / 100);
	const amount = fc.nat(1_000_000);
	fc.assert(
		fc.property(
			price,
			price,
			fc.integer({ min: 1, max: 100_000 }),
			amount,
			amount,
			(input, output, cap, balance, held) => {
				const model = { id: 'v/m', pricing: { input_per_mtok: input, output_per_mtok: output } };
				const hold = (max_tokens: number) => {
					const bound = maximumTextCost(model, { ...BODY, max_tokens });
					return 'microUsd' in bound ? bound.microUsd : NaN;
				};
				const meta = {
					required_micro_usd: hold(cap),
					balance_micro_usd: balance,
					held_micro_usd: held,
				};
				fc.pre(balance - held < hold(cap));
				const { computed } = told({ meta }, { model, body: { ...BODY, max_tokens: cap } });
				const largest = computed?.['largestMaximumOutputTokens'] as number;
				// the router's figures are rounded up to one micro-dollar
				if (largest > 0) expect(hold(largest)).toBeLessThanOrEqual(balance - held);
				expect(hold(largest + 1 + Math.ceil(1 / output))).toBeGreaterThan(balance - held);
			},
		),
	);
});

describe('the start of a media job', () => {
	const start = (meta: Record<string, unknown>, leastMicroUsd?: Big, others = 0) =>
		explainJobBalance(refused({ meta, advice: 'Top up.' }), { leastMicroUsd, others }).details;

	it('says the figures, who holds the money, and the margin of the first use', () => {
		const meta = {
			required_micro_usd: 50_000,
			balance_micro_usd: '60000',
			held_micro_usd: 20_000,
		};
		expect(start(meta, Big(40_000), 2)).toMatchObject({
			advice:
				'Top up. 2 more of your own requests are under way in this n8n and hold money. Lower "Max Items at Once" in Request Settings, or send this one later. The required amount is the job\'s cost, plus a margin at the first use of a configuration (a new model, a first 4K clip). It is a margin that the next start does not need. According to the catalog it costs at least $0.04.',
			meta,
			computed: {
				requiredUsd: '$0.05',
				balanceUsd: '$0.06',
				heldUsd: '$0.02',
				leastCostUsd: '$0.04',
				ownRequestsUnderWay: 2,
			},
		});
	});

	it('makes up no figure', () => {
		const { advice, computed } = start({ required_micro_usd: 'lots' });
		expect(computed).toEqual({ ownRequestsUnderWay: 0 });
		expect(advice).toMatch(/does not need\.$/);
		expect(advice).not.toContain('held');
	});

	it('leaves any other failure as it is', () => {
		const error = new ServiceError('refused', 'No', { status: 403 });
		expect(explainJobBalance(error, { leastMicroUsd: Big(1), others: 0 })).toBe(error);
	});
});

import type { INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { startContrary, type Contrary } from './contrary';
import { chat, posts, secretsOf } from './rig/calls';
import { run, start, type RunOptions, shownText } from './rig/run';

// what an answer costs, what it may cost, and what is said when the money does not suffice
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => service.reset());
afterAll(() => service.stop());

const model = (value: string) => ({ __rl: true, mode: 'id', value });
const ask = (content: string, more: INodeParameters = {}, options: Partial<RunOptions> = {}) =>
	run({ ...chat(content, more), secrets: secretsOf(service), ...options });
const carryOn = { settings: { onError: 'continueErrorOutput' } } as const;
const estimate = async (content: string, more: INodeParameters = {}) => {
	const { parameters, ...rest } = chat(content, more);
	const { items, error } = await run({
		...rest,
		parameters: { ...parameters, operation: 'estimateCost' },
		secrets: secretsOf(service),
	});
	expect(error).toBeUndefined();
	return items[0]?.json;
};

/** What the account paid for the last answer. */
async function paidFor(content: string, more: INodeParameters = {}) {
	const account = service.world.accounts.get(service.router.keys.main);
	const before = account?.balance ?? 0;
	const { items } = await ask(content, more);
	return { paid: before - (account?.balance ?? 0), json: items[0]?.json };
}

describe('the cost of an answer', () => {
	it.each<[string, string, INodeParameters]>([
		['plain', 'one two three', {}],
		['one micro-dollar at least', 'x', { model: model('tiny/plain-text-1') }],
		['with cached input', '[[cached:3]] a b c d e f g h', {}],
		['with hidden reasoning', 'x', { model: model('aurora-labs/deep-reason-1') }],
		['of several choices', 'x y z', { options: { answerCount: 3 } }],
		['of a long answer', '[[words:1000]]', { model: model('Aurora-Labs/Prism-4.1-Turbo') }],
	])('%s: what the account was charged', async (_what, content, more) => {
		const { paid, json } = await paidFor(content, more);
		expect(paid).toBeGreaterThan(0);
		expect(json).toMatchObject({ costUsd: paid / 1e6, costComputed: true });
	});

	it('is missing where a price is missing, never zero', async () => {
		const options = { allowUnknownCost: true };
		const { items } = await ask('x', { model: model('tiny/no-price-1'), options });
		expect(items).toHaveLength(1);
		expect(items[0]?.json).not.toHaveProperty('costUsd');
		expect(items[0]?.json).not.toHaveProperty('costComputed');
	});

	it('is missing, and nothing else, where the catalog cannot be read', async () => {
		// another service, whose catalog has not been read yet
		const other = await startService();
		other.fault({ match: { path: '/v1/models' }, do: { type: 'status', status: 503 } });
		const options = { allowUnknownCost: true };
		const { items } = await ask('x', { options }, { secrets: secretsOf(other) });
		await other.stop();
		expect(items[0]?.json).toMatchObject({ output: expect.stringContaining('You said') });
		expect(items[0]?.json).not.toHaveProperty('costUsd');
	});
});

const picture = {
	attachments: { attachment: [{ source: 'url', url: 'https://example.com/a.png' }] },
};
/** Of 1,000,000 tokens at $3, and 4096 at $15. */
const prism = { model: model('Aurora-Labs/Prism-4.1-Turbo') };

describe('the estimate', () => {
	it('is never below what the answer may cost, with what the cap affords where no maximum is set', async () => {
		const given = await estimate('What is a model router?');
		expect(posts(service)).toEqual([]);
		expect(given).toEqual({
			model: 'northwind/quill-2.5',
			output: expect.stringMatching(
				/^This costs at most \$0\.0246\d\d, likely about \$0\.024579\. The prompt is counted with one token per byte\.$/,
			),
			maxCostUsd: expect.any(Number),
			estimatedCostUsd: 0.024579,
			costComputed: true,
			maxPromptTokens: expect.any(Number),
			estimatedPromptTokens: 6,
			promptCountedBy: 'bytes',
			maxOutputTokens: 16_384,
			inputUsdPerMillionTokens: 0.5,
			cachedInputUsdPerMillionTokens: 0.05,
			outputUsdPerMillionTokens: 1.5,
			requestId: expect.stringMatching(/^req-/),
		});
		const most = given?.['maxCostUsd'] as number;
		expect(most).toBeGreaterThanOrEqual((16_384 * 1.5) / 1e6);
		expect(most).toBeLessThan((16_384 * 1.5 + 200) / 1e6);
	});

	it('counts several answers', async () => {
		expect(await estimate('x', { options: { answerCount: 3, maxTokens: 100 } })).toMatchObject({
			maxOutputTokens: 300,
		});
	});

	it('counts the whole context window with a picture, and says so', async () => {
		const given = await estimate('x', { ...prism, ...picture });
		expect(given).toMatchObject({
			output:
				'This costs at most $3.06144. The prompt is counted as the whole context window of the model.',
			maxCostUsd: 3.06144,
			maxPromptTokens: 1_000_000,
			promptCountedBy: 'contextWindow',
			maxOutputTokens: 4096,
		});
		expect(given).not.toHaveProperty('estimatedCostUsd');
	});

	it.each<[string, INodeParameters, RegExp]>([
		['a missing price', { model: model('tiny/no-price-1') }, /no price/],
		['a model that is not listed', { model: model('no/one') }, /does not have this model/],
		[
			'a tool of the service',
			{ options: { additionalFields: '{"web_search_options": {}}' } },
			/"web_search_options" adds text/,
		],
	])('has no bound with %s, and says so', async (_what, more, notice) => {
		const given = await estimate('x', more);
		expect(given).toMatchObject({
			output: expect.stringMatching(/^The cost cannot be calculated\. /),
			notice: expect.stringMatching(notice),
		});
		expect(given).not.toHaveProperty('maxCostUsd');
	});
});

describe('the spending cap', () => {
	const capped = (spendingCapPerItem: number, more: INodeParameters = {}) =>
		ask('one two three', { ...more, spendingCapPerItem }, carryOn);

	it('is not passed over when its expression finds nothing', async () => {
		const { failed } = await ask(
			'one two three',
			{ spendingCapPerItem: '={{ $json.cap }}' },
			carryOn,
		);
		expect(failed[0]?.json['error']).toMatch(
			/^Spending Cap per Item \(USD\) is empty: its expression found nothing for this item\./,
		);
		expect(posts(service)).toEqual([]);
	});

	it('is one dollar if nothing is set', async () => {
		const { failed } = await ask('x', { ...prism, options: { maxTokens: 70_000 } }, carryOn);
		expect(failed[0]?.json['error']).toMatch(
			/^This could cost up to \$1\.05\d*, more than the spending cap of \$1\.00/,
		);
		expect(posts(service)).toEqual([]);
	});

	it('is not rounded up: what could cost half a micro-dollar more is not sent', async () => {
		const [refused] = (await capped(0)).failed;
		const [, dollars] = /could cost up to \$([\d.]+),/.exec(String(refused?.json['error'])) ?? [];
		const most = Math.round(Number(dollars) * 1e6);
		expect((await capped((most - 0.5) / 1e6)).failed).toHaveLength(1);
		expect((await capped(most / 1e6)).items).toHaveLength(1);
	});

	it('lets pass what cannot cost more', async () => {
		const { items } = await capped(0.01, { options: { allowUnknownCost: true } });
		expect(items).toHaveLength(1);
		// they are ours, and not sent
		expect(posts(service)[0]?.body).not.toHaveProperty('spendingCapPerItem');
		expect(posts(service)[0]?.body).not.toHaveProperty('allowUnknownCost');
	});

	it.each<[string, number, INodeParameters, RegExp]>([
		[
			'what could',
			0.001,
			{},
			/^This could cost up to \$0\.00617\d, more than the spending cap of \$0\.001\. Nothing was sent\. At most \d+ tokens go in and 4096 come out: lower "Maximum Output Tokens", shorten the input, or raise "Spending Cap per Item"\./,
		],
		[
			'a picture that could fill the context window',
			3.06,
			{ ...prism, ...picture },
			/^This could cost up to \$3\.06144, .*The prompt is counted as the whole context window of the model, 1000000 tokens, and 4096 come out/,
		],
	])('holds back %s', async (_what, cap, more, message) => {
		const { failed } = await capped(cap, { ...more, options: { allowUnknownCost: true } });
		expect(failed).toMatchObject([
			{ json: { error: expect.stringMatching(message), details: { kind: 'invalid' } } },
		]);
		expect(posts(service)).toEqual([]);
	});

	it('lets pass a picture that fits in any case', async () => {
		const { items } = await capped(3.07, { ...prism, ...picture });
		expect(items).toHaveLength(1);
	});

	it('counts no more than the context window for a long prompt', async () => {
		// 400,000 bytes and 128,000 tokens; at one token per byte it would be $0.206
		const { failed } = await ask('word '.repeat(80_000), { spendingCapPerItem: 0.07 }, carryOn);
		expect(failed[0]?.json['error']).toMatch(/^This could cost up to \$0\.070144, /);
		const { items } = await ask('word '.repeat(80_000), { spendingCapPerItem: 0.0702 }, carryOn);
		expect(items).toHaveLength(1);
	});

	it('counts answers and caps on output', async () => {
		expect((await capped(0.01, { options: { answerCount: 3 } })).failed).toHaveLength(1);
		expect(
			(await capped(0.01, { options: { answerCount: 3, maxTokens: 100 } })).items,
		).toHaveLength(1);
	});
});

describe('a cost that cannot be calculated', () => {
	const cases: Array<[string, INodeParameters, RegExp]> = [
		['of a model without a price', { model: model('tiny/no-price-1') }, /no price for the input/],
		[
			'of a model without one of two',
			{ model: model('tiny/input-price-1') },
			/no price for the output/,
		],
		[
			'of a model that the catalog does not have',
			{ model: model('no/one') },
			/does not have the model no\/one/,
		],
		[
			'of tools that the service runs',
			{ options: { additionalFields: '{"web_search_options": {}}' } },
			/"web_search_options" adds text/,
		],
	];

	it.each(cases)('%s is refused, and the field is named', async (_what, more, reason) => {
		const { failed } = await ask('x', more, carryOn);
		const [item] = failed;
		expect(item?.json).toMatchObject({
			error: expect.stringMatching(/^The cost cannot be calculated: /),
			details: { kind: 'invalid' },
		});
		expect(item?.json['error']).toMatch(reason);
		expect(item?.json['error']).toMatch(/turn on "Allow Unknown Cost" in Options\.$/);
		expect(posts(service)).toEqual([]);
	});

	it.each(cases)('%s is allowed where somebody says so', async (_what, more) => {
		const options = { ...(more['options'] as object), allowUnknownCost: true };
		await ask('x', { ...more, options }, carryOn);
		expect(posts(service)).toHaveLength(1);
	});

	it.each(cases)('%s is refused all the same where nothing may be spent', async (_what, more) => {
		const options = { ...(more['options'] as object), allowUnknownCost: true };
		const { failed } = await ask('x', { ...more, options, spendingCapPerItem: 0 }, carryOn);
		expect(failed[0]?.json['error']).toMatch(
			/^The spending cap of \$0\.00 allows no cost\. The cost of this is not known: .*raise "Spending Cap per Item"\.$/,
		);
		expect(posts(service)).toEqual([]);
	});

	describe('with an odd catalog', () => {
		let odd: Contrary;
		beforeAll(async () => (odd = await startContrary()));
		afterAll(() => odd.stop());

		const stream = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n';
		const entry = (more: object = {}) => ({
			id: 'v/a',
			context_length: 1000,
			pricing: { input_per_mtok: 1, output_per_mtok: 1 },
			...more,
		});
		/** Each case has a key of its own, since the catalog of an account is remembered. */
		let keys = 0;
		const asked = async (body: unknown, more: INodeParameters, status = 200) => {
			odd.answer(({ url = '' }) =>
				url.startsWith('/v1/models')
					? { status, type: 'application/json', body: JSON.stringify(body) }
					: { type: 'text/event-stream', body: stream },
			);
			const apiKey = `key-of-an-odd-catalog-${++keys}`;
			const secrets = { modelRouterApi: { ...odd.secrets['modelRouterApi'], apiKey } };
			const { items, error } = await ask('x', { model: model('v/a'), ...more }, { secrets });
			return { sent: odd.posted.length, items: items.length, message: shownText(error) };
		};

		it.each<[string, unknown]>([
			['a bare list', [entry()]],
			['a list in an unknown field', { result: { entries: [entry()] } }],
			['an object by id', { 'v/a': { ...entry(), id: undefined } }],
			['prices as text', [entry({ pricing: { input_per_mtok: '1', output_per_mtok: '1.0' } })]],
			['a window as text', [entry({ context_length: '1000' })]],
			['another spelling', [entry({ id: 'V/A' })]],
		])('%s is understood', async (_what, catalog) => {
			expect(await asked(catalog, picture)).toEqual({ sent: 1, items: 1, message: undefined });
		});

		it.each<[string, unknown, RegExp]>([
			[
				'no context window',
				[entry({ context_length: undefined })],
				/does not have the context window/,
			],
			['a window of zero', [entry({ context_length: 0 })], /does not have the context window/],
			[
				'a window in words',
				[entry({ context_length: '128k' })],
				/does not have the context window/,
			],
			['no prices', [entry({ pricing: undefined })], /no price for the input tokens/],
			['prices in a list', [entry({ pricing: [1, 1] })], /no price for the input tokens/],
			[
				'a negative price',
				[entry({ pricing: { input_per_mtok: -1, output_per_mtok: 1 } })],
				/no price/,
			],
			['no models', { data: [] }, /does not have the model v\/a/],
			['no list', { ok: true }, /the catalog could not be read/],
		])(
			'%s: a picture is refused, and sent where unknown cost is allowed',
			async (_what, catalog, reason) => {
				const refused = await asked(catalog, picture);
				expect(refused).toMatchObject({ sent: 0, message: expect.stringMatching(reason) });
				expect(refused.message).toMatch(/"Allow Unknown Cost"/);
				const allowed = await asked(catalog, { ...picture, options: { allowUnknownCost: true } });
				expect(allowed).toEqual({ sent: 1, items: 1, message: undefined });
			},
		);

		it('a text needs no context window', async () => {
			const catalog = [entry({ context_length: undefined })];
			expect(await asked(catalog, {})).toEqual({ sent: 1, items: 1, message: undefined });
		});

		it('a catalog that cannot be read is told with its reason', async () => {
			expect(await asked({ message: 'down' }, {}, 503)).toEqual({
				sent: 0,
				items: 0,
				message: expect.stringMatching(
					/^The cost cannot be calculated: the catalog could not be read \(.*503.*\)/,
				),
			});
		});
	});
});

describe('a balance that does not suffice', () => {
	const poor = () => ({
		secrets: { modelRouterApi: { baseUrl: service.url, apiKey: service.router.keys.poor } },
	});

	it('says the figures in dollars, and the largest cap that fits: it does', async () => {
		const { failed } = await ask(
			'x',
			{ options: { maxTokens: 10_000_000 } },
			{ ...poor(), ...carryOn },
		);
		const json = failed[0]?.json as {
			error: string;
			details: { computed: { largestMaximumOutputTokens: number; heldUsd: string } };
		};
		expect(json).toMatchObject({
			error: expect.stringMatching(/needed: \$\d+\.\d\d.*balance: \$.*The largest "Maximum Output/),
			details: {
				outcome: 'not_started',
				meta: { required_micro_usd: expect.any(Number) },
				computed: { requiredUsd: expect.stringMatching(/^\$/), ownRequestsUnderWay: 0 },
			},
		});
		const { largestMaximumOutputTokens: fits } = json.details.computed;
		const asked = async (maxTokens: number) =>
			(await ask('x', { options: { maxTokens } }, { ...poor(), ...carryOn })).items.length;
		expect([await asked(fits), await asked(fits + 2)]).toEqual([1, 0]);
	});

	it('says that own requests hold the money', async () => {
		service.forms.gate = true;
		const most = { options: { maxTokens: 400 } };
		const first = start({ ...chat('[[words:50]]', most), ...poor() });
		await service.gated();
		// what is left is too little for a second one
		const { failed } = await ask(
			'x',
			{ options: { maxTokens: 10_000_000 } },
			{ ...poor(), ...carryOn },
		);
		expect(failed[0]?.json).toMatchObject({
			error: expect.stringMatching(
				/One more of your own requests is under way.*"Max Items at Once"/,
			),
			details: { computed: { ownRequestsUnderWay: 1 } },
		});
		service.step(1000);
		expect((await first.finished).items).toHaveLength(1);
	});
});

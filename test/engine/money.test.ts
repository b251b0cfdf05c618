import type { INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { chat, posts, secretsOf } from './rig/calls';
import { run, start, type RunOptions } from './rig/run';

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
		parameters: { ...parameters, operation: 'estimate' },
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
	return { paid: before - (account?.balance ?? 0), cost: items[0]?.json['cost'] };
}

describe('the cost of an answer', () => {
	it.each<[string, string, INodeParameters]>([
		['plain', 'one two three', {}],
		['one micro-dollar at least', 'x', { model: model('tiny/plain-text-1') }],
		['with cached input', '[[cached:3]] a b c d e f g h', {}],
		['with hidden reasoning', 'x', { model: model('aurora-labs/deep-reason-1') }],
		['of several choices', 'x y z', { options: { n: 3 } }],
		['of a long answer', '[[words:1000]]', { model: model('Aurora-Labs/Prism-4.1-Turbo') }],
	])('%s: what the account was charged', async (_what, content, more) => {
		const { paid, cost } = await paidFor(content, more);
		expect(paid).toBeGreaterThan(0);
		expect(cost).toEqual({ microUsd: paid, usd: paid / 1e6, computed: true });
	});

	it('is missing where a price is missing, never zero', async () => {
		const { items } = await ask('x', { model: model('tiny/no-price-1') });
		expect(items[0]?.json).not.toHaveProperty('cost');
	});

	it('is missing, and nothing else, where the catalog cannot be read', async () => {
		// another service, whose catalog has not been read yet
		const other = await startService();
		other.fault({ match: { path: '/v1/models' }, do: { type: 'status', status: 503 } });
		const { items } = await ask('x', {}, { secrets: secretsOf(other) });
		await other.stop();
		expect(items[0]?.json).toMatchObject({ output: expect.stringContaining('You said') });
		expect(items[0]?.json).not.toHaveProperty('cost');
	});
});

describe('the estimate', () => {
	it('is never below what the router holds, with 4096 tokens where no cap is set', async () => {
		const given = await estimate('What is a model router?');
		expect(posts(service)).toEqual([]);
		expect(given).toMatchObject({
			model: 'northwind/quill-2.5',
			maximumOutputTokens: 4096,
			hold: {
				atMost: { microUsd: expect.any(Number), computed: true },
				likely: { microUsd: expect.any(Number) },
			},
			pricing: { input_per_mtok: 0.5 },
			requestId: expect.any(String),
		});
		const atMost = (given?.['hold'] as { atMost: { microUsd: number } }).atMost.microUsd;
		expect(atMost).toBeGreaterThanOrEqual(4096 * 1.5);
		expect(atMost).toBeLessThan(4096 * 1.5 + 200);
	});

	it.each<[string, INodeParameters, RegExp]>([
		['a missing price', { model: model('tiny/no-price-1') }, /no price/],
		[
			'a picture',
			{
				model: model('Aurora-Labs/Prism-4.1-Turbo'),
				attachments: { attachment: [{ source: 'url', url: 'https://example.com/a.png' }] },
			},
			/image/,
		],
	])('has no bound with %s, and says so', async (_what, more, notice) => {
		const given = await estimate('x', more);
		expect(given).toMatchObject({ notice: expect.stringMatching(notice) });
		expect(given).not.toHaveProperty('hold');
	});
});

describe('the spending cap', () => {
	const capped = (spendingCap: number, more: INodeParameters = {}) =>
		ask(
			'one two three',
			{ ...more, options: { spendingCap, ...(more['options'] as object) } },
			carryOn,
		);

	it('is not passed over when its expression finds nothing', async () => {
		const options = { spendingCap: '={{ $json.cap }}' };
		const { failed } = await ask('one two three', { options }, carryOn);
		expect(failed[0]?.json['error']).toMatch(
			/^Options: Spending Cap per Item \(USD\) is empty: its expression found nothing for this item\./,
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
		const { items } = await capped(0.01);
		expect(items).toHaveLength(1);
		// it is ours, and not sent
		expect(posts(service)[0]?.body).not.toHaveProperty('spendingCap');
	});

	it.each<[string, number, INodeParameters, RegExp]>([
		[
			'what could',
			0.001,
			{},
			/could cost up to \$0\.00617\d, more than the spending cap of \$0\.001/,
		],
		[
			'a model without a price',
			1,
			{ model: model('tiny/no-price-1') },
			/cannot be enforced: .*no price/,
		],
		[
			'a picture',
			1,
			{
				model: model('Aurora-Labs/Prism-4.1-Turbo'),
				attachments: { attachment: [{ source: 'url', url: 'https://example.com/a.png' }] },
			},
			/cannot be enforced: .*image/,
		],
		['a model that the catalog does not have', 1, { model: model('no/one') }, /does not have/],
	])('holds back %s', async (_what, cap, more, message) => {
		const { failed } = await capped(cap, more);
		expect(failed).toMatchObject([
			{ json: { error: expect.stringMatching(message), details: { kind: 'invalid' } } },
		]);
		expect(posts(service)).toEqual([]);
	});

	it('counts choices and caps on output', async () => {
		expect((await capped(0.01, { options: { n: 3 } })).failed).toHaveLength(1);
		expect((await capped(0.01, { options: { n: 3, max_tokens: 100 } })).items).toHaveLength(1);
	});
});

describe('a balance that does not suffice', () => {
	const poor = () => ({
		secrets: { modelRouterApi: { baseUrl: service.url, apiKey: service.router.keys.poor } },
	});

	it('says the figures in dollars, and the largest cap that fits: it does', async () => {
		const { failed } = await ask(
			'x',
			{ options: { max_tokens: 10_000_000 } },
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
		const asked = async (max_tokens: number) =>
			(await ask('x', { options: { max_tokens } }, { ...poor(), ...carryOn })).items.length;
		expect([await asked(fits), await asked(fits + 2)]).toEqual([1, 0]);
	});

	it('says that own requests hold the money', async () => {
		service.forms.gate = true;
		const most = { options: { max_tokens: 400 } };
		const first = start({ ...chat('[[words:50]]', most), ...poor() });
		await service.gated();
		// what is left is too little for a second one
		const { failed } = await ask(
			'x',
			{ options: { max_tokens: 10_000_000 } },
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

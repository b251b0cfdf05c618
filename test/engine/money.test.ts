import type { INodeParameters } from 'n8n-workflow';

import { CARRY_ON, chat, failPosts, model, posts, RETRIED, says } from './rig/calls';
import { start, type RunOptions } from './rig/run';
import { secretsOfFreshAccount, serviceForTests } from './rig/service';

// what an answer costs, what it may cost, and what is said when the money does not suffice
const service = serviceForTests();

const ask = (content: string, more: INodeParameters = {}, options: Partial<RunOptions> = {}) =>
	service.run(chat(content, more), { settings: CARRY_ON, ...options });
const estimate = async (content: string, more: INodeParameters = {}) =>
	(await ask(content, { ...more, operation: 'estimateCost' })).items[0]?.json;
const expectRefused = async (outcome: ReturnType<typeof ask>, sentence: RegExp) => {
	const { failed } = await outcome;
	const details = expect.objectContaining({ kind: 'invalid' });
	expect(failed).toMatchObject([{ json: { error: expect.stringMatching(sentence), details } }]);
	expect(posts(service)).toEqual([]);
};
const allowed = { allowUnknownCost: true };

describe('the cost of an answer', () => {
	it.each([
		['plain', 'one two three', {}],
		['with cached input', '[[cached:3]] a b c d e f g h', {}],
		['of several choices', 'x y z', { options: { additionalFields: '{"n":3}' } }],
	])('%s: what the account was charged', async (_what, content, more) => {
		const { result, paid } = await service.paidFor(async () => await ask(content, more));
		const { items } = result;
		expect(paid).toBeGreaterThan(0);
		expect(items[0]?.json).toMatchObject({ costUsd: paid / 1e6, costComputed: true });
	});

	it.each([
		['a price', 'tiny/no-price-1', 200],
		['the catalog', 'northwind/quill-2.5', 503],
	])('is missing where %s is missing, never zero', async (_what, id, status) => {
		if (status !== 200)
			service.fault({ match: { path: '/v1/models' }, do: { type: 'status', status } });
		const secrets = secretsOfFreshAccount(service);
		const { items } = await ask('x', { model: model(id), options: allowed }, { secrets });
		expect(items[0]?.json).toMatchObject({ output: expect.stringContaining('You said') });
		expect(items[0]?.json).not.toHaveProperty('costUsd');
		expect(items[0]?.json).not.toHaveProperty('costComputed');
	});

	it('is what the service says where it has counted nothing, if the texts cost less', async () => {
		const usage = { prompt_tokens: 0, completion_tokens: 0, cost: 0.02 };
		failPosts(service, says({ content: 'Hello '.repeat(5000).trim() }, 'stop', usage));
		const { items } = await ask('x');
		expect(items[0]?.json).toMatchObject({ costUsd: 0.02, costSource: 'service' });
	});

	it.each([
		['nothing', { prompt_tokens: 0, completion_tokens: 0 }],
		['only the prompt', { prompt_tokens: 100, completion_tokens: 0 }],
		[
			'nothing, at a cost below that of the texts',
			{ prompt_tokens: 0, completion_tokens: 0, cost: 0.000001 },
		],
	])(
		'is not known where the service has counted %s: 0 tokens say nothing',
		async (_what, usage) => {
			const content = 'Hello '.repeat(5000).trim();
			failPosts(service, says({ content }, 'stop', usage));
			const { items } = await ask('x');
			expect(items[0]?.json).toMatchObject({ output: content, reservedUsd: expect.any(Number) });
			expect(items[0]?.json).not.toHaveProperty('costUsd');
		},
	);
});

const picture = {
	attachments: { attachment: [{ file: 'https://example.com/a.png' }] },
};
/** Of 1,000,000 tokens at $3, and 4096 at $15. */
const prism = { model: model('Aurora-Labs/Prism-4.1-Turbo') };

it('the estimate counts the whole context window with a picture, and says so', async () => {
	const given = await estimate('x', { ...prism, ...picture });
	expect(given).toMatchObject({
		output:
			'This costs at most $3.06144. The prompt is counted as the whole context window of the model.',
		maxCostUsd: 3.06144,
		maxPromptTokens: 1_000_000,
		promptCountedBy: 'contextWindow',
	});
	expect(given).not.toHaveProperty('estimatedCostUsd');
	expect(posts(service)).toEqual([]);
});

describe('the spending cap', () => {
	it('is one dollar if nothing is set', async () => {
		await expectRefused(
			ask('x', { ...prism, options: { maxTokens: 70_000 } }),
			/^This could cost up to \$1\.05\d*, more than the spending cap of \$1\.00/,
		);
	});

	it('lets pass what cannot cost more; the fields are ours, and not sent', async () => {
		const { items } = await ask('one two three', { options: allowed, spendingCapPerItem: 0.01 });
		expect(items).toHaveLength(1);
		const { bodyText } = posts(service)[0]!;
		expect(bodyText).not.toMatch(/spendingCapPerItem|allowUnknownCost/);
	});
});

describe('the spending cap per execution', () => {
	/** A request could cost up to $0.00078 or so. */
	const options = (spendingCapPerExecution: number) => ({
		options: { maxTokens: 500, spendingCapPerExecution },
	});
	const twenty = Array.from({ length: 20 }, (_, at) => ({ text: `one two three ${at}` }));
	const askAll = async (cap: number) =>
		await service.paidFor(
			async () => await ask('={{ $json.text }}', options(cap), { items: twenty }),
		);

	it('lets all items pass that fit by what they cost, although a few at a time could cost more', async () => {
		const { result, paid } = await askAll(0.0017);
		expect(result.items).toHaveLength(20);
		expect(paid).toBeLessThan(0.0017e6 - 780);
	});

	it('is not exceeded by items at the same time, and the rest is not sent', async () => {
		const { result, paid } = await askAll(0.0009);
		const sent = posts(service).length;
		expect(sent).toBeGreaterThan(1);
		expect(paid).toBeLessThanOrEqual(900);
		expect(result.failed).toHaveLength(20 - sent);
		expect(result.failed[0]?.json['error']).toMatch(
			/^This does not fit into what is left of the spending cap of \$0\.0009 for this execution/,
		);
	});

	it('sends nothing for items that have waited while another one failed', async () => {
		service.fault({
			match: { method: 'POST' },
			times: 1,
			do: [
				{ type: 'status', status: 400 },
				{ type: 'latency', ms: 300 },
			],
		});
		const { error } = await service.run(
			chat('={{ $json.text }}', {
				// one at a time
				options: { maxTokens: 5000, spendingCapPerExecution: 0.009 },
				requestSettings: { concurrency: 20 },
			}),
			{ items: twenty },
		);
		expect(error?.message).toContain('400');
		// one that is late, as with pauses, has not waited
		expect(posts(service).length).toBeLessThanOrEqual(3);
	});

	it.each([
		['fee of xAI where less was reserved', 500, { costUsd: 0.05 }, '$0.05 is spent'],
		[
			'reserved amount where that is more',
			40_000,
			{ reservedUsd: expect.closeTo(0.06, 3) },
			'$0.00 is spent, and',
		],
	])(
		'of a request against the guidelines, it counts the %s',
		async (_what, maxTokens, computed, said) => {
			const body = { error: 'Content violates usage guidelines. Failed check: x' };
			failPosts(service, { type: 'status', status: 403, body });
			const { failed } = await ask(
				'x',
				{
					options: { maxTokens, spendingCapPerExecution: 0.05 + maxTokens / 1e6 },
					requestSettings: { concurrency: 1 },
				},
				{ items: [{}, {}] },
			);
			expect(posts(service)).toHaveLength(1);
			expect(failed.map(({ json }) => json)).toMatchObject([
				{ details: { outcome: 'started', computed } },
				{ error: expect.stringContaining(said) },
			]);
		},
	);

	it('counts all tries of Retry On Fail, and what is not known with the most that it can cost', async () => {
		service.fault({ match: { method: 'POST' }, do: { type: 'status', status: 500 } });
		const { error } = await service.run(
			chat('x', { ...options(0.001), requestSettings: { resendIfUnknown: true } }),
			{ settings: RETRIED },
		);
		expect(error?.message).toContain('what is left of the spending cap of $0.001');
		expect(posts(service)).toHaveLength(1);
	});
});

describe('files that are in the request', () => {
	const omni = { model: model('aurora-labs/omni-2') };
	const attached = (mimeType: string, content: string): Partial<RunOptions> => ({
		files: { data: { data: Buffer.from(content).toString('base64'), mimeType, fileName: 'a' } },
	});
	const own = { attachments: { attachment: [{ file: 'data' }] } };

	it('count with the most that a vendor counts: a picture fits the default cap of a large model', async () => {
		const given = await ask(
			'What is in this picture?',
			{ ...prism, ...own },
			attached('image/png', '\x89PNG'),
		);
		expect(given.error).toBeUndefined();
		expect(given.items).toHaveLength(1);
	});

	it('are told by the estimate', async () => {
		const more = { ...prism, ...own, operation: 'estimateCost' };
		const { items } = await ask('x', more, attached('text/plain', 'a text'));
		expect(items[0]?.json).toMatchObject({
			output: expect.stringMatching(/ and each file with the most that vendors count\.$/),
			promptCountedBy: 'bytesAndFiles',
		});
		expect(Number(items[0]?.json['maxPromptTokens'])).toBeLessThan(300);
	});

	it('count with the context window where no limit is known, and the advice helps', async () => {
		const paper = attached('application/pdf', '%PDF-1.7');
		const { failed } = await ask('x', { ...prism, ...own }, paper);
		expect(failed[0]?.json['error']).toMatch(
			/whole context window.*send the text of a document and not the document.* A message contains "file"/,
		);
		expect((await ask('x', { ...omni, ...own }, paper)).items).toHaveLength(1);
		expect(posts(service)).toHaveLength(1);
	});
});

describe('figures that cannot be true', () => {
	it('of contradicting token counts the dearer ones are paid, and the answer says so', async () => {
		const usage = { prompt_tokens: 7477, completion_tokens: 2060, total_tokens: 11_476 };
		service.fault({ match: { method: 'POST' }, do: says({ content: 'Yes' }, 'stop', usage) });
		const { items, hints } = await ask('x');
		const [{ json } = { json: {} }] = items;
		const notice = expect.stringContaining('7477 tokens in and 3999 out');
		expect(json).toMatchObject({ costUsd: 0.009737, usage, notice });
		expect(hints).toEqual([notice]);
	});
});

describe('a cost that cannot be calculated', () => {
	it.each<[string, INodeParameters, RegExp]>([
		['of a model without a price', { model: model('tiny/no-price-1') }, /no price for the input/],
		['of an unknown model', { model: model('no/one') }, /not have (the model no\/one|this model)/],
		[
			'of tools that the service runs',
			{ options: { additionalFields: '{"web_search_options": {}}' } },
			/"web_search_options" may add to the cost/,
		],
	])(
		'%s is refused, estimated as unknown, and allowed where somebody says so and something may be spent',
		async (_what, more, reason) => {
			await expectRefused(ask('x', more), reason);
			const sentence =
				/^The (cost cannot be calculated: |catalog does not have ).*turn on "Allow Unknown Cost" in Options: no spending cap then limits what it costs\.$/;
			await expectRefused(ask('x', more), sentence);
			const estimated = await estimate('x', more);
			expect(estimated).toMatchObject({
				output: expect.stringMatching(/^The cost cannot be calculated\. /),
				notice: expect.stringMatching(reason),
			});
			expect(estimated).not.toHaveProperty('maxCostUsd');
			const options = { ...(more['options'] as object), ...allowed };
			await expectRefused(
				ask('x', { ...more, options, spendingCapPerItem: 0 }),
				/^The spending cap of \$0\.00 allows no cost\. The cost of this is not known: .*raise "Spending Cap per Item \(USD\)"\.$/,
			);
			await ask('x', { ...more, options });
			expect(posts(service)).toHaveLength(1);
		},
	);
});

describe('a balance that does not suffice', () => {
	const poor = () => ({
		modelRouterApi: { baseUrl: service.url, apiKey: service.router.keys.poor },
	});
	const asked = (maxTokens: number) =>
		ask('x', { options: { maxTokens }, spendingCapPerItem: 100 }, { secrets: poor() });

	it('says the figures in dollars, and the largest cap that fits: it does', async () => {
		const { failed } = await asked(10_000_000);
		const json = failed[0]?.json as {
			details: { computed: { largestMaximumOutputTokens: number } };
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
		expect((await asked(fits)).items).toHaveLength(1);
		expect((await asked(fits + 2)).items).toEqual([]);
	});

	it('says that own requests hold the money', async () => {
		service.forms.gate = true;
		const most = { options: { maxTokens: 400 } };
		const first = start({ ...chat('[[words:50]]', most), secrets: poor() });
		await service.gated();
		// what is left is too little for a second one
		const { failed } = await asked(10_000_000);
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

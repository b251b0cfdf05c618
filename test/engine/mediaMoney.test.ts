import type { INode, INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { job, posts, secretsOf } from './rig/calls';
import { run, type RunOptions } from './rig/run';

// what a media job may cost, and what is said when the money does not suffice
let service: Service;
beforeAll(async () => (service = await startService()));
beforeEach(() => {
	service.reset();
	service.forms.jobSteps = 0;
});
afterAll(() => service.stop());

const model = (value: string) => ({ __rl: true, mode: 'id', value });
const carryOn = { onError: 'continueErrorOutput' } as const;
const retry: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

const execute = (
	parameters: INodeParameters,
	more: Partial<RunOptions> = {},
	operation = 'start',
) =>
	run({
		...job(operation, {
			mediaType: 'images',
			model: model('canvas/sketch-1'),
			prompt: '={{ $json.prompt }}',
			...parameters,
		}),
		items: [{ prompt: 'a cat' }],
		secrets: secretsOf(service),
		settings: carryOn,
		...more,
	});
const items = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ prompt: `picture-${index}.` }));

describe('the cap per item', () => {
	const capped = (spendingCapPerItem: number, parameters: INodeParameters = {}) =>
		execute({ spendingCapPerItem, ...parameters });

	it.each<[string, number, INodeParameters]>([
		['image', 0.04, {}],
		['image', 0.16, { parameters: '{"n": 4}' }],
		['request', 0.015, { model: model('canvas/Oil.Paint-2') }],
		[
			'second',
			0.8,
			{ mediaType: 'videos', model: model('reel/clip-3'), parameters: '{"duration": 8}' },
		],
		['video', 0.35, { mediaType: 'videos', model: model('reel/short-1.0') }],
		['1k_characters', 0.000075, { mediaType: 'audio', model: model('voice/speaker-1') }],
	])('per %s: starts what costs no more, and holds back what does', async (_unit, cost, more) => {
		const above = await capped(cost - 0.000001, more);
		expect(above.failed).toMatchObject([
			{
				json: {
					error: expect.stringMatching(/^This costs at least \$[\d.]+, more than the spending cap/),
					details: { kind: 'invalid' },
				},
			},
		]);
		expect(posts(service)).toEqual([]);
		const within = await capped(cost, more);
		// the service itself counts so, here
		expect(within.items[0]?.json).toMatchObject({
			estimatedCostUsd: cost < 0.000001 ? expect.any(Number) : Math.ceil(cost * 1e6) / 1e6,
		});
		expect(posts(service)[0]?.body).not.toHaveProperty('spendingCapPerItem');
	});

	it.each<[string, string, RegExp]>([
		['a model without a price', 'tiny/no-price-1', /has no price|answers with text/],
		[
			'a model that the catalog does not have',
			'no/one',
			/cannot be calculated: .*does not have.*Choose a model from the list, or correct its ID.*"Allow Unknown Cost"/,
		],
	])('holds back %s', async (_what, id, message) => {
		const { failed } = await capped(100, { model: model(id) });
		expect(failed).toMatchObject([{ json: { error: expect.stringMatching(message) } }]);
		expect(posts(service)).toEqual([]);
	});

	it('holds back everything where the catalog cannot be read', async () => {
		const other = await startService();
		other.fault({ match: { path: '/v1/models' }, do: { type: 'status', status: 503 } });
		const { failed } = await execute({ spendingCapPerItem: 100 }, { secrets: secretsOf(other) });
		expect(posts(other)).toEqual([]);
		await other.stop();
		expect(failed[0]?.json).toMatchObject({ error: expect.stringMatching(/could not be read/) });
	});

	it('costs nothing for any item when one is above it', async () => {
		const { error } = await execute(
			{ parameters: '={{ {"n": $json.n} }}', spendingCapPerItem: 0.1 },
			{
				items: [
					{ prompt: 'a', n: 1 },
					{ prompt: 'b', n: 3 },
				],
				settings: {},
			},
		);
		expect(error).toMatchObject({ context: { itemIndex: 1 } });
		expect(posts(service)).toEqual([]);
	});
});

describe('the cap per execution', () => {
	const capped = (
		spendingCapPerExecution: number,
		more: Partial<RunOptions> = {},
		operation = 'start',
	) => execute({ options: { spendingCapPerExecution } }, { items: items(6), ...more }, operation);

	it.each(['start', 'generate'])(
		'%s: one after another, as long as the next one fits',
		async (operation) => {
			service.fault({ match: { method: 'POST' }, do: { type: 'latency', ms: 20, effect: true } });
			const { items: made, failed } = await capped(0.1, {}, operation);
			expect(posts(service)).toHaveLength(2);
			expect(made.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
			expect(failed).toMatchObject(
				[2, 3, 4, 5].map((item) => ({
					json: {
						error: expect.stringMatching(
							/^The spending cap of \$0\.10 for this execution is reached\. Nothing was sent.*\$0\.08 is spent\. This costs at least \$0\.04\./,
						),
						details: { kind: 'invalid' },
					},
					pairedItem: { item },
				})),
			);
		},
	);

	it.each([
		['0 does not open it: the catalog says more', 0, 2],
		['4 does not open it, either', 4, 2],
		['90,000 counts as it is: the next job does not fit', 90_000, 1],
	])('an estimate of %s', async (_what, estimate, started) => {
		service.fault({
			match: { method: 'POST' },
			do: { type: 'replace', find: '"estimated_cost":40000', with: `"estimated_cost":${estimate}` },
		});
		const { failed } = await capped(0.1);
		expect(posts(service)).toHaveLength(started);
		expect(failed).toHaveLength(6 - started);
	});

	it('starts one after another', async () => {
		service.fault({ match: { method: 'POST' }, do: { type: 'latency', ms: 20, effect: true } });
		await capped(10);
		expect(posts(service)).toHaveLength(6);
		expect(service.mostInFlight).toBe(1);
		expect(service.world.starts.map(({ prompt }) => prompt)).toEqual(
			items(6).map(({ prompt }) => prompt),
		);
	});

	it('refuses a job that costs more by itself, and starts nothing with a cap of 0', async () => {
		expect((await capped(0.03)).failed).toHaveLength(6);
		expect((await capped(0)).failed).toHaveLength(6);
		expect(posts(service)).toEqual([]);
	});

	it('counts what the start ledger gives back, and does not start it again', async () => {
		service.fault({
			match: { method: 'POST', bodyIncludes: 'picture-1.' },
			times: 1,
			do: { type: 'status', status: 403 },
		});
		const { error } = await capped(0.1, { settings: retry });
		expect(error?.message).toMatch(/The spending cap of \$0\.10 for this execution is reached/);
		const started = service.world.starts.map(({ prompt }) => prompt);
		expect(started).toHaveLength(2);
		expect(new Set(started).size).toBe(2);
	});

	it('starts nothing behind an item that failed', async () => {
		service.fault({
			match: { method: 'POST', bodyIncludes: 'picture-1.' },
			do: { type: 'status', status: 403 },
		});
		await capped(10, { settings: {} });
		expect(service.world.starts.map(({ prompt }) => prompt)).toEqual(['picture-0.']);
	});

	it.each<[string, unknown, unknown]>([
		['fractional', 0.04, 0.04],
		['unreadable', '"much"', 'much'],
		['negative', -5, -0.000005],
		['missing', undefined, undefined],
	])('ends where an estimated cost is %s, and keeps it as it came', async (_what, cost, kept) => {
		const estimate = cost === undefined ? '' : `,"estimated_cost":${String(cost)}`;
		service.fault({
			match: { method: 'POST' },
			do: { type: 'body', body: `{"id":"job-1"${estimate}}`, effect: true },
		});
		const { items: made, failed } = await capped(10);
		expect(posts(service)).toHaveLength(1);
		const amount = made[0]?.json['estimatedCostUsd'] ?? made[0]?.json['estimated_cost'];
		expect(amount).toEqual(kept);
		expect(failed).toHaveLength(5);
		expect(failed[0]?.json['error']).toMatch(/not known what an earlier request costs/);
	});

	it('ends where it is not known whether a job was started', async () => {
		service.fault({
			match: { method: 'POST', bodyIncludes: 'picture-1.' },
			do: { type: 'reset_peer', effect: true },
		});
		const { items: made, failed } = await capped(10);
		expect([made.length, failed.length, posts(service).length]).toEqual([1, 5, 2]);
		expect(failed[1]?.json['error']).toMatch(
			/cannot be enforced: it is not known what .* costs, or whether it was started/,
		);
	});
});

it.each<[string, INodeParameters]>([
	['per item', { spendingCapPerItem: '={{ $json.nothing }}' }],
	['per execution', { options: { spendingCapPerExecution: '={{ $json.nothing }}' } }],
])('%s: an expression that finds nothing is no absent cap', async (_name, parameters) => {
	const { failed } = await execute(parameters);
	expect(failed[0]?.json['error']).toMatch(
		/Spending Cap per .* is empty: its expression found nothing/,
	);
	expect(posts(service)).toEqual([]);
});

it('a balance that does not suffice: the figures, who holds it, and the margin of the first use', async () => {
	const { failed } = await execute(
		{},
		{ secrets: { modelRouterApi: { baseUrl: service.url, apiKey: service.router.keys.poor } } },
	);
	expect(failed[0]?.json).toMatchObject({
		error: expect.stringMatching(
			/needed: \$0\.05, balance: \$0\.002.*first use of a configuration.*margin.*costs at least \$0\.04/,
		),
		details: {
			outcome: 'not_started',
			computed: { requiredUsd: '$0.05', leastCostUsd: '$0.04', ownRequestsUnderWay: 0 },
		},
	});
	expect(JSON.stringify(failed)).not.toContain('Output Tokens');
});

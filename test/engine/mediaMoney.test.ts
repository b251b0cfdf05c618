import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../service/service';
import { CARRY_ON, failPosts, job, model, PICTURE, posts, RETRIED } from './rig/calls';
import { type RunOptions } from './rig/run';
import { serviceForTests } from './rig/service';

// what a media job may cost, and what is said when the money does not suffice
const service = serviceForTests({ jobSteps: 0 });

const pictures = Array.from({ length: 6 }, (_, index) => ({ prompt: `picture-${index}.` }));

const execute = (
	parameters: INodeParameters,
	more: Partial<RunOptions> = {},
	operation = 'start',
) =>
	service.run(job(operation, { ...PICTURE, prompt: '={{ $json.prompt }}', ...parameters }), {
		items: [{ prompt: 'a cat' }],
		settings: CARRY_ON,
		...more,
	});
const failSecond = (fault: Fault, times = Infinity) =>
	service.fault({ match: { method: 'POST', bodyIncludes: 'picture-1.' }, times, do: fault });
const started = () => service.world.starts.map(({ prompt }) => prompt);

describe('the cap per item', () => {
	const capped = (spendingCapPerItem: number, parameters: INodeParameters = {}) =>
		execute({ spendingCapPerItem, ...parameters });
	const video = (id: string, more = {}) => ({ mediaType: 'videos', model: model(id), ...more });

	it.each([
		['image', 0.04, {}],
		['second', 0.8, video('reel/clip-3', { options: { duration: 8 } })],
	])('per %s: starts what costs no more, and holds back what does', async (_unit, cost, more) => {
		const above = await capped(cost - 0.000001, more);
		const error = expect.stringMatching(
			/^This costs at least \$[\d.]+, more than the spending cap/,
		);
		expect(above.failed).toMatchObject([{ json: { error, details: { kind: 'invalid' } } }]);
		expect(posts(service)).toEqual([]);
		const within = await capped(cost, more);
		// the service itself counts so, here
		const estimatedCostUsd = Math.ceil(cost * 1e6) / 1e6;
		expect(within.items[0]?.json).toMatchObject({ estimatedCostUsd });
		expect(posts(service)[0]?.body).not.toHaveProperty('spendingCapPerItem');
	});

	it('holds back a model without a price', async () => {
		const { failed } = await capped(100, { model: model('tiny/no-price-1') });
		const error = expect.stringMatching(/has no price|answers with text/);
		expect(failed).toMatchObject([{ json: { error } }]);
		expect(posts(service)).toEqual([]);
	});
});

describe('the cap per execution', () => {
	const capped = (cap: number, more: Partial<RunOptions> = {}, operation?: string) =>
		execute({ options: { spendingCapPerExecution: cap } }, { items: pictures, ...more }, operation);

	it.each(['start', 'generate'])(
		'%s: one after another, as long as the next one fits',
		async (operation) => {
			failPosts(service, { type: 'latency', ms: 20, effect: true });
			const { items: made, failed } = await capped(0.1, {}, operation);
			expect(posts(service)).toHaveLength(2);
			if (operation === 'start') expect(service.mostInFlight).toBe(1);
			expect(made.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
			const error = expect.stringMatching(
				/^This does not fit into what is left of the spending cap of \$0\.10 for this execution\. Nothing was sent.*\$0\.08 is spent or estimated\. This costs at least \$0\.04\./,
			);
			expect(failed).toMatchObject(
				[2, 3, 4, 5].map((item) => ({
					json: { error, details: { kind: 'invalid' } },
					pairedItem: { item },
				})),
			);
		},
	);

	it.each([
		['0 does not open it: the catalog says more', 0, 2],
		['90,000 counts as it is: the next job does not fit', 90_000, 1],
	])('an estimate of %s', async (_what, estimate, count) => {
		const [find, other] = [40_000, estimate].map((cost) => `"estimated_cost":${cost}`);
		failPosts(service, { type: 'replace', find: find!, with: other! });
		expect((await capped(0.1)).failed).toHaveLength(6 - count);
		expect(posts(service)).toHaveLength(count);
	});

	it.each([
		['a failed job counts nothing', { state: 'failed' }, 6],
		['a failed job with a cost counts', { state: 'failed', cost: 40_000 }, 2],
		['a job that has cost less than estimated counts so', { state: 'completed', cost: 20_000 }, 4],
	])('generate: %s once it has ended', async (_what, record, count) => {
		const body = JSON.stringify({ id: 'job-1', status: record.state, ...record });
		service.fault({
			match: { method: 'GET', path: /jobs\/[^/]+$/ },
			times: Infinity,
			do: { type: 'body', body },
		});
		const one = { requestSettings: { concurrency: 1 } };
		await execute(
			{ options: { spendingCapPerExecution: 0.1 }, ...one },
			{ items: pictures },
			'generate',
		);
		expect(posts(service)).toHaveLength(count);
	});

	it('counts what n8n gets from its memory when it retries, and does not start it again', async () => {
		failSecond({ type: 'status', status: 403 }, 1);
		const { error } = await capped(0.1, { settings: RETRIED });
		expect(error?.message).toMatch(
			/what is left of the spending cap of \$0\.10 for this execution$/,
		);
		expect([started().length, new Set(started()).size]).toEqual([2, 2]);
	});

	it('starts nothing behind an item that failed', async () => {
		failSecond({ type: 'status', status: 403 });
		await capped(10, { settings: {} });
		expect(started()).toEqual(['picture-0.']);
	});

	it.each([
		['fractional', 0.04, 0.04],
		['unreadable', '"much"', 'much'],
		['negative', -5, -5],
		['missing', undefined, undefined],
	])('ends where an estimated cost is %s, and keeps it as it came', async (_what, cost, kept) => {
		const estimate = cost === undefined ? '' : `,"estimated_cost":${String(cost)}`;
		const body = `{"id":"job-1"${estimate}}`;
		failPosts(service, { type: 'body', body, effect: true });
		const { items: made, failed } = await capped(10);
		const { json = {} } = made[0] ?? {};
		expect(json['estimatedCostUsd'] ?? json['estimated_cost']).toEqual(kept);
		expect([posts(service).length, failed.length]).toEqual([1, 5]);
		expect(failed[0]?.json['error']).toMatch(/not known what an earlier request costs/);
	});

	it('ends where it is not known whether a job was started', async () => {
		failSecond({ type: 'reset_peer', effect: true });
		const { items: made, failed } = await capped(10);
		expect([made.length, failed.length, posts(service).length]).toEqual([1, 5, 2]);
		expect(failed[1]?.json['error']).toMatch(
			/cannot be enforced: it is not known what .* costs, or whether it was started/,
		);
	});
});

it('a balance that does not suffice: the figures, what to do, and what a first start wants', async () => {
	const poor = { modelRouterApi: { baseUrl: service.url, apiKey: service.router.keys.poor } };
	const { failed } = await execute({}, { secrets: poor });
	expect(failed[0]?.json).toMatchObject({
		error: expect.stringMatching(
			/needed: \$0\.05, balance: \$0\.002.*Top up the account at the service\. At the first start of a configuration.*costs at least \$0\.04/,
		),
		details: {
			outcome: 'not_started',
			computed: { requiredUsd: '$0.05', leastCostUsd: '$0.04', ownRequestsUnderWay: 0 },
		},
	});
	expect(JSON.stringify(failed)).not.toContain('Output Tokens');
});

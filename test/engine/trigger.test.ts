import type { INodeParameters } from 'n8n-workflow';

import { useDatabaseStore } from './rig/databaseStore';
import { activated, executed } from './rig/poll';
import { idsOf, json, MINUTE, triggerRig, type TriggerRig } from './rig/triggers';

// the trigger with the job ledger: n8n's Data Tables stand beside the service
let rig: TriggerRig;
let [service, n8n] = [{} as TriggerRig['service'], {} as TriggerRig['n8n']];
let { trigger, enter, started, states, pass } = {} as TriggerRig;
beforeAll(async () => {
	rig = await triggerRig();
	({ service, n8n, trigger, enter, started, states, pass } = rig);
});
beforeEach(() => rig.reset());
afterAll(async () => await rig.stop());

describe('a job of the ledger', () => {
	it('comes with its file, and with the fields of Get and Download', async () => {
		const jobId = await started('a cat', {
			label: 'cats',
			startKey: 'order-7',
			record: '{"estimated_cost":9}',
		});
		const options = trigger();
		const { items, error } = await activated(options).poll();
		expect(error).toBeUndefined();
		expect(json(items)).toMatchObject([
			{ event: 'mediaJobCompleted', jobId, claim: expect.any(String) },
		]);
		expect(items?.[0]?.binary).toBeUndefined();
		expect(n8n.entries()).toMatchObject([{ state: 'emitting', outcome: 'completed' }]);
		const { items: out } = await executed({ ...options, items: items! });
		expect(out).toMatchObject([
			{
				json: {
					...{ event: 'mediaJobCompleted', jobId, mediaType: 'images', state: 'completed' },
					...{ status: 'completed', costUsd: 0.04, estimatedCostUsd: 0.04 },
					...{ requestId: 'start-1', ledgerLabel: 'cats', idempotencyKey: 'order-7', entryId: 1 },
					file: { mimeType: 'image/png', bytes: expect.any(Number) },
				},
				binary: { data: { mimeType: 'image/png' } },
				pairedItem: { item: 0 },
			},
		]);
		expect(out[0]?.json).not.toHaveProperty('claim');
		expect(out[0]?.json).not.toHaveProperty('job');
		expect(n8n.entries()).toMatchObject([{ state: 'delivered', execution: 'execution-1' }]);
	});

	it('the forecast of the start is kept where the service says it only there', async () => {
		await started('a cat', { record: '{"estimated_cost":7}' });
		service.forms.jobCost = 'absent';
		const { items } = await activated(trigger()).poll();
		expect(json(items)).toMatchObject([{ estimatedCostUsd: 0.000007 }]);
	});

	it('without Download File comes without it', async () => {
		await started('a cat');
		const options = trigger({ downloadFile: false });
		const { items } = await activated(options).poll();
		const { items: out } = await executed({ ...options, items: items! });
		expect(out).toMatchObject([{ json: { event: 'mediaJobCompleted' } }]);
		expect(out[0]).not.toHaveProperty('binary');
		expect(states()).toEqual(['delivered']);
	});

	it('is emitted once, and asked for again only when it runs', async () => {
		await started('done');
		await started('running [[never]]');
		const { poll } = activated(trigger());
		expect((await poll()).items).toHaveLength(1);
		pass(MINUTE);
		expect((await poll()).items).toBeNull();
		const asked = service.requests.filter(({ method }) => method === 'GET').map(({ path }) => path);
		// one of them to see that the key is right
		expect(asked).toHaveLength(4);
	});

	it('is rescheduled without its row being sent back', async () => {
		await started('running [[never]]');
		await activated(trigger()).poll();
		const changes = n8n.service.requests.filter(({ method }) => method === 'PATCH');
		expect(changes.map(({ body }) => body)).toMatchObject([{ returnData: false }]);
	});

	it('one that failed comes, too, and is no failure of the node', async () => {
		const jobId = await started('no [[fail]]');
		const options = trigger();
		const { items } = await activated(options).poll();
		const { items: out, run } = await executed({
			...options,
			items: items!,
			settings: { retryOnFail: true },
		});
		expect(json(out)).toMatchObject([
			{
				...{ event: 'mediaJobFailed', state: 'failed', jobId },
				failure: {
					message: 'The media job failed',
					code: 'generation_failed',
					reason: 'The model could not do this',
				},
			},
		]);
		expect(out[0]?.json).not.toHaveProperty('error');
		expect(run.data.resultData.runData['Trigger']).toHaveLength(1);
	});

	it('one that the service does not know comes as lost in the fifth poll', async () => {
		enter('job-nobody-knows');
		await started('running [[never]]');
		const { poll } = activated(trigger());
		for (let time = 0; time < 4; time++) {
			expect(await poll()).toEqual({ items: null, error: undefined });
			pass(2 * MINUTE);
		}
		expect(json((await poll()).items)).toMatchObject([
			{
				...{ event: 'mediaJobFailed', state: 'failed', status: 'lost', jobId: 'job-nobody-knows' },
				failure: { message: expect.stringContaining('lost'), advice: expect.any(String) },
			},
		]);
	});

	it('only events that are wanted are taken', async () => {
		await started('no [[fail]]');
		expect((await activated(trigger({ events: ['mediaJobCompleted'] })).poll()).items).toBeNull();
		expect((await activated(trigger({ events: ['mediaJobFailed'] })).poll()).items).toHaveLength(1);
	});

	it('only jobs with the label are taken', async () => {
		await started('one', { label: 'a' });
		const jobId = await started('two', { label: 'b' });
		const { items } = await activated(trigger({ ledgerLabel: ' b ' })).poll();
		expect(json(items)).toMatchObject([{ jobId }]);
	});

	it('entered twice comes once', async () => {
		const jobId = await started('one');
		enter(jobId);
		const options = trigger();
		const { items } = await activated(options).poll();
		expect(items).toHaveLength(1);
		expect((await executed({ ...options, items: items! })).items).toHaveLength(1);
		expect(states()).toEqual(['delivered', 'delivered']);
	});

	it('two triggers that want the same job: one gets it', async () => {
		for (let job = 0; job < 20; job++) await started(`job ${job}`);
		const polls = [activated(trigger()), activated(trigger()), activated(trigger())];
		const all = (await Promise.all(polls.map(async ({ poll }) => await poll()))).flatMap(
			({ items }) => json(items),
		);
		const ids = all.map(({ jobId }) => jobId);
		expect(ids).toHaveLength(new Set(ids).size);
		expect(ids.length).toBeGreaterThan(0);
	});

	it('a key that the service echoes is neither emitted nor kept', async () => {
		const { main } = service.router.keys;
		const jobId = await started('echo');
		service.fault({
			match: { path: `/v1/images/jobs/${jobId}`, method: 'GET' },
			times: 1,
			do: {
				type: 'body',
				body: JSON.stringify({ id: jobId, status: 'completed', echo: `key ${main}` }),
			},
		});
		const options = trigger({ simplify: false });
		const { items } = await activated(options).poll();
		const out = await executed({ ...options, items: items ?? [] });
		expect(json(items)).toMatchObject([{ job: { echo: 'key ***' } }]);
		for (const seen of [items, out.run, n8n.rows]) expect(JSON.stringify(seen)).not.toContain(main);
	});

	it('nor is one that comes with a trouble', async () => {
		const { main } = service.router.keys;
		const jobId = await started('echo');
		await started('running [[never]]');
		service.fault({
			match: { path: `/v1/images/jobs/${jobId}` },
			do: { type: 'status', status: 500, body: { message: `the key ${main}` } },
		});
		await activated(trigger()).poll();
		expect(n8n.entries()[0]).toMatchObject({ failures: 1, note: expect.stringContaining('***') });
		expect(JSON.stringify(n8n.rows)).not.toContain(main);
	});
});

describe('the execution', () => {
	const emitted = async (parameters: INodeParameters = {}, prompts = ['one', 'two', 'three']) => {
		const ids: string[] = [];
		for (const prompt of prompts) ids.push(await started(prompt));
		const options = trigger(parameters);
		const active = activated(options);
		const { items } = await active.poll();
		expect(items).toHaveLength(prompts.length);
		return { ids, options, items: items!, ...active };
	};
	const content = (jobId: string | undefined) => ({ path: `/v1/images/jobs/${jobId}/content` });

	it('one bad file does not cost the others', async () => {
		const { ids, options, items, poll } = await emitted();
		service.fault({ match: content(ids[1]), do: { type: 'status', status: 503 } });
		const { items: out, error } = await executed({ ...options, items });
		expect([error, idsOf(out)]).toEqual([undefined, [ids[0], ids[2]]]);
		expect(n8n.entries()).toMatchObject([
			{ state: 'delivered' },
			{ state: 'pending', failures: 1, note: expect.stringContaining('503'), claim: '' },
			{ state: 'delivered' },
		]);
		expect((await poll()).items).toBeNull();
		service.reset();
	});

	it('a file that cannot be had in five deliveries is told of without it', async () => {
		const { ids, options, items, poll } = await emitted({}, ['one']);
		service.fault({ match: content(ids[0]), do: { type: 'status', status: 503 } });
		let given = items;
		for (let time = 1; time <= 4; time++) {
			expect(await executed({ ...options, items: given })).toMatchObject({
				items: [],
				error: undefined,
			});
			pass(20 * MINUTE);
			given = (await poll()).items!;
			expect(given).toHaveLength(1);
		}
		const { items: out } = await executed({ ...options, items: given });
		expect(json(out)).toMatchObject([
			{
				event: 'mediaJobCompleted',
				jobId: ids[0],
				failure: { status: 503, message: expect.any(String) },
			},
		]);
		expect(out[0]).not.toHaveProperty('binary');
		expect(n8n.entries()).toMatchObject([
			{ state: 'delivered', note: expect.stringContaining('503') },
		]);
	});

	it('executions that are killed five times do not try a sixth time', async () => {
		const { options, items, poll } = await emitted({}, ['one']);
		let given = items;
		for (let time = 1; time <= 5; time++) {
			// a killed one has begun, and marked nothing
			Object.assign(n8n.rows[0]!, { state: 'delivering', failures: time, execution: `${time}` });
			pass(20 * MINUTE);
			given = (await poll()).items!;
		}
		const { items: out } = await executed({ ...options, items: given });
		expect(json(out)).toMatchObject([
			{ failure: { message: expect.stringContaining('interrupted') } },
		]);
		expect(service.requests.some(({ path }) => path.endsWith('/content'))).toBe(false);
	});

	it.each([
		['too large', { options: { maxSizeMib: 1 } }, 'big [[size:3000000]]', /larger than 1 MiB/],
		['forbidden', {}, 'forbidden', /does not permit this request \(403\)/],
	])('%s: the item says so at once', async (what, parameters, prompt, message) => {
		const { ids, options, items } = await emitted(parameters, [prompt, 'good']);
		if (what === 'forbidden')
			service.fault({ match: content(ids[0]), do: { type: 'status', status: 403 } });
		const { items: out } = await executed({ ...options, items });
		expect(json(out)).toMatchObject([
			{ jobId: ids[0], failure: { message: expect.stringMatching(message) } },
			{ jobId: ids[1], file: { bytes: expect.any(Number) } },
		]);
		// a file that is not wanted is not left open
		await service.settled();
		expect(states()).toEqual(['delivered', 'delivered']);
	});

	it("one that n8n's database cannot read back: the item says so at once, with the job ID", async () => {
		const store = await useDatabaseStore();
		try {
			const parameters = { options: { maxSizeMib: 1000 } };
			const { ids, options, items } = await emitted(parameters, ['big [[size:268435444]]']);
			const { items: out } = await executed({ ...options, items });
			const failure = {
				message: expect.stringMatching(/^n8n cannot read back a file of this size/),
				advice: expect.stringContaining('N8N_STORAGE_PATH'),
			};
			expect(json(out)).toMatchObject([{ jobId: ids[0], failure }]);
			expect(states()).toEqual(['delivered']);
		} finally {
			store.remove();
		}
	});

	it.each([
		[['mediaJobCompleted'], 'mediaJobCompleted'],
		[['mediaJobCompleted', 'mediaContentExpired'], 'mediaContentExpired'],
	])('a file that is gone, with the events %j', async (events, event) => {
		const { ids, options, items } = await emitted({ events }, ['one']);
		service.world.jobs.get(ids[0]!)!.expired = true;
		const { items: out } = await executed({ ...options, items });
		expect(json(out)).toMatchObject([
			{ event, jobId: ids[0], failure: { status: 410, advice: expect.stringContaining('7 days') } },
		]);
		expect(n8n.entries()).toMatchObject([{ state: 'delivered', outcome: 'expired' }]);
	});

	it('who only wants to hear of files that are gone hears of those, and takes no others', async () => {
		const [gone, kept] = [await started('gone'), await started('kept')];
		const options = trigger({ events: ['mediaContentExpired'] });
		const { poll } = activated(options);
		expect((await poll()).items).toBeNull();
		pass(8 * 24 * 60 * MINUTE);
		service.world.jobs.get(gone)!.expired = true;
		const { items } = await poll();
		expect(idsOf(items).sort()).toEqual([gone, kept].sort());
		const { items: out } = await executed({ ...options, items: items! });
		expect(json(out)).toMatchObject([{ event: 'mediaContentExpired', jobId: gone }]);
		expect(out[0]).not.toHaveProperty('binary');
		expect(states()).toEqual(['delivered', 'pending']);
		// somebody who wants the file still gets it
		expect((await activated(trigger()).poll()).items).toBeNull();
		pass(7 * 60 * MINUTE);
		expect(idsOf((await activated(trigger()).poll()).items)).toEqual([kept]);
	});

	it('a killed one loses nothing, and the late one gives out nothing', async () => {
		const { ids, options, items, poll } = await emitted();
		pass(11 * MINUTE);
		const second = (await poll()).items!;
		expect(idsOf(second).sort()).toEqual([...ids].sort());
		expect((await executed({ ...options, items })).items).toEqual([]);
		expect((await executed({ ...options, items: second })).items).toHaveLength(3);
		expect(states()).toEqual(['delivered', 'delivered', 'delivered']);
	});

	it('lets out only what is still its own at the end', async () => {
		const { ids, options, items } = await emitted();
		service.fault({
			match: content(ids[0]),
			do() {
				// while it loads, another one is handed the second job
				Object.assign(n8n.rows[1]!, { state: 'emitting', claim: 'somebody else' });
				return [];
			},
		});
		const { items: out } = await executed({ ...options, items });
		expect(idsOf(out)).toEqual([ids[0], ids[2]]);
		expect(states()).toEqual(['delivered', 'emitting', 'delivered']);
	});

	it('a second run goes on where the first one failed', async () => {
		const { ids, options, items } = await emitted();
		n8n.service.fault({
			match: { method: 'PATCH', bodyIncludes: '"delivered"' },
			do: { type: 'status', status: 403 },
		});
		const failed = await executed({ ...options, items });
		expect(failed.error?.message).toMatch(/job ledger could not be used.*403/);
		expect(states()).toEqual(['delivering', 'delivering', 'delivering']);
		n8n.service.reset();
		expect(idsOf((await executed({ ...options, items })).items)).toEqual(ids);
		// and a retry of one that was killed behind the mark gives the same
		expect(idsOf((await executed({ ...options, items, mode: 'retry' })).items)).toEqual(ids);
	});

	it('survives an n8n that restarts meanwhile', async () => {
		const { ids, options, items } = await emitted();
		n8n.service.fault({
			match: { method: 'PATCH' },
			times: 2,
			do: { type: 'status', status: 503 },
		});
		expect(idsOf((await executed({ ...options, items })).items)).toEqual(ids);
	});

	it('with Continue on Fail nothing that is not marked goes on as if it were', async () => {
		const { options, items } = await emitted();
		n8n.service.fault({ match: { method: 'PATCH' }, do: { type: 'status', status: 403 } });
		const settings = { onError: 'continueErrorOutput' } as const;
		const { items: out, failed, error } = await executed({ ...options, items, settings });
		expect([error, out.length]).toEqual([undefined, 0]);
		expect(failed).toHaveLength(1);
		expect(failed[0]?.json['error']).toMatch(/403/);
	});

	it('with Execute Once one job is delivered, and the others come later', async () => {
		const { ids, options, items, poll } = await emitted();
		const settings = { executeOnce: true };
		expect(idsOf((await executed({ ...options, items, settings })).items)).toEqual([ids[0]]);
		expect(states()).toEqual(['delivered', 'pending', 'pending']);
		expect(idsOf((await poll()).items)).toEqual([ids[1], ids[2]]);
		expect(n8n.entries()[1]).toMatchObject({ failures: 0 });
	});

	it('Stop gives out nothing and leaves all to the next one', async () => {
		const { ids, options, items, poll } = await emitted();
		service.fault({ match: content(ids[0]), do: { type: 'timeout' } });
		let stop = () => {};
		const running = executed({ ...options, items, onStart: (way) => (stop = way) });
		for (;;) {
			if (service.requests.filter(({ path }) => path.endsWith('/content')).length >= 3) break;
			await new Promise((resolve) => setTimeout(resolve, 5));
		}
		stop();
		expect((await running).items).toEqual([]);
		expect(states()).toEqual(['delivering', 'delivering', 'delivering']);
		pass(11 * MINUTE);
		expect(idsOf((await poll()).items).sort()).toEqual([...ids].sort());
	});
});

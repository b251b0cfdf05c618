import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../service/service';
import { useDatabaseStore } from './rig/binaryStores';
import { fakeMinutes, letMinutesPass } from './rig/fakeMinutes';
import { idsOf, json, MINUTE, startLedgerRig } from './rig/ledger';

// the trigger with the job ledger: n8n's Data Tables stand beside the service
const rig = startLedgerRig();
const HOUR = 60 * MINUTE;

describe('a job of the ledger', () => {
	it('comes with its file, and with the fields of Get and Download', async () => {
		const record = '{"estimated_cost":9}';
		const jobId = await rig.started('a cat', {
			triggerGroup: 'cats',
			uniqueKey: 'order-7',
			record,
		});
		const { poll, execute } = rig.watching();
		const { items, error } = await poll();
		expect(error).toBeUndefined();
		expect(json(items)).toMatchObject([
			{ event: 'mediaJobCompleted', jobId, claim: expect.any(String) },
		]);
		expect(items?.[0]?.binary).toBeUndefined();
		expect(rig.n8n.entries()).toMatchObject([{ state: 'emitting', outcome: 'completed' }]);
		const { items: out } = await execute(items);
		expect(out).toMatchObject([
			{
				json: {
					event: 'mediaJobCompleted',
					jobId,
					mediaType: 'images',
					state: 'completed',
					status: 'completed',
					costUsd: 0.04,
					estimatedCostUsd: 0.04,
					requestId: 'start-1',
					triggerGroup: 'cats',
					uniqueKey: 'order-7',
					entryId: 1,
					file: { mimeType: 'image/png', bytes: expect.any(Number) },
				},
				binary: { data: { mimeType: 'image/png' } },
				pairedItem: { item: 0 },
			},
		]);
		for (const internal of ['claim', 'job']) expect(out[0]?.json).not.toHaveProperty(internal);
		expect(rig.n8n.entries()).toMatchObject([{ state: 'delivered', executionId: 'execution-1' }]);
	});

	it('the forecast of the start is kept where the service says it only there', async () => {
		await rig.started('a cat', { record: '{"estimated_cost":7}' });
		rig.service.forms.jobCost = 'absent';
		const { items } = await rig.watching().poll();
		expect(json(items)).toMatchObject([{ estimatedCostUsd: 0.000007 }]);
	});

	it.each([
		['beside the record', { job: { id: 'J', status: 'completed' }, cost: 40_000 }],
		[
			'behind the fields of a long record',
			{
				id: 'J',
				...Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}`, 'x'.repeat(400)])),
				cost: 40_000,
			},
		],
	])('comes with its cost where that is %s', async (_where, record) => {
		const job = { id: 'J', estimated_cost: 30_000 };
		rig.enter('J', { record: JSON.stringify({ id: 'r', data: job }) });
		const body = record;
		rig.service.fault({ match: { path: '/jobs/J' }, do: { type: 'status', status: 200, body } });
		const { items } = await rig.watching().poll();
		expect(json(items)).toMatchObject([{ costUsd: 0.04, estimatedCostUsd: 0.03 }]);
	});

	it('with a cost that cannot be, by the estimate of its start, says so', async () => {
		rig.enter('J', { record: '{"estimated_cost":40000}' });
		const body = { id: 'J', status: 'completed', cost: 41e6 };
		rig.service.fault({ match: { path: '/jobs/J' }, do: { type: 'status', status: 200, body } });
		expect(json((await rig.watching().poll()).items)).toMatchObject([{ cost: 41e6 }]);
		expect(rig.n8n.entries()[0]?.note).toMatch(/^The cost that .* cannot be: 41000000/);
	});

	it.each([
		['outcome', {}],
		['checkAt', {}],
		['triggerGroup', {}],
		['note', {}],
		['claim', {}],
		['leaseUntil', { outcome: 'completed', state: 'emitting', claim: 'killed' }],
	])('comes after a person has emptied its %s, which n8n then has as null', async (cell, more) => {
		const jobId = await rig.started('a cat', { ...more, [cell]: null });
		expect(idsOf(await rig.watching().deliver())).toEqual([jobId]);
	});

	it('comes with many others whose IDs are long: they are in the address of a request', async () => {
		const ids = Array.from({ length: 40 }, (_, index) => `${'x'.repeat(600)}${index}`);
		for (const id of ids) rig.enter(id, { outcome: 'completed', checkAt: 1 });
		const { items, error } = await rig.watching().poll();
		expect([error, idsOf(items)]).toEqual([undefined, ids]);
	});

	it('without Download File comes without it', async () => {
		await rig.started('a cat');
		const out = await rig.watching({ downloadFile: false }).deliver();
		expect(out).toMatchObject([{ json: { event: 'mediaJobCompleted' } }]);
		expect(out[0]).not.toHaveProperty('binary');
		expect(rig.states()).toEqual(['delivered']);
	});

	it('that runs has its last status in the ledger, which is written when it is a new one', async () => {
		await rig.started('running [[never]]', { record: '{"status":"queued","estimated_cost":9}' });
		const { poll } = rig.watching();
		/** What Get Many says after a poll, and how often the poll has written. */
		const seen = async () => {
			rig.n8n.service.requests.length = 0;
			expect((await poll()).items).toBeNull();
			const writes = rig.n8n.service.requests.filter(({ method }) => method === 'PATCH').length;
			const { status, ageSeconds, job } = (await rig.ledger('getEntries')).items[0]!.json;
			const age = 10 * Math.floor(Number(ageSeconds) / 10);
			return { status, age, job, writes };
		};
		const job = { id: expect.any(String), status: 'processing', estimated_cost: 40_000 };
		const first = { status: 'processing', age: 0, job: expect.objectContaining(job) };
		expect(await seen()).toEqual({ ...first, writes: 2 });
		rig.pass(MINUTE);
		expect(await seen()).toEqual({ ...first, age: 60, writes: 1 });
	});

	it('one that failed comes, too, and is no failure of the node', async () => {
		const jobId = await rig.started('no [[fail]]');
		const { poll, execute } = rig.watching({}, { settings: { retryOnFail: true } });
		const { items: out, run } = await execute((await poll()).items);
		const reason = 'The model could not do this';
		const failure = { message: 'The media job failed', code: 'generation_failed', reason };
		expect(json(out)).toMatchObject([{ event: 'mediaJobFailed', state: 'failed', jobId, failure }]);
		expect(out[0]?.json).not.toHaveProperty('error');
		expect(run.data.resultData.runData['Trigger']).toHaveLength(1);
	});

	it('only events and labels that are wanted are taken', async () => {
		const failed = await rig.started('no [[fail]]', { triggerGroup: 'a' });
		const done = await rig.started('two', { triggerGroup: 'b' });
		const taken = async (parameters: INodeParameters) =>
			idsOf((await rig.watching(parameters).poll()).items);
		expect(await taken({ events: ['mediaJobCompleted'], triggerGroup: 'a' })).toEqual([]);
		expect(await taken({ events: ['mediaJobFailed'] })).toEqual([failed]);
		expect(await taken({ triggerGroup: ' b ' })).toEqual([done]);
	});
});

describe('the execution', () => {
	const emitted = async (parameters: INodeParameters = {}, prompts = ['one', 'two', 'three']) => {
		const ids: string[] = [];
		for (const prompt of prompts) ids.push(await rig.started(prompt));
		const active = rig.watching(parameters);
		const { items } = await active.poll();
		expect(items).toHaveLength(prompts.length);
		return { ids, items: items!, ...active };
	};
	const onContent = (
		jobId: string | undefined,
		fault: Parameters<typeof rig.service.fault>[0]['do'],
	) => rig.service.fault({ match: { path: `/v1/images/jobs/${jobId}/content` }, do: fault });
	const down = { type: 'status', status: 503 } as const;
	const forbidden = { type: 'status', status: 403 } as const;
	const expired = { type: 'status', status: 410 } as const;
	const small = { options: { maxSizeMib: 1 } };
	const large = { type: 'content_length', add: 3_000_000 } as const;

	it('one bad file does not cost the others', async () => {
		const { ids, execute, items, poll } = await emitted();
		onContent(ids[1], down);
		const { items: out, error } = await execute(items);
		expect([error, idsOf(out)]).toEqual([undefined, [ids[0], ids[2]]]);
		expect(rig.n8n.entries()).toMatchObject([
			{ state: 'delivered' },
			{ state: 'pending', failures: 1, note: expect.stringContaining('503'), claim: '' },
			{ state: 'delivered' },
		]);
		expect((await poll()).items).toBeNull();
	});

	it('a file that cannot be had is told of in the fifth delivery, without it', async () => {
		const { ids, execute, items, poll } = await emitted({}, ['one']);
		Object.assign(rig.n8n.rows[0]!, { failures: 3 });
		onContent(ids[0], down);
		expect(await execute(items)).toMatchObject({ items: [], error: undefined });
		rig.pass(20 * MINUTE);
		const { items: out } = await execute((await poll()).items);
		const failure = { status: 503, message: expect.any(String) };
		expect(json(out)).toMatchObject([{ event: 'mediaJobCompleted', jobId: ids[0], failure }]);
		expect(out[0]).not.toHaveProperty('binary');
		const note = expect.stringContaining('503');
		expect(rig.n8n.entries()).toMatchObject([{ state: 'delivered', note }]);
	});

	it('an execution behind five that were killed does not try a sixth time', async () => {
		const { execute, poll } = await emitted({}, ['one']);
		// a killed one has begun, and marked nothing
		Object.assign(rig.n8n.rows[0]!, { state: 'delivering', failures: 5, executionId: '5' });
		rig.pass(20 * MINUTE);
		const failure = { message: expect.stringContaining('interrupted') };
		expect(json((await execute((await poll()).items)).items)).toMatchObject([{ failure }]);
		expect(rig.service.requests.some(({ path }) => path.endsWith('/content'))).toBe(false);
	});

	const gone = { status: 410, advice: expect.stringContaining('7 days') };
	const says = (message: RegExp) => ({ message: expect.stringMatching(message) });
	const expiry = { events: ['mediaJobCompleted', 'mediaContentExpired'] };
	it.each<[string, INodeParameters, Fault, object, string, string]>([
		['too large', small, large, says(/larger than 1 MiB/), 'mediaJobCompleted', 'completed'],
		['forbidden', {}, forbidden, says(/permit this request/), 'mediaJobCompleted', 'completed'],
		['gone', {}, expired, gone, 'mediaJobCompleted', 'expired'],
		['gone, which is wanted', expiry, expired, gone, 'mediaContentExpired', 'expired'],
	])('a file that is %s: the item says so at once', async (...row) => {
		const [, parameters, fault, failure, event, outcome] = row;
		const { ids, execute, items } = await emitted(parameters, ['one', 'good']);
		onContent(ids[0], fault);
		expect(json((await execute(items)).items)).toMatchObject([
			{ event, jobId: ids[0], failure },
			{ jobId: ids[1], file: { bytes: expect.any(Number) } },
		]);
		// a file that is not wanted is not left open
		await rig.service.settled();
		const state = 'delivered';
		expect(rig.n8n.entries()).toMatchObject([{ state, outcome }, { state }]);
	});

	it("one that n8n's database cannot read back: the item says so at once, with the job ID", async () => {
		const store = useDatabaseStore();
		try {
			const { ids, execute, items } = await emitted({ options: { maxSizeMib: 1000 } }, ['big']);
			onContent(ids[0], { type: 'content_length', add: 268_435_444 });
			const failure = {
				message: expect.stringMatching(/^n8n cannot read back a file of this size/),
				advice: expect.stringContaining('N8N_STORAGE_PATH'),
			};
			expect(json((await execute(items)).items)).toMatchObject([{ jobId: ids[0], failure }]);
			expect(rig.states()).toEqual(['delivered']);
		} finally {
			store.remove();
		}
	});

	it('who only wants to hear of files that are gone hears of those, and takes no others', async () => {
		const [gone, kept] = [await rig.started('gone'), await rig.started('kept')];
		const refused = await rig.started('refused');
		onContent(refused, forbidden);
		const { poll, execute } = rig.watching({ events: ['mediaContentExpired'] });
		expect((await poll()).items).toBeNull();
		rig.pass(8 * 24 * HOUR);
		rig.service.world.jobs.get(gone)!.expired = true;
		const { items } = await poll();
		expect(idsOf(items).sort()).toEqual([gone, kept, refused].sort());
		const { items: out } = await execute(items);
		expect(json(out)).toMatchObject([{ event: 'mediaContentExpired', jobId: gone }]);
		expect(out[0]).not.toHaveProperty('binary');
		expect(rig.states()).toEqual(['delivered', 'pending', 'pending']);
		// somebody who wants the file still gets it
		expect((await rig.watching().poll()).items).toBeNull();
		rig.pass(7 * HOUR);
		expect(idsOf((await rig.watching().poll()).items)).toEqual([kept, refused]);
	});

	it('a second run goes on where the first one failed', async () => {
		const { ids, execute, items } = await emitted();
		const match = { method: 'PATCH', bodyIncludes: '"delivered"' };
		rig.n8n.service.fault({ match, do: forbidden });
		expect((await execute(items)).error?.message).toMatch(/job ledger could not be used.*403/);
		expect(rig.states()).toEqual(['delivering', 'delivering', 'delivering']);
		rig.n8n.service.reset();
		expect(idsOf((await execute(items)).items)).toEqual(ids);
		// and a retry of one that was killed behind the mark gives the same
		expect(idsOf((await execute(items, { mode: 'retry' })).items)).toEqual(ids);
	});

	it('with Continue on Fail nothing that is not marked goes on as if it were', async () => {
		const { execute, items } = await emitted();
		rig.n8n.service.fault({ match: { method: 'PATCH' }, do: forbidden });
		const settings = { onError: 'continueErrorOutput' } as const;
		const { items: out, failed, error } = await execute(items, { settings });
		expect([error, out.length]).toEqual([undefined, 0]);
		expect(failed).toMatchObject([{ json: { error: expect.stringContaining('403') } }]);
	});

	it('with Execute Once one job is delivered, and the others come later', async () => {
		const { ids, execute, items, poll } = await emitted();
		const { items: out } = await execute(items, { settings: { executeOnce: true } });
		expect(idsOf(out)).toEqual([ids[0]]);
		expect(rig.states()).toEqual(['delivered', 'pending', 'pending']);
		expect(idsOf((await poll()).items)).toEqual([ids[1], ids[2]]);
		expect(rig.n8n.entries()[1]).toMatchObject({ failures: 0 });
	});

	it('Stop gives out nothing and leaves all to the next one', async () => {
		const { ids, execute, items, poll } = await emitted();
		onContent(ids[0], { type: 'timeout' });
		let stop = () => {};
		const running = execute(items, { onStart: (way) => (stop = way) });
		while (rig.service.requests.filter(({ path }) => path.endsWith('/content')).length < 3)
			await new Promise((resolve) => setTimeout(resolve, 5));
		stop();
		expect((await running).items).toEqual([]);
		expect(rig.states()).toEqual(['delivering', 'delivering', 'delivering']);
		rig.pass(11 * MINUTE);
		expect(idsOf((await poll()).items).sort()).toEqual([...ids].sort());
	});
});

describe('a file that the service does not give', () => {
	fakeMinutes();

	it('does not cost the lease of its batch: each attempt renews it', async () => {
		await rig.started('one');
		const services = [rig.service, rig.n8n.service];
		const { poll, execute } = rig.watching();
		const { items } = await letMinutesPass(poll(), services, 0);
		rig.n8n.service.requests.length = 0;
		const down = { type: 'status', status: 503 } as const;
		rig.service.fault({ match: { path: '/content' }, do: down });
		// an attempt takes a third of the lease of 10 minutes at most
		await letMinutesPass(execute(items), services, 250_000);
		const renewals = rig.n8n.service.requests.filter(({ body }) => {
			const { data = {} } = (body ?? {}) as { data?: object };
			return Object.keys(data).join() === 'leaseUntil';
		});
		const attempts = rig.service.requests.filter(({ path }) => path.endsWith('/content'));
		expect(attempts.length).toBeGreaterThan(1);
		expect(renewals.length).toBeGreaterThanOrEqual(attempts.length);
	});
});

import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { secretsWithLedger } from './rig/calls';
import { activated, executed } from './rig/poll';
import { run, type RunOptions } from './rig/run';
import { idsOf, json, MINUTE, triggerRig, type TriggerRig } from './rig/triggers';

// what becomes of a job behind the trigger: confirmed by the workflow, or delivered again by hand
let rig: TriggerRig;
beforeAll(async () => (rig = await triggerRig()));
beforeEach(() => rig.reset());
afterAll(async () => await rig.stop());

/** An operation of the resource Job Ledger, on these items. */
const ledger = async (
	operation: string,
	parameters: INodeParameters = {},
	more: Partial<RunOptions> = {},
) =>
	await run({
		node: 'modelRouter',
		credential: 'modelRouterApi',
		parameters: { resource: 'ledger', operation, ...parameters },
		secrets: secretsWithLedger(rig.service, rig.n8n),
		...more,
	});

/** A trigger, and one delivery after another: a poll, and the execution that it starts. */
const watching = (parameters: INodeParameters = {}) => {
	const options = rig.trigger(parameters);
	const { poll } = activated(options);
	return async (): Promise<INodeExecutionData[]> => {
		const { items } = await poll();
		return items ? (await executed({ ...options, items })).items : [];
	};
};

describe('Delivered When: Confirmed by the Workflow', () => {
	const confirming = (options: IDataObject = {}) =>
		watching({ deliveredWhen: 'confirmed', options } as INodeParameters);

	it('a job that is confirmed does not come again', async () => {
		const jobId = await rig.started('a cat');
		const deliver = confirming();
		const items = await deliver();
		expect(items).toMatchObject([
			{ json: { jobId, deliveryAttempt: 1 }, binary: { data: { mimeType: 'image/png' } } },
		]);
		expect(rig.states()).toEqual(['unconfirmed']);
		const confirmed = await ledger('confirmDelivery', {}, { items: json(items) });
		expect(confirmed.error).toBeUndefined();
		expect(confirmed.items).toMatchObject([
			{
				json: { entryId: 1, jobId, state: 'delivered', alreadyDelivered: false },
				pairedItem: { item: 0 },
			},
		]);
		rig.pass(60 * MINUTE);
		expect(await deliver()).toEqual([]);
		// Retry On Fail, or a lost answer of n8n
		const again = await ledger('confirmDelivery', {}, { items: json(items) });
		expect(json(again.items)).toMatchObject([{ jobId, alreadyDelivered: true }]);
	});

	it('a job that nobody confirms comes again and again with its file, in longer and longer times', async () => {
		await rig.started('a cat');
		const deliver = confirming({ deliverAgainAfter: 5 });
		for (const [attempt, minutes] of [5, 10, 20, 40, 80, 160, 320].entries()) {
			expect(await deliver()).toMatchObject([
				{ json: { deliveryAttempt: attempt + 1 }, binary: { data: expect.anything() } },
			]);
			rig.pass((minutes - 1) * MINUTE);
			expect(await deliver()).toEqual([]);
			rig.pass(MINUTE);
		}
		for (let more = 0; more < 5; more++) {
			rig.pass(24 * 60 * MINUTE);
			expect(await deliver()).toHaveLength(1);
		}
	});

	it('counts when it comes too late: the job waits for its next delivery, or is under way', async () => {
		const ids = [await rig.started('one'), await rig.started('two')];
		const options = rig.trigger({ deliveredWhen: 'confirmed' });
		const { poll } = activated(options);
		const first = await executed({ ...options, items: (await poll()).items! });
		rig.pass(11 * MINUTE);
		const { items: second } = await poll();
		expect(idsOf(second)).toEqual(ids);
		expect(rig.states()).toEqual(['emitting', 'emitting']);
		const [one] = json(first.items);
		expect((await ledger('confirmDelivery', {}, { items: [one!] })).error).toBeUndefined();
		const { items } = await executed({ ...options, items: second! });
		expect(json(items)).toMatchObject([{ jobId: ids[1], deliveryAttempt: 2 }]);
		expect(rig.states()).toEqual(['delivered', 'unconfirmed']);
	});

	it('a failed job is confirmed in the same way, an expired one comes again as expired', async () => {
		const failed = await rig.started('no [[fails]]');
		const gone = await rig.started('gone');
		rig.service.fault({
			match: { path: new RegExp(`${gone}.*content`) },
			do: { type: 'status', status: 410 },
		});
		const deliver = confirming();
		for (let attempt = 1; attempt <= 2; attempt++) {
			const items = await deliver();
			expect(new Set(idsOf(items))).toEqual(new Set([failed, gone]));
			expect(items).toHaveLength(2);
			for (const item of json(items)) expect(item).toMatchObject({ deliveryAttempt: attempt });
			rig.pass(30 * MINUTE);
		}
	});

	it('of a job that was entered twice, both entries are confirmed', async () => {
		const jobId = await rig.started('a cat');
		rig.enter(jobId);
		const items = await confirming()();
		expect(idsOf(items)).toEqual([jobId]);
		await ledger('confirmDelivery', { findBy: 'entryId', entryId: 2 });
		expect(rig.states()).toEqual(['delivered', 'delivered']);
	});

	it('one item that cannot be confirmed does not cost the others', async () => {
		const jobId = await rig.started('a cat');
		const items = await confirming()();
		const { items: out } = await ledger(
			'confirmDelivery',
			{},
			{
				items: [{ jobId: 'unknown' }, ...json(items)],
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(out).toMatchObject([
			{ json: { error: expect.stringContaining('no such job') } },
			{ json: { jobId, state: 'delivered' }, pairedItem: { item: 1 } },
		]);
	});

	it.each([
		['a job that was not delivered', async () => await rig.started('waits'), /not delivered/],
		['a job of nobody', async () => 'nobody', /no such job/],
		[
			'a job that was not to be confirmed',
			async () => {
				const jobId = await rig.started('a cat');
				await watching()();
				Object.assign(rig.n8n.rows[0]!, { state: 'pending' });
				return jobId;
			},
			/not delivered to a workflow that has to confirm/,
		],
	])('%s cannot be confirmed', async (_what, prepare, message) => {
		const jobId = await prepare();
		const { error } = await ledger('confirmDelivery', { jobId });
		expect(error?.message).toMatch(message);
	});

	it('two jobs of one ID are told apart by their entries', async () => {
		for (const segment of ['images', 'videos'])
			rig.enter('7', { segment, state: 'unconfirmed', deliveries: 1, claim: segment });
		const { error } = await ledger('confirmDelivery', { jobId: '7' });
		expect(error?.message).toContain('several jobs with the ID 7');
		await ledger('confirmDelivery', { findBy: 'entryId', entryId: 2 });
		expect(rig.states()).toEqual(['unconfirmed', 'delivered']);
	});
});

describe('Deliver Again', () => {
	it.each<[string, (jobId: string) => INodeParameters]>([
		['by its ID', (jobId) => ({ jobId })],
		['by its URL', (jobId) => ({ jobId: `https://x.example/v1/images/jobs/${jobId}` })],
		['by its entry', () => ({ findBy: 'entryId', entryId: 1 })],
		['by its key', () => ({ findBy: 'key', idempotencyKey: 'order-7' })],
	])('a job comes again, %s', async (_how, found) => {
		const jobId = await rig.started('a cat', { startKey: 'order-7' });
		rig.enter(jobId);
		const deliver = watching();
		expect(idsOf(await deliver())).toEqual([jobId]);
		expect(await deliver()).toEqual([]);
		const { items, error } = await ledger('deliverAgain', found(jobId));
		expect(error).toBeUndefined();
		expect(json(items)).toMatchObject([{ jobId, state: 'pending', alreadyWaiting: false }]);
		expect(await deliver()).toMatchObject([{ json: { jobId }, binary: { data: {} } }]);
		expect(await deliver()).toEqual([]);
	});

	it('all jobs of an execution come again, and no others', async () => {
		const ids = [await rig.started('one'), await rig.started('two')];
		const deliver = watching();
		await deliver();
		for (const row of rig.n8n.rows) row['execution'] = '1234';
		const other = await rig.started('three');
		await deliver();
		// the execution that started a job is none that it was delivered to
		await rig.started('four [[never]]', { execution: '1234' });
		const { items } = await ledger('deliverAgain', { findBy: 'execution', executionId: '1234' });
		expect(idsOf(items)).toEqual(ids);
		expect(idsOf(await deliver())).toEqual(ids);
		expect(idsOf(await deliver())).not.toContain(other);
		const none = await ledger('deliverAgain', { findBy: 'execution', executionId: '99' });
		expect(none.error?.message).toContain('no job that was delivered to execution 99');
	});

	it('an expired file is tried again', async () => {
		const jobId = await rig.started('a cat');
		rig.service.fault({
			match: { path: new RegExp(`${jobId}.*content`) },
			do: { type: 'status', status: 410 },
			times: 1,
		});
		const deliver = watching();
		expect(json(await deliver())).toMatchObject([{ failure: { status: 410 } }]);
		await ledger('deliverAgain', { jobId });
		expect(await deliver()).toMatchObject([{ binary: { data: {} } }]);
	});

	it('a job that waits already is left as it is, and one that waits to be confirmed comes at once', async () => {
		const jobId = await rig.started('a cat');
		const { items } = await ledger('deliverAgain', { jobId });
		expect(json(items)).toMatchObject([{ state: 'pending', alreadyWaiting: true }]);
		const deliver = watching({ deliveredWhen: 'confirmed' });
		await deliver();
		expect(json((await ledger('deliverAgain', { jobId })).items)).toMatchObject([
			{ alreadyWaiting: false },
		]);
		expect(json(await deliver())).toMatchObject([{ jobId, deliveryAttempt: 2 }]);
	});

	it.each([
		['is just being delivered', { state: 'delivering', claim: 'c', execution: '55' }, /just being/],
		['was never started', { state: 'unknown', jobId: '', startKey: 'k' }, /no such job/],
	])('a job that %s is refused', async (_what, row, message) => {
		rig.enter('7', { leaseUntil: Date.now() + MINUTE, ...row });
		const find = row.state === 'unknown' ? { findBy: 'key', idempotencyKey: 'k' } : { jobId: '7' };
		const { error } = await ledger('deliverAgain', find);
		expect(error?.message).toMatch(message);
		expect(rig.states()).toEqual([row.state]);
	});
});

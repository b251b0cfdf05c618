import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { idsOf, json, MINUTE, startLedgerRig } from './rig/ledger';
import type { RunOptions } from './rig/run';

// what becomes of a job behind the trigger: confirmed by the workflow, or delivered again by hand
const rig = startLedgerRig();
const DAY = 24 * 60 * MINUTE;
const goneFor = (jobId: string, times = Infinity) =>
	rig.service.fault({
		match: { path: new RegExp(`${jobId}.*content`) },
		times,
		do: { type: 'status', status: 410 },
	});

describe('Delivered When: Confirmed by the Workflow', () => {
	const confirming = (options: IDataObject = {}) =>
		rig.watching({ deliveredWhen: 'confirmed', options } as INodeParameters);
	const confirm = async (items: IDataObject[], settings: RunOptions['settings'] = {}) =>
		await rig.ledger('confirmDelivery', {}, { items, settings });

	it('a job that is confirmed does not come again', async () => {
		const jobId = await rig.started('a cat');
		const { deliver } = confirming();
		const items = await deliver();
		expect(items).toMatchObject([
			{ json: { jobId, deliveryAttempt: 1 }, binary: { data: { mimeType: 'image/png' } } },
		]);
		expect(rig.states()).toEqual(['unconfirmed']);
		const entry = { entryId: 1, jobId, state: 'delivered' };
		const confirmed = await confirm(json(items));
		expect(confirmed.items).toMatchObject([
			{ json: { ...entry, alreadyDelivered: false }, pairedItem: { item: 0 } },
		]);
		rig.pass(60 * MINUTE);
		expect(await deliver()).toEqual([]);
		// Retry On Fail, or a lost answer of n8n
		const again = await confirm(json(items));
		expect(json(again.items)).toMatchObject([{ ...entry, alreadyDelivered: true }]);
	});

	it('a job that nobody confirms comes again and again with its file, in longer and longer times', async () => {
		await rig.started('a cat');
		const { deliver } = confirming({ deliverAgainAfter: 5 });
		for (const [attempt, minutes] of [5, 10, 20, 40, 80, 160, 320].entries()) {
			expect(await deliver()).toMatchObject([
				{ json: { deliveryAttempt: attempt + 1 }, binary: { data: expect.anything() } },
			]);
			rig.pass((minutes - 1) * MINUTE);
			expect(await deliver()).toEqual([]);
			rig.pass(MINUTE);
		}
		for (let more = 0; more < 5; more++) {
			rig.pass(DAY);
			expect(await deliver()).toHaveLength(1);
		}
	});

	it('counts when it comes too late: the job waits for its next delivery, or is under way', async () => {
		const ids = [await rig.started('one'), await rig.started('two')];
		const { poll, execute } = confirming();
		const first = await execute((await poll()).items);
		rig.pass(11 * MINUTE);
		const { items: second } = await poll();
		expect(idsOf(second)).toEqual(ids);
		expect(rig.states()).toEqual(['emitting', 'emitting']);
		expect((await confirm(json(first.items).slice(0, 1))).error).toBeUndefined();
		const { items } = await execute(second);
		expect(json(items)).toMatchObject([{ jobId: ids[1], deliveryAttempt: 2 }]);
		expect(rig.states()).toEqual(['delivered', 'unconfirmed']);
	});

	it('a failed job is confirmed in the same way, an expired one comes again as expired', async () => {
		const ids = [await rig.started('no [[fails]]'), await rig.started('gone')];
		goneFor(ids[1]!);
		const { deliver } = confirming();
		for (let deliveryAttempt = 1; deliveryAttempt <= 2; deliveryAttempt++) {
			const items = await deliver();
			expect(idsOf(items).sort()).toEqual([...ids].sort());
			expect(json(items)).toMatchObject([{ deliveryAttempt }, { deliveryAttempt }]);
			rig.pass(30 * MINUTE);
		}
	});

	it('what was not delivered to a workflow that has to confirm it cannot be confirmed', async () => {
		const refusalOf = async (jobId: string) =>
			(await rig.ledger('confirmDelivery', { jobId })).error?.message;
		expect(await refusalOf('nobody')).toContain('no such job');
		const jobId = await rig.started('a cat');
		expect(await refusalOf(jobId)).toContain('not delivered');
		await rig.watching().deliver();
		Object.assign(rig.n8n.rows[0]!, { state: 'pending' });
		expect(await refusalOf(jobId)).toContain('not delivered to a workflow that has to confirm');
	});

	it('two jobs of one ID are told apart by their entries', async () => {
		for (const mediaType of ['images', 'videos'])
			rig.enter('7', { mediaType, state: 'unconfirmed', deliveries: 1, claim: mediaType });
		const { error } = await rig.ledger('confirmDelivery', { jobId: '7' });
		expect(error?.message).toContain('several jobs with the ID 7');
		await rig.ledger('confirmDelivery', { findBy: 'entryId', entryId: 2 });
		expect(rig.states()).toEqual(['unconfirmed', 'delivered']);
	});
});

describe('Deliver Again', () => {
	const NOT_FOUND = 'The service does not know this job (any more).';
	const again = async (found: INodeParameters) => await rig.ledger('deliverAgain', found);

	it.each<[string, (jobId: string) => INodeParameters]>([
		['by its ID', (jobId) => ({ jobId })],
		['by its URL', (jobId) => ({ jobId: `https://x.example/v1/images/jobs/${jobId}` })],
		['by its entry', () => ({ findBy: 'entryId', entryId: 1 })],
		['by its key', () => ({ findBy: 'uniqueKey', uniqueKey: 'order-7' })],
	])('a job comes again, %s', async (_how, found) => {
		const jobId = await rig.started('a cat', { uniqueKey: 'order-7' });
		rig.enter(jobId);
		const { deliver } = rig.watching();
		expect(idsOf(await deliver())).toEqual([jobId]);
		expect(await deliver()).toEqual([]);
		const { items } = await again(found(jobId));
		expect(json(items)).toMatchObject([{ jobId, state: 'pending', alreadyWaiting: false }]);
		expect(await deliver()).toMatchObject([{ json: { jobId }, binary: { data: {} } }]);
		expect(await deliver()).toEqual([]);
	});

	it('all jobs of an execution come again, and no others', async () => {
		const ids = [await rig.started('one'), await rig.started('two')];
		const { deliver } = rig.watching();
		await deliver();
		for (const row of rig.n8n.rows) row['executionId'] = '1234';
		await rig.started('three');
		await deliver();
		// the execution that started a job is none that it was delivered to
		await rig.started('four [[never]]', { executionId: '1234' });
		const { items } = await again({ findBy: 'executionId', executionId: '1234' });
		expect(idsOf(items)).toEqual(ids);
		expect(idsOf(await deliver())).toEqual(ids);
		expect(await deliver()).toEqual([]);
		const none = await again({ findBy: 'executionId', executionId: '99' });
		expect(none.error?.message).toContain('no job that was delivered to execution 99');
	});

	it('an expired file is tried again', async () => {
		const jobId = await rig.started('a cat');
		goneFor(jobId, 1);
		const { deliver } = rig.watching();
		expect(json(await deliver())).toMatchObject([{ failure: { status: 410 } }]);
		await again({ jobId });
		expect(await deliver()).toMatchObject([{ binary: { data: {} } }]);
	});

	it('a job that was lost is asked for again', async () => {
		const jobId = await rig.started('a cat', { failures: 4, note: NOT_FOUND });
		const match = { method: 'GET', path: jobId };
		rig.service.fault({ match, times: 2, do: { type: 'status', status: 404 } });
		const { deliver } = rig.watching();
		expect(json(await deliver())).toMatchObject([{ event: 'mediaJobFailed', status: 'lost' }]);
		await again({ jobId });
		expect(await deliver()).toMatchObject([
			{ json: { event: 'mediaJobCompleted', jobId }, binary: { data: {} } },
		]);
	});

	it('a job that waits already is left as it is, and one that waits to be confirmed comes at once', async () => {
		const jobId = await rig.started('a cat');
		const waiting = await again({ jobId });
		expect(json(waiting.items)).toMatchObject([{ state: 'pending', alreadyWaiting: true }]);
		const { deliver } = rig.watching({ deliveredWhen: 'confirmed' });
		await deliver();
		const { items } = await again({ jobId });
		expect(json(items)).toMatchObject([{ alreadyWaiting: false }]);
		expect(json(await deliver())).toMatchObject([{ jobId, deliveryAttempt: 2 }]);
	});

	it.each([
		[
			'is being delivered right now',
			{ state: 'delivering', claim: 'c', executionId: '55' },
			/being delivered right now/,
		],
		['was never started', { state: 'unknown', jobId: '', uniqueKey: 'k' }, /no such job/],
	])('a job that %s is refused', async (_what, row, message) => {
		rig.enter('7', { leaseUntil: Date.now() + MINUTE, ...row });
		const byKey = { findBy: 'uniqueKey', uniqueKey: 'k' };
		const { error } = await again(row.state === 'unknown' ? byKey : { jobId: '7' });
		expect(error?.message).toMatch(message);
		expect(rig.states()).toEqual([row.state]);
	});
});

import { startLedgerRig } from './rig/ledger';
import { run } from './rig/run';

const rig = startLedgerRig();

describe('the job ledger as a resource', () => {
	it('enters jobs that were started elsewhere, once', async () => {
		const enter = () => run(rig.ledgered('track', { mediaType: 'videos', jobId: 'job-x' }));
		expect((await enter()).items[0]?.json).toEqual({
			...{ jobId: 'job-x', mediaType: 'videos', entryId: 1, alreadyTracked: false },
		});
		expect((await enter()).items[0]?.json).toMatchObject({ entryId: 1, alreadyTracked: true });
		expect(rig.n8n.entries()).toMatchObject([{ state: 'pending', account: 'modelRouterApi' }]);
	});

	it('lists entries, the latest first, and not what only it needs', async () => {
		await run(rig.starting('one', { idempotencyKey: 'a' }));
		await run(rig.starting('two', { idempotencyKey: 'b', ledgerLabel: 'l' }));
		const { items } = await rig.ledger('getMany');
		expect(items.map(({ json }) => json['idempotencyKey'])).toEqual(['b', 'a']);
		expect(items[0]?.json).toMatchObject({
			...{
				entryId: 2,
				mediaType: 'images',
				state: 'pending',
				label: 'l',
				execution: 'execution-1',
			},
			startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
			job: { id: expect.any(String) },
		});
		expect(items[0]?.json).not.toHaveProperty('claim');
		const labelled = await rig.ledger('getMany', {
			filters: { ledgerLabel: 'l', state: 'pending' },
		});
		expect(labelled.items).toHaveLength(1);
		const none = await rig.ledger('getMany', { filters: { state: 'unknown' } });
		expect(none.items).toEqual([]);
	});

	it('deletes what is over and old, and keys only when told to', async () => {
		await run(rig.starting('one', { idempotencyKey: 'kept' }));
		await run(rig.starting('two'));
		await run(rig.starting('three'));
		const [kept, gone, waiting] = rig.n8n.rows as Array<Record<string, unknown>>;
		Object.assign(kept!, { state: 'delivered', startedAt: 1 });
		Object.assign(gone!, { state: 'delivered', startedAt: 1 });
		Object.assign(waiting!, { startedAt: 1 });
		expect((await rig.ledger('deleteMany')).items[0]?.json).toEqual({
			...{ deleted: true, count: 1 },
		});
		expect(rig.n8n.entries().map(({ id }) => id)).toEqual([1, 3]);
		const all = await rig.ledger('deleteMany', { withKeys: true });
		expect(all.items[0]?.json).toEqual({ deleted: true, count: 1 });
		expect(rig.n8n.entries()).toMatchObject([{ state: 'pending' }]);
	});

	it('a key that the service echoes is not written into the table', async () => {
		const key = rig.service.router.keys.main;
		rig.service.fault({
			match: { method: 'POST' },
			times: 1,
			do: { type: 'status', status: 500, body: { message: `no: ${key}` } },
		});
		await run(rig.starting('one'));
		rig.service.fault({
			match: { method: 'POST' },
			times: 1,
			do: { type: 'replace', find: '"status"', with: `"echo":"${key}","status"` },
		});
		await run(rig.starting('two'));
		expect(rig.n8n.entries()).toMatchObject([{ state: 'unknown' }, { state: 'pending' }]);
		expect(JSON.stringify(rig.n8n.rows)).toContain('***');
		expect(JSON.stringify(rig.n8n.rows)).not.toContain(key);
	});

	it('says what is missing where there is no such start', async () => {
		const { error } = await rig.ledger('markStarted', {
			idempotencyKey: 'nobody',
			jobId: 'j',
		});
		expect(error?.message).toMatch(/^The ledger has no such start/);
	});
});

import type { INodeParameters } from 'n8n-workflow';

import { failPosts } from './rig/calls';
import { startLedgerRig } from './rig/ledger';
import { run } from './rig/run';

// the resource Job Ledger
const rig = startLedgerRig();

it('enters jobs that were started elsewhere, once', async () => {
	const entry = { jobId: 'job-x', mediaType: 'videos', entryId: 1 };
	for (const alreadyTracked of [false, true]) {
		const { items } = await run(rig.ledgered('track', { mediaType: 'videos', jobId: 'job-x' }));
		expect(items[0]?.json).toEqual({ ...entry, alreadyTracked });
	}
	expect(rig.n8n.entries()).toMatchObject([{ state: 'pending', credentialId: 'modelRouterApi' }]);
});

it('lists entries, the latest first, and not what only it needs', async () => {
	await run(rig.starting('one', { uniqueKey: 'a' }));
	await run(rig.starting('two', { uniqueKey: 'b', triggerGroup: 'l' }));
	const { items } = await rig.ledger('getEntries');
	expect(items.map(({ json }) => json['uniqueKey'])).toEqual(['b', 'a']);
	expect(items[0]?.json).toMatchObject({
		entryId: 2,
		mediaType: 'images',
		state: 'pending',
		triggerGroup: 'l',
		executionId: 'execution-1',
		startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
		job: { id: expect.any(String) },
	});
	expect(items[0]?.json).not.toHaveProperty('claim');
	const filtered = async (filters: INodeParameters) =>
		(await rig.ledger('getEntries', { filters })).items;
	expect(await filtered({ triggerGroup: 'l', state: 'pending' })).toHaveLength(1);
	expect(await filtered({ state: 'unknown' })).toEqual([]);
});

it('a time that is none, in a cell that a person edited, does not cost the other entries', async () => {
	for (const key of ['a', 'b']) await run(rig.starting('one', { uniqueKey: key }));
	Object.assign(rig.n8n.rows[0]!, { startedAt: 1e20, leaseUntil: -1e20, checkAt: 1e18 });
	const { items } = await rig.ledger('getEntries');
	expect(items.map(({ json }) => json['uniqueKey'])).toEqual(['b', 'a']);
});

it('deletes what is over and old, and keys only when told to', async () => {
	for (const key of ['kept', '', '']) await run(rig.starting('one', { uniqueKey: key }));
	const [kept, gone, waiting] = rig.n8n.rows;
	for (const row of [kept, gone]) Object.assign(row!, { state: 'delivered', startedAt: 1 });
	Object.assign(waiting!, { startedAt: 1 });
	for (const [parameters, left] of [
		[{}, [1, 3]],
		[{ withKeys: true }, [3]],
	] as const) {
		const { items } = await rig.ledger('deleteMany', parameters);
		expect(items[0]?.json).toEqual({ deleted: true, count: 1 });
		expect(rig.n8n.entries().map(({ id }) => id)).toEqual(left);
	}
});

// the address of a request that deletes names each row, and n8n takes an address of 16 KiB
it('deletes any number of rows', async () => {
	await run(rig.starting('one'));
	const old = { ...rig.n8n.rows[0]!, state: 'delivered', startedAt: 1 };
	rig.n8n.rows.length = 0;
	for (let id = 1; id <= 400; id++) rig.n8n.rows.push({ ...old, id: 100_000_000 + id });
	const { items, error } = await rig.ledger('deleteMany', {});
	expect(error).toBeUndefined();
	expect(items[0]?.json).toEqual({ deleted: true, count: 400 });
	expect(rig.n8n.rows).toEqual([]);
});

it('a key that the service echoes is not written into the table', async () => {
	const key = rig.service.router.keys.main;
	failPosts(rig.service, { type: 'status', status: 500, body: { message: `no: ${key}` } }, 1);
	await run(rig.starting('one'));
	failPosts(rig.service, { type: 'replace', find: '"status"', with: `"echo":"${key}","status"` });
	await run(rig.starting('two'));
	expect(rig.states()).toEqual(['unknown', 'pending']);
	expect(JSON.stringify(rig.n8n.rows)).toContain('***');
	expect(JSON.stringify(rig.n8n.rows)).not.toContain(key);
});

it('takes the ID from a pasted URL, such as the location in the error of the start', async () => {
	failPosts(rig.service, { type: 'status', status: 500 }, 1);
	await run(rig.starting('one', { uniqueKey: 'a' }));
	const jobId = 'https://router.example.com/v1/images/jobs/job-7/content?x=1';
	const which = { findBy: 'entryId', entryId: 1 };
	const { items } = await rig.ledger('markStarted', { ...which, jobId });
	expect(items).toMatchObject([{ json: { jobId: 'job-7', state: 'pending', uniqueKey: 'a' } }]);
	const decided = await rig.ledger('markNotStarted', { uniqueKey: 'a' });
	expect(decided.error?.message).toMatch(/^The outcome of the start in entry 1 is known/);
});

it('says what is missing where there is no such start', async () => {
	const { error } = await rig.ledger('markStarted', { uniqueKey: 'nobody', jobId: 'j' });
	expect(error?.message).toMatch(/^The ledger has no start with the key "nobody"/);
});

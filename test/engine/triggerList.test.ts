import { activated, executed } from './rig/poll';
import { idsOf, json, triggerRig, type TriggerRig } from './rig/triggers';

// jobs of a list that was typed or that an expression gives, without a job ledger
let rig: TriggerRig;
let service = {} as TriggerRig['service'];
let { trigger, startJob } = {} as TriggerRig;
beforeAll(async () => {
	rig = await triggerRig();
	({ service, trigger, startJob } = rig);
});
beforeEach(() => rig.reset());
afterAll(async () => await rig.stop());

const listed = (jobIds: string, more = {}) => {
	const options = trigger({ watch: 'list', mediaType: 'images', jobIds, ...more });
	const { secrets } = options;
	return { ...options, secrets: { modelRouterApi: secrets['modelRouterApi']! } };
};

it('tells of each job once, and brings its file', async () => {
	const ids = [
		await startJob('one'),
		await startJob('two [[fail]]'),
		await startJob('three [[never]]'),
	];
	const options = listed(ids.join(', '));
	const { poll, staticData } = activated(options);
	const { items, error } = await poll();
	expect([error, idsOf(items)]).toEqual([undefined, [ids[0], ids[1]]]);
	expect(items?.[0]?.json).not.toHaveProperty('claim');
	const { items: out } = await executed({ ...options, items: items! });
	expect(out).toMatchObject([
		{ json: { event: 'mediaJobCompleted', file: { mimeType: 'image/png' } }, binary: { data: {} } },
		{ json: { event: 'mediaJobFailed', failure: { code: 'generation_failed' } } },
	]);
	expect(out[0]?.json).not.toHaveProperty('entryId');
	expect((await poll()).items).toBeNull();
	expect(staticData()['ledger']).toMatchObject([
		{ state: 'delivered' },
		{ state: 'delivered' },
		{ state: 'pending' },
	]);
});

it('takes a list from an expression, and follows it', async () => {
	const ids = [await startJob('one'), await startJob('two')];
	const options = listed(`={{ ${JSON.stringify([ids[0]])} }}`);
	expect(idsOf((await activated(options).poll()).items)).toEqual([ids[0]]);
	const more = listed(`={{ ${JSON.stringify(ids)} }}`);
	const { poll, staticData } = activated(more);
	staticData()['ledger'] = [];
	expect(idsOf((await poll()).items)).toEqual(ids);
});

it('what is no longer in the list is forgotten', async () => {
	const id = await startJob('one');
	const { poll, staticData } = activated(listed(''));
	staticData()['ledger'] = [
		{ id: 1, jobId: id, segment: 'images', account: 'modelRouterApi', state: 'pending' },
	];
	expect((await poll()).items).toBeNull();
	expect(staticData()['ledger']).toEqual([]);
});

it.each([[7], [['x']], [[{ id: 'x' }]], [{ told: {} }]])(
	'a stored state that cannot be read (%j) is replaced',
	async (kept) => {
		const id = await startJob('one');
		const { poll, staticData } = activated(listed(id));
		staticData()['ledger'] = kept as never;
		expect(idsOf((await poll()).items)).toEqual([id]);
		expect(staticData()['ledger']).toMatchObject([{ jobId: id, state: 'delivered' }]);
	},
);

it('one bad id does not hold up the others', async () => {
	const id = await startJob('one');
	const { items } = await activated(listed(`.. ${id} unknown`)).poll();
	expect(json(items)).toMatchObject([
		{ event: 'mediaJobFailed', status: 'lost', jobId: '..' },
		{ event: 'mediaJobCompleted', jobId: id },
	]);
});

it('URLs of jobs are taken, and one of something else does not hold up the others', async () => {
	const id = await startJob('one');
	const urls = [`${service.url}/v1/images/jobs/${id}/content`, `${service.url}/v1/models`];
	const { items, error } = await activated(listed(urls.join(' '))).poll();
	expect([error, idsOf(items)]).toEqual([undefined, [id]]);
});

it('a file that cannot be had is told of, since nothing would bring it again', async () => {
	const id = await startJob('one');
	const options = listed(id);
	const { items } = await activated(options).poll();
	service.fault({ match: { path: '/content' }, do: { type: 'status', status: 503 } });
	const { items: out } = await executed({ ...options, items: items! });
	expect(json(out)).toMatchObject([{ jobId: id, failure: { status: 503 } }]);
});

it('a test run takes nothing away', async () => {
	const id = await startJob('one');
	const options = listed(id);
	const { items } = await executed({ ...options, items: [{ json: {} }], mode: 'manual' });
	expect(items).toMatchObject([{ json: { jobId: id, file: {} }, binary: { data: {} } }]);
	expect(idsOf((await activated(options).poll()).items)).toEqual([id]);
	const none = listed(await startJob('never [[never]]'));
	expect(
		(await executed({ ...none, items: [{ json: {} }], mode: 'manual' })).error?.message,
	).toMatch(/no finished job/);
});

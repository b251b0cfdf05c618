import type { INodeParameters } from 'n8n-workflow';

import { idsOf, json, MINUTE, startLedgerRig } from './rig/ledger';

// jobs of a list that was typed or that an expression gives, without a job ledger
const rig = startLedgerRig();

const list = (jobIds: string, more: INodeParameters = {}) => {
	const { modelRouterApi } = rig.secrets();
	const parameters = { watch: 'list', mediaType: 'images', jobIds, ...more };
	return rig.watching(parameters, { secrets: { modelRouterApi: modelRouterApi! } });
};

it('tells of each job once, and brings its file', async () => {
	const ids: string[] = [];
	for (const prompt of ['one', 'two [[fail]]', 'three [[never]]'])
		ids.push(await rig.startJob(prompt));
	const { poll, execute, staticData } = list(ids.join(', '));
	const { items, error } = await poll();
	expect([error, idsOf(items)]).toEqual([undefined, [ids[0], ids[1]]]);
	expect(items?.[0]?.json).not.toHaveProperty('claim');
	const { items: out } = await execute(items);
	expect(out).toMatchObject([
		{ json: { event: 'mediaJobCompleted', file: { mimeType: 'image/png' } }, binary: { data: {} } },
		{ json: { event: 'mediaJobFailed', failure: { code: 'generation_failed' } } },
	]);
	expect(out[0]?.json).not.toHaveProperty('entryId');
	expect((await poll()).items).toBeNull();
	expect(staticData()['ledger']).toMatchObject(
		['delivered', 'delivered', 'pending'].map((state) => ({ state })),
	);
});

it('takes a list from an expression, and follows it', async () => {
	const ids = [await rig.startJob('one'), await rig.startJob('two')];
	for (const some of [ids.slice(0, 1), ids])
		expect(idsOf((await list(`={{ ${JSON.stringify([...some, null])} }}`).poll()).items)).toEqual(
			some,
		);
	expect(rig.service.requests.filter(({ path }) => path.endsWith('null'))).toEqual([]);
});

it.each(['={{ [{ jobId: "job-1" }] }}', '={{ ({ jobId: "job-1" }) }}', '[{"jobId":"job-1"}]'])(
	'refuses objects in place of IDs: %s',
	async (jobIds) => {
		expect((await list(jobIds).poll()).error?.message).toMatch(/^Job IDs has an object/);
	},
);

it('what is no longer in the list is forgotten', async () => {
	const jobId = await rig.startJob('one');
	const { poll, staticData } = list('');
	staticData()['ledger'] = [
		{ id: 1, jobId, mediaType: 'images', credentialId: 'modelRouterApi', state: 'pending' },
	];
	expect((await poll()).items).toBeNull();
	expect(staticData()['ledger']).toEqual([]);
});

it.each([[7], [['x', { id: 'x' }]]])(
	'a stored state that cannot be read (%j) is replaced',
	async (kept) => {
		const jobId = await rig.startJob('one');
		const { poll, staticData } = list(jobId);
		staticData()['ledger'] = kept as never;
		expect(idsOf((await poll()).items)).toEqual([jobId]);
		expect(staticData()['ledger']).toMatchObject([{ jobId, state: 'delivered' }]);
	},
);

it('one bad id does not hold up the others, nor does a URL of something else', async () => {
	const jobId = await rig.startJob('one');
	const { items } = await list(`.. ${jobId} unknown`).poll();
	expect(json(items)).toMatchObject([
		{ event: 'mediaJobFailed', status: 'lost', jobId: '..' },
		{ event: 'mediaJobCompleted', jobId },
	]);
	const { url } = rig.service;
	const urls = await list(`${url}/v1/images/jobs/${jobId}/content ${url}/v1/models`).poll();
	expect([urls.error, idsOf(urls.items)]).toEqual([undefined, [jobId]]);
});

it('a file that cannot be had is told of, since nothing would bring it again', async () => {
	const jobId = await rig.startJob('one');
	rig.service.fault({ match: { path: '/content' }, do: { type: 'status', status: 503 } });
	const out = await list(jobId).deliver();
	expect(json(out)).toMatchObject([{ jobId, failure: { status: 503 } }]);
});

it('a file that is gone a week after the end of its job is told of', async () => {
	const jobId = await rig.startJob('one');
	const { deliver, staticData } = list(jobId, { events: ['mediaContentExpired'] });
	const row = { id: 1, jobId, mediaType: 'images', credentialId: 'modelRouterApi' };
	const startedAt = Date.now() - (7 * 24 * 60 + 1) * MINUTE;
	staticData()['ledger'] = [{ ...row, state: 'pending', startedAt }];
	// it has run for some minutes
	expect(await deliver()).toEqual([]);
	rig.service.world.jobs.get(jobId)!.expired = true;
	const [known] = staticData()['ledger'] as [object];
	staticData()['ledger'] = [{ ...known, startedAt: startedAt - 24 * 60 * MINUTE }];
	expect(json(await deliver())).toMatchObject([{ event: 'mediaContentExpired', jobId }]);
});

it('a test run takes nothing away', async () => {
	const jobId = await rig.startJob('one');
	const { poll, execute } = list(jobId);
	const { items } = await execute([{ json: {} }], { mode: 'manual' });
	expect(items).toMatchObject([{ json: { jobId, file: {} }, binary: { data: {} } }]);
	expect(idsOf((await poll()).items)).toEqual([jobId]);
	const none = list(await rig.startJob('never [[never]]'));
	const { error } = await none.execute([{ json: {} }], { mode: 'manual' });
	expect(error?.message).toMatch(/nothing to show yet/);
});

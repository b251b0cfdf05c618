import type { INodeParameters } from 'n8n-workflow';

import { startService, type Service } from '../service/service';
import { job, secretsOf } from './rig/calls';
import { startDataTables, type DataTables } from './rig/dataTables';
import { run, start, type RunOptions } from './rig/run';

// media jobs that the job ledger knows of: n8n's Data Tables stand beside the service
let service: Service;
let n8n: DataTables;
beforeAll(async () => {
	service = await startService();
	n8n = await startDataTables();
});
beforeEach(() => {
	service.reset();
	service.forms.jobSteps = 0;
	n8n.service.reset();
	n8n.rows.length = 0;
});
afterAll(async () => {
	await service.stop();
	await n8n.stop();
});

const sketch = { __rl: true, mode: 'id', value: 'canvas/sketch-1' };
const credentials = {
	modelRouterApi: { id: 'modelRouterApi', name: 'Router' },
	mediaJobLedgerApi: { id: 'mediaJobLedgerApi', name: 'Ledger' },
};

const ledgered = (
	operation: string,
	parameters: INodeParameters,
	more: Partial<RunOptions> = {},
): RunOptions => ({
	...job(operation, { useLedger: true, ...parameters }),
	secrets: { ...secretsOf(service), ...n8n.secrets },
	...more,
	settings: { credentials, ...more.settings },
});

const starting = (text: string, options: INodeParameters = {}, more: Partial<RunOptions> = {}) =>
	ledgered('start', { segment: 'images', model: sketch, prompt: text, options }, more);

const ledger = (resource: string, operation: string, parameters: INodeParameters = {}) =>
	run({
		node: 'mediaJobLedger',
		credential: 'mediaJobLedgerApi',
		parameters: { resource, operation, ...parameters },
		secrets: { ...n8n.secrets },
	});

describe('a start that is entered', () => {
	it('is in the ledger with its id, and says so', async () => {
		const { items } = await run(starting('one', { label: 'films' }));
		const { jobId } = service.world.starts[0]!;
		expect(items[0]?.json).toMatchObject({ jobId, ledgerEntry: 1, segment: 'images' });
		expect(items[0]?.json).not.toHaveProperty('startedBefore');
		expect(n8n.entries()).toMatchObject([
			{
				...{ state: 'pending', jobId, segment: 'images', model: 'canvas/sketch-1' },
				...{ account: 'modelRouterApi', label: 'films', execution: 'execution-1', startKey: '' },
			},
		]);
		expect(JSON.parse(n8n.entries()[0]!.record)).toMatchObject({ id: jobId });
	});

	it('a repeated run enters it once', async () => {
		service.fault({
			match: { method: 'POST', bodyIncludes: 'bad' },
			do: { type: 'status', status: 422 },
		});
		const { error } = await run(
			starting(
				'={{ $json.text }}',
				{},
				{
					items: [{ text: 'good' }, { text: 'bad' }],
					settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
				},
			),
		);
		expect(error).toBeDefined();
		expect(service.starts('good')).toBe(1);
		expect(n8n.entries().filter(({ state }) => state === 'pending')).toHaveLength(1);
	});

	it('nothing is started where the ledger refuses the key, and the sentence says whose', async () => {
		const secrets = {
			...secretsOf(service),
			mediaJobLedgerApi: { ...n8n.secrets.mediaJobLedgerApi, apiKey: 'wrong' },
		};
		const { error } = await run(starting('one', {}, { secrets }));
		expect(error?.message).toMatch(
			/^The job ledger could not be used: n8n refused the API key \(401\)/,
		);
		expect(error?.context?.['metadata']).toMatchObject({ outcome: 'not_started' });
		expect(service.starts('one')).toBe(0);
	});

	it('an unknown outcome is open in the ledger', async () => {
		service.fault({ match: { method: 'POST' }, do: { type: 'reset_peer', effect: true } });
		const { error } = await run(starting('one'));
		expect(error?.context?.['metadata']).toMatchObject({
			outcome: 'unknown',
			ids: { ledgerEntry: '1' },
		});
		expect(error?.message).toContain('Resolve as Started');
		expect(n8n.entries()).toMatchObject([{ state: 'unknown', jobId: '' }]);
	});

	it('Stop while it is under way leaves the outcome written down', async () => {
		service.fault({ match: { method: 'POST' }, do: { type: 'timeout', effect: true } });
		const running = start(starting('one'));
		while (!service.requests.some(({ method }) => method === 'POST')) await tick();
		running.stop();
		await running.finished;
		while (n8n.entries()[0]?.state !== 'unknown') await tick();
		expect(service.starts('one')).toBe(1);
	});
});

describe('Start Once Per Key', () => {
	const once = (key: string, text = 'one', more: Partial<RunOptions> = {}) =>
		run(starting(text, { startKey: key }, more));

	it('starts one job per key, over executions, and gives it back', async () => {
		const first = await once('order-7');
		const second = await once('order-7', 'other');
		const { jobId } = service.world.starts[0]!;
		expect(first.items[0]?.json).toMatchObject({
			...{ jobId, startedBefore: false, startKey: 'order-7', ledgerEntry: 1 },
		});
		expect(second.items[0]?.json).toMatchObject({
			...{ jobId, startedBefore: true, startKey: 'order-7', ledgerEntry: 1 },
			job: { id: jobId },
		});
		expect(second.items[0]?.json['estimatedCostMicroUsd']).toEqual(
			first.items[0]?.json['estimatedCostMicroUsd'],
		);
		expect(service.world.starts).toHaveLength(1);
	});

	it('says so where the key was used for something else', async () => {
		const hintsOf = async (more: INodeParameters) => {
			const options = { startKey: 'order-7' };
			const { run: ran } = await run(
				ledgered('start', { segment: 'images', model: sketch, prompt: 'one', options, ...more }),
			);
			return ran.data.resultData.runData['Node']?.[0]?.hints?.map(({ message }) => message) ?? [];
		};
		expect(await hintsOf({})).toEqual([]);
		expect(await hintsOf({ prompt: 'another' })).toEqual([]);
		const video = { __rl: true, mode: 'id', value: 'kino/reel-1' };
		expect(await hintsOf({ segment: 'videos', model: video })).toEqual([
			expect.stringMatching(
				/^The key "order-7" was used before for the segment "images".*given back/,
			),
		]);
		expect(service.world.starts).toHaveLength(1);
	});

	it('twenty executions at once start one', async () => {
		const all = await Promise.all(Array.from({ length: 20 }, async () => await once('k')));
		expect(service.world.starts).toHaveLength(1);
		const { jobId } = service.world.starts[0]!;
		expect(all.map(({ items }) => items[0]?.json['jobId'])).toEqual(Array(20).fill(jobId));
		expect(all.filter(({ items }) => items[0]?.json['startedBefore'] === false)).toHaveLength(1);
	});

	it('two items with one key are one job', async () => {
		const { items } = await once('={{ $json.key }}', 'one', {
			items: [{ key: 'a' }, { key: 'a' }, { key: 'b' }],
		});
		expect(service.world.starts).toHaveLength(2);
		const [first, second, third] = items.map(({ json }) => json['jobId']);
		expect(first).toBe(second);
		expect(third).not.toBe(first);
	});

	it('an unknown outcome is asked about, and decided by a person', async () => {
		service.fault({ match: { method: 'POST' }, times: 1, do: { type: 'status', status: 500 } });
		await once('k');
		const again = await once('k');
		expect(again.error?.message).toMatch(
			/^It is not known whether the job of the key "k" was started/,
		);
		expect(again.error?.context?.['metadata']).toMatchObject({ outcome: 'unknown' });
		expect(service.received('one')).toBe(1);

		const resolved = await ledger('entry', 'resolveNotStarted', { startKey: 'k' });
		expect(resolved.items[0]?.json).toMatchObject({ state: 'notStarted', ledgerEntry: 1 });
		const { items } = await once('k');
		expect(items[0]?.json).toMatchObject({ startedBefore: false, ledgerEntry: 2 });
	});

	it('Retry On Fail asks the ledger, and finds what a person has decided', async () => {
		service.fault({ match: { method: 'POST' }, times: 1, do: { type: 'status', status: 500 } });
		const { error } = await once('k', 'one', {
			settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		});
		expect(error?.context?.['metadata']).toMatchObject({ outcome: 'unknown' });
		expect(service.received('one')).toBe(1);
	});

	it('resolved as started, the key gives back that job', async () => {
		service.fault({
			match: { method: 'POST' },
			times: 1,
			do: { type: 'reset_peer', effect: true },
		});
		await once('k');
		const { jobId } = service.world.starts[0]!;
		const { items } = await ledger('entry', 'resolveStarted', {
			...{ findBy: 'ledgerEntry', ledgerEntry: 1, jobId },
		});
		expect(items[0]?.json).toMatchObject({ state: 'pending', jobId, startKey: 'k' });
		expect((await once('k')).items[0]?.json).toMatchObject({ jobId, startedBefore: true });
		expect(service.world.starts).toHaveLength(1);
		const decided = await ledger('entry', 'resolveNotStarted', { startKey: 'k' });
		expect(decided.error?.message).toMatch(/^The outcome of this start is known/);
	});

	it.each([
		['the answer to the entry is lost', 'POST'],
		['the answer to the claim is lost', 'PATCH'],
	])('%s: it goes on, with one job', async (_name, method) => {
		n8n.service.fault({ match: { method }, times: 1, do: { type: 'reset_peer', effect: true } });
		const { items } = await once('k');
		expect(items[0]?.json).toMatchObject({ startedBefore: false });
		expect(service.world.starts).toHaveLength(1);
		expect(n8n.entries().filter(({ state }) => state === 'pending')).toHaveLength(1);
	});

	it('n8n fails for a moment once the job was started: its id is written down all the same', async () => {
		let patches = 0;
		n8n.service.fault({
			match: { method: 'PATCH', bodyIncludes: '"pending"' },
			times: 2,
			do: { type: 'status', status: 503 },
		});
		const { items } = await once('k');
		patches = n8n.service.requests.filter(({ bodyText }) => bodyText.includes('"pending"')).length;
		expect(patches).toBeGreaterThanOrEqual(3);
		expect(n8n.entries()).toMatchObject([{ state: 'pending', jobId: items[0]?.json['jobId'] }]);
	});

	it('a refusal leaves the key free', async () => {
		service.fault({ match: { method: 'POST' }, times: 1, do: { type: 'status', status: 422 } });
		expect((await once('k')).error?.context?.['metadata']).toMatchObject({
			outcome: 'not_started',
		});
		expect((await once('k')).items[0]?.json).toMatchObject({ startedBefore: false });
	});

	it.each([
		['an empty key', { useLedger: true, key: '={{ $json.nothing }}' }, 'Start Once Per Key'],
		['blanks', { useLedger: true, key: '  ' }, 'Start Once Per Key is empty'],
		['no ledger', { useLedger: false, key: 'k' }, 'Start Once Per Key needs the job ledger'],
	])('%s is refused before anything is sent', async (_name, { useLedger, key }, sentence) => {
		const { error } = await run(
			ledgered('start', {
				...{ segment: 'images', model: sketch, prompt: 'one', useLedger },
				options: { startKey: key },
			}),
		);
		expect(error?.message).toContain(sentence);
		expect(
			[service.requests, n8n.service.requests].flat().filter(({ method }) => method !== 'GET'),
		).toEqual([]);
	});

	it('the key of n8n is nowhere', async () => {
		n8n.service.fault({
			match: { method: 'PATCH' },
			do: { type: 'status', status: 400, body: `no: ${n8n.secrets.mediaJobLedgerApi.apiKey}` },
		});
		const { run: whole } = await once('k');
		expect(JSON.stringify(whole)).not.toContain(n8n.secrets.mediaJobLedgerApi.apiKey);
		expect(service.requests.every(({ headers }) => !headers['x-n8n-api-key'])).toBe(true);
		expect(n8n.service.requests.every(({ headers }) => !headers['x-api-key'])).toBe(true);
	});

	it('with a spending cap, what is given back costs nothing', async () => {
		await once('a');
		const { items } = await run(
			starting(
				'one',
				{ startKey: '={{ $json.key }}', executionCap: 10 },
				{
					items: [{ key: 'a' }, { key: 'b' }],
				},
			),
		);
		expect(items.map(({ json }) => json['startedBefore'])).toEqual([true, false]);
	});
});

describe('Generate with the ledger', () => {
	const generating = (text: string, options: INodeParameters = {}) =>
		run(ledgered('generate', { segment: 'images', model: sketch, prompt: text, options }));

	it('brings the file itself, and leaves nothing to the triggers', async () => {
		const { items } = await generating('one', { startKey: 'k' });
		expect(items[0]?.binary?.['data']).toBeDefined();
		expect(items[0]?.json).toMatchObject({ state: 'completed', startedBefore: false });
		expect(n8n.entries()).toMatchObject([{ state: 'delivered', outcome: 'completed' }]);
	});

	it('goes on with the job of an earlier execution', async () => {
		service.forms.jobSteps = 1_000_000;
		const late = await generating('one', { startKey: 'k', deadline: 1 });
		expect(late.error?.context?.['metadata']).toMatchObject({ kind: 'unfinished' });
		const [entry] = n8n.entries();
		expect(entry).toMatchObject({ state: 'pending' });
		// the triggers need not wait for it any more
		expect(entry!.checkAt).toBeLessThanOrEqual(Date.now());
		service.forms.jobSteps = 0;
		service.world.jobs.forEach((each) => Object.assign(each, { steps: 0 }));
		const { items } = await generating('one', { startKey: 'k' });
		expect(service.world.starts).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({ startedBefore: true });
	});

	it('while it waits, the triggers leave the job alone', async () => {
		service.forms.jobSteps = 1_000_000;
		const running = start(
			ledgered('generate', { segment: 'images', model: sketch, prompt: 'one' }),
		);
		while (!n8n.entries()[0]?.jobId) await tick();
		expect(n8n.entries()[0]!.checkAt).toBeGreaterThan(Date.now() + 600_000);
		running.stop();
		await running.finished;
	});
});

describe('the ledger node', () => {
	it('enters jobs that were started elsewhere, once', async () => {
		const enter = () => run(ledgered('enterInLedger', { segment: 'videos', jobId: 'job-x' }));
		expect((await enter()).items[0]?.json).toEqual({
			...{ jobId: 'job-x', segment: 'videos', ledgerEntry: 1, known: false },
		});
		expect((await enter()).items[0]?.json).toMatchObject({ ledgerEntry: 1, known: true });
		expect(n8n.entries()).toMatchObject([{ state: 'pending', account: 'modelRouterApi' }]);
	});

	it('lists entries, the latest first, and not what only it needs', async () => {
		await run(starting('one', { startKey: 'a' }));
		await run(starting('two', { startKey: 'b', label: 'l' }));
		const { items } = await ledger('entry', 'getMany', {});
		expect(items.map(({ json }) => json['startKey'])).toEqual(['b', 'a']);
		expect(items[0]?.json).toMatchObject({
			...{ ledgerEntry: 2, state: 'pending', label: 'l', execution: 'execution-1' },
			startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
			job: { id: expect.any(String) },
		});
		expect(items[0]?.json).not.toHaveProperty('claim');
		const labelled = await ledger('entry', 'getMany', {
			filters: { label: 'l', state: 'pending' },
		});
		expect(labelled.items).toHaveLength(1);
		const none = await ledger('entry', 'getMany', { filters: { state: 'unknown' } });
		expect(none.items).toEqual([]);
	});

	it('deletes what is over and old, and keys only when told to', async () => {
		await run(starting('one', { startKey: 'kept' }));
		await run(starting('two'));
		await run(starting('three'));
		const [kept, gone, waiting] = n8n.rows as Array<Record<string, unknown>>;
		Object.assign(kept!, { state: 'delivered', startedAt: 1 });
		Object.assign(gone!, { state: 'delivered', startedAt: 1 });
		Object.assign(waiting!, { startedAt: 1 });
		expect((await ledger('entry', 'deleteOld')).items[0]?.json).toEqual({ deleted: 1 });
		expect(n8n.entries().map(({ id }) => id)).toEqual([1, 3]);
		const all = await ledger('entry', 'deleteOld', { withKeys: true });
		expect(all.items[0]?.json).toEqual({ deleted: 1 });
		expect(n8n.entries()).toMatchObject([{ state: 'pending' }]);
	});

	it('a key that the service echoes is not written into the table', async () => {
		const key = service.router.keys.main;
		service.fault({
			match: { method: 'POST' },
			times: 1,
			do: { type: 'status', status: 500, body: { message: `no: ${key}` } },
		});
		await run(starting('one'));
		service.fault({
			match: { method: 'POST' },
			times: 1,
			do: { type: 'replace', find: '"status"', with: `"echo":"${key}","status"` },
		});
		await run(starting('two'));
		expect(n8n.entries()).toMatchObject([{ state: 'unknown' }, { state: 'pending' }]);
		expect(JSON.stringify(n8n.rows)).toContain('***');
		expect(JSON.stringify(n8n.rows)).not.toContain(key);
	});

	it('says what is missing where there is no such start', async () => {
		const { error } = await ledger('entry', 'resolveStarted', { startKey: 'nobody', jobId: 'j' });
		expect(error?.message).toMatch(/^The ledger has no such start/);
	});
});

const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

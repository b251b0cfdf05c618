import type { INodeParameters } from 'n8n-workflow';

import type { Entry } from '../../src/ledger/entry';
import { CARRY_ON, failPosts, model, PICTURE, posts, RETRIED } from './rig/calls';
import { fakeMinutes, letMinutesPass } from './rig/fakeMinutes';
import { startLedgerRig } from './rig/ledger';
import { run, shownText, start, type RunOptions } from './rig/run';

// media jobs that the job ledger knows of: n8n's Data Tables stand beside the service
const rig = startLedgerRig();
const tick = () => new Promise((resolve) => setTimeout(resolve, 5));
const status = (code: number) => ({ type: 'status', status: code }) as const;
const pending = () => rig.n8n.entries().filter(({ state }) => state === 'pending');

describe('a start that is entered', () => {
	it('is in the ledger with its id, and says so', async () => {
		const { items } = await run(rig.starting('one', { triggerGroup: 'films' }));
		const { jobId } = rig.service.world.starts[0]!;
		expect(items[0]?.json).toMatchObject({ jobId, entryId: 1, mediaType: 'images' });
		expect(items[0]?.json).not.toHaveProperty('startedBefore');
		expect(rig.n8n.entries()).toMatchObject([
			{
				state: 'pending',
				jobId,
				mediaType: 'images',
				model: 'canvas/sketch-1',
				credentialId: 'modelRouterApi',
				triggerGroup: 'films',
				executionId: 'execution-1',
				uniqueKey: '',
			},
		]);
		expect(JSON.parse(rig.n8n.entries()[0]!.record)).toMatchObject({ id: jobId });
	});

	it.each([
		[
			'says beside the job',
			{ job: { id: 'J' }, estimated_cost: 9 },
			{ id: 'J', estimated_cost: 9 },
		],
		[
			'says in a long record',
			{ id: 'J', estimated_cost: 9, input: 'a cat '.repeat(1000) },
			{ estimated_cost: 9 },
		],
	])('has the estimate that the service %s', async (_where, body, kept) => {
		failPosts(rig.service, { type: 'body', body: JSON.stringify(body) });
		await run(rig.starting('one'));
		const [{ jobId, record }] = rig.n8n.entries() as [Entry];
		expect([jobId, JSON.parse(record)]).toEqual(['J', kept]);
	});

	it.each([2, -2])('has the times of n8n, whose clock is %i hours ahead', async (hours) => {
		rig.n8n.setClock(hours * 3_600_000);
		await run(rig.starting('one', { uniqueKey: 'k' }));
		const [{ startedAt, leaseUntil }] = rig.n8n.entries() as [Entry];
		const ahead = (time: number) => Math.round((time - Date.now()) / 3_600_000);
		expect([startedAt, leaseUntil].map(ahead)).toEqual([hours, hours]);
	});

	it('a repeated run enters it once', async () => {
		rig.service.fault({ match: { method: 'POST', bodyIncludes: 'bad' }, do: status(422) });
		const items = [{ text: 'good' }, { text: 'bad' }];
		const more = { items, settings: RETRIED };
		expect((await run(rig.starting('={{ $json.text }}', {}, more))).error).toBeDefined();
		expect(rig.service.starts('good')).toBe(1);
		expect(pending()).toHaveLength(1);
	});

	it('refused with words that PostgreSQL does not take is known not to be started', async () => {
		rig.service.fault({
			match: { method: 'POST' },
			do: { ...status(422), body: { message: 'a\0b' } },
		});
		const { error } = await run(rig.starting('one', { uniqueKey: 'k' }));
		expect(error?.context?.['metadata']).toMatchObject({ outcome: 'not_started' });
		const note = expect.stringMatching(/\bab\b/);
		expect(rig.n8n.entries()).toMatchObject([{ state: 'notStarted', note }]);
	});

	it('nothing is started where the ledger refuses the key, and the sentence says whose', async () => {
		const secrets = rig.secrets({ n8nApiKey: 'wrong' });
		const { error } = await run(rig.starting('one', {}, { secrets }));
		expect(shownText(error)).toMatch(
			/^The job ledger could not be used: n8n refused the API key \(401\).*Copy the n8n API key again into the "modelRouterApi" credential\./s,
		);
		expect(error?.context?.['metadata']).toMatchObject({ outcome: 'not_started' });
		expect(rig.service.starts('one')).toBe(0);
	});

	it('Stop while it is under way leaves the outcome written down', async () => {
		failPosts(rig.service, { type: 'timeout', effect: true });
		const running = start(rig.starting('one'));
		while (!rig.service.requests.some(({ method }) => method === 'POST')) await tick();
		running.stop();
		await running.finished;
		while (rig.states()[0] !== 'unknown') await tick();
		expect(rig.service.starts('one')).toBe(1);
	});
});

describe('a unique key', () => {
	const once = async (uniqueKey: string, more: Partial<RunOptions> = {}, parameters = {}) => {
		const outcome = await run(rig.starting('one', { uniqueKey, ...parameters }, more));
		return {
			...outcome,
			json: outcome.items[0]?.json,
			failure: outcome.error?.context?.['metadata'],
		};
	};

	it('starts one job per key, over executions, and gives it back', async () => {
		const [first, second] = [await once('order-7'), await once('order-7')];
		const { jobId } = rig.service.world.starts[0]!;
		const { estimatedCostUsd } = first.json!;
		const job = { jobId, uniqueKey: 'order-7', entryId: 1, estimatedCostUsd };
		expect(first.json).toMatchObject({ ...job, startedBefore: false });
		expect(second.json).toMatchObject({ ...job, startedBefore: true });
		expect(rig.service.world.starts).toHaveLength(1);
	});

	it('says so where the key was used for something else', async () => {
		const hintsOf = async (more: INodeParameters) => {
			const picture = { ...PICTURE, ...more, uniqueKey: 'order-7' };
			return (await run(rig.ledgered('start', picture))).hints;
		};
		expect(await hintsOf({})).toEqual([]);
		expect(await hintsOf({ prompt: 'another' })).toEqual([]);
		expect(await hintsOf({ mediaType: 'videos', model: model('reel/clip-3') })).toEqual([
			expect.stringMatching(
				/^The key "order-7" was used before for the media type "Image".*is returned/,
			),
		]);
		expect(rig.service.world.starts).toHaveLength(1);
	});

	it.each<[string, INodeParameters]>([
		['a cap is lower', { spendingCapPerItem: 0 }],
		['the catalog does not have the model', { model: model('gone/model-1') }],
	])('gives the job back although %s by now', async (_what, changed) => {
		const again = async (uniqueKey: string) =>
			await run(rig.ledgered('start', { ...PICTURE, ...changed, uniqueKey }));
		const { json } = await once('order-7');
		expect((await again('order-7')).items).toMatchObject([
			{ json: { jobId: json!['jobId'], startedBefore: true } },
		]);
		// another key is refused, and leaves no row
		expect((await again('order-8')).error).toBeDefined();
		expect([rig.service.world.starts.length, rig.states().length]).toEqual([1, 1]);
	});

	it('says of a job that has failed since that no file will come', async () => {
		await once('order-7');
		// of a record that was too long, this is left
		const record = JSON.stringify({ shortened: true });
		Object.assign(rig.n8n.rows[0]!, { outcome: 'failed', record });
		const again = await run(rig.ledgered('start', { ...PICTURE, uniqueKey: 'order-7' }));
		expect(again.items[0]?.json).toMatchObject({
			startedBefore: true,
			state: 'failed',
			failure: { advice: expect.stringMatching(/with another Unique Key if it has one/) },
		});
	});

	it('an unknown outcome is asked about, also by Retry On Fail, and decided by a person', async () => {
		failPosts(rig.service, status(500), 1);
		expect((await once('k', { settings: RETRIED })).failure).toMatchObject({ outcome: 'unknown' });
		const again = await once('k');
		expect(again.error?.message).toMatch(/^It is not known whether the job of the key "k" was/);
		expect(again.failure).toMatchObject({ outcome: 'unknown' });
		expect(rig.service.received('one')).toBe(1);

		const resolved = await rig.ledger('markNotStarted', { uniqueKey: 'k' });
		expect(resolved.items[0]?.json).toMatchObject({ state: 'notStarted', entryId: 1 });
		expect((await once('k')).json).toMatchObject({ startedBefore: false, entryId: 2 });
	});

	it('a start of another credential is decided by hand as its error says', async () => {
		failPosts(rig.service, status(500), 1);
		await once('k');
		Object.assign(rig.n8n.rows[0]!, { credentialId: 'gone' });
		const { error } = await rig.ledger('markNotStarted', { uniqueKey: 'k' });
		expect(error?.message).toBe('The start in entry 1 was made with another credential');
		expect(shownText(error)).toContain('the ID gone');
		expect(rig.states()).toEqual(['unknown']);
		expect(shownText(error)).toContain(
			'write "notStarted" into its cell "state", and empty its cell "claim"',
		);
		// an emptied cell has no text at all
		Object.assign(rig.n8n.rows[0]!, { state: 'notStarted', claim: null });
		expect((await once('k')).json).toMatchObject({ startedBefore: false, entryId: 2 });
	});

	it.each([
		['={{ $json.nothing }}', 'Unique Key (Start Only Once) is empty'],
		['  ', 'Unique Key (Start Only Once) contains only spaces'],
		['x'.repeat(501), 'is longer than 500 characters'],
	])('%s is refused before anything is sent', async (key, sentence) => {
		expect((await once(key)).error?.message).toContain(sentence);
		const sent = [rig.service.requests, rig.n8n.service.requests].flat();
		expect(sent.filter(({ method }) => method !== 'GET')).toEqual([]);
	});

	it('tracks the job by itself, and an empty one is none', async () => {
		const untracked = async (uniqueKey: string) =>
			await run(rig.ledgered('start', { ...PICTURE, useLedger: false, uniqueKey }));
		expect((await untracked('')).items).toHaveLength(1);
		expect(rig.n8n.entries()).toEqual([]);
		const [first, second] = [await untracked('order-7'), await untracked('order-7')];
		expect(second.items[0]?.json).toMatchObject({
			jobId: first.items[0]?.json['jobId'],
			startedBefore: true,
		});
		expect(rig.n8n.entries()).toHaveLength(1);
	});
});

describe('Generate with the ledger', () => {
	const generating = (options: INodeParameters = {}) =>
		rig.ledgered('generate', { ...PICTURE, uniqueKey: 'k', options });

	it('brings the file itself, and leaves nothing to the triggers', async () => {
		const { items } = await run(generating());
		expect(items[0]?.binary?.['data']).toBeDefined();
		expect(items[0]?.json).toMatchObject({ state: 'completed', startedBefore: false });
		expect(items[0]?.json['durationMs']).toBeGreaterThanOrEqual(0);
		expect(rig.n8n.entries()).toMatchObject([{ state: 'delivered', outcome: 'completed' }]);
	});

	it('goes on with the job of an earlier execution', async () => {
		rig.service.forms.jobSteps = 1_000_000;
		const late = await run(generating({ maxWait: 1 }));
		expect(late.error?.context?.['metadata']).toMatchObject({ kind: 'timeout' });
		const [entry] = rig.n8n.entries();
		expect(entry).toMatchObject({ state: 'pending' });
		// the triggers need not wait for it any more
		expect(entry!.checkAt).toBeLessThanOrEqual(Date.now());
		rig.service.forms.jobSteps = 0;
		rig.service.world.jobs.forEach((each) => Object.assign(each, { steps: 0 }));
		const { items } = await run(generating());
		expect(rig.service.world.starts).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({ startedBefore: true });
		expect(items[0]?.json).not.toHaveProperty('durationMs');
	});

	it('while it waits, the triggers leave the job alone', async () => {
		rig.service.forms.jobSteps = 1_000_000;
		const running = start(generating());
		while (!rig.n8n.entries()[0]?.jobId) await tick();
		expect(rig.n8n.entries()[0]!.checkAt).toBeGreaterThan(Date.now() + 600_000);
		running.stop();
		await running.finished;
	});

	it('the same while it waits for the job of an earlier execution', async () => {
		rig.service.forms.jobSteps = 1_000_000;
		await run(generating({ maxWait: 1 }));
		expect(rig.n8n.entries()[0]!.checkAt).toBeLessThanOrEqual(Date.now());
		const running = start(generating());
		while (rig.n8n.entries()[0]!.checkAt < Date.now() + 600_000) await tick();
		running.stop();
		await running.finished;
		expect(rig.n8n.entries()[0]!.checkAt).toBeLessThanOrEqual(Date.now());
	});

	const TWO = { items: [{ text: 'one' }, { text: 'two' }] };
	const both = (more: Partial<RunOptions> = {}) => {
		const picture = { ...PICTURE, prompt: '={{ $json.text }}' };
		const inTurn = { ...picture, requestSettings: { concurrency: 1 } };
		return rig.ledgered('generate', inTurn, { ...TWO, ...more });
	};
	const SECOND = { method: 'POST', bodyIncludes: 'two' };

	it('Stop while the second item runs: a trigger brings the first one', async () => {
		rig.service.fault({ match: SECOND, do: { type: 'timeout' } });
		const running = start(both());
		while (posts(rig.service).length < 2) await tick();
		expect(rig.states()[0]).toBe('pending');
		running.stop();
		await running.finished;
		while (rig.n8n.entries()[0]!.checkAt > Date.now()) await tick();
		const [item, ...others] = await rig.watching().deliver();
		expect(item?.json['jobId']).toBe(rig.service.world.starts[0]!.jobId);
		expect(item?.binary?.['data']).toBeDefined();
		expect(others).toEqual([]);
	});

	it('a failure that ends the node hands nothing over; one that does not, what is done', async () => {
		rig.service.fault({ match: SECOND, times: 2, do: status(422) });
		expect((await run(both())).error).toBeDefined();
		expect(rig.states()).toEqual(['pending', 'notStarted']);
		expect((await run(both({ settings: CARRY_ON }))).items).toHaveLength(1);
		expect(rig.states().slice(2)).toEqual(['delivered', 'notStarted']);
	});

	it('Deliver Again brings the job as it is, and not as it was when it was started', async () => {
		rig.service.forms.jobSteps = 1;
		await run(generating());
		await rig.ledger('deliverAgain', { findBy: 'uniqueKey', uniqueKey: 'k' });
		const [item] = await rig.watching().deliver();
		expect(item?.json).toMatchObject({ state: 'completed', status: 'completed', costUsd: 0.04 });
		expect(item?.binary?.['data']).toBeDefined();
	});

	it('the jobs of all items are marked together', async () => {
		expect((await run(both({ items: Array(5).fill(TWO.items[0]) }))).items).toHaveLength(5);
		expect(rig.states()).toEqual(Array(5).fill('delivered'));
		const marked = rig.n8n.service.requests.filter(({ bodyText }) => /delivered/.test(bodyText));
		expect(marked).toHaveLength(1);
	});

	describe('whose second item comes late', () => {
		fakeMinutes();

		it('and is waited for longer than the first, keeps the triggers from it, too', async () => {
			const items = [
				{ text: 'one [[never]]', wait: 3600 },
				{ text: 'two', wait: 60 },
			];
			const options = { maxWait: '={{ $json.wait }}' };
			const picture = { ...PICTURE, prompt: '={{ $json.text }}', options };
			const running = run(rig.ledgered('generate', picture, { items, settings: CARRY_ON }));
			await letMinutesPass(running, [rig.service, rig.n8n.service], 1000);
			const [, two] = rig.n8n.entries() as [Entry, Entry];
			expect(two).toMatchObject({ state: 'delivered' });
			expect(two.checkAt).toBeGreaterThan(Date.now());
		});

		it('keeps the triggers from the file of the first one until then', async () => {
			const headers = { 'retry-after': '400' };
			rig.service.fault({ match: SECOND, times: 1, do: { type: 'status', status: 429, headers } });
			const items = [{ text: 'one' }, { text: 'two [[never]]' }];
			const requestSettings = { concurrency: 1, maxRateLimitWait: 3600 };
			const picture = { ...PICTURE, prompt: '={{ $json.text }}', requestSettings };
			const running = run(rig.ledgered('generate', picture, { items, settings: CARRY_ON }));
			const services = [rig.service, rig.n8n.service];
			const startedAt = Date.now();
			await letMinutesPass(running, services, 1000);
			expect(Date.now() - startedAt).toBeGreaterThan(16 * 60_000);
			const [first, second] = rig.n8n.entries() as [Entry, Entry];
			expect(first).toMatchObject({ state: 'delivered' });
			expect(first.checkAt).toBeGreaterThan(Date.now());
			expect(second).toMatchObject({ state: 'pending' });
			expect(second.checkAt).toBeLessThanOrEqual(Date.now());
		});
	});
});

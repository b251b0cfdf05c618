import type { INodeParameters } from 'n8n-workflow';

import { secretsWithLedger } from './rig/calls';
import { sketch, startLedgerRig } from './rig/ledger';
import { run, start, type RunOptions, shownText } from './rig/run';

// media jobs that the job ledger knows of: n8n's Data Tables stand beside the service
const rig = startLedgerRig();

describe('a start that is entered', () => {
	it('is in the ledger with its id, and says so', async () => {
		const { items } = await run(rig.starting('one', { ledgerLabel: 'films' }));
		const { jobId } = rig.service.world.starts[0]!;
		expect(items[0]?.json).toMatchObject({ jobId, entryId: 1, mediaType: 'images' });
		expect(items[0]?.json).not.toHaveProperty('startedBefore');
		expect(rig.n8n.entries()).toMatchObject([
			{
				...{ state: 'pending', jobId, segment: 'images', model: 'canvas/sketch-1' },
				...{ account: 'modelRouterApi', label: 'films', execution: 'execution-1', startKey: '' },
			},
		]);
		expect(JSON.parse(rig.n8n.entries()[0]!.record)).toMatchObject({ id: jobId });
	});

	it('a repeated run enters it once', async () => {
		rig.service.fault({
			match: { method: 'POST', bodyIncludes: 'bad' },
			do: { type: 'status', status: 422 },
		});
		const { error } = await run(
			rig.starting(
				'={{ $json.text }}',
				{},
				{
					items: [{ text: 'good' }, { text: 'bad' }],
					settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
				},
			),
		);
		expect(error).toBeDefined();
		expect(rig.service.starts('good')).toBe(1);
		expect(rig.n8n.entries().filter(({ state }) => state === 'pending')).toHaveLength(1);
	});

	it('nothing is started where the ledger refuses the key, and the sentence says whose', async () => {
		const ledgerFields = { ...rig.n8n.ledgerFields, n8nApiKey: 'wrong' };
		const secrets = secretsWithLedger(rig.service, { ledgerFields });
		const { error } = await run(rig.starting('one', {}, { secrets }));
		expect(error?.message).toMatch(
			/^The job ledger could not be used: n8n refused the API key \(401\)/,
		);
		expect(error?.context?.['metadata']).toMatchObject({ outcome: 'not_started' });
		expect(rig.service.starts('one')).toBe(0);
	});

	it('an unknown outcome is open in the ledger', async () => {
		rig.service.fault({ match: { method: 'POST' }, do: { type: 'reset_peer', effect: true } });
		const { error } = await run(rig.starting('one'));
		expect(error?.context?.['metadata']).toMatchObject({
			outcome: 'unknown',
			ids: { entryId: '1' },
		});
		expect(shownText(error)).toContain('Mark as Started');
		expect(rig.n8n.entries()).toMatchObject([{ state: 'unknown', jobId: '' }]);
	});

	it('Stop while it is under way leaves the outcome written down', async () => {
		rig.service.fault({ match: { method: 'POST' }, do: { type: 'timeout', effect: true } });
		const running = start(rig.starting('one'));
		while (!rig.service.requests.some(({ method }) => method === 'POST')) await tick();
		running.stop();
		await running.finished;
		while (rig.n8n.entries()[0]?.state !== 'unknown') await tick();
		expect(rig.service.starts('one')).toBe(1);
	});
});

describe('a unique key', () => {
	const once = (key: string, text = 'one', more: Partial<RunOptions> = {}) =>
		run(rig.starting(text, { idempotencyKey: key }, more));

	it('starts one job per key, over executions, and gives it back', async () => {
		const first = await once('order-7');
		const second = await once('order-7', 'other');
		const { jobId } = rig.service.world.starts[0]!;
		expect(first.items[0]?.json).toMatchObject({
			...{ jobId, startedBefore: false, idempotencyKey: 'order-7', entryId: 1 },
		});
		expect(second.items[0]?.json).toMatchObject({
			...{ jobId, startedBefore: true, idempotencyKey: 'order-7', entryId: 1 },
		});
		expect(second.items[0]?.json['estimatedCostUsd']).toEqual(
			first.items[0]?.json['estimatedCostUsd'],
		);
		expect(rig.service.world.starts).toHaveLength(1);
	});

	it('says so where the key was used for something else', async () => {
		const hintsOf = async (more: INodeParameters) => {
			const { run: ran } = await run(
				rig.ledgered('start', {
					mediaType: 'images',
					model: sketch,
					prompt: 'one',
					idempotencyKey: 'order-7',
					...more,
				}),
			);
			return ran.data.resultData.runData['Node']?.[0]?.hints?.map(({ message }) => message) ?? [];
		};
		expect(await hintsOf({})).toEqual([]);
		expect(await hintsOf({ prompt: 'another' })).toEqual([]);
		const video = { __rl: true, mode: 'id', value: 'reel/clip-3' };
		expect(await hintsOf({ mediaType: 'videos', model: video })).toEqual([
			expect.stringMatching(
				/^The key "order-7" was used before for the media type "Image".*is returned/,
			),
		]);
		expect(rig.service.world.starts).toHaveLength(1);
	});

	it('twenty executions at once start one', async () => {
		const all = await Promise.all(Array.from({ length: 20 }, async () => await once('k')));
		expect(rig.service.world.starts).toHaveLength(1);
		const { jobId } = rig.service.world.starts[0]!;
		expect(all.map(({ items }) => items[0]?.json['jobId'])).toEqual(Array(20).fill(jobId));
		expect(all.filter(({ items }) => items[0]?.json['startedBefore'] === false)).toHaveLength(1);
	});

	it('two items with one key are one job', async () => {
		const { items } = await once('={{ $json.key }}', 'one', {
			items: [{ key: 'a' }, { key: 'a' }, { key: 'b' }],
		});
		expect(rig.service.world.starts).toHaveLength(2);
		const [first, second, third] = items.map(({ json }) => json['jobId']);
		expect(first).toBe(second);
		expect(third).not.toBe(first);
	});

	it('an unknown outcome is asked about, and decided by a person', async () => {
		rig.service.fault({ match: { method: 'POST' }, times: 1, do: { type: 'status', status: 500 } });
		await once('k');
		const again = await once('k');
		expect(again.error?.message).toMatch(
			/^It is not known whether the job of the key "k" was started/,
		);
		expect(again.error?.context?.['metadata']).toMatchObject({ outcome: 'unknown' });
		expect(rig.service.received('one')).toBe(1);

		const resolved = await rig.ledger('markNotStarted', { idempotencyKey: 'k' });
		expect(resolved.items[0]?.json).toMatchObject({ state: 'notStarted', entryId: 1 });
		const { items } = await once('k');
		expect(items[0]?.json).toMatchObject({ startedBefore: false, entryId: 2 });
	});

	it('Retry On Fail asks the ledger, and finds what a person has decided', async () => {
		rig.service.fault({ match: { method: 'POST' }, times: 1, do: { type: 'status', status: 500 } });
		const { error } = await once('k', 'one', {
			settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		});
		expect(error?.context?.['metadata']).toMatchObject({ outcome: 'unknown' });
		expect(rig.service.received('one')).toBe(1);
	});

	it('resolved as started, the key gives back that job', async () => {
		rig.service.fault({
			match: { method: 'POST' },
			times: 1,
			do: { type: 'reset_peer', effect: true },
		});
		await once('k');
		const { jobId } = rig.service.world.starts[0]!;
		const { items } = await rig.ledger('markStarted', {
			...{ findBy: 'entryId', entryId: 1, jobId },
		});
		expect(items[0]?.json).toMatchObject({ state: 'pending', jobId, idempotencyKey: 'k' });
		expect((await once('k')).items[0]?.json).toMatchObject({ jobId, startedBefore: true });
		expect(rig.service.world.starts).toHaveLength(1);
		const decided = await rig.ledger('markNotStarted', { idempotencyKey: 'k' });
		expect(decided.error?.message).toMatch(/^The outcome of this start is known/);
	});

	it.each([
		['the answer to the entry is lost', 'POST'],
		['the answer to the claim is lost', 'PATCH'],
	])('%s: it goes on, with one job', async (_name, method) => {
		rig.n8n.service.fault({
			match: { method },
			times: 1,
			do: { type: 'reset_peer', effect: true },
		});
		const { items } = await once('k');
		expect(items[0]?.json).toMatchObject({ startedBefore: false });
		expect(rig.service.world.starts).toHaveLength(1);
		expect(rig.n8n.entries().filter(({ state }) => state === 'pending')).toHaveLength(1);
	});

	it('n8n fails for a moment once the job was started: its id is written down all the same', async () => {
		let patches = 0;
		rig.n8n.service.fault({
			match: { method: 'PATCH', bodyIncludes: '"pending"' },
			times: 2,
			do: { type: 'status', status: 503 },
		});
		const { items } = await once('k');
		patches = rig.n8n.service.requests.filter(({ bodyText }) =>
			bodyText.includes('"pending"'),
		).length;
		expect(patches).toBeGreaterThanOrEqual(3);
		expect(rig.n8n.entries()).toMatchObject([{ state: 'pending', jobId: items[0]?.json['jobId'] }]);
	});

	it('a refusal leaves the key free', async () => {
		rig.service.fault({ match: { method: 'POST' }, times: 1, do: { type: 'status', status: 422 } });
		expect((await once('k')).error?.context?.['metadata']).toMatchObject({
			outcome: 'not_started',
		});
		expect((await once('k')).items[0]?.json).toMatchObject({ startedBefore: false });
	});

	it.each([
		['an empty one', '={{ $json.nothing }}', 'Unique Key (Start Only Once) is empty'],
		['one of blanks', '  ', 'Unique Key (Start Only Once) has only spaces'],
		['one of 501 characters', 'x'.repeat(501), 'is longer than 500 characters'],
	])('%s is refused before anything is sent', async (_name, key, sentence) => {
		const { error } = await once(key);
		expect(error?.message).toContain(sentence);
		expect(
			[rig.service.requests, rig.n8n.service.requests]
				.flat()
				.filter(({ method }) => method !== 'GET'),
		).toEqual([]);
	});

	it('does not count where the job is not tracked: the field is hidden then', async () => {
		const parameters = { mediaType: 'images', model: sketch, prompt: 'one', useLedger: false };
		for (let time = 0; time < 2; time++) {
			const { items } = await run(rig.ledgered('start', { ...parameters, idempotencyKey: 'k' }));
			expect(items[0]?.json).not.toHaveProperty('idempotencyKey');
		}
		expect(rig.service.world.starts).toHaveLength(2);
		expect(rig.n8n.entries()).toEqual([]);
	});

	it('the key of n8n is nowhere', async () => {
		rig.n8n.service.fault({
			match: { method: 'PATCH' },
			do: { type: 'status', status: 400, body: `no: ${rig.n8n.ledgerFields.n8nApiKey}` },
		});
		const { run: whole } = await once('k');
		expect(JSON.stringify(whole)).not.toContain(rig.n8n.ledgerFields.n8nApiKey);
		expect(rig.service.requests.every(({ headers }) => !headers['x-n8n-api-key'])).toBe(true);
		expect(rig.n8n.service.requests.every(({ headers }) => !headers['x-api-key'])).toBe(true);
	});

	it('with a spending cap, what is given back costs nothing', async () => {
		await once('a');
		const { items } = await run(
			rig.starting(
				'one',
				{ idempotencyKey: '={{ $json.key }}', spendingCapPerExecution: 10 },
				{
					items: [{ key: 'a' }, { key: 'b' }],
				},
			),
		);
		expect(items.map(({ json }) => json['startedBefore'])).toEqual([true, false]);
	});
});

describe('Generate with the ledger', () => {
	const generating = (text: string, options: INodeParameters = {}) => {
		const picture = { mediaType: 'images', model: sketch, prompt: text };
		return run(rig.ledgered('generate', { ...picture, idempotencyKey: 'k', options }));
	};

	it('brings the file itself, and leaves nothing to the triggers', async () => {
		const { items } = await generating('one');
		expect(items[0]?.binary?.['data']).toBeDefined();
		expect(items[0]?.json).toMatchObject({ state: 'completed', startedBefore: false });
		expect(rig.n8n.entries()).toMatchObject([{ state: 'delivered', outcome: 'completed' }]);
	});

	it('goes on with the job of an earlier execution', async () => {
		rig.service.forms.jobSteps = 1_000_000;
		const late = await generating('one', { maxWait: 1 });
		expect(late.error?.context?.['metadata']).toMatchObject({ kind: 'timeout' });
		const [entry] = rig.n8n.entries();
		expect(entry).toMatchObject({ state: 'pending' });
		// the triggers need not wait for it any more
		expect(entry!.checkAt).toBeLessThanOrEqual(Date.now());
		rig.service.forms.jobSteps = 0;
		rig.service.world.jobs.forEach((each) => Object.assign(each, { steps: 0 }));
		const { items } = await generating('one');
		expect(rig.service.world.starts).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({ startedBefore: true });
	});

	it('while it waits, the triggers leave the job alone', async () => {
		rig.service.forms.jobSteps = 1_000_000;
		const running = start(
			rig.ledgered('generate', { mediaType: 'images', model: sketch, prompt: 'one' }),
		);
		while (!rig.n8n.entries()[0]?.jobId) await tick();
		expect(rig.n8n.entries()[0]!.checkAt).toBeGreaterThan(Date.now() + 600_000);
		running.stop();
		await running.finished;
	});
});

const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

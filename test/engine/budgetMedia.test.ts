import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { budget, CARRY_ON, job, ledger, LOST, PICTURE } from './rig/calls';
import { startLedgerRig } from './rig/ledger';
import { run, type RunOptions, shownText } from './rig/run';

// what media jobs may cost a budget, and what a person decides about starts of unknown outcome
const rig = startLedgerRig();

const secretsOf = (budgetUsd: string, more: IDataObject = {}) =>
	rig.account({ budgetUsd, recordSpending: true, workflowsMayResume: true, ...more });
const secretsWithoutAccounts = () => secretsOf('', { recordSpending: false });
const figures = async (secrets: RunOptions['secrets']) =>
	(await run({ ...budget('getBudget'), secrets })).items[0]?.json as Record<string, unknown>;
const money = async (secrets: RunOptions['secrets']) => {
	const { spentUsd, reservedUsd } = await figures(secrets);
	const recorded = rig.n8n.spending.map(({ requests, costUsd, unknownCosts }) => ({
		requests,
		costUsd,
		unknownCosts,
	}));
	return { spentUsd, reservedUsd, recorded };
};
/** Nothing is reserved, and the cost of the job is known. @param spentUsd What counts in the budget. */
const expectPaid = async (
	secrets: RunOptions['secrets'],
	costUsd: number,
	{ spentUsd = costUsd, requests = 1 } = {},
) =>
	expect(await money(secrets)).toEqual({
		spentUsd,
		reservedUsd: 0,
		recorded: [{ requests, costUsd, unknownCosts: 0 }],
	});
const start = async (
	secrets: RunOptions['secrets'],
	parameters: INodeParameters = {},
	more: Partial<RunOptions> = {},
) =>
	await run({
		...job('start', { ...PICTURE, ...parameters }),
		secrets,
		settings: CARRY_ON,
		...more,
	});
const startedJob = async (secrets: RunOptions['secrets']) =>
	String((await start(secrets)).items[0]?.json['jobId']);
const get = async (secrets: RunOptions['secrets'], jobId: string) =>
	await run({ ...job('getJob', { mediaType: 'images', jobId }), secrets });

/** The estimates of the service, and how long it takes to give them: starts at the same time overlap. */
const estimate = (usd: number) =>
	rig.service.fault({
		match: { method: 'POST' },
		times: Infinity,
		do: [
			{ type: 'latency', ms: 100 },
			{
				type: 'replace',
				find: '"estimated_cost":40000',
				with: `"estimated_cost":${usd * 1e6}`,
			},
		],
	});
/** What the service says that a job has cost. */
const cost = (usd: number) =>
	rig.service.fault({
		match: { method: 'GET', path: '/jobs/' },
		do: { type: 'replace', find: '"cost":40000', with: `"cost":${usd * 1e6}` },
	});

const items = (count: number) => ({ items: Array.from({ length: count }, (_, n) => ({ n })) });
const AT_ONCE = { requestSettings: { concurrency: 50 } };

// the process remembers the row for some seconds: it is read again, and made
beforeEach(async () => {
	await figures(secretsOf('1'));
	rig.n8n.spending.length = 0;
});

describe('starts at once', () => {
	it('of a dearer configuration do not outspend the budget, although a cheap one is known', async () => {
		rig.service.forms.jobSteps = 1000;
		const secrets = secretsOf('0.8');
		await start(secrets);
		estimate(0.9);
		const dear = { ...AT_ONCE, options: { parameters: '{"resolution": "4K"}' } };
		const { items: started, failed } = await start(secrets, dear, items(20));
		expect([started.length, failed.length]).toEqual([1, 19]);
		expect(await figures(secrets)).toMatchObject({ reservedUsd: 0.94 });
	});

	it('without an estimate do not wait for each other', async () => {
		rig.service.forms.jobCost = 'absent';
		const secrets = secretsOf('100');
		const { items: started } = await start(secrets, AT_ONCE, items(10));
		expect(started).toHaveLength(10);
		expect(await figures(secrets)).toMatchObject({ reservedUsd: 0.4 });
	});
});

describe('figures of the service that cannot be', () => {
	it.each([-0.9, 41, 1e23])(
		'a cost of %d USD is not counted: the estimate is, and a hint says so',
		async (usd) => {
			const secrets = secretsOf('100');
			rig.service.forms.jobSteps = 0;
			const jobId = await startedJob(secrets);
			cost(usd);
			const { items: read, hints } = await get(secrets, jobId);
			expect(read[0]?.json).toMatchObject({ cost: usd * 1e6 });
			expect(read[0]?.json).not.toHaveProperty('costUsd');
			expect(hints).toEqual([expect.stringMatching(/cannot be: .* the estimate is\.$/)]);
			const recorded = [{ requests: 1, costUsd: 0, unknownCosts: 1 }];
			expect(await money(secrets)).toEqual({ spentUsd: 0.04, reservedUsd: 0, recorded });
		},
	);

	it('nor is it where only the response to the start has the estimate', async () => {
		const secrets = secretsOf('100');
		rig.service.fault({
			match: { method: 'GET', path: '/jobs/' },
			times: Infinity,
			do: [
				{ type: 'replace', find: '"estimated_cost":40000,', with: '' },
				{ type: 'replace', find: '"cost":40000', with: '"cost":41000000' },
			],
		});
		const { items: generated } = await start(secrets, { operation: 'generate' });
		expect(generated[0]?.json).toMatchObject({ cost: 41e6, estimatedCostUsd: 0.04 });
		expect(generated[0]?.json).not.toHaveProperty('costUsd');
		const recorded = [{ requests: 1, costUsd: 0, unknownCosts: 1 }];
		expect(await money(secrets)).toEqual({ spentUsd: 0.04, reservedUsd: 0, recorded });
	});

	it('a wrong estimate is told with what helps, and goes when the cost of its job is read', async () => {
		const secrets = secretsOf('10');
		rig.service.forms.jobSteps = 0;
		estimate(39);
		const jobId = await startedJob(secrets);
		const { factors } = (await figures(secrets)) as { factors: Array<{ key: string }> };
		expect(factors).toEqual([
			{ model: 'canvas/sketch-1', key: expect.any(String), timesMinimum: 975 },
		]);
		const { failed } = await start(secrets);
		const keys = `keys that begin with ${factors[0]?.key.split('.')[0]}`;
		expect(failed[0]?.json['error']).toMatch(
			new RegExp(`does not go away by itself: .*${keys}\\.`),
		);
		await get(secrets, jobId);
		expect((await start(secrets)).items).toHaveLength(1);
	});

	it('an estimate of more than 1,000 times the minimum is not believed', async () => {
		const secrets = secretsOf('10');
		estimate(41);
		const { hints } = await start(secrets);
		expect(hints).toEqual([
			expect.stringMatching(/^The estimate that .* the catalog's minimum is\.$/),
		]);
		expect(await figures(secrets)).toMatchObject({ reservedUsd: 0.04 });
		expect((await start(secrets)).items).toHaveLength(1);
	});
});

describe('Download File', () => {
	it('counts what the job has cost, once', async () => {
		const secrets = secretsOf('1');
		const jobId = await startedJob(secrets);
		cost(0.05);
		for (let time = 1; time <= 2; time++) {
			const { error } = await run({ ...job('download', { mediaType: 'images', jobId }), secrets });
			expect(error).toBeUndefined();
		}
		await expectPaid(secrets, 0.05);
	});

	it('gives the file although the cost cannot be read, and the estimate counts until it is', async () => {
		const secrets = secretsOf('1');
		const jobId = await startedJob(secrets);
		const isRecord = { method: 'GET', path: new RegExp(`/jobs/${jobId}$`) };
		rig.service.fault({ match: isRecord, times: Infinity, do: { type: 'status', status: 400 } });
		const down = await run({ ...job('download', { mediaType: 'images', jobId }), secrets });
		expect(Object.keys(down.items[0]?.binary ?? {})).toEqual(['data']);
		expect(await figures(secrets)).toMatchObject({ spentUsd: 0, reservedUsd: 0.04 });
	});

	it.each([404, 409, 410, 500])(
		'counts what a job has cost whose file has status %i',
		async (status) => {
			const secrets = secretsOf('1');
			const jobId = await startedJob(secrets);
			const isFile = { method: 'GET', path: /content$/ };
			rig.service.fault({ match: isFile, times: Infinity, do: { type: 'status', status } });
			await get(secretsWithoutAccounts(), jobId);
			const { error } = await run({ ...job('download', { mediaType: 'images', jobId }), secrets });
			expect(error).toBeDefined();
			expect(await figures(secrets)).toMatchObject({ spentUsd: 0.04, reservedUsd: 0 });
		},
	);

	it('reads no record where nothing counts', async () => {
		const secrets = secretsWithoutAccounts();
		const jobId = await startedJob(secrets);
		await run({ ...job('download', { mediaType: 'images', jobId }), secrets });
		const asked = rig.service.requests.map(({ method, path }) => `${method} ${path}`);
		expect(asked.filter((request) => request.endsWith(`/jobs/${jobId}`))).toEqual([]);
	});
});

describe('a start of unknown outcome', () => {
	const keyed = {
		useLedger: true,
		uniqueKey: 'order 7',
		options: { parameters: '{"resolution": "4K"}' },
	};
	const lose = async (secrets: RunOptions['secrets'], parameters: INodeParameters = keyed) => {
		rig.service.fault({ match: { method: 'POST' }, times: 1, do: LOST });
		const { failed } = await start(secrets, parameters);
		expect(failed[0]?.json).toMatchObject({ details: { outcome: 'unknown' } });
		return rig.service.world.starts.at(-1)!.jobId;
	};
	const decide = async (operation: string, secrets: RunOptions['secrets'], jobId?: string) =>
		await run({
			...ledger(operation, { findBy: 'uniqueKey', uniqueKey: 'order 7', ...(jobId && { jobId }) }),
			secrets,
		});
	const unknown = { requests: 1, costUsd: 0, unknownCosts: 1 };

	it('counts as its most, and stays until a person decides', async () => {
		const secrets = secretsOf('1');
		await lose(secrets);
		expect(await money(secrets)).toEqual({
			spentUsd: 0,
			reservedUsd: 0.04,
			recorded: [unknown],
		});
		expect(await figures(secrets)).toMatchObject({
			reservations: [{ reservationId: expect.stringMatching(/^start:/), outcomeUnknown: true }],
		});
	});

	it('Mark as Not Started gives it back, and sets the record right', async () => {
		const secrets = secretsOf('1');
		await lose(secrets);
		expect((await decide('markNotStarted', secrets)).error).toBeUndefined();
		await expectPaid(secrets, 0, { requests: 0 });
	});

	it('Mark as Started hands it to its job, whose cost then counts once', async () => {
		const secrets = secretsOf('2');
		const jobId = await lose(secrets);
		await decide('markStarted', secrets, jobId);
		expect(await money(secrets)).toEqual({
			spentUsd: 0,
			reservedUsd: 0.04,
			recorded: [unknown],
		});
		// of which the ledger has no record yet
		const { items } = await start(secrets, keyed);
		expect(items[0]?.json).toMatchObject({ jobId, startedBefore: true });
		expect(items[0]?.json).not.toHaveProperty('job');
		cost(0.9);
		for (let time = 1; time <= 2; time++) await get(secrets, jobId);
		await expectPaid(secrets, 0.9);
	});

	it('of an earlier period a decision changes the record only', async () => {
		const secrets = secretsOf('2');
		const jobId = await lose(secrets);
		const row = rig.n8n.rows.find(({ state }) => state === 'budget')!;
		const record = String(row['record']).replace(/"at":"[^"]*"/, '"at":"2020-01-31T12:00:00Z"');
		Object.assign(row, { record, claim: 'edited' });
		await decide('markStarted', secrets, jobId);
		cost(0.9);
		await get(secrets, jobId);
		await expectPaid(secrets, 0.9, { spentUsd: 0 });
	});

	it('whose process was killed before it wrote anything gets its line with the decision', async () => {
		const secrets = secretsOf('2');
		const jobId = await lose(secrets);
		rig.n8n.spending.length = 0;
		await decide('markStarted', secrets, jobId);
		await get(secrets, jobId);
		await expectPaid(secrets, 0.04);
	});

	it('that no ledger row tracks is only released', async () => {
		const secrets = secretsOf('1');
		await lose(secrets, {});
		expect(await figures(secrets)).toMatchObject({ reservedUsd: 0.04 });
		const released = await run({
			...budget('release', { findBy: 'age', hours: 0 }),
			secrets,
		});
		expect(released.items[0]?.json).toMatchObject({ released: 1 });
		expect(await figures(secrets)).toMatchObject({ spentUsd: 0, reservedUsd: 0 });
	});

	it('no model decides', async () => {
		const secrets = secretsOf('1');
		const jobId = await lose(secrets);
		const before = await money(secrets);
		const which = { findBy: 'uniqueKey', uniqueKey: 'order 7' };
		for (const tried of [
			ledger('markNotStarted', which),
			ledger('markStarted', { ...which, jobId }),
			budget('release', { findBy: 'age', hours: 0 }),
			budget('pause', { reason: 'x' }),
			budget('raise', { request: 'x', amount: 1, reason: 'x' }),
			budget('resume'),
		]) {
			const { items: told, error } = await run({ ...tried, secrets, asTool: true });
			const said = error ? shownText(error) : JSON.stringify(told);
			expect(said).toMatch(/An AI agent cannot use the resource (Job Ledger|Budget)/);
		}
		expect(await money(secrets)).toEqual(before);
		expect(rig.states()).toContain('unknown');
	});
});

it('a hint of a run says what is left of the budget', async () => {
	const secrets = secretsOf('1', { recordSpending: false });
	const { hints } = await run({ ...job('generate', PICTURE), secrets, items: [{}, {}, {}] });
	expect(hints).toEqual(['These 3 jobs cost $0.12. Budget: $0.88 left this month.']);
});

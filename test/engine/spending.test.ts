import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { MAX_LABELS } from '../../src/spending/spendingWriter';
import { MAX_SPENDING_ROWS } from '../../src/spending/recordBook';
import { chat, failPosts, job, model, PICTURE, spending as call } from './rig/calls';
import { useModel } from './rig/chatModel';
import { converse } from './rig/converse';
import { ours } from './rig/flow';
import { startLedgerRig } from './rig/ledger';
import { run, type RunOptions, shownText, start } from './rig/run';

// the record of spending of a credential: docs/spending.md
const rig = startLedgerRig();
const TODAY = new Date().toISOString().slice(0, 10);
const daysAgo = (days: number) =>
	new Date(Date.now() - days * 24 * 3_600_000).toISOString().slice(0, 10);

const secretsOf = (more: IDataObject = {}) => rig.account({ recordSpending: true, ...more });
const spending = async (
	operation: string,
	parameters: INodeParameters = {},
	secrets: RunOptions['secrets'] = secretsOf(),
) => await run({ ...call(operation, parameters), secrets });
const report = async (...groupBy: string[]) =>
	(await spending('getSpending', { groupBy })).items.map(({ json }) => json);
const write = async (more: Partial<RunOptions> = {}) =>
	await run({ ...chat('Write.'), secrets: secretsOf(), ...more });
const picture = async (operation: string, prompt = 'A cat', more: INodeParameters = {}) =>
	await run({
		...job(operation, { ...PICTURE, prompt, ...more }),
		secrets: secretsOf(),
		settings: { onError: 'continueErrorOutput' },
	});
const paidFor = async (work: () => Promise<unknown>) =>
	(await rig.service.paidFor(work)).paid / 1e6;

/** A row as another run has written it. */
let rows = 0;
const enter = (day: string, more: IDataObject = {}) =>
	void rig.n8n.spending.push({
		id: 1000 + ++rows,
		day,
		workflowId: 'w',
		workflow: 'W',
		nodeId: 'n',
		node: 'N',
		model: 'm',
		label: '',
		requests: 1,
		inputTokens: 2,
		outputTokens: 3,
		costUsd: 0.1,
		unknownCosts: 0,
		lastExecutionId: '1',
		record: `{"writes":["${rows}"]}`,
		...more,
	});

// the table is made at its first use
beforeAll(async () => void (await write()));

describe('what is written', () => {
	it('texts: one row for a node and a model, which is what the service bills', async () => {
		const paid = await paidFor(() => write({ items: [{}, {}, {}] }));
		expect(rig.n8n.spending).toEqual([
			expect.objectContaining({
				day: TODAY,
				workflow: 'test',
				node: 'Node',
				model: 'northwind/quill-2.5',
				requests: 3,
				costUsd: paid,
				unknownCosts: 0,
				lastExecutionId: 'execution-1',
			}),
		]);
		await write();
		expect(rig.n8n.spending).toHaveLength(1);
		expect(rig.n8n.spending[0]).toMatchObject({ requests: 4 });
		expect(Number(rig.n8n.spending[0]?.['inputTokens'])).toBeGreaterThan(0);
	});

	it('the chat model: when n8n closes it', async () => {
		const use: Parameters<typeof useModel>[0]['use'] = async (model) =>
			await Promise.all([1, 2, 3].map(() => model.invoke('Say hello')));
		const paid = await paidFor(() => useModel({ secrets: secretsOf(), use }));
		expect(await report()).toEqual([
			expect.objectContaining({ requests: 3, costUsd: paid, unknownCosts: 0 }),
		]);
	});

	it('a job: unknown until it has ended, whoever sees that, and counted once', async () => {
		rig.service.forms.jobSteps = 1;
		const { items } = await picture('start', 'A cat', { model: model('Canvas/Sketch-1') });
		const jobId = String(items[0]?.json['jobId']);
		expect(await report()).toMatchObject([{ requests: 1, costUsd: 0, unknownCosts: 1 }]);
		const waited = await picture('wait', '', { jobId });
		await picture('getJob', '', { jobId });
		const costUsd = waited.items[0]?.json['costUsd'];
		expect(costUsd).toBeGreaterThan(0);
		expect(await report('model')).toMatchObject([
			{ model: 'canvas/sketch-1', requests: 1, costUsd, unknownCosts: 0 },
		]);
	});

	it('a job that somebody sees end while its node still starts others', async () => {
		const prompts = ['first', 'second'].map((prompt) => ({ prompt }));
		rig.service.fault({
			match: { method: 'POST', bodyIncludes: 'second' },
			do: { type: 'hold' },
		});
		const running = start({
			...job('start', { ...PICTURE, prompt: '={{ $json.prompt }}' }),
			secrets: secretsOf(),
			items: prompts,
		});
		while (!rig.n8n.spending.length) await new Promise((resolve) => setTimeout(resolve, 5));
		const [, jobId] = /job:images:([^"]*)/.exec(String(rig.n8n.spending[0]?.['record'])) ?? [];
		await picture('getJob', '', { jobId });
		running.stop();
		await running.finished;
		expect(await report()).toMatchObject([{ requests: 2, costUsd: 0.04, unknownCosts: 1 }]);
	});

	it.each([
		['that is awaited', 'A cat', 1],
		['that fails costs nothing', '[[fail]]', 0],
	])('a job %s', async (_which, prompt, times) => {
		const paid = await paidFor(() => picture('generate', prompt));
		expect(paid > 0).toBe(times > 0);
		expect(await report()).toMatchObject([{ requests: 1, costUsd: paid, unknownCosts: 0 }]);
	});

	it.each([
		['unknown', 500, [{ requests: 1, costUsd: 0, unknownCosts: 1 }]],
		['certainly not started', 422, [{ requests: 0, costUsd: 0, unknownCosts: 0 }]],
	])('a request that is %s', async (_outcome, status, expected) => {
		failPosts(rig.service, { type: 'status', status });
		await write();
		expect(await report()).toMatchObject(expected);
	});

	it('nothing, unless the credential says so', async () => {
		await run({ ...chat('Write.'), secrets: secretsOf({ recordSpending: false }) });
		expect(rig.n8n.spending).toEqual([]);
		const { error } = await spending('getSpending', {}, secretsOf({ recordSpending: false }));
		expect(error?.message).toBe('The credential does not record what is spent');
	});
});

describe('labels', () => {
	// n8n takes none of these signs as they are
	const BOB = "Bob's (GmbH & Co) *!";
	const labeled = { options: { spendingLabel: '={{ $json.customer }}' } };
	const items = [{ customer: 'Ada ' }, { customer: BOB }, { customer: 'Ada' }];
	const byLabel = async (parameters: INodeParameters = {}) => {
		const given = { groupBy: ['label'], ...parameters };
		const found = (await spending('getSpending', given)).items;
		return found.map(({ json: { label, requests } }) => [label, requests]).sort();
	};

	it.each<[string, (more: Pick<RunOptions, 'secrets'>) => Promise<unknown>]>([
		['texts', async (more) => await run({ ...chat('Write.', labeled), ...more, items })],
		[
			'jobs',
			async (more) => {
				return await run({ ...job('start', { ...PICTURE, ...labeled }), ...more, items });
			},
		],
	])('%s count under the label of their item', async (_what, pay) => {
		await pay({ secrets: secretsOf() });
		expect(await byLabel()).toEqual([
			['Ada', 2],
			[BOB, 1],
		]);
		expect(await byLabel({ label: BOB })).toEqual([[BOB, 1]]);
	});

	it('calls of a chat model count under its label', async () => {
		const parameters = { options: { spendingLabel: 'Ada' } };
		await useModel({
			secrets: secretsOf(),
			parameters,
			use: async (model) => await model.invoke('x'),
		});
		expect(await byLabel()).toEqual([['Ada', 1]]);
	});

	it.each([
		['that of the conversation', { spendingLabel: 'Ada' }, 'Ada'],
		['otherwise its own, whatever is in the item', {}, 'Own'],
	])('a speaker has %s', async (_which, options, label) => {
		const own = { options: { spendingLabel: 'Own' } };
		const router = ours('Router', 'modelRouterTool', chat('x', own));
		const { error } = await converse({
			secrets: secretsOf(),
			parameters: { turnLimit: 2, options },
			speakers: { Router: router, Bob: () => ({ output: 'b' }) },
			items: [{ chatInput: 'Hello', spendingLabel: 'Eve' }],
		});
		expect(error).toBeUndefined();
		expect(await byLabel()).toEqual([[label, 1]]);
	});

	it('one that is too long is refused before anything is sent', async () => {
		const options = { spendingLabel: 'x'.repeat(101) };
		const { error } = await run({ ...chat('Write.', { options }), secrets: secretsOf() });
		expect(error?.message).toContain('Spending Label is longer than 100 characters');
		expect(rig.n8n.spending).toEqual([]);
	});

	it('one beyond the 2,000 of a month counts as "other", with a hint', async () => {
		for (let row = 0; row < MAX_LABELS; row++) enter(TODAY, { label: `customer ${row}` });
		const options = { spendingLabel: '={{ $json.customer }}' };
		const customers = [{ customer: 'new' }, { customer: 'customer 7' }];
		const secrets = secretsOf({ spendingTable: rig.n8n.tables[1]!.id });
		const { hints } = await run({ ...chat('Write.', { options }), secrets, items: customers });
		expect(hints).toEqual([expect.stringContaining('2000 Spending Labels')]);
		const found = await byLabel({ label: 'other' });
		expect([found, await byLabel({ label: 'customer 7' })]).toEqual([
			[['other', 1]],
			[['customer 7', 2]],
		]);
	});
});

describe('a failed write is a hint beside a paid answer', () => {
	it.each([
		[
			'the key may not write',
			() => rig.n8n.missingScopes.add('dataTableRow:read'),
			{},
			'The record of spending could not be used',
		],
		[
			'the table is full',
			() => {
				for (let row = 0; row < MAX_SPENDING_ROWS; row++) enter(TODAY);
			},
			{},
			'The table has 20,000 rows, and takes no more. Combine Old Rows of the resource Spending',
		],
		[
			'it is the ledger',
			() => {},
			{ spendingTable: 'Media Jobs' },
			'Table and Spending Table are both',
		],
		['it has no name', () => {}, { spendingTable: ' ' }, 'Spending Table is empty'],
	])('%s', async (_why, prepare, fields, said) => {
		prepare();
		const { items, error, hints } = await write({ secrets: secretsOf(fields) });
		expect(error).toBeUndefined();
		expect(items[0]?.json['costUsd']).toBeGreaterThan(0);
		expect(JSON.stringify(hints)).toContain(said);
		if ('spendingTable' in fields) return;
		rig.n8n.reset();
		// what was kept is written with the next one
		expect(JSON.stringify((await write({})).hints)).not.toContain('not written');
		expect(rig.n8n.spending).toMatchObject([{ requests: 2 }]);
	});

	it('it is the ledger, by its ID', async () => {
		const spendingTable = rig.n8n.tables[0]!.id;
		const { error, hints } = await write({ secrets: secretsOf({ spendingTable }) });
		expect(error).toBeUndefined();
		expect(JSON.stringify(hints)).toContain('\\"Media Jobs\\" has no column \\"day\\"');
	});
});

describe('Get', () => {
	beforeEach(() => {
		enter(TODAY);
		enter(TODAY, { model: 'x', costUsd: 0.2 });
		// two rows of one key
		enter(TODAY, { model: 'x', costUsd: 0.1, unknownCosts: 1 });
		enter(daysAgo(40), { workflow: 'Old name', costUsd: 5 });
	});
	const all = { from: daysAgo(100) };

	it.each([
		[[], [{ requests: 4, inputTokens: 8, outputTokens: 12, costUsd: 5.4, unknownCosts: 1 }]],
		[
			['day', 'model'],
			[
				{ day: daysAgo(40), model: 'm', costUsd: 5 },
				{ day: TODAY, model: 'x', costUsd: 0.3, requests: 2, unknownCosts: 1 },
				{ day: TODAY, model: 'm', costUsd: 0.1 },
			],
		],
		[
			['month'],
			[
				{ month: daysAgo(40).slice(0, 7), costUsd: 5 },
				{ month: TODAY.slice(0, 7), costUsd: 0.4 },
			],
		],
		[['workflow'], [{ workflowId: 'w', workflow: 'W', costUsd: 5.4 }]],
		[['node'], [{ workflowId: 'w', workflow: 'W', nodeId: 'n', node: 'N', requests: 4 }]],
	])('grouped by %j', async (groupBy, expected) => {
		const { items } = await spending('getSpending', { ...all, groupBy });
		expect(items.map(({ json }) => json)).toMatchObject(expected);
		expect(items).toHaveLength(expected.length);
	});

	it('this month without a range', async () => {
		expect(await report()).toMatchObject([{ requests: 3 }]);
	});

	it.each([
		[{ from: 'yesterday' }, 'From is not a date'],
		[{ to: '2026-13-45' }, 'To is not a date'],
		[{ from: '2026-11-02', to: '2026-11-01' }, 'From is after To'],
	])('%j is refused', async (parameters, message) => {
		const { error } = await spending('getSpending', parameters);
		expect(error?.message).toBe(message);
	});

	it.each([
		['2026-01-10', '2026-01-20', [/^Of 2026-01, what has a label/]],
		['2026-01-01', '2026-01-31', [undefined]],
		['2026-02-10', '2026-02-20', []],
	])('what has a label, from %s to %s, says that months count', async (from, to, notices) => {
		enter('2026-01', { label: 'Ada' });
		const { items } = await spending('getSpending', { from, to, label: 'Ada' });
		const found = items.map(({ json }) => json['notice']);
		expect(found).toEqual(notices.map((one) => one && expect.stringMatching(one)));
	});

	it('a range takes dates with a time', async () => {
		const { items } = await spending('getSpending', {
			from: `${daysAgo(50)}T00:00:00.000+02:00`,
			to: `${daysAgo(30)}T12:00:00`,
			groupBy: [],
		});
		expect(items[0]?.json).toMatchObject({ costUsd: 5 });
	});
});

describe('Combine Old Rows', () => {
	const old = '2026-01-05';
	const totals = async () =>
		(await spending('getSpending', { from: '2026-01-01', groupBy: [] })).items[0]?.json;
	beforeEach(() => {
		enter(old);
		enter('2026-01-20', { node: 'New name' });
		enter('2026-01-20', { model: 'x' });
		enter('2026-01-20', { label: 'Ada' });
		enter('2026-02-01');
		enter(TODAY);
	});

	it('sums up old days into months, and changes no sum', async () => {
		const before = await totals();
		expect((await spending('combineRows')).items[0]?.json).toEqual({
			deletedRows: 1,
			skippedRows: 0,
		});
		expect(await totals()).toEqual(before);
		const days = rig.n8n.spending.map(({ day, model, label }) => [day, model, label]);
		expect(days).toEqual([
			['2026-01', 'm', ''],
			['2026-01', 'x', ''],
			['2026-01', 'm', 'Ada'],
			['2026-02', 'm', ''],
			[TODAY, 'm', ''],
		]);
		expect(rig.n8n.spending[0]).toMatchObject({ requests: 2, costUsd: 0.2, node: 'New name' });
		expect((await spending('combineRows')).items[0]?.json).toEqual({
			deletedRows: 0,
			skippedRows: 0,
		});
	});

	it('keeps at least a week', async () => {
		expect(shownText((await spending('combineRows', { days: 1 })).error)).toContain('7 or more');
	});
});

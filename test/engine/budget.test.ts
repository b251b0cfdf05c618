import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	budget as call,
	CARRY_ON,
	chat,
	failPosts,
	job,
	LOST,
	model,
	NOVELIST,
	PICTURE,
	posts,
} from './rig/calls';
import { collect, useModel } from './rig/chatModel';
import { startLedgerRig } from './rig/ledger';
import { run, type RunOptions, shownText } from './rig/run';

// the budget of a credential: docs/budget.md. test/explore/budget.ts shows that no order of events outspends it
const rig = startLedgerRig();

/** The credential, with a budget in USD. */
const secretsOf = (budgetUsd: string, more: IDataObject = {}) =>
	rig.account({ budgetUsd, ...more });
const budget = async (
	operation: string,
	secrets = secretsOf('1'),
	parameters: INodeParameters = {},
) => await run({ ...call(operation, parameters), secrets });
/** What Get says, which reads the row again. */
const figures = async (secrets = secretsOf('1')) =>
	(await budget('getBudget', secrets)).items[0]?.json as Record<string, unknown>;
const write = async (
	secrets: RunOptions['secrets'],
	more: Partial<RunOptions> = {},
	options = {},
) =>
	await run({
		...chat('Write.', { model: NOVELIST, spendingCapPerItem: 5, options }),
		secrets,
		...more,
	});
const row = () => rig.n8n.rows.find(({ state }) => state === 'budget')!;
const paidFor = async (work: () => Promise<unknown>) =>
	(await rig.service.paidFor(work)).paid / 1e6;

// the process remembers the row for some seconds: it is read again, and made
beforeEach(async () => void (await figures()));

describe('text', () => {
	it('what is spent is what the service bills, and nothing stays reserved', async () => {
		const secrets = secretsOf('1');
		const paid = await paidFor(() => write(secrets, { items: [{}, {}, {}] }));
		expect(paid).toBeGreaterThan(0.1);
		expect(await figures(secrets)).toMatchObject({
			budgetUsd: 1,
			spentUsd: paid,
			reservedUsd: 0,
			remainingUsd: 1 - paid,
			reservations: [],
			period: 'month',
			paused: false,
		});
	});

	it.each([
		['in a workflow', {}, 'ask the owner of the credential to raise Budget (USD)'],
		['in a tool', { asTool: true }, 'Do not call this tool again'],
	])(
		'%s: a request that does not fit is not sent, and the error says why',
		async (_where, more, advice) => {
			const secrets = secretsOf('0.04');
			const { error, items } = await write(secrets, more);
			const said = error ? shownText(error) : JSON.stringify(items);
			expect(said).toContain(
				'does not fit into what is left of the budget of $0.04 for this month',
			);
			expect(said).toMatch(
				/\$0\.00 is spent\. This could cost up to \$0\.04.*ends on \d{4}-\d\d-01/s,
			);
			expect(said).toContain(advice);
			expect(posts(rig.service)).toEqual([]);
		},
	);

	it('the output is limited to what the budget leaves', async () => {
		const paid = await paidFor(() => write(secretsOf('0.06')));
		expect(paid).toBeGreaterThan(0.05);
		expect(paid).toBeLessThanOrEqual(0.06);
	});

	it('a hundred items make few requests to n8n', async () => {
		const secrets = secretsOf('100');
		const before = rig.n8n.service.requests.length;
		await run({
			...chat('Hello', { spendingCapPerItem: 1 }),
			secrets,
			items: Array.from({ length: 100 }, () => ({})),
		});
		expect(rig.n8n.service.requests.length - before).toBeLessThanOrEqual(6);
		expect(await figures(secrets)).toMatchObject({ reservedUsd: 0 });
	});

	it('without a budget not one request is made to n8n', async () => {
		const before = rig.n8n.service.requests.length;
		await write(rig.secrets());
		expect(rig.n8n.service.requests.length).toBe(before);
	});

	it('an answer without usage counts with its bound', async () => {
		failPosts(rig.service, { type: 'status', status: 500 });
		const secrets = secretsOf('1');
		const { error } = await write(secrets, {}, { maxTokens: 5000 });
		expect(error?.context?.['metadata']).toMatchObject({ outcome: 'unknown' });
		const { spentUsd, reservedUsd } = await figures(secrets);
		expect(Number(spentUsd)).toBeGreaterThan(0.05);
		expect(reservedUsd).toBe(0);
	});

	it('what was certainly not started costs nothing', async () => {
		failPosts(rig.service, { type: 'status', status: 422 });
		const secrets = secretsOf('1');
		await write(secrets);
		expect(await figures(secrets)).toMatchObject({ spentUsd: 0, reservedUsd: 0 });
	});
});

describe('a request without a bound', () => {
	const unpriced = model('tiny/no-price-1');
	const ask = async (secrets: RunOptions['secrets']) =>
		await run({
			...chat('Hello', { model: unpriced, options: { allowUnknownCost: true } }),
			secrets,
		});

	it('is refused whatever Allow Unknown Cost says', async () => {
		expect(shownText((await ask(secretsOf('1'))).error)).toContain('Count Unknown Cost As (USD)');
		expect(posts(rig.service)).toEqual([]);
	});

	it('counts as what the credential says', async () => {
		const secrets = secretsOf('1', { unknownCostUsd: '0.25' });
		expect((await ask(secrets)).error).toBeUndefined();
		expect(await figures(secrets)).toMatchObject({ spentUsd: 0.25, reservedUsd: 0 });
	});
});

describe('media', () => {
	const start = async (secrets: RunOptions['secrets'], operation = 'start', prompt = 'A cat') =>
		await run({
			...job(operation, { ...PICTURE, prompt }),
			secrets,
			settings: { onError: 'continueErrorOutput' },
		});

	it('a job counts with its estimate until its cost is known', async () => {
		rig.service.forms.jobSteps = 1;
		const secrets = secretsOf('1');
		const { items } = await start(secrets);
		const jobId = String(items[0]?.json['jobId']);
		const estimate = Number(items[0]?.json['estimatedCostUsd']);
		expect(await figures(secrets)).toMatchObject({
			spentUsd: 0,
			reservedUsd: estimate,
			reservations: [
				{ reservationId: `job:images:${jobId}`, executionId: 'execution-1', workflow: 'test' },
			],
		});
		const waited = await run({
			...job('wait', { mediaType: 'images', jobId }),
			secrets,
		});
		const cost = Number(waited.items[0]?.json['costUsd']);
		expect(await figures(secrets)).toMatchObject({
			spentUsd: cost,
			reservedUsd: 0,
			reservations: [],
		});
	});

	it.each([
		['costs nothing', '"error":', 0],
		['costs what the service reports', '"cost":30000,"error":', 0.03],
	])('a job that fails %s', async (_what, replace, spentUsd) => {
		const secrets = secretsOf('1');
		const match = { method: 'GET', path: '/jobs/' };
		rig.service.fault({ match, do: { type: 'replace', find: '"error":', with: replace } });
		await start(secrets, 'generate', '[[fail]]');
		expect(await figures(secrets)).toMatchObject({ spentUsd, reservedUsd: 0 });
	});

	it('is refused only by the row as it is now', async () => {
		const secrets = secretsOf('0.05');
		await start(secrets, 'generate');
		const row = rig.n8n.rows.find(({ state }) => state === 'budget')!;
		const record = String(row['record']).replace(/"spent":\{[^}]*\}/, '"spent":{}');
		Object.assign(row, { record, claim: 'edited' });
		expect((await start(secrets, 'generate')).failed).toEqual([]);
		expect(await figures(secrets)).toMatchObject({ spentUsd: 0.04 });
	});
});

describe('the chat model', () => {
	it('spends from the same budget, and gives the rest back when n8n closes it', async () => {
		const secrets = secretsOf('1');
		const paid = await paidFor(() =>
			useModel({
				secrets,
				use: async (model) =>
					await Promise.all(Array.from({ length: 3 }, () => model.invoke('Say hello'))),
			}),
		);
		expect(await figures(secrets)).toMatchObject({
			spentUsd: paid,
			reservedUsd: 0,
			reservations: [],
		});
	});

	it.each(['invoke', 'stream'] as const)(
		'a call that its caller gives up counts with the most that it can cost: %s',
		async (way) => {
			const secrets = secretsOf('1', { recordSpending: true });
			rig.service.fault({ match: { method: 'POST' }, do: { type: 'hold' } });
			await useModel({
				secrets,
				async use(model) {
					const giveUp = new AbortController();
					const { signal } = giveUp;
					const asked =
						way === 'stream'
							? collect(model.stream('Say hello', { signal }))
							: model.invoke('Say hello', { signal });
					const failed = expect(asked).rejects.toThrow('aborted');
					while (!posts(rig.service).length) await new Promise((resolve) => setTimeout(resolve, 5));
					giveUp.abort();
					await failed;
				},
			});
			const { spentUsd, reservedUsd } = await figures(secrets);
			expect([Number(spentUsd) > 0.02, reservedUsd]).toEqual([true, 0]);
			expect(rig.n8n.spending).toMatchObject([{ requests: 1, unknownCosts: 1 }]);
		},
	);
});

describe('a pause', () => {
	const mayResume = () => secretsOf('1', { workflowsMayResume: true });

	it('refuses everything that costs, and says who paused it and why', async () => {
		const secrets = secretsOf('1');
		const paused = await budget('pause', secrets, { reason: 'An agent loops.' });
		expect(paused.items[0]?.json).toMatchObject({
			paused: true,
			alreadyPaused: false,
			pause: { reason: 'An agent loops.', workflow: 'test', executionId: 'execution-1' },
		});
		const said = shownText((await write(secrets)).error);
		expect(said).toMatch(/is paused.*Workflow "test" paused it on 20.*An agent loops/s);
		expect(posts(rig.service)).toEqual([]);
		// the first reason stays
		const again = await budget('pause', secrets, { reason: 'Another' });
		expect(again.items[0]?.json).toMatchObject({
			alreadyPaused: true,
			pause: { reason: 'An agent loops.' },
		});
	});

	it('cuts a long reason between characters', async () => {
		const secrets = secretsOf('1');
		const paused = await budget('pause', secrets, { reason: '😀'.repeat(200) });
		expect(paused.items[0]?.json).toMatchObject({ pause: { reason: '😀'.repeat(150) } });
		expect(JSON.stringify(row()['note'])).not.toContain('\\ud83d');
	});

	it('holds after a wait for Retry-After, too', async () => {
		const secrets = secretsOf('1');
		failPosts(rig.service, { type: 'too_many_requests', retryAfter: 2 }, 1);
		const writing = write(secrets);
		while (!posts(rig.service).length) await new Promise((resolve) => setTimeout(resolve, 10));
		await budget('pause', secrets, { reason: 'Enough' });
		expect(shownText((await writing).error)).toContain('is paused');
		expect(posts(rig.service)).toHaveLength(1);
	});

	it('only a credential that allows it is resumed by a workflow', async () => {
		await budget('pause', secretsOf('1'), { reason: 'Enough' });
		const refused = await budget('resume');
		expect(shownText(refused.error)).toMatch(
			/Workflows May Resume.*row 1 of the Data Table "Media Jobs" by hand.*cell "note"/s,
		);
		expect(shownText((await write(secretsOf('1'))).error)).toMatch(
			/empty the cell "note" of the row with the state "budget" in the Data Table "Media Jobs"/,
		);
		const resumed = await budget('resume', mayResume());
		expect(resumed.items[0]?.json).toMatchObject({ paused: false });
		expect((await write(mayResume())).error).toBeUndefined();
	});

	it('works again after a person has emptied the cell, in which n8n then has no text at all', async () => {
		await budget('pause', secretsOf('1'), { reason: 'Enough' });
		row()['note'] = null;
		expect(await figures()).toMatchObject({ paused: false });
		const again = await budget('pause', secretsOf('1'), { reason: 'Again' });
		expect(again.items[0]?.json).toMatchObject({ paused: true, alreadyPaused: false });
		expect(shownText((await write(secretsOf('1'))).error)).toMatch(/is paused.*Again/s);
	});

	it.each([
		['pause', { reason: ' ' }, 'Reason is empty'],
		['release', { reservationId: ' ' }, 'Reservation ID is empty'],
	])('%s with %j is refused', async (operation, parameters, message) => {
		const { error } = await budget(operation, mayResume(), parameters);
		expect(error?.message).toBe(message);
	});

	it('needs a budget', async () => {
		const { error } = await budget('pause', secretsOf(''), { reason: 'x' });
		expect(error?.message).toBe('The credential has no budget');
	});
});

describe('a raise', () => {
	const raised = (amount: string) => secretsOf('0.04', { workflowsMayRaiseBy: amount });
	/** A text that the budget has no room for, as an item of the error output. */
	const refused = async (secrets = raised('5')) => {
		const { items, failed } = await write(secrets, { settings: CARRY_ON });
		expect(items).toEqual([]);
		return failed[0]!.json as { details: { budget: IDataObject } };
	};

	it('has what it needs in the error, and then the request is sent, and no other', async () => {
		const secrets = raised('5');
		const { details } = await refused(secrets);
		expect(details).toMatchObject({ outcome: 'not_started', budget: { budgetUsd: 0.04 } });
		const { items } = await run({
			...call('raise', { amount: 0.03, reason: 'Ada approved it' }),
			secrets,
			items: [{ details }],
		});
		expect(items[0]?.json).toMatchObject({
			budgetUsd: 0.07,
			raisedUsd: 0.03,
			remainingUsd: 0.07,
			raises: [{ request: details.budget['request'], reason: 'Ada approved it' }],
		});
		expect((await write(secrets)).error).toBeUndefined();
		expect(shownText((await write(secrets)).error)).toContain('of the budget of $0.07 for');
		expect(posts(rig.service)).toHaveLength(1);
		expect(await figures(secrets)).toMatchObject({
			raisedUsd: 0.03,
			raises: [{ amountUsd: 0.03 }],
		});
	});

	it('is one of its request, however the ID was copied', async () => {
		const { details } = await refused();
		const { request } = details.budget;
		const raising = { request: `\u200b${String(request)} \n`, amount: 1, reason: 'x' };
		expect((await budget('raise', raised('5'), raising)).error).toBeUndefined();
		const { error } = await run({
			...call('raise', { ...raising, request: String(request) }),
			secrets: raised('5'),
			executionId: 'execution-2',
		});
		expect(error?.message).toBe('This request has already raised the budget');
		const long = { ...raising, request: `${String(request)}${'1'.repeat(50)}` };
		expect((await budget('raise', raised('5'), long)).error?.message).toMatch(
			/^This request was not/,
		);
	});

	it('is not one of the budget of another credential', async () => {
		const { details } = await refused();
		const other = details.budget['request']!.toString().replace(/:[0-9a-f]{8}-/, ':00000000-');
		const { error } = await budget('raise', raised('5'), {
			request: other,
			amount: 1,
			reason: 'x',
		});
		expect(error?.message).toBe('This request was refused by the budget of another credential');
		expect(await figures(raised('5'))).toMatchObject({ raises: [] });
	});

	it('is not possible unless the credential allows it', async () => {
		const { details } = await refused();
		const raising = { request: details.budget['request'] as string, amount: 1, reason: 'x' };
		const { error } = await budget('raise', raised('0.5'), raising);
		expect(error?.message).toBe(
			'The credential lets workflows raise its budget by $0.50 in a period, 50 times at most',
		);
		expect(shownText(error)).toContain('Workflows May Raise By (USD)');
		expect(await figures(raised('5'))).toMatchObject({ budgetUsd: 0.04, raises: [] });
	});

	it.each([
		[{ amount: 0 }, 'Amount (USD) must be 0.000001 or more'],
		[{ amount: -1 }, 'Amount (USD) must be 0.000001 or more'],
		[{ reason: ' ' }, 'Reason is empty'],
		[{ request: ' ' }, 'Request is empty'],
	])('with %j is refused', async (wrong, message) => {
		const right = { request: 'month:2026-11-01:1', amount: 1, reason: 'x' };
		const { error } = await budget('raise', raised('5'), { ...right, ...wrong });
		expect(error?.message).toBe(message);
	});
});

describe('the row', () => {
	it('with an emptied claim, which n8n keeps as no text: nothing is sent, and the error names the cell', async () => {
		await write(secretsOf('1'));
		rig.service.reset();
		row()['claim'] = null;
		expect(shownText((await write(secretsOf('1'))).error)).toContain('emptied its cell "claim"');
		expect(posts(rig.service)).toEqual([]);
	});

	it('that cannot be read leaves no doubt about a start, whose key may start it later', async () => {
		const starting = async () =>
			await run(rig.starting('A cat', { uniqueKey: 'order 1' }, { secrets: secretsOf('1') }));
		const record = row()['record'];
		Object.assign(row(), { record: 'edited', claim: 'edited' });
		await budget('getBudget');
		const { error } = await starting();
		expect(error?.context?.['metadata']).toMatchObject({ outcome: 'not_started' });
		expect(rig.states()).toEqual(['budget', 'notStarted']);
		Object.assign(row(), { record });
		expect((await starting()).error).toBeUndefined();
		expect(rig.service.world.starts).toHaveLength(1);
	});

	it('what a killed process holds is listed, and released where the credential allows it', async () => {
		const reservation = {
			most: '700000',
			counted: '0',
			at: new Date().toISOString(),
			executionId: '17',
			workflow: 'Gone',
		};
		const record = String(row()['record']).replace(
			'"reservations":{}',
			`"reservations":${JSON.stringify({ 'run:x': reservation })}`,
		);
		Object.assign(row(), { record, claim: 'edited' });
		expect(await figures()).toMatchObject({
			reservedUsd: 0.7,
			remainingUsd: 0.3,
			reservations: [
				{ reservationId: 'run:x', reservedUsd: 0.7, executionId: '17', workflow: 'Gone' },
			],
		});
		const refused = await budget('release', secretsOf('1'), { reservationId: 'run:x' });
		expect(shownText(refused.error)).toContain('Workflows May Resume');
		const may = secretsOf('1', { workflowsMayResume: true });
		expect((await budget('release', may, { reservationId: 'run:x' })).items[0]?.json).toEqual({
			reservationId: 'run:x',
			releasedUsd: 0.7,
			executionId: '17',
			workflow: 'Gone',
		});
		expect(await figures(may)).toMatchObject({ reservedUsd: 0 });
		// nobody is sent for a permission, or to a cell, for what is not there
		for (const secrets of [may, secretsOf('1')]) {
			const none = await budget('release', secrets, { reservationId: 'run:y' });
			expect(none.error?.message).toBe('The budget has no reservation "run:y"');
		}
	});
});

describe('what an execution has paid for before is returned', () => {
	const items = [{ text: 'one' }, { text: 'two' }];
	const settings = { requestSettings: { concurrency: 1 } };
	const asking = chat('={{ $json.text }}', settings);
	const starting = job('start', { ...PICTURE, prompt: '={{ $json.text }}', ...settings });

	it.each([
		['a text', 'the budget is paused', asking, '1'],
		['a text', 'the budget is used up', asking, '0.000001'],
		['a job', 'the budget is paused', starting, '1'],
		['a job', 'the budget is used up', starting, '0.000001'],
	])('%s, while %s', async (_what, _when, asked, budgetUsd) => {
		rig.service.fault({ match: { method: 'POST', bodyIncludes: 'two' }, times: 1, do: LOST });
		const first = await run({ ...asked, items, secrets: secretsOf('1') });
		expect(first.error?.context?.['metadata']).toMatchObject({ outcome: 'unknown' });
		if (budgetUsd === '1') await budget('pause', secretsOf('1'), { reason: 'Enough' });
		const secrets = secretsOf(budgetUsd);
		// nothing else is sent, for lack of budget
		expect((await run({ ...asked, items, secrets })).error).toBeDefined();
		const retried = { settings: CARRY_ON, retry: first.run.data };
		const again = await run({ ...asked, items, secrets, ...retried });
		expect([again.error, again.items.length]).toEqual([undefined, 1]);
		expect(['one', 'two'].map(rig.service.received)).toEqual([1, 1]);
	});
});

describe('nothing is sent', () => {
	it('while the Data Tables are full, and the error says what helps', async () => {
		rig.n8n.service.fault({
			match: { method: 'PATCH' },
			do: {
				type: 'status',
				status: 400,
				body: { message: 'Data table size limit exceeded: 200MB used, limit is 200MB' },
			},
		});
		const said = shownText((await write(secretsOf('1'))).error);
		expect(said).toContain('Raise N8N_DATA_TABLES_MAX_SIZE_BYTES');
		// n8n counts the space of deleted rows (2.41.1, data-table.repository.js: pg_total_relation_size)
		expect(said).toContain('On PostgreSQL, that gives no space back.');
		expect(posts(rig.service)).toEqual([]);
	});

	// nothing is what an expression in the credential gives that finds nothing
	it.each(['abc', '-5', '10 USD', '={{ null }}', '={{ undefined }}', []])(
		'with the amount %j',
		async (budgetUsd) => {
			const { error } = await write(secretsOf('', { budgetUsd }));
			expect(error?.message).toBe('Budget (USD) of the credential is not an amount');
			expect(posts(rig.service)).toEqual([]);
		},
	);
});

import { hash, randomUUID } from 'node:crypto';

import { createWithLedger, messages, model, nodesFor, readWith, secretsOf } from './bridge.ts';
import type { SavedWorkflow } from './editor.ts';
import { formAt, FormVisitor } from './formVisitor.ts';
import { galleryOfFile, given, textsOf } from './gallery.ts';
import { DataTables } from './publicApi.ts';
import { workflow, type WorkflowFile } from './workflow.ts';

// workflows of the gallery about what is spent: the credential has a job ledger, a record of spending and a budget
const { bridge, load, run, lastMail, modelCalls } = galleryOfFile({});
let tables: DataTables;
beforeAll(async () => (tables = await DataTables.of(bridge.editor)));

/** Makes what the examples name "Model Router account". @returns the names of its tables */
async function useCredential(fields: Record<string, unknown>) {
	const names = { ledgerTable: `Ledger ${randomUUID()}`, spendingTable: `Spent ${randomUUID()}` };
	const { editor, service, accounts } = bridge;
	accounts.router = await createWithLedger(editor, secretsOf(service).router, {
		...names,
		...fields,
	});
	return names;
}

/** A workflow that asks a model, once for each of so many items. */
const asking = (name: string, of: string, items = 1, options = {}) =>
	workflow(
		name,
		Array.from({ length: items }, () => ({})),
		nodesFor(bridge.accounts).router('Ask', ['text', 'message'], {
			model: model(of),
			...messages('What is new?'),
			spendingCapPerItem: 5,
			options,
		}),
	);
const ask = async (...args: Parameters<typeof asking>) =>
	await bridge.editor.runOnce(asking(...args));

const published: SavedWorkflow[] = [];
async function publish(file: WorkflowFile) {
	const saved = await bridge.editor.publish(file);
	published.push(saved);
	return saved;
}
// or the shared n8n polls on, without a service
afterAll(async () => {
	for (const { id } of published) await bridge.editor.deleteWorkflow(id);
});

/** What an example mails. @returns the rows of its table, too */
const mailed = async (file: string) => {
	await run(load(file));
	const { subject, body } = lastMail()!;
	const rows = [...body.matchAll(/<tr[^>]*>(.*?)<\/tr>/g)].map(([, row = '']) =>
		[...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell),
	);
	return { subject, body, rows };
};

describe('the report of the last week', () => {
	const file = 'spending-report-by-mail-every-monday.json';
	const day = new Date(Date.now() - 7 * 24 * 3_600_000).toISOString().slice(0, 10);

	it('has what the service has billed by workflow and model, the most expensive first', async () => {
		const { spendingTable } = await useCredential({ recordSpending: true });
		const costs: string[] = [];
		for (const [name, of, items] of [
			['Write <news>', 'verbose/novelist-1', 2],
			['Answer mails', 'northwind/quill-2.5', 3],
		] as const) {
			const { paid } = await bridge.service.paidFor(() => ask(name, of, items));
			expect(paid).toBeGreaterThan(0);
			costs.push((paid / 1e6).toFixed(6));
		}
		// the same a week ago, and something of today that does not count
		for (const row of await tables.rows(spendingTable))
			await tables.update(spendingTable, 'model', String(row['model']), { day });
		await ask('Answer mails', 'northwind/quill-2.5');
		expect(await tables.rows(spendingTable)).toHaveLength(3);

		const { subject, body, rows } = await mailed(file);
		const total = costs.reduce((sum, cost) => sum + Number(cost), 0);
		expect(subject).toMatch(/^Models: [\d.]+ USD in the week of \d{4}-\d\d-\d\d$/);
		// a week of a cent at most is not told as 0.00
		expect(subject).toContain(`Models: ${total.toFixed(6).replace(/0{1,4}$/, '')} USD`);
		expect(body).toContain(`5 requests cost ${total.toFixed(6)} USD`);
		expect(rows).toEqual([
			['Workflow', 'Model', 'Requests', 'Cost (USD)', 'Unknown Costs'],
			['Write &lt;news>', 'verbose/novelist-1', '2', costs[0], '0'],
			['Answer mails', 'northwind/quill-2.5', '3', costs[1], '0'],
		]);
	});

	it('has the raises of the budget in that week', async () => {
		const { ledgerTable } = await useCredential({
			recordSpending: true,
			budgetUsd: '1',
			workflowsMayRaiseBy: '5',
		});
		const today = new Date().toISOString();
		const mark = hash('sha256', bridge.accounts.router.id).slice(0, 8);
		for (const [id, amount] of [
			['of that week', 2],
			['of today', 3],
		] as const)
			await readWith(bridge.editor, bridge.accounts.router, ['budget', 'raise'], {
				request: `month:${today.slice(0, 7)}-01:${mark}-${id}`,
				amount,
				reason: '<Ada> approved it',
			});
		const [row] = (await tables.rows(ledgerTable)).filter(({ state }) => state === 'budget');
		const record = JSON.parse(String(row!['record'])) as { raises: Record<string, object> };
		const [first, second] = Object.entries(record.raises);
		const raises = Object.fromEntries([
			[first![0], { ...first![1], at: `${day}T12:00Z` }],
			second!,
		]);
		const changed = { record: JSON.stringify({ ...record, raises }), claim: randomUUID() };
		await tables.update(ledgerTable, 'state', 'budget', changed);
		const { body } = await mailed(file);
		expect(body.match(/\d{4}-\d\d-\d\d: the budget was raised.*?<\/p>/g)).toEqual([
			expect.stringMatching(
				new RegExp(`^${day}: the budget was raised by 2 USD, by ".+": &lt;Ada> approved it</p>$`),
			),
		]);
	});

	it('a week without requests has a mail, too', async () => {
		await useCredential({ recordSpending: true });
		await ask('Answer mails', 'northwind/quill-2.5');
		const { body, rows } = await mailed(file);
		expect(body).toContain('0 requests cost 0.000000 USD');
		expect(rows.slice(1)).toEqual([['Nothing was spent', '', '0', '0.000000', '0']]);
	});
});

describe('the bill of the last month', () => {
	const file = 'bill-customers-every-month.json';
	const now = new Date();
	/** The first day of last month, its last day, and the day before and after them. */
	const [before, first, last, after] = [
		[-1, 0],
		[-1, 1],
		[0, 0],
		[0, 1],
	].map(([month = 0, date]) =>
		new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month, date))
			.toISOString()
			.slice(0, 10),
	);
	const header = [
		'Label',
		'Requests',
		'Input Tokens',
		'Output Tokens',
		'Cost (USD)',
		'Unknown Costs',
	];

	it('has requests, tokens and cost of each label, and says what is unknown', async () => {
		const { spendingTable } = await useCredential({ recordSpending: true });
		const costs: number[] = [];
		for (const [label, of, items] of [
			['Ada', 'verbose/novelist-1', 2],
			['<Grace> & Sons', 'northwind/quill-2.5', 3],
			['', 'aurora-labs/omni-2', 1],
		] as const) {
			const options = label && { spendingLabel: label };
			const { paid } = await bridge.service.paidFor(() => ask('Write', of, items, options || {}));
			costs.push(paid / 1e6);
		}
		const unpriced = { spendingLabel: 'Ada', allowUnknownCost: true };
		await ask('Write', 'tiny/no-price-1', 1, unpriced);
		const spent = await tables.rows(spendingTable);
		for (const { model: of } of spent)
			await tables.update(spendingTable, 'model', String(of), {
				day: of === 'verbose/novelist-1' ? first : last,
			});
		// what is not of last month
		const row = {
			workflowId: 'w',
			workflow: 'W',
			nodeId: 'n',
			node: 'N',
			model: 'm',
			label: 'Ada',
			requests: 1,
			inputTokens: 1,
			outputTokens: 1,
			costUsd: 1,
			unknownCosts: 1,
			lastExecutionId: '1',
			record: '{"writes":["w"]}',
		};
		await tables.insert(
			spendingTable,
			[before, after].map((day) => ({ ...row, day })),
		);

		const { subject, body, rows } = await mailed(file);
		const sum = costs.reduce((one, other) => one + other, 0);
		expect(subject).toBe(
			`Models in ${first!.slice(0, 7)}: ${sum.toFixed(6).replace(/0{1,4}$/, '')} USD, and unknown costs`,
		);
		expect(body).toContain(`From ${first} to ${last}, 7 requests cost ${sum.toFixed(6)} USD.`);
		expect(body).toContain('<b>The cost of 1 of them is not known. It is not in these sums.</b>');
		const tokens = (...models: string[]) =>
			(['inputTokens', 'outputTokens'] as const).map((column) =>
				String(
					spent
						.filter((each) => models.includes(String(each['model'])))
						.reduce((total, each) => total + Number(each[column]), 0),
				),
			);
		const [ofAda = 0, ofGrace = 0, ofNobody = 0] = costs.map((cost) => cost.toFixed(6));
		expect(rows[0]).toEqual(header);
		expect(rows.slice(1)).toEqual(
			[
				['Ada', '3', ...tokens('verbose/novelist-1', 'tiny/no-price-1'), ofAda, '1'],
				['&lt;Grace> &amp; Sons', '3', ...tokens('northwind/quill-2.5'), ofGrace, '0'],
				['(no label)', '1', ...tokens('aurora-labs/omni-2'), ofNobody, '0'],
			].sort((one, other) => Number(other[4]) - Number(one[4])),
		);
	});

	it('a month without requests has a mail, too', async () => {
		await useCredential({ recordSpending: true });
		await ask('Answer mails', 'northwind/quill-2.5');
		const { subject, body, rows } = await mailed(file);
		expect(subject).toBe(`Models in ${first!.slice(0, 7)}: 0.00 USD`);
		expect(body).not.toContain('not known');
		expect(rows).toEqual([header, ['Nothing was spent', '0', '0', '0', '0.000000', '0']]);
	});
});

it('the alarm is told in Slack once, and confirmed', async () => {
	const { ledgerTable } = await useCredential({ budgetUsd: '0.1' });
	const { paid } = await bridge.service.paidFor(() => ask('Write', 'verbose/novelist-1'));
	expect(paid).toBeGreaterThanOrEqual(80_000);
	const { editor } = bridge;
	const saved = await publish(load('alarm-in-slack-at-80-percent-of-the-budget.json'));
	const execution = await editor.finishedOf(saved.id);
	expect(execution.error?.message).toBeUndefined();
	const told = expect.stringMatching(
		/^80% of the budget for models is spent: 0\.0\d+ of 0\.1 USD\. Another 0 USD is reserved\. The next period begins on [A-Z][a-z]+ 1\.$/,
	);
	expect(textsOf(execution, 'Alert in Slack')).toEqual([told]);
	const jobId = `budget:${new Date().toISOString().slice(0, 7)}:80`;
	expect(given(execution, 'Confirm Delivery')).toMatchObject([{ jobId, state: 'delivered' }]);
	const alarms = (await tables.rows(ledgerTable)).filter((row) => row['jobId'] === jobId);
	expect(alarms).toMatchObject([{ state: 'delivered' }]);
	// republished it polls at once, and tells nothing again
	await editor.deactivate(saved.id);
	await editor.activate(saved);
	expect(await editor.executions(saved.id)).toHaveLength(1);
});

it('where its trigger has all alarms, Slack gets the words of each', async () => {
	const { ledgerTable } = await useCredential({ budgetUsd: '0.1', recordSpending: true });
	await ask('Write', 'verbose/novelist-1');
	const [alarm] = (await tables.rows(ledgerTable)).filter((row) => row['mediaType'] === 'alarm');
	const { credentialId, startedAt, checkAt } = alarm!;
	const row = { credentialId, startedAt, checkAt, triggerGroup: '', claim: '', outcome: '' };
	const full = { note: 'It is nearly full.', advice: 'Combine Old Rows.' };
	await tables.insert(ledgerTable, [
		{ ...row, state: 'unknown', mediaType: 'images', note: 'No answer came.' },
		{
			...row,
			state: 'pending',
			jobId: 'spending:2026-11:Agent Spending',
			mediaType: 'alarm',
			outcome: 'nearlyFull',
			failures: 0,
			record: JSON.stringify(full),
		},
	]);
	const file = load('alarm-in-slack-at-80-percent-of-the-budget.json');
	const [trigger] = file.nodes.filter(({ name }) => name === 'Budget Threshold Reached');
	trigger!.parameters['events'] = [
		'budgetThresholdReached',
		'outcomeUnknown',
		'spendingTableNearlyFull',
	];
	const saved = await publish(file);
	const execution = await bridge.editor.finishedOf(saved.id);
	const told = textsOf(execution, 'Alert in Slack');
	expect(told.map(String).sort()).toEqual([
		expect.stringMatching(/^80% of the budget for models is spent: .+ 1\.$/),
		'It is nearly full. Combine Old Rows.',
		expect.stringMatching(/^Please decide about entry \d+ of the job ledger\. No answer came\.$/),
	]);
});

describe('the form that pauses all paid models', () => {
	const publishForm = async () => {
		const path = randomUUID();
		await publish(formAt(path, load('form-that-pauses-everything-that-costs.json')));
		const visitor = new FormVisitor(bridge.editor.url);
		return async (reason: string) => {
			const page = await visitor.openAsOwner(path);
			expect(page.html).toContain('Stop all paid models');
			return (await visitor.send(page, reason)).html;
		};
	};

	it('says what was done, and what was done before; another workflow then sends nothing', async () => {
		await useCredential({ budgetUsd: '2' });
		const send = await publishForm();
		expect((await ask('Answer mails', 'northwind/quill-2.5')).status).toBe('success');
		expect(await send('An agent loops')).toMatch(
			/All paid models are paused[^]*A form that pauses all paid models[^]*: An agent loops/,
		);
		const before = modelCalls().length;
		const refused = await ask('Answer mails', 'northwind/quill-2.5');
		expect(JSON.stringify(refused.error)).toContain('An agent loops');
		expect(modelCalls()).toHaveLength(before);
		expect(await send('Too much')).toMatch(/It was already paused[^]*: An agent loops/);
	});

	it('says why nothing was paused', async () => {
		await useCredential({});
		const send = await publishForm();
		expect(await send('An agent loops')).toMatch(
			/It is not paused[^]*The credential has no budget/,
		);
	});
});

import { openBridge, type Bridge } from './bridge.ts';
import { DataTables, type Fields } from './dataTables.ts';
import { until } from './editor.ts';
import { exampleFor, withModels } from './example.ts';
import { itemsOf, type Execution } from './execution.ts';
import { withoutOutsideApps } from './outsideApps.ts';
import type { WorkflowFile } from './workflow.ts';

// workflows of the gallery whose models answer into Data Tables; what Slack would get is recorded
let bridge: Bridge;
let tables: DataTables;
beforeAll(async () => {
	bridge = await openBridge({ personas: true });
	tables = await DataTables.of(bridge.editor);
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const load = (file: string, events?: Fields[]) =>
	withoutOutsideApps(withModels(exampleFor(bridge.accounts, file)), events);

/** Executes a workflow from one of its triggers: the first, if none is named. */
async function runOnce(file: WorkflowFile, trigger?: string): Promise<Execution> {
	const { editor } = bridge;
	const { id, nodes } = await editor.importWorkflow(file);
	const from = nodes.filter(({ name }) => trigger === undefined || name === trigger);
	const execution = await editor.run({ id, nodes: from });
	expect(execution.error?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

/** What Slack would get from a node. */
const textsOf = (execution: Execution, node: string) =>
	itemsOf(execution, node).map(({ json }) => json['text']);

const modelCalls = () =>
	bridge.service.requests.filter(
		({ method, path }) => method === 'POST' && /chat\/completions/.test(path),
	);

describe('orders from Gmail', () => {
	const mail = (id: string, text: string) => ({
		...{ id, subject: `Order ${id}`, text },
		from: { text: 'Ada <ada@example.com>' },
	});
	const read = async (...mails: Fields[]) =>
		await runOnce(load('read-orders-from-gmail-into-a-data-table.json', mails));
	const toCheck = (id: string, why: string) =>
		`Please check this order: Order ${id}, from Ada <ada@example.com>\n${why}\nhttps://mail.google.com/mail/#all/${id}`;

	it('are rows when complete; the others are checked by somebody', async () => {
		const complete = mail(
			'm1',
			'Hello, this is Ada. Please send me two lamps and one rug, quickly!',
		);
		const execution = await read(
			complete,
			mail('m2', 'Hello, this is Cy. Please send me some lamps; the number is unclear.'),
			mail('m3', 'Hello, this is Bob. Please send me three chairs.'),
		);
		const table = 'Orders';
		const expected = [
			{ mailId: 'm1', customer: 'Ada', items: '2 x lamp, 1 x rug', urgent: true },
			{ mailId: 'm3', customer: 'Bob', items: '3 x chair', urgent: false },
		].map((row) => expect.objectContaining({ ...row, subject: `Order ${row.mailId}` }));
		expect(await tables.rows(table)).toEqual(expected);
		expect(textsOf(execution, 'Ask to Check')).toEqual([
			toCheck('m2', 'It leaves open who ordered, what, or how many.'),
		]);
		expect(modelCalls()).toHaveLength(3);
		// a mail that is read once more changes its row
		await read(complete);
		expect(await tables.rows(table)).toEqual(expected);
	});

	it('are checked by somebody when the answer breaks the schema', async () => {
		const execution = await read(mail('m4', '[[break_schema]]'));
		expect(textsOf(execution, 'Ask to Check')).toEqual([
			expect.stringMatching(
				/^Please check this order: Order m4, from Ada[^]*not in the requested format/,
			),
		]);
		expect(itemsOf(execution, 'Save the Order')).toEqual([]);
	});
});

describe('two models in n8n’s Evaluation', () => {
	const TRIGGER = 'When fetching a dataset row';

	/** The workflow with the table chosen, as a user does after the first execution. */
	const withTable = (file: WorkflowFile, id: string): WorkflowFile => ({
		...file,
		nodes: file.nodes.map((node) => {
			if (!/\.evaluation/.test(node.type) || !('dataTableId' in node.parameters)) return node;
			const dataTableId = { __rl: true, mode: 'id', value: id };
			return { ...node, parameters: { ...node.parameters, dataTableId } };
		}),
	});

	it('answer a row of the table; both answers, costs and metrics are there', async () => {
		const file = load('compare-two-models-with-n8n-evaluation.json');
		for (const time of ['first', 'again']) {
			const saved = itemsOf(await runOnce(file), 'Save the Questions');
			expect([time, saved.length]).toEqual([time, 3]);
		}
		const table = 'Evaluation Questions';
		expect(await tables.rows(table)).toHaveLength(3);
		expect(modelCalls()).toEqual([]);

		const execution = await runOnce(withTable(file, await tables.idOf(table)), TRIGGER);
		const calls = modelCalls().map(({ body }) => body as { model: string });
		expect(calls.map(({ model }) => model)).toEqual([
			'northwind/quill-2.5',
			'Aurora-Labs/Prism-4.1-Turbo',
		]);
		const answer = '17 * 23 is 391.';
		const [first] = itemsOf(execution, 'First Model');
		const [second] = itemsOf(execution, 'Second Model');
		const costs = { firstCostUsd: first?.json['costUsd'], secondCostUsd: second?.json['costUsd'] };
		expect(Number(costs.secondCostUsd)).toBeGreaterThan(Number(costs.firstCostUsd));
		const [row, ...others] = await tables.rows(table);
		expect(row).toMatchObject({ firstAnswer: answer, secondAnswer: answer, ...costs });
		expect(others.map(({ firstAnswer }) => firstAnswer)).toEqual([null, null]);
		expect(itemsOf(execution, 'Set the Metrics').map(({ json }) => json)).toEqual([
			{
				'First model correct': 1,
				'First model cost (USD)': costs.firstCostUsd,
				'Second model correct': 1,
				'Second model cost (USD)': costs.secondCostUsd,
			},
		]);
	});

	it('answer all rows in a run of n8n’s Evaluation, which has the figures of both', async () => {
		const { editor } = bridge;
		const file = load('compare-two-models-with-n8n-evaluation.json');
		await runOnce(file);
		const table = 'Evaluation Questions';
		const { id } = await editor.importWorkflow(withTable(file, await tables.idOf(table)));
		// as "Run evaluation" in the tab Evaluations does
		const runs = `/rest/workflows/${id}/test-runs`;
		const { testRunId } = await editor.call<{ testRunId: string }>('POST', `${runs}/new`, {});
		let run: { status: string; metrics?: Record<string, number> } = { status: 'new' };
		await until('the evaluation has ended', async () => {
			run = await editor.call('GET', `${runs}/${testRunId}`);
			return !['new', 'running'].includes(run.status);
		});
		expect(run.status).toBe('completed');
		expect(modelCalls()).toHaveLength(6);
		const rows = await tables.rows(table);
		expect(rows).toHaveLength(3);
		const costs = (field: string) => rows.map((row) => Number(row[field]));
		expect(Math.min(...costs('firstCostUsd'), ...costs('secondCostUsd'))).toBeGreaterThan(0);
		expect(rows.flatMap((row) => [row['firstAnswer'], row['secondAnswer']])).not.toContain(null);
		const mean = (values: number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
		expect(run.metrics).toMatchObject({
			'First model correct': expect.any(Number),
			'First model cost (USD)': expect.closeTo(mean(costs('firstCostUsd')), 9),
			'Second model correct': expect.any(Number),
			'Second model cost (USD)': expect.closeTo(mean(costs('secondCostUsd')), 9),
		});
	});
});

import { openBridge, type Bridge } from './bridge.ts';
import { DataTables, type Fields } from './dataTables.ts';
import { chatMessage } from './editor.ts';
import { exampleFor, withModels } from './example.ts';
import { itemsOf, type Execution } from './execution.ts';
import { withoutOutsideApps } from './outsideApps.ts';
import type { WorkflowFile } from './workflow.ts';

// workflows of the gallery that write into Data Tables; what Slack would get is recorded
let bridge: Bridge;
let tables: DataTables;
beforeAll(async () => {
	bridge = await openBridge({ personas: true });
	tables = await DataTables.of(bridge.editor);
});
beforeEach(() => bridge.service.reset());
afterAll(async () => await bridge.service.stop());

const load = (file: string) => withoutOutsideApps(withModels(exampleFor(bridge.accounts, file)));

/** Executes a workflow from one of its triggers: the first, if none is named. */
async function runOnce(file: WorkflowFile, trigger?: string, given?: Fields): Promise<Execution> {
	const { editor } = bridge;
	const { id, nodes } = await editor.importWorkflow(file);
	const from = nodes.filter(({ name }) => trigger === undefined || name === trigger);
	const execution = await editor.run({ id, nodes: from }, given);
	expect(execution.error?.message).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

/** What Slack would get from a node. */
const textsOf = (execution: Execution, node: string) =>
	itemsOf(execution, node).map(({ json }) => json['text']);

/** A workflow with a node that fails. */
const withFailing = (file: WorkflowFile, name: string): WorkflowFile => ({
	...file,
	nodes: file.nodes.map((node) =>
		node.name === name
			? {
					...node,
					...{ type: 'n8n-nodes-base.stopAndError', typeVersion: 1 },
					parameters: { errorMessage: 'Slack is down' },
				}
			: node,
	),
});

const modelCalls = () =>
	bridge.service.requests.filter(
		({ method, path }) => method === 'POST' && /chat\/completions/.test(path),
	);

describe('new models and price changes', () => {
	const file = () => load('post-new-models-and-price-changes-to-slack.json');
	const run = async () => {
		const execution = await runOnce(file());
		return ['Post Changed Prices', 'Post New Models'].flatMap((node) => textsOf(execution, node));
	};

	it('are posted once, and the first run only fills the table', async () => {
		expect(await run()).toEqual([]);
		const table = 'Model Prices';
		const rows = await tables.rows(table);
		expect(rows).toHaveLength(17);
		expect(rows).toEqual(
			expect.arrayContaining(
				[
					{ model: 'northwind/quill-mini', price: 'in 0.1, out 0.4' },
					{ model: 'canvas/sketch-1', price: 'per image 0.04' },
					{ model: 'tiny/no-price-1', price: 'no price' },
				].map((row) => expect.objectContaining(row)),
			),
		);
		expect(await run()).toEqual([]);

		// as if the catalog had changed since
		await tables.update(table, 'model', 'canvas/sketch-1', { price: 'per image 0.05' });
		await tables.update(table, 'model', 'tiny/no-price-1', { price: 'in 1, out 2' });
		await tables.remove(table, 'model', 'northwind/quill-mini');
		await tables.remove(table, 'model', 'reel/clip-3');
		// nothing is saved if Slack fails
		const { status } = await bridge.editor.runOnce(withFailing(file(), 'Post New Models'));
		expect([status, (await tables.rows(table)).length]).toEqual(['error', 15]);
		expect(await run()).toEqual([
			[
				'Changed prices of the Model Router, in USD (texts: per million tokens):',
				'• *tiny/no-price-1*: no price (before: in 1, out 2)',
				'• *canvas/sketch-1*: per image 0.04 (before: per image 0.05)',
			].join('\n'),
			[
				'New models of the Model Router, in USD (texts: per million tokens):',
				'• *northwind/quill-mini*: in 0.1, out 0.4',
				'• *reel/clip-3*: per second 0.1',
			].join('\n'),
		]);
		expect(await tables.rows(table)).toHaveLength(17);
		expect(await run()).toEqual([]);
		expect(bridge.service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	});
});

describe('what answers cost', () => {
	const file = 'log-what-answers-cost-with-a-daily-total-in-slack.json';

	it('is a row each, and the sum of yesterday is in Slack', async () => {
		const execution = await runOnce(load(file), undefined, chatMessage('What is a model router?'));
		expect(itemsOf(execution, 'Answer')[0]?.json).toEqual({
			output: expect.stringMatching(/^A model router is/),
		});
		expect(modelCalls()).toHaveLength(1);
		const asked = itemsOf(execution, 'Ask the Model')[0]?.json as {
			costUsd: number;
			requestId: string;
			usage: { prompt_tokens: number; completion_tokens: number };
		};
		const table = 'Model Costs';
		const row = {
			...{ model: 'northwind/quill-2.5', costUsd: asked.costUsd, requestId: asked.requestId },
			inputTokens: asked.usage.prompt_tokens,
			outputTokens: asked.usage.completion_tokens,
		};
		expect(asked.costUsd).toBeGreaterThan(0);
		expect(await tables.rows(table)).toEqual([expect.objectContaining(row)]);

		const total = async () => textsOf(await runOnce(load(file), 'Every Morning'), 'Post the Total');
		// the answer of today is not part of it
		expect(await total()).toEqual(['Yesterday, 0 answers of models have cost 0 USD.']);
		const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
		await tables.insert(table, [
			{ ...row, costUsd: 0.1, at: daysAgo(1) },
			{ ...row, costUsd: 0.2, at: daysAgo(1) },
			{ ...row, costUsd: null, at: daysAgo(1) },
			{ ...row, costUsd: 5, at: daysAgo(2) },
		]);
		expect(await total()).toEqual([
			'Yesterday, 3 answers of models have cost 0.3 USD. The cost of 1 of them is not known.',
		]);
		expect(modelCalls()).toHaveLength(1);
	});
});

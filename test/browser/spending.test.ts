import { randomUUID } from 'node:crypto';

import { createWithLedger, messages, model, nodesFor, picture, secretsOf } from '../n8n/bridge.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import { exampleFor } from '../n8n/example.ts';
import { mailOfFile } from '../n8n/mailServer.ts';
import { DataTables } from '../n8n/publicApi.ts';
import { workflow, type WorkflowNode } from '../n8n/workflow.ts';
import { takePicture } from './pictures.ts';
import { it, sessionOfFile } from './session.ts';

// the record of spending, the report and the alarm as a person sees them: docs/spending.md
const TABLE = 'Agent Spending';
const COLUMNS = [
	'day',
	'workflowId',
	'workflow',
	'nodeId',
	'node',
	'model',
	'label',
	'requests',
	'inputTokens',
	'outputTokens',
	'costUsd',
	'unknownCosts',
	'lastExecutionId',
];
const session = sessionOfFile();
const mail = mailOfFile(() => session.bridge.editor);
let account: SavedCredential;
let limited: SavedCredential;
beforeAll(async () => {
	const { editor, service } = session.bridge;
	const ledgerTable = `Ledger ${randomUUID()}`;
	const fields = { ledgerTable, recordSpending: true, spendingTable: TABLE };
	account = await createWithLedger(editor, secretsOf(service).router, fields);
	// the editor reads the credentials once
	const budget = { ledgerTable, budgetUsd: '0.1' };
	limited = await createWithLedger(editor, secretsOf(service).router, budget);
	for (const [name, file] of Object.entries(spenders())) {
		const items = Array.from({ length: file.items }, () => ({}));
		const { error } = await editor.runOnce(workflow(name, items, ...file.nodes));
		expect(error?.message).toBeUndefined();
	}
	const write = ask('Write', 'verbose/novelist-1', 'Write it.', limited);
	const { status } = await editor.runOnce(workflow('Write a novel', [{}], write));
	expect(status).toBe('success');
});

const ours = (router = account) => nodesFor({ ...session.bridge.accounts, router });
const ask = (name: string, of: string, text: string, by = account) =>
	ours(by).router(
		name,
		['text', 'message'],
		{ model: model(of), ...messages(text) },
		{ id: randomUUID() },
	);

/** Workflows that spend. */
function spenders(): Record<string, { items: number; nodes: WorkflowNode[] }> {
	session.bridge.service.forms.jobSteps = 0;
	const draw = ours().router('Draw', ['media', 'generate'], picture('A lighthouse'), {
		id: randomUUID(),
	});
	return {
		'Answer mails': {
			items: 8,
			nodes: [
				ask('Sort', 'northwind/quill-2.5', 'What is this mail about? [[words:3]]'),
				ask('Answer', 'aurora-labs/omni-2', 'Answer this mail. [[words:80]]'),
			],
		},
		'Write the newsletter': {
			items: 1,
			nodes: [ask('Write', 'verbose/novelist-1', 'Write it. [[words:3000]]'), draw],
		},
		'Translate the shop': {
			items: 12,
			nodes: [ask('Translate', 'northwind/quill-2.5', 'Translate this text. [[words:60]]')],
		},
	};
}

it('is a Data Table with a row per day, workflow, node and model', async () => {
	const { tab } = session.page;
	await tab.setViewportSize({ width: 1720, height: 900 });
	await session.page.openDataTable(TABLE, COLUMNS, ['workflowId', 'nodeId']);
	const last = (await tab
		.locator('.ag-header-cell')
		.filter({ hasText: 'lastExecutionId' })
		.boundingBox())!;
	await tab.setViewportSize({ width: Math.ceil(last.x + last.width), height: 380 });
	await takePicture('spending table', tab.locator('[data-test-id="data-table-details-view"]'));
	await tab.setViewportSize({ width: 1440, height: 900 });
});

/** An example with these credentials, opened in the editor. */
const open = async (file: string, ...accounts: SavedCredential[]) =>
	await session.page.openWorkflow(
		await session.bridge.editor.importWorkflow(
			exampleFor(Object.fromEntries(accounts.map((one) => [one.type, one])), file),
		),
	);

it('is reported by mail', async () => {
	const { page, bridge } = session;
	const aWeekAgo = new Date(Date.now() - 7 * 24 * 3_600_000).toISOString().slice(0, 10);
	const tables = await DataTables.of(bridge.editor);
	// by their nodes: a row may be of yesterday by now
	for (const { nodeId } of await tables.rows(TABLE))
		await tables.update(TABLE, 'nodeId', String(nodeId), { day: aWeekAgo });
	await open('spending-report-by-mail-every-monday.json', account, mail.account);
	await page.execute();
	const panel = await page.openNode('By Workflow and Model');
	await panel.showsOutput(/Write the newsletter/);
	await panel.close();

	const { body } = mail.server.mails.at(-1)!;
	expect(body).toContain('Translate the shop');
	const read = await page.tab.context().newPage();
	await read.setViewportSize({ width: 860, height: 300 });
	await read.setContent(`<main style="padding: 16px">${body}</main>`);
	await takePicture('spending mail', read.locator('main'));
	await read.close();
});

it('starts an alarm, which the trigger shows', async () => {
	const { page } = session;
	await open('alarm-in-slack-at-80-percent-of-the-budget.json', limited);
	const panel = await page.openNode('Budget Threshold Reached');
	await panel.execute();
	await panel.showOutputAs('json');
	await panel.showsOutput(/budgetThresholdReached/);
	await takePicture('spending alarm', panel.ndv);
	await panel.close();
});

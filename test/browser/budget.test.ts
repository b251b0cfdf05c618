import { randomUUID } from 'node:crypto';

import { RUNBOOK } from '../../src/n8n/documentation.ts';
import { messages, model, nodesFor, secretsOf } from '../n8n/bridge.ts';
import { dataTableScopes } from '../n8n/publicApi.ts';
import { workflow } from '../n8n/workflow.ts';
import { takePicture } from './pictures.ts';
import { it, newCredential, sessionOfFile } from './session.ts';

// the budget as its owner and as the author of a workflow see it: docs/budget.md
const session = sessionOfFile();
let ledger: Record<'n8nUrl' | 'n8nApiKey' | 'ledgerTable', string>;
beforeAll(async () => {
	const { editor } = session.bridge;
	ledger = {
		n8nUrl: editor.url,
		n8nApiKey: await editor.createApiKey(dataTableScopes),
		ledgerTable: `Budget ${randomUUID().slice(0, 8)}`,
	};
});

it('is part of the credential, whose test says how to make it safe', async () => {
	const form = await newCredential(session, 'router');
	await form.toggle('useJobLedger');
	for (const [field, value] of Object.entries(ledger)) await form.fill(field, value);
	await form.fill('budgetUsd', '50');
	const { text } = await form.save();
	expect(text).toContain('The budget of $50.00 a month can be bypassed');
	expect(text).toContain('Set "Allowed HTTP Request Domains" to None');
	await form.scrollTo('Budget (USD)');
	await takePicture('budget credential', form.dialog);
	await form.close();
});

it('shows what was refused, and by whom it was paused', async () => {
	const { editor, service, accounts } = session.bridge;
	const { data, ...router } = secretsOf(service).router;
	const account = await editor.createCredential({
		...router,
		data: { ...data, useJobLedger: true, ...ledger, budgetUsd: '0.001' },
	});
	const { router: node } = nodesFor({ ...accounts, router: account });
	const ask = node('Ask', ['text', 'message'], {
		model: model('aurora-labs/omni-2'),
		...messages('What is a model router?'),
	});
	const pause = node('Pause', ['budget', 'pause'], { reason: 'An agent is stuck in a loop' });
	for (const [what, run, said] of [
		['reached', ask, /left of the budget of \$0\.001 for this month/],
		['pause', pause, /stuck in a loop/],
		['paused', ask, /Workflow "pause" paused it/],
	] as const) {
		await session.page.openWorkflow(await editor.importWorkflow(workflow(what, [{}], run)));
		await session.page.execute();
		const panel = await session.page.openNode(run.name);
		if (what === 'pause') await panel.showsOutput(said);
		else {
			const { title, description } = await panel.error();
			expect(`${title} ${description}`).toMatch(said);
			const runbook = panel.ndv.locator('a', { hasText: 'runbook' });
			expect(await runbook.getAttribute('href')).toBe(RUNBOOK);
		}
		await takePicture(`budget ${what}`, panel.ndv);
		await panel.close();
	}
});

import { it, sessionOfFile } from './session.ts';

const session = sessionOfFile();
beforeAll(async () => {
	const { fault } = session.bridge.service;
	const text = { kind: 'text', pricing: { input_per_mtok: 3, output_per_mtok: 15 } };
	const data = [
		{
			...text,
			id: 'aurora/prism-4',
			name: 'Prism 4',
			context_length: 1_000_000,
			input_modalities: ['text', 'image', 'file'],
		},
		{ ...text, id: 'tiny/plain-1', input_modalities: ['text'] },
		{ id: 'canvas/sketch-1', kind: 'image', pricing: { unit: 'image', per_unit: 0.04 } },
	];
	fault({
		match: { method: 'GET', path: 'models' },
		do: { type: 'body', contentType: 'application/json', body: JSON.stringify({ data }) },
	});
});

const NAME = 'Model Router Chat Model';
const prism =
	'Prism 4 · $3.00 in, $15.00 out per 1M tokens · images, files · 1M context · aurora/prism-4';

it('is found below an AI Agent, and its list shows price, context and inputs', async () => {
	const { page, bridge } = session;
	await page.openNewWorkflow();
	await page.find('ai agent', 'AI Agent');
	const agent = await page.addAtOnce('AI Agent');
	await agent.close();
	await page.fit();
	await page.openPicker('ai_languageModel');
	await page.find('router', NAME);
	await page.showDetails(NAME);
	const panel = await page.add();
	await panel.useCredential(bridge.accounts.router.id);
	expect(await panel.cutTexts()).toEqual([]);
	expect(await panel.pick('model', 'prism', 'Prism 4')).toEqual([prism]);

	// what was chosen is longer than its field, which n8n marks with an ellipsis
	expect(await panel.cutTexts()).toEqual([prism]);
	await panel.close();
	await page.fit();
	// the agent and the trigger that n8n adds with it, and the model below the agent
	expect(await page.wires.count()).toBe(2);
});

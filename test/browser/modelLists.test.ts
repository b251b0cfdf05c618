import { nodesFor } from '../n8n/bridge.ts';
import { workflow } from '../n8n/workflow.ts';
import { takePicture } from './pictures.ts';
import { it, newCredential, sessionOfFile } from './session.ts';

// model lists as their owner and the author of a workflow see them: docs/texts-and-media.md
const QUILL = 'northwind/quill-2.5';
const MINI = 'northwind/quill-mini';
const LISTS = [
	{ name: 'support', models: [MINI, QUILL], order: 'As Listed' },
	{ name: 'pictures', models: ['canvas/sketch-1', 'canvas/Oil.Paint-2'], order: 'Cheapest First' },
];
const session = sessionOfFile();

it('are part of the credential, whose test names a model that the catalog does not have', async () => {
	const form = await newCredential(session, 'router', 'Model lists');
	for (const [at, { name, models, order }] of LISTS.entries()) {
		await form.addRow('Add Model List');
		await form.fill('name', name, at);
		await form.fill('models', ['gone/model-1', ...models].join('\n'), at);
		await form.choose('order', order, at);
	}
	expect((await form.save()).text).toContain(
		'List "support": the catalog does not have the model gone/model-1. List "pictures": the catalog does not have the model gone/model-1',
	);
	for (const [at, { models }] of LISTS.entries()) await form.fill('models', models.join('\n'), at);
	expect(await form.save()).toMatchObject({ succeeded: true });
	await form.scrollTo('Model Lists');
	await takePicture('model lists in the credential', form.dialog);
	await form.close();
});

it('are offered above the models, and an output says which one has answered', async () => {
	const { page, bridge } = session;
	const { editor } = bridge;
	const { id, name } = (await editor.credentials()).find((one) => one.name === 'Model lists')!;
	const { router } = nodesFor({
		...bridge.accounts,
		router: { ...bridge.accounts.router, id, name },
	});
	const ask = router('Ask', ['text', 'message'], { prompt: 'Is this mail urgent?' });
	await page.openWorkflow(await editor.importWorkflow(workflow('Model lists', [{}], ask)));
	const panel = await page.openNode('Ask');
	expect(await panel.pick('model', 'support', 'support')).toEqual([
		`List support: ${MINI}, ${QUILL}`,
	]);
	await panel.execute();
	await panel.showOutputAs('json');
	await panel.showsOutput(new RegExp(MINI));
	await panel.typeId('model', 'By List Name', 'support');
	// n8n's box for the mode has room for nine characters; the hint below it says the rest
	expect(await panel.cutTexts()).toEqual(['By List Name']);
	await panel.execute();
	await panel.close();
});

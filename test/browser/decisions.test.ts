import { exampleFor, withModels } from '../n8n/example.ts';
import { outcomeOf } from '../n8n/conversationWorkflow.ts';
import { answerForm, linkOf, mailOfFile } from '../n8n/mailServer.ts';
import { ChatPanel } from './chatPanel.ts';
import { takePicture } from './pictures.ts';
import { it, sessionOfFile } from './session.ts';

// what a person sees of rounds, of a result, and of the form by which a turn is replaced
const session = sessionOfFile({ personas: true });
const mail = mailOfFile(() => session.bridge.editor);
beforeEach(() => session.bridge.service.reset());

it('the panel: a new option says what it needs, and no text is cut off', async () => {
	const { page, bridge } = session;
	const file = withModels(exampleFor(bridge.accounts, 'two-agents-agree-on-a-date.json'));
	await page.openWorkflow(await bridge.editor.importWorkflow(file));
	const panel = await page.openNode('Conversation');
	await panel.choose('turnOrder', 'Same Message to All');
	for (const option of ['Who May Replace a Turn', 'Continue After Turn'])
		await panel.addOption('Add Option', option);
	expect(await panel.titles()).toEqual(
		expect.arrayContaining([
			'Result Schema (JSON)',
			'Who May Replace a Turn',
			'Continue After Turn',
		]),
	);
	expect(await panel.cutTexts()).toEqual([]);
	await panel.close();
});

/** So that the chat shows the answers, which the example hides. */
const LIVE: Record<string, Record<string, unknown>> = {
	'When chat message received': { options: { responseMode: 'streaming' } },
	Conversation: { options: { onFailure: 'skip' } },
};

it('a round in n8n’s chat: each answer with the name of who gave it', async () => {
	const { page, bridge } = session;
	const { nodes, ...file } = withModels(
		exampleFor(bridge.accounts, 'ask-three-models-and-let-a-fourth-choose.json'),
	);
	const shown = nodes
		.filter(({ type }) => !type.endsWith('.stickyNote'))
		.map((node) => ({ ...node, parameters: { ...node.parameters, ...LIVE[node.name] } }));
	await page.openWorkflow(await bridge.editor.importWorkflow({ ...file, nodes: shown }));
	const chat = new ChatPanel(page.tab);
	await chat.open();
	await chat.write('How do we tell our customers about a delay of two days?');
	const turns = await chat.answers(/Third Model:\n+\S/);
	expect(turns.slice(0, 3).map((turn) => turn.split('\n')[0])).toEqual([
		'First Model:',
		'Second Model:',
		'Third Model:',
	]);
});

it('the form behind a mail: a person writes what is said in place of a turn', async () => {
	const { page, bridge } = session;
	const file = exampleFor(bridge.accounts, 'bridge-agents-of-two-teams.json');
	const id = await bridge.editor.start(await bridge.editor.importWorkflow(file));
	const link = linkOf(await mail.server.next(bridge.editor, id));
	const form = await page.tab.context().newPage();
	await form.goto(link);
	await form.locator('select').selectOption({ label: 'replace' });
	await form.locator('textarea').fill('How about Thursday at 9:00?');
	await takePicture('form of a decision', form.locator('body'));
	await form.locator('button[type=submit], #submit-btn').first().click();
	await form
		.getByText(/recorded|Thank|Got it/i)
		.first()
		.waitFor();
	await form.close();
	await answerForm(linkOf(await mail.server.next(bridge.editor, id)), 'decline', '');
	const { transcript } = outcomeOf(await bridge.editor.finished(id));
	expect(transcript[0]).toMatchObject({
		text: 'How about Thursday at 9:00?',
		replacedBy: 'Approve Planner',
	});
});

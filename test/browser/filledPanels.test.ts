import { createWithLedger, model, nodesFor, secretsOf } from '../n8n/bridge.ts';
import type { SavedCredential } from '../n8n/editor.ts';
import { exampleFor, withModels } from '../n8n/example.ts';
import { itemsOf } from '../n8n/execution.ts';
import { workflow } from '../n8n/workflow.ts';
import { ChatPanel } from './chatPanel.ts';
import { isTrigger, listedName, nodeTypes, operationsOf } from './nodeTypes.ts';
import { takePicture } from './pictures.ts';
import { it, sessionOfFile } from './session.ts';

// each node as it looks in use: filled in, and with what it has given
const session = sessionOfFile({ personas: true });
/** With a job ledger. The editor reads the credentials once. */
let tracked: SavedCredential;
beforeAll(async () => {
	const { editor, service } = session.bridge;
	tracked = await createWithLedger(editor, secretsOf(service).router);
});

const DATE = 'Please agree with your colleague on a day for the release of Lighthouse.';

/** A workflow for each node: its file, the node that is looked at, what its output says, and what is written into its chat. */
interface Run {
	node: string;
	file: string;
	name: string;
	shown: RegExp;
	said?: string;
}
const runs: Run[] = [
	{ node: 'Remote Agent', file: 'message-an-agent.json', name: 'Ask Again', shown: /sessionId/ },
	{ node: 'Crypto Q&A', file: 'ask-the-market-assistant.json', name: 'Ask', shown: /chatId/ },
	{ node: 'Model Router', file: 'chat-with-a-model.json', name: 'Chat', shown: /requestId/ },
	{
		node: '',
		file: 'make-a-picture.json',
		name: 'Make a Picture',
		shown: /image\/png/,
	},
	{
		node: 'Agent Conversation',
		file: 'two-agents-agree-on-a-date.json',
		name: 'Conversation',
		shown: /stopPhrase/,
		said: DATE,
	},
	{
		node: 'Model Router Chat Model',
		file: 'compare-two-models.json',
		name: 'First Model',
		shown: /A model router/,
		said: 'What is a model router?',
	},
];

it.each(runs)(
	'$file runs with the editor’s button or chat',
	async ({ node, file, name, ...run }) => {
		const { page, bridge } = session;
		const example = withModels(exampleFor(bridge.accounts, file));
		await page.openWorkflow(await bridge.editor.importWorkflow(example));
		if (run.said) {
			const chat = new ChatPanel(page.tab);
			await chat.open();
			await chat.write(run.said);
			await page.ended();
		} else await page.execute();
		const panel = await page.openNode(name);
		await panel.showsOutput(run.shown);
		if (node) {
			await panel.showOutputAs('schema');
			await takePicture(`node ${node}`, panel.ndv);
		} else {
			await panel.viewFile();
			await takePicture('a picture that was made', panel.ndv);
		}
		await panel.close();
	},
);

it('fetches a test event of the trigger: a tracked video, with its file', async () => {
	const { page, bridge } = session;
	const trigger = (await nodeTypes(bridge.editor)).find(isTrigger);
	const completed = trigger && operationsOf(trigger).find(({ name }) => /completed/i.test(name));
	if (!trigger || !completed) throw new Error('the trigger has no event for completed jobs');
	bridge.service.forms.jobSteps = 0;
	const video = nodesFor({ ...bridge.accounts, router: tracked }).router(
		...(['Start a Video', ['media', 'start']] as const),
		{
			mediaType: 'videos',
			model: model('reel/short-1.0'),
			useLedger: true,
			prompt: 'Waves on a beach',
		},
	);
	const started = await bridge.editor.runOnce(workflow('A tracked video', [{}], video));
	const { jobId } = itemsOf(started, 'Start a Video')[0]?.json ?? {};
	await page.openNewWorkflow();
	await page.find(trigger.displayName, listedName(trigger));
	await page.showDetails(listedName(trigger));
	const panel = await page.add(completed.action);
	await panel.useCredential(tracked.id);
	await panel.execute();
	// n8n shows the file first
	await panel.showsOutput(new RegExp(`video-${String(jobId)}\\.mp4`));
	await takePicture('node Model Router Trigger', panel.ndv);
	await panel.close();
});

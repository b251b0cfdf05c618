import { a2aAgent, accountOf } from '../../demo/elsewhere.ts';
import type { A2aServer } from '../n8n/a2aServer.ts';
import { exampleFor, pathOfExample, readExample, withModels } from '../n8n/example.ts';
import type { WorkflowFile } from '../n8n/workflow.ts';
import { ChatPanel } from './chatPanel.ts';
import { takeMovingPicture } from './movingPicture.ts';
import { NodePanel } from './nodePanel.ts';
import { picturesWanted, takePicture } from './pictures.ts';
import { it, sessionOfFile } from './session.ts';

const session = sessionOfFile({ personas: true });
let elsewhere: A2aServer;
beforeAll(async () => void (elsewhere = await a2aAgent()));
afterAll(async () => await elsewhere?.stop());
beforeEach(() => session.bridge.service.reset());

/** So small that its texts can be read in a page, which shows it smaller. */
const screen = { width: 1200, height: 760 };
/** The canvas and the chat. */
const besideTheMenu = { x: 42, y: 65, width: screen.width - 42, height: screen.height - 65 };
const question = 'Please agree with your colleague on a day for the release of Lighthouse.';

it('trap 8: in a workflow with a Chat Trigger, the list behind "Speakers +" finds our nodes', async () => {
	const { page } = session;
	await page.openNewWorkflow();
	await page.find('chat', 'Chat');
	await page.showDetails('Chat');
	await (await page.add('On new Chat event')).close();
	await page.find('conversation', 'Agent Conversation');
	await page.showDetails('Agent Conversation');
	const panel = await page.add();
	expect(await panel.cutTexts()).toEqual([]);
	await panel.close();
	await page.fit();
	await page.openPicker('ai_tool');
	await page.find('workspace', 'Remote Agent Tool');
	await page.find('market', 'Crypto Q&A Tool');
	await page.find('model router', 'Model Router Tool');
	await page.find('agent', 'AI Agent Tool', 'Remote Agent Tool');
});

/** The two agents, of which one is at another server. Their names say so. */
async function ofTwoServers() {
	const { accounts, editor } = session.bridge;
	const { id, name } = await editor.createCredential(accountOf(elsewhere));
	const example = withModels(exampleFor(accounts, 'two-agents-agree-on-a-date.json'));
	const nodes = example.nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
	const tester = nodes.find((node) => node.name === 'Tester')!;
	tester.parameters = {
		...tester.parameters,
		agentOf: 'server',
		agent: { __rl: true, mode: 'list', value: '' },
	};
	tester.credentials = { agentServerApi: { id, name } };
	const named = JSON.stringify({ ...example, nodes })
		.replaceAll('"Planner"', '"Workspace Planner"')
		.replaceAll('"Tester"', '"A2A Tester"');
	return JSON.parse(named) as WorkflowFile;
}

it('two agents of two servers agree in n8n’s chat: each turn with the name of who speaks', async () => {
	const { page, bridge } = session;
	await page.tab.setViewportSize(screen);
	await page.openWorkflow(await bridge.editor.importWorkflow(await ofTwoServers()));
	const chat = new ChatPanel(page.tab);
	await chat.open();
	// the picture is of what they say; the canvas says who they are
	await chat.enlarge(720, 300);
	await page.fit();
	// slow enough to read along
	if (picturesWanted()) bridge.service.forms.pace = 40;
	let turns: string[] = [];
	await takeMovingPicture('conversation', page.tab, besideTheMenu, async () => {
		await chat.write(question);
		turns = await chat.answers(/\[AGREED\]/);
		await page.ended();
		await takePicture('chat of two agents', page.tab.locator('body'));
		// it ends on what they came to: the day, as a field
		const panel = await page.openNode('Conversation');
		await panel.showOutputAs('schema');
		await panel.showsField('day', 'Friday');
	});
	await new NodePanel(page.tab).close();
	expect(turns.map((turn) => turn.split('\n')[0])).toEqual([
		'Workspace Planner:',
		'A2A Tester:',
		'Workspace Planner:',
		'A2A Tester:',
	]);
	expect(turns.at(-1)).toContain('Yes, Friday at 10:00');
	await page.tab.setViewportSize({ width: 1440, height: 900 });
});

// n8n connects its human-review nodes below its own AI Agent only, and drops any other such wire without failing
it.each(['bridge-agents-of-two-teams.json', 'ai-agent-and-workspace-agent-settle-a-question.json'])(
	'%s keeps all its wires when it is imported from a file',
	async (file) => {
		const { page } = session;
		const { nodes, connections } = readExample(file);
		const wires = Object.values(connections).flatMap((byType) => Object.values(byType).flat(2));
		await page.openNewWorkflow();
		await page.importFile(pathOfExample(file));
		await page.canvasNodes.nth(nodes.length - 1).waitFor();
		await page.fit();
		expect(await page.wires.count()).toBe(wires.length);
	},
);

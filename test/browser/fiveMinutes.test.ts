import { readFileSync } from 'node:fs';

import { a2aAgent, says } from '../../demo/elsewhere.ts';
import type { A2aServer } from '../n8n/a2aServer.ts';
import { nodesFor } from '../n8n/bridge.ts';
import { beginAt, workflow } from '../n8n/workflow.ts';
import { rowOf } from '../service/modelServices/rows.ts';
import { standIn, type Standing } from '../service/modelServices/stand.ts';
import { ChatPanel } from './chatPanel.ts';
import { CredentialForm } from './credentialForm.ts';
import { counted, countFromHere, uncounted } from './counting.ts';
import type { NodePanel } from './nodePanel.ts';
import { picturesWanted, takePicture, withList } from './pictures.ts';
import { it, sessionOfFile } from './session.ts';

// docs/quickstart.md: somebody has an agent that speaks A2A, the chat of another n8n, and a key of OpenRouter, and lets them agree
const session = sessionOfFile({ personas: true });
let agent: A2aServer;
let openRouter: Standing;
/** The address of the chat of the other n8n. */
let chatUrl = '';
beforeAll(async () => {
	agent = await a2aAgent();
	openRouter = await standIn({ ...rowOf('OpenRouter'), says });
	const { editor, accounts } = session.bridge;
	const answers = nodesFor(accounts).agent('Answer', ['message', 'send'], {
		message: '={{ $json.chatInput }}',
	});
	const webhookId = 'b4d3f6c0-5a53-4c5c-9b8e-0d1c2f3a4b5c';
	const chat = beginAt(workflow('Chat of another n8n', [{}], answers), {
		type: '@n8n/n8n-nodes-langchain.chatTrigger',
		typeVersion: 1.4,
		webhookId,
		parameters: { public: true, options: { responseMode: 'lastNode' } },
	});
	await editor.publish(chat);
	chatUrl = `${editor.url}/webhook/${webhookId}/chat`;
});
afterAll(async () => {
	await agent?.stop();
	await openRouter?.stop();
});

/** The "+" at Speakers, and a node from the list that opens. */
async function attach(words: string, node: string): Promise<NodePanel> {
	const { page } = session;
	await page.fit();
	await page.openPicker('ai_tool');
	await page.find(words, node);
	return await page.addAtOnce(node);
}

const save = async (form: CredentialForm) =>
	await uncounted(session.page.tab, async () => await form.saveInNode(), 1);

/** An address as it is in real life, for the picture, and then the one that stands in for it here. */
async function enter(form: CredentialForm, real: string, here: string, picture: string) {
	if (picturesWanted()) await form.fill('baseUrl', real);
	await takePicture(picture, form.dialog);
	await form.fill('baseUrl', here);
}

it('an agent over A2A, the chat of another n8n and a model of OpenRouter agree, within 45 clicks and 18 fields', async () => {
	const { page } = session;
	await page.openNewWorkflow();
	await countFromHere(page.tab);

	await page.openFirstStep();
	await (await page.addAtOnce('On chat message')).close();
	await page.find('conversation', 'Agent Conversation');
	await page.showDetails('Agent Conversation');
	const conversation = await page.add();
	await takePicture('five minutes 1 conversation', conversation.ndv);
	await conversation.close();

	const planner = await attach('workspace', 'Remote Agent Tool');
	const ofChat = await planner.createCredential('Another Server');
	await ofChat.choose('server', 'n8n Chat');
	await ofChat.choose('keyIn', 'None');
	await enter(ofChat, 'https://n8n.example.com/webhook/1a2b3c/chat', chatUrl, 'five minutes 2 n8n');
	await save(ofChat);
	await planner.close();

	const tester = await attach('workspace', 'Remote Agent Tool');
	const ofA2a = await tester.createCredential('Another Server');
	await ofA2a.choose('keyIn', 'None');
	await enter(ofA2a, 'https://agent.example.com', agent.url, 'five minutes 3 a2a');
	await save(ofA2a);
	await tester.close();

	const model = await attach('model router', 'Model Router Tool');
	const ofRouter = await model.createCredential();
	await ofRouter.fill('apiKey', openRouter.key);
	await enter(
		ofRouter,
		'https://openrouter.ai/api/v1',
		openRouter.baseUrl,
		'five minutes 4 openrouter',
	);
	// which the node knows of openrouter.ai
	await ofRouter.choose('keyIn', 'Header Authorization (Bearer)');
	await save(ofRouter);
	await model.openList('model');
	await takePicture('five minutes 5 prices', model.ndv, withList);
	const prices = await model.take('GPT-5 Mini');
	expect(prices.join('\n')).toContain('$0.25 in, $2.00 out per 1M tokens');
	await model.close();

	const chat = new ChatPanel(page.tab);
	await chat.open();
	await chat.write('Please agree on the release of Lighthouse. The tests take three days.');
	await page.ended();
	const turns = await chat.answers(/Friday at 10:00/);
	const { clicks, typed } = await counted(page.tab);
	process.stdout.write(`The first five minutes: ${clicks} clicks, ${typed} fields\n`);
	await page.fit();
	await takePicture('five minutes 6 chat', page.tab.locator('body'));
	const panel = await page.openNode('Agent Conversation');
	await panel.showOutputAs('json');
	await panel.showsOutput(/"costUsd": 0\.0009/);
	await panel.close();
	expect(turns.at(-1)).toContain('Friday at 10:00');
	expect(openRouter.asked.filter(({ method }) => method === 'POST')).toHaveLength(2);
	const quickstart = readFileSync('docs/quickstart.md', 'utf8');
	expect(quickstart).toContain(`${clicks} clicks and ${typed} fields`);
	expect(readFileSync('README.md', 'utf8')).toContain(`${clicks} clicks and no JSON`);
	expect(clicks).toBeLessThanOrEqual(45);
	expect(typed).toBeLessThanOrEqual(18);
}, 600_000);

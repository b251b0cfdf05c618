import type { SavedCredential } from '../n8n/editor.ts';
import { type AgentServers, agentServers } from '../service/agentServers.ts';
import { tellRow } from '../support/readmeTable.ts';
import { ChatPanel } from './chatPanel.ts';
import { counted, countFromHere, uncounted } from './counting.ts';
import { it, sessionOfFile } from './session.ts';

// how far it is from an empty canvas to a first result: the clicks of somebody who has a credential for each node
const session = sessionOfFile({ personas: true });
/** Of n8n's own HTTP Request, by workspace. The editor reads the credentials once. */
const bearer: Record<string, SavedCredential> = {};
/** Of agents of other servers, by server. */
const others: Record<string, SavedCredential> = {};
let servers: AgentServers;
/** What README says of this package. */
let ours = '';
beforeAll(async () => {
	const { editor, service } = session.bridge;
	for (const name of ['ws-1', 'ws-2']) {
		const data = { token: service.agent.key(name) };
		bearer[name] = await editor.createCredential({ type: 'httpBearerAuth', name, data });
	}
	servers = await agentServers();
	// a deployment with one agent
	servers.assistants.pop();
	for (const name of ['a2a', 'langGraph'] as const) {
		const data = servers.credential(name);
		others[name] = await editor.createCredential({ type: 'agentServerApi', name, data });
	}
});
afterAll(async () => await servers?.stop());
beforeEach(async () => {
	session.bridge.service.reset();
	await session.page.openNewWorkflow();
	await set();
});

const set = async () => await countFromHere(session.page.tab);
const figures = async () => ({
	...(await counted(session.page.tab)),
	nodes: await session.page.canvasNodes.count(),
});
/** n8n has preselected the credential where there is one of its type: here are those of other tests, too. */
const preselected = async (choose: () => Promise<void>) =>
	await uncounted(session.page.tab, choose);

const steps = {
	chat: async () => {
		const { page } = session;
		await page.openFirstStep();
		await (await page.addAtOnce('On chat message')).close();
	},
	manual: async () => {
		const { page } = session;
		await page.openFirstStep();
		await page.addWithoutPanel('Trigger manually');
	},
	action: async (words: string, node: string, action?: string) => {
		const { page } = session;
		await page.find(words, node);
		await page.showDetails(node);
		return await page.add(action);
	},
	attach: async (input: string, words: string, node: string) => {
		const { page } = session;
		await page.fit();
		await page.openPicker(input);
		await page.find(words, node);
	},
};

/** Two agents, who speak three times each. The chat may still show what was said in the workflow before. */
async function talk() {
	const { page, bridge } = session;
	const chat = new ChatPanel(page.tab);
	await chat.open();
	await chat.write('Please agree with your colleague on a day for the release of Lighthouse.');
	await page.ended();
	await chat.answers(/Friday at 10:00/);
	expect(bridge.service.requests.filter(({ method }) => method === 'POST')).toHaveLength(6);
}

it.each([
	['with the account that n8n preselects', 14],
	['each with its own account', 16],
])('two agents that talk, %s: %i clicks, the answer included', async (which, expected) => {
	const { page, bridge } = session;
	const { agent, secondAgent } = bridge.accounts;
	await steps.chat();
	await (await steps.action('conversation', 'Agent Conversation')).close();
	await steps.attach('ai_tool', 'workspace', 'Remote Agent Tool');
	const first = await page.addAtOnce('Remote Agent Tool');
	await preselected(() => first.useCredential(agent.id));
	await first.close();
	await steps.attach('ai_tool', 'workspace', 'Remote Agent Tool');
	const second = await page.addAtOnce('Remote Agent Tool');
	if (which.startsWith('each')) await second.useCredential(secondAgent.id);
	else await preselected(() => second.useCredential(agent.id));
	await second.close();
	await talk();
	// four of the clicks close a panel, which Esc does too
	expect(await figures()).toEqual({ clicks: expected, typed: 4, nodes: 4 });
	await new ChatPanel(page.tab).hide();
	if (which.startsWith('each')) ours = `${expected} clicks`;
});

it('two agents of two other servers that talk: 18 clicks, the answer included', async () => {
	const { page } = session;
	await steps.chat();
	await (await steps.action('conversation', 'Agent Conversation')).close();
	for (const words of ['a2a', 'langGraph']) {
		await steps.attach('ai_tool', words, 'Remote Agent Tool');
		const panel = await page.addAtOnce('Remote Agent Tool');
		await panel.useCredential(others[words]!.id);
		await panel.close();
	}
	const chat = new ChatPanel(page.tab);
	await chat.open();
	await chat.write('Please agree on a day.');
	await page.ended();
	await chat.answers(/This is message 3\./);
	expect(await figures()).toEqual({ clicks: 18, typed: 4, nodes: 4 });
	await chat.hide();
});

/** An agent that is asked by n8n's own node. Its address holds the session, a UUID, which n8n's chat writes without hyphens. */
async function requestTo(workspace: string, choose: (by: () => Promise<void>) => Promise<void>) {
	const { page, bridge } = session;
	await page.find('http request', 'HTTP Request');
	const panel = await page.addAtOnce('HTTP Request');
	await panel.choose('method', 'POST');
	await panel.choose('authentication', 'Generic Credential Type');
	await panel.choose('genericAuthType', 'Bearer Auth');
	await choose(() => panel.useCredential(bearer[workspace]!.id));
	await panel.turnOn('sendBody');
	await panel.write('name', 'content');
	const id = `$('When chat message received').first().json.sessionId`;
	const uuid = `${id}.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')`;
	const base = bridge.service.agent.baseUrl(workspace);
	// n8n makes an expression of what begins with {{
	await panel.write('url', `{{ '${base}/session/' + ${uuid} + '/messages' }}`);
	await panel.write('value', '{{ $json.chatInput ?? $json.data }}');
	await panel.close();
}

it('the same with n8n’s own nodes', async () => {
	const { page, bridge } = session;
	bridge.service.forms.agent = 'text';
	await steps.chat();
	await requestTo('ws-1', preselected);
	await requestTo('ws-2', async (choose) => await choose());
	await page.find('if', 'If');
	const condition = await page.addAtOnce('If');
	await condition.write('left', '{{ String($runIndex > 1) }}');
	await condition.write('right', 'true');
	await condition.close();
	await page.fit();
	await page.openPickerBehind('If', 0);
	await page.find('edit fields', 'Edit Fields (Set)');
	const answer = await page.addAtOnce('Edit Fields (Set)');
	await answer.addField('output', '{{ $json.data }}');
	await answer.close();
	await page.fit();
	await page.wire('If', 1, 'HTTP Request');
	await talk();
	const { clicks: theirs, nodes } = await figures();
	expect(nodes).toBe(5);
	tellRow('Building that in the editor', `${theirs} clicks`, ours);
	await new ChatPanel(page.tab).hide();
});

it('to read along, Streaming in the Chat Trigger', async () => {
	await steps.chat();
	const { page } = session;
	await set();
	const chat = await page.openNode('When chat message received');
	await chat.addOption('Add Field', 'Response Mode');
	await chat.choose('responseMode', 'Streaming');
	await chat.close();
	// two of them are the double click, and one closes the panel
	expect(await figures()).toEqual({ clicks: 7, typed: 0, nodes: 1 });
});

it('a person who approves, beside the agents of a conversation', async () => {
	const { page } = session;
	await steps.chat();
	await (await steps.action('conversation', 'Agent Conversation')).close();
	await set();
	await steps.attach('ai_tool', 'email', 'Send Email Tool');
	const mail = await page.addAtOnce('Send Email Tool');
	await mail.choose('operation', 'Send and Wait for Response');
	await mail.write('fromEmail', 'agents@example.com');
	await mail.write('toEmail', 'you@example.com');
	await mail.write('subject', 'May this be sent?');
	await mail.write('message', '{{ $json.message }}');
	await mail.close();
	expect(await figures()).toEqual({ clicks: 5, typed: 5, nodes: 3 });
});

it('a market question in the chat, and its answer', async () => {
	const { page, bridge } = session;
	await steps.chat();
	const panel = await steps.action('crypto', 'Crypto Q&A');
	await preselected(() => panel.useCredential(bridge.accounts.assistant.id));
	await panel.close();
	const chat = new ChatPanel(page.tab);
	await chat.open();
	await chat.write('What does Bitcoin cost?');
	await chat.answers(/Figures for BTC/);
	// two of them close a panel
	expect(await figures()).toEqual({ clicks: 8, typed: 2, nodes: 2 });
	await chat.hide();
});

it('a picture under a cap', async () => {
	await steps.manual();
	const action = 'Generate image, video, music or speech';
	const panel = await steps.action('image', 'Model Router', action);
	await preselected(() => panel.useCredential(session.bridge.accounts.router.id));
	await panel.pick('model', '', 'Sketch 1');
	await panel.write('prompt', 'A lighthouse at dawn');
	await panel.write('spendingCapPerItem', '0.1');
	await panel.execute();
	await panel.showsOutput(/image\/png/);
	expect(await figures()).toEqual({ clicks: 8, typed: 3, nodes: 2 });
	await panel.close();
});

it('a start that is tracked, and the trigger that gets its video', async () => {
	const { page } = session;
	const trigger = await steps.action('video', 'Model Router', 'On media job completed');
	await preselected(() => trigger.useCredential(session.bridge.accounts.router.id));
	await trigger.close();
	await page.fit();
	expect(await figures()).toEqual({ clicks: 4, typed: 1, nodes: 1 });
	// n8n may ask whether to leave the workflow before
	await page.openNewWorkflow();
	await set();
	await steps.manual();
	const start = await steps.action(
		'video',
		'Model Router',
		'Start image, video, music or speech job',
	);
	await preselected(() => start.useCredential(session.bridge.accounts.router.id));
	await start.choose('mediaType', 'Video');
	await start.pick('model', 'clip', 'Clip 3');
	await start.write('prompt', 'Waves on a beach');
	await start.turnOn('useLedger');
	await start.close();
	expect(await figures()).toEqual({ clicks: 11, typed: 3, nodes: 2 });
});

it('n8n’s AI Agent with a Model Router Chat Model, and its first answer', async () => {
	const { page, bridge } = session;
	await steps.chat();
	await page.find('ai agent', 'AI Agent');
	await (await page.addAtOnce('AI Agent')).close();
	await steps.attach('ai_languageModel', 'router', 'Model Router Chat Model');
	await page.showDetails('Model Router Chat Model');
	const panel = await page.add();
	await preselected(() => panel.useCredential(bridge.accounts.router.id));
	await panel.pick('model', '', 'Quill 2.5');
	await panel.close();
	const chat = new ChatPanel(page.tab);
	await chat.open();
	await chat.write('What is a model router?');
	await chat.answers(/A model router is one address/);
	expect(await figures()).toEqual({ clicks: 13, typed: 3, nodes: 3 });
});

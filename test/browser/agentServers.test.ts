import type { SavedCredential } from '../n8n/editor.ts';
import { exampleFor } from '../n8n/example.ts';
import { type AgentServers, agentServers } from '../service/agentServers.ts';
import { ChatPanel } from './chatPanel.ts';
import { it, sessionOfFile } from './session.ts';

// agents of other servers: as a person chooses one, and as they talk
const session = sessionOfFile();
let servers: AgentServers;
beforeAll(async () => void (servers = await agentServers()));
afterAll(async () => await servers.stop());

/** A conversation of two of them, in a chat that streams. */
async function talkOf({ id: a2a }: SavedCredential, { id: langGraph }: SavedCredential) {
	const { accounts, editor } = session.bridge;
	const example = exampleFor(accounts, 'two-agents-agree-on-a-date.json');
	const nodes = example.nodes.filter(({ type }) => !/stickyNote|lmChat/.test(type));
	for (const node of nodes.filter(({ type }) => type.endsWith('Tool'))) {
		const id = node.name === 'Planner' ? a2a : langGraph;
		const agent = { __rl: true, mode: 'list', value: '' };
		Object.assign(node, {
			parameters: { agentOf: 'server', agent, options: {}, requestSettings: {} },
			credentials: { agentServerApi: { id, name: node.name === 'Planner' ? 'a2a' : 'langGraph' } },
		});
	}
	const conversation = nodes.find(({ name }) => name === 'Conversation')!;
	conversation.parameters = { turnLimit: 4, options: {} };
	delete example.connections['Result Model'];
	return await editor.importWorkflow({ ...example, nodes });
}

it('an agent is found in the list of its server by name, and talks with one of another server in the chat', async () => {
	const { page, bridge } = session;
	const create = async (name: 'a2a' | 'langGraph') => {
		const data = servers.credential(name);
		return await bridge.editor.createCredential({ type: 'agentServerApi', name, data });
	};
	await page.openWorkflow(await talkOf(await create('a2a'), await create('langGraph')));
	const panel = await page.openNode('Tester');
	// n8n sets Agent Of by the credential, and shows it at the top of a new one
	expect(await panel.titles()).not.toContain('Agent Of');
	expect(await panel.pick('agent', 'writ', 'Writer')).toEqual(['Writer']);
	expect(await panel.cutTexts()).toEqual([]);
	await panel.close();

	const chat = new ChatPanel(page.tab);
	await chat.open();
	await chat.write('Please agree on a day.');
	await page.ended();
	const turns = await chat.answers(/This is message 2\./);
	const names = turns.map((turn) => turn.split('\n')[0]);
	expect(names).toEqual(['Planner:', 'Tester:', 'Planner:', 'Tester:']);
	expect(turns.at(-1)).toMatch(/This is message 2\.$/);
	expect(servers.calls.at(-1)?.body).toMatchObject({
		assistant_id: servers.assistants[1]?.assistant_id,
	});
	await chat.hide();
});

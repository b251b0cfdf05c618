import type { INodeTypeDescription } from 'n8n-workflow';
import { listedName, nodeTypes, operationsOf } from './nodeTypes.ts';
import { Session } from './session.ts';

let session: Session;
let nodes: INodeTypeDescription[];
beforeAll(async () => {
	session = await Session.open();
	nodes = await nodeTypes(session.bridge.editor);
});
afterAll(async () => await session?.close());

/** What people type who do not know the names, and the nodes that they would look for. */
const words: Record<string, string[]> = {
	image: ['modelRouter'],
	video: ['modelRouter'],
	'text to speech': ['modelRouter'],
	LLM: ['modelRouter'],
	GPT: ['modelRouter'],
	'chat model': ['lmChatModelRouter'],
	crypto: ['marketAssistant'],
	agent: ['workspaceAgent'],
	chat: ['workspaceAgent', 'marketAssistant', 'modelRouter'],
};

it('finds the nodes by what people type', async () => {
	await session.watched(async () => {
		await session.page.openNewWorkflow();
		for (const [typed, types] of Object.entries(words)) {
			const wanted = nodes.filter(({ name }) => types.some((type) => name.endsWith(`.${type}`)));
			expect(wanted).toHaveLength(types.length);
			await session.page.find(typed, ...wanted.map(listedName));
		}
	})();
});

it('finds each node by its name, shows what it can do, and adds it', async () => {
	await session.watched(async () => {
		await session.page.openNewWorkflow();
		for (const node of nodes) {
			await session.page.find(node.displayName, listedName(node));
			await session.page.showDetails(listedName(node));
			const actions = operationsOf(node).flatMap(({ action }) => action ?? []);
			for (const action of actions) await session.page.showAction(action);
			const panel = await session.page.add(actions[0]);
			expect(await panel.titles()).not.toEqual([]);
			await panel.close();
		}
	})();
});

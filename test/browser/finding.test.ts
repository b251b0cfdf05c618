import type { INodeTypeDescription } from 'n8n-workflow';
import { isTrigger, listedName, nodeTypes, operationsOf } from './nodeTypes.ts';
import { Session } from './session.ts';

let session: Session;
let nodes: INodeTypeDescription[];
beforeAll(async () => {
	session = await Session.open();
	nodes = await nodeTypes(session.bridge.editor);
});
afterAll(async () => await session?.close());

/** What people type who do not know the names, and the node that they would look for. */
const words = [
	['image', 'modelRouter'],
	['video', 'modelRouter'],
	['text to speech', 'modelRouter'],
	['LLM', 'modelRouter'],
	['GPT', 'modelRouter'],
	['crypto', 'marketAssistant'],
	['agent', 'workspaceAgent'],
	['chat', 'workspaceAgent'],
	['chat', 'marketAssistant'],
	['chat', 'modelRouter'],
] as const;

const ofType = (name: string) => nodes.find((node) => node.name.endsWith(`.${name}`));

it('finds each node by what people type', async () => {
	await session.watched(async () => {
		await session.page.openNewWorkflow();
		for (const [typed, type] of words) {
			const node = ofType(type);
			if (!node) throw new Error(`there is no ${type}`);
			await session.page.find(typed, listedName(node));
		}
	})();
});

it('finds each node by its own name, and shows what it does', async () => {
	await session.watched(async () => {
		await session.page.openNewWorkflow();
		for (const node of nodes) {
			await session.page.find(node.displayName, listedName(node));
			const operations = operationsOf(node);
			// a node with one action is added without further questions
			if (operations.length === 1 && !isTrigger(node)) continue;
			await session.page.details(listedName(node));
			for (const { action } of operations) await session.page.action(action);
			await session.page.back();
		}
	})();
});

it('adds each node from the list, with its panel', async () => {
	await session.watched(async () => {
		await session.page.openNewWorkflow();
		for (const node of nodes) {
			const [operation] = operationsOf(node);
			await session.page.find(node.displayName, listedName(node));
			await session.page.choose(listedName(node));
			if (operation && operationsOf(node).length > 1)
				await (await session.page.action(operation.action)).click();
			const panel = await session.page.panel();
			expect(await panel.titles()).not.toEqual([]);
			await panel.close();
		}
	})();
});

import type { INodeTypeDescription } from 'n8n-workflow';
import { count, missed, TYPED } from '../support/phrases.ts';
import { listedName, nodeTypes, operationsOf } from './nodeTypes.ts';
import { it, sessionOfFile } from './session.ts';

const session = sessionOfFile();
let nodes: INodeTypeDescription[];
beforeAll(async () => void (nodes = await nodeTypes(session.bridge.editor)));

it('finds the right node among the first three for 90 % of what people type', async () => {
	await session.page.openNewWorkflow();
	const unfound = await missed(TYPED, async (phrase) => await session.page.findAny(phrase));
	expect(count(TYPED)).toBeGreaterThanOrEqual(40);
	// the message of a failure names them
	expect(unfound.slice(count(TYPED) / 10)).toEqual([]);
});

it('finds each node by its name, shows what it can do, and adds it', async () => {
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
});

import type { INodeTypeDescription } from 'n8n-workflow';
import { node, using, type WorkflowFile } from '../n8n/workflow.ts';
import { nodeTypes, operationsOf, shownTitles, type Operation } from './nodeTypes.ts';
import { it, sessionOfFile } from './session.ts';

const session = sessionOfFile();
let nodes: INodeTypeDescription[];
beforeAll(async () => void (nodes = await nodeTypes(session.bridge.editor)));

const perRow = 8;

/** A workflow with a node for each operation, none of them connected. */
function gallery(operations: Operation[]): WorkflowFile {
	const accounts = Object.values(session.bridge.accounts);
	return {
		name: 'Every operation',
		connections: {},
		nodes: operations.map((operation, at) => {
			const type = operation.node.credentials?.[0]?.name;
			const account = accounts.find((known) => known.type === type);
			return {
				...node(nameOf(operation), operation.node.name, operation.values, {
					...(account && using(account)),
				}),
				position: [(at % perRow) * 220, Math.floor(at / perRow) * 220] as [number, number],
			};
		}),
	};
}

const nameOf = ({ node: { displayName }, action }: Operation) =>
	action ? `${displayName}: ${action}` : displayName;

it('opens the panel of every operation, with its fields and no text cut off', async () => {
	const operations = nodes.flatMap(operationsOf);
	const { editor } = session.bridge;
	await session.page.openWorkflow(await editor.importWorkflow(gallery(operations)));
	for (const operation of operations) {
		const panel = await session.page.openNode(nameOf(operation));
		expect([nameOf(operation), await panel.titles()]).toEqual([
			nameOf(operation),
			expect.arrayContaining(shownTitles(operation)),
		]);
		expect([nameOf(operation), await panel.cutTexts()]).toEqual([nameOf(operation), []]);
		await panel.close();
	}
});

it('says below each node what it does', async () => {
	for (const operation of nodes.flatMap(operationsOf)) {
		const shown = await session.page.node(nameOf(operation)).innerText();
		if (Object.keys(operation.values).length) expect(shown).toContain(operation.name);
	}
});

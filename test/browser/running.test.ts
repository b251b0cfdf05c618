import type { INodeTypeDescription } from 'n8n-workflow';
import { defaultOperation, listedName, nodeTypes } from './nodeTypes.ts';
import { it, sessionOfFile } from './session.ts';

const session = sessionOfFile();
let nodes: INodeTypeDescription[];
beforeAll(async () => void (nodes = await nodeTypes(session.bridge.editor)));

/** What two texts both say: their common runs of three words, and the codes that are in both. */
function saidTwice(one: string, other: string) {
	const words = one.match(/[\w/-]+/g) ?? [];
	const runs = words.slice(2).map((_, at) => words.slice(at, at + 3).join(' '));
	const plain = (other.match(/[\w/-]+/g) ?? []).join(' ');
	const codes = words.filter((word) => /_/.test(word));
	return [...runs, ...codes].filter((part) => ` ${plain} `.includes(` ${part} `));
}

it('builds a first workflow: node, credential, model, prompt, run, and an error that is said once', async () => {
	const router = nodes.find(({ name }) => name.endsWith('.modelRouter'))!;
	await session.page.openNewWorkflow();
	await session.page.find('LLM', listedName(router));
	await session.page.showDetails(listedName(router));
	const panel = await session.page.add(defaultOperation(router).action);
	await panel.useCredential(session.bridge.accounts.router.id);
	expect(await panel.pick('model', 'quill', 'Quill 2.5')).toHaveLength(2);
	await panel.write('prompt', 'Is anybody there?');
	await panel.execute();
	await panel.showsOutput(/Is anybody there/);

	await panel.typeId('model', 'By ID', 'nobody/nothing-1');
	await panel.execute();
	const { title, description } = await panel.error();
	expect(`${title} ${description}`).toContain('nobody/nothing-1');
	expect(saidTwice(title, description)).toEqual([]);
	await panel.close();
});

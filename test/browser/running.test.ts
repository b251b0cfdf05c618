import type { INodeTypeDescription } from 'n8n-workflow';
import { exampleFor, withModels } from '../n8n/example.ts';
import { defaultOperation, isTrigger, listedName, nodeTypes, operationsOf } from './nodeTypes.ts';
import { Session } from './session.ts';

let session: Session;
let nodes: INodeTypeDescription[];
beforeAll(async () => {
	session = await Session.open();
	nodes = await nodeTypes(session.bridge.editor);
});
afterAll(async () => await session?.close());

const ofType = (name: string): INodeTypeDescription => {
	const found = nodes.find((node) => node.name.endsWith(`.${name}`));
	if (!found) throw new Error(`the package has no ${name}`);
	return found;
};

/** A workflow of each interface: its file, the node that is looked at, and what that node's output says. */
const runs = [
	['message-an-agent.json', 'Ask Again', /sessionId/],
	['ask-the-market-assistant.json', 'Ask', /chatId/],
	['chat-with-a-model.json', 'Chat', /requestId/],
	['make-a-picture.json', 'Make a Picture', /image\/png/],
] as const;

it.each(runs)('runs %s with the editor’s button', async (file, name, shown) => {
	await session.watched(async () => {
		const { editor, accounts } = session.bridge;
		await session.page.openWorkflow(
			await editor.importWorkflow(withModels(exampleFor(accounts, file))),
		);
		await session.page.execute();
		const panel = await session.page.openNode(name);
		await panel.showsOutput(shown);
		await panel.close();
	})();
});

/** What two texts both say: their common runs of three words, and the codes that are in both. */
function saidTwice(one: string, other: string): string[] {
	const words = one.match(/[\w/-]+/g) ?? [];
	const runs = words.slice(2).map((_, at) => words.slice(at, at + 3).join(' '));
	const plain = (other.match(/[\w/-]+/g) ?? []).join(' ');
	const codes = words.filter((word) => /_/.test(word));
	return [...runs, ...codes].filter((part) => ` ${plain} `.includes(` ${part} `));
}

it('builds a first workflow: node, credential, model, prompt, run, and an error that is said once', async () => {
	await session.watched(async () => {
		const router = ofType('modelRouter');
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
	})();
});

it('fetches a test event of the trigger', async () => {
	await session.watched(async () => {
		const trigger = nodes.find(isTrigger);
		const completed = trigger && operationsOf(trigger).find(({ name }) => /completed/i.test(name));
		if (!trigger || !completed) throw new Error('the trigger has no event for completed jobs');
		const { service } = session.bridge;
		service.forms.jobSteps = 0;
		const started = await fetch(`${service.url}/v1/images/jobs`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'X-API-KEY': service.router.keys.main },
			body: JSON.stringify({ model: 'canvas/sketch-1', prompt: 'a lighthouse' }),
		});
		const { id } = (await started.json()) as { id: string };
		await session.page.openNewWorkflow();
		await session.page.find(trigger.displayName, listedName(trigger));
		await session.page.showDetails(listedName(trigger));
		const panel = await session.page.add(completed.action);
		await panel.useCredential(session.bridge.accounts.router.id);
		await panel.choose('watch', 'List of Job IDs');
		await panel.write('jobIds', id);
		await panel.execute();
		// n8n shows the file first
		await panel.showsOutput(new RegExp(`image-${id}\\.png`));
		await panel.close();
	})();
});

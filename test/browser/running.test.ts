import { exampleFor } from '../n8n/example.ts';
import { Session } from './session.ts';

let session: Session;
beforeAll(async () => {
	session = await Session.open();
});
afterAll(async () => await session?.close());

/** One workflow of each interface: its file, the node that is looked at, and what that node's output says. */
const runs = [
	['message-an-agent.json', 'Ask Again', /sessionId/],
	['ask-the-market-assistant.json', 'Ask', /chatId/],
	['chat-with-a-model.json', 'Chat', /requestId/],
	['make-a-picture.json', 'Make a Picture', /completed/],
] as const;

it.each(runs)(
	'runs %s with the editor’s button and shows the output',
	async (file, node, shown) => {
		await session.watched(async () => {
			const { editor, accounts } = session.bridge;
			await session.page.openWorkflow(await editor.importWorkflow(exampleFor(accounts, file)));
			await session.page.execute();
			const panel = await session.page.openNode(node);
			expect(await panel.output()).toMatch(shown);
			await panel.close();
		})();
	},
);

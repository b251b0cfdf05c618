import { readdirSync } from 'node:fs';
import { exampleFor } from '../n8n/example.ts';
import { takePictureAround } from './pictures.ts';
import { Session } from './session.ts';

let session: Session;
beforeAll(async () => {
	session = await Session.open();
});
afterAll(async () => await session?.close());

it.each(readdirSync('examples'))('%s opens, and its notes can be read', async (file) => {
	await session.watched(async () => {
		const { editor, accounts } = session.bridge;
		const example = await editor.importWorkflow(exampleFor(accounts, file));
		await session.page.openWorkflow(example);
		expect(await session.page.notesInTheWay()).toEqual([]);
		const { tab, canvasParts } = session.page;
		await takePictureAround(`example ${file.replace('.json', '')}`, tab, canvasParts);
	})();
});

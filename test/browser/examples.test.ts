import { exampleFor, GALLERY, LESSONS, withModels } from '../n8n/example.ts';
import { mailOfFile } from '../n8n/mailServer.ts';
import { takePictureAround } from './pictures.ts';
import { it, sessionOfFile } from './session.ts';

const session = sessionOfFile();
// the examples name its account
mailOfFile(() => session.bridge.editor);
beforeAll(async () => {
	// a page shows pictures smaller; some workflows go on in a second row
	await session.page.tab.setViewportSize({ width: 1240, height: 1050 });
});

it.each([...GALLERY, ...LESSONS])('%s opens, and its notes can be read', async (file) => {
	const { editor, accounts } = session.bridge;
	const example = await editor.importWorkflow(withModels(exampleFor(accounts, file)));
	await session.page.openWorkflow(example);
	expect(await session.page.notesInTheWay()).toEqual([]);
	const { tab, canvasParts } = session.page;
	if (GALLERY.includes(file))
		await takePictureAround(`example ${file.replace('.json', '')}`, tab, canvasParts);
});

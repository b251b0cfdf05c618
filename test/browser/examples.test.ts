import { exampleFor, GALLERY, LESSONS, withModels } from '../n8n/example.ts';
import { MailServer } from '../n8n/mailServer.ts';
import { takePictureAround } from './pictures.ts';
import { Session } from './session.ts';

let session: Session;
let post: MailServer;
beforeAll(async () => {
	session = await Session.open();
	// a page shows pictures smaller; some workflows go on in a second row
	await session.page.tab.setViewportSize({ width: 1240, height: 1050 });
	const { editor } = session.bridge;
	post = await MailServer.start();
	await editor.createCredential(post.secret);
});
afterAll(async () => {
	await session?.close();
	await post?.stop();
});

it.each([...GALLERY, ...LESSONS])('%s opens, and its notes can be read', async (file) => {
	await session.watched(async () => {
		const { editor, accounts } = session.bridge;
		const example = await editor.importWorkflow(withModels(exampleFor(accounts, file)));
		await session.page.openWorkflow(example);
		expect(await session.page.notesInTheWay()).toEqual([]);
		const { tab, canvasParts } = session.page;
		if (GALLERY.includes(file))
			await takePictureAround(`example ${file.replace('.json', '')}`, tab, canvasParts);
	})();
});

import { openBridge, type Bridge } from '../n8n/bridge.ts';
import type { ServiceOptions } from '../service/service.ts';
import { Browser } from './browser.ts';
import { EditorPage } from './editorPage.ts';

/** The n8n that all tests share with a service of the file's own, and its editor, in which the owner is signed in. */
export interface Session {
	bridge: Bridge;
	page: EditorPage;
}

/** That of this test file. */
let browser: Browser | undefined;

/** The session of the test file that calls this. */
export function sessionOfFile(options: ServiceOptions = {}): Session {
	const session = {} as Session;
	beforeAll(async () => {
		session.bridge = await openBridge(options);
		browser = await Browser.open();
		session.page = new EditorPage(browser.tab, session.bridge.editor.url);
		await watched(async () => await session.page.signIn())();
	});
	afterAll(async () => {
		await browser?.close();
		await session.bridge?.service.stop();
	});
	return session;
}

type Work = (...args: unknown[]) => Promise<void>;
const watched =
	(work: Work): Work =>
	async (...args) =>
		await browser!.watched(work)(...args);

/** As jest's own, but a test that fails keeps what its browser shows. */
export const it = ((name: string, work: Work) => test(name, watched(work))) as jest.It;
it.each = ((rows: unknown[]) => (name: string, work: Work) =>
	test.each(rows)(name, watched(work))) as jest.Each;

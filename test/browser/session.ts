import { openBridge, secretsOf, type Account, type Bridge } from '../n8n/bridge.ts';
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

/** The form of a new credential of this kind, with its name, its address and its key filled in. */
export async function newCredential({ bridge, page }: Session, kind: Account, name?: string) {
	const { data, ...secret } = secretsOf(bridge.service)[kind];
	const { displayName } = await bridge.editor.credentialType(secret.type);
	const form = await page.newCredential(displayName);
	await form.rename(name ?? secret.name);
	for (const field of ['baseUrl', 'apiKey']) await form.fill(field, String(data[field]));
	return form;
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

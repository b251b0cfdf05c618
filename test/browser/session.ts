import { openBridge, type Bridge } from '../n8n/bridge.ts';
import type { ServiceOptions } from '../service/service.ts';
import { Browser } from './browser.ts';
import { EditorPage } from './editorPage.ts';

/** A browser in which the owner is signed in, at the n8n that all tests share, and a service of this file's own. */
export class Session {
	readonly bridge: Bridge;
	readonly page: EditorPage;
	readonly watched: Browser['watched'];
	readonly #browser: Browser;

	private constructor(bridge: Bridge, browser: Browser) {
		this.bridge = bridge;
		this.page = new EditorPage(browser.tab, bridge.editor.url);
		this.watched = browser.watched.bind(browser);
		this.#browser = browser;
	}

	static async open(options: ServiceOptions = {}): Promise<Session> {
		const session = new Session(await openBridge(options), await Browser.open());
		try {
			await session.watched(async () => await session.page.signIn())();
		} catch (error) {
			await session.close();
			throw error;
		}
		return session;
	}

	async close(): Promise<void> {
		await this.#browser.close();
		await this.bridge.service.stop();
	}
}

/** That of this test file. */
let opened: Session | undefined;

/** The session of the test file that calls this. */
export function sessionOfFile(options: ServiceOptions = {}): Pick<Session, 'bridge' | 'page'> {
	const session = {} as Session;
	beforeAll(async () => Object.assign(session, (opened = await Session.open(options))));
	afterAll(async () => await opened?.close());
	return session;
}

type Work = (...args: unknown[]) => Promise<void>;
const watched =
	(work: Work): Work =>
	async (...args) =>
		await opened!.watched(work)(...args);

/** As jest's own, but a test that fails keeps what its browser shows. */
export const it = ((name: string, work: Work) => test(name, watched(work))) as jest.It;
it.each = ((rows: unknown[]) => (name: string, work: Work) =>
	test.each(rows)(name, watched(work))) as jest.Each;

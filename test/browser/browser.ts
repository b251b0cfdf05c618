import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';

// the editor is n8n's, and loads its parts while it is used: what fails is tried once more, and both are printed
jest.retryTimes(1, { logErrorsBeforeRetry: true });

/** Where a failed test leaves what it saw: `scripts/test.mjs` empties it before a run. */
const evidence = resolve('.browser');

const flags = [
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** A browser with one tab, in a folder of its own. */
export class Browser {
	readonly tab: Page;
	readonly #context: BrowserContext;
	readonly #folder: string;
	#failures = 0;

	private constructor(tab: Page, context: BrowserContext, folder: string) {
		[this.tab, this.#context, this.#folder] = [tab, context, folder];
	}

	static async open(): Promise<Browser> {
		const folder = mkdtempSync(join(tmpdir(), 'chromium-'));
		const context = await chromium.launchPersistentContext(folder, {
			executablePath: process.env['AGENT_BRIDGE_CHROMIUM'] ?? 'chromium',
			// a container has no namespaces for the sandbox, and the pages are our own
			chromiumSandbox: false,
			args: flags,
			viewport: { width: 1440, height: 900 },
		});
		// how fast a machine is decides nothing
		context.setDefaultTimeout(90_000);
		return new Browser(context.pages()[0] ?? (await context.newPage()), context, folder);
	}

	async close() {
		await this.#context.close();
		rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	}

	/** A test that, when it fails, keeps a picture and the text of the page, and says where. */
	watched<A extends unknown[]>(work: (...args: A) => Promise<void>): (...args: A) => Promise<void> {
		return async (...args) => {
			try {
				await work(...args);
			} catch (error) {
				const saved = await this.#keep().catch(() => 'nothing, since it is gone');
				if (error instanceof Error) error.message += `\n\nWhat the browser showed: ${saved}`;
				throw error;
			}
		};
	}

	async #keep(): Promise<string> {
		mkdirSync(evidence, { recursive: true });
		const name = join(evidence, `${process.env['JEST_WORKER_ID'] ?? ''}-${++this.#failures}`);
		writeFileSync(
			`${name}.txt`,
			`${this.tab.url()}\n\n${await this.tab.locator('body').innerText()}`,
		);
		await this.tab.screenshot({ path: `${name}.png` });
		return `${name}.png and .txt`;
	}
}

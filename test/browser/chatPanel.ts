import type { Locator, Page } from 'playwright-core';
import { until } from '../n8n/editor.ts';

/** The chat at the bottom of the editor. */
export class ChatPanel {
	readonly #tab: Page;

	constructor(tab: Page) {
		this.#tab = tab;
	}

	get panel(): Locator {
		return this.#tab.locator('[data-test-id="canvas-chat"]');
	}

	/** "Open chat". It may be open still, as the workflow before has left it. */
	async open() {
		const button = this.#tab.locator('[data-test-id="workflow-chat-button"]').first();
		await button.waitFor();
		await until('the chat is open', async () => {
			if (await this.#field.isVisible()) return true;
			await button.click();
			return await this.#field.waitFor({ timeout: 5000 }).then(
				() => true,
				() => false,
			);
		});
	}

	/** "Hide chat": n8n opens the next workflow as this one was left. */
	async hide() {
		await this.#tab.locator('[data-test-id="workflow-chat-button"]').first().click();
		await this.#field.waitFor({ state: 'hidden' });
	}

	/** Pulls the open chat up and to the right, to these places of the page. */
	async enlarge(right: number, top: number) {
		const handle = (direction: string) =>
			this.#tab
				.locator(
					`[data-test-id="logs-panel"] [data-test-id="resize-handle"][data-dir="${direction}"]`,
				)
				.first();
		for (const [direction, x, y] of [
			['top', right, top],
			['right', right, top + 200],
		] as const) {
			await handle(direction).hover();
			await this.#tab.mouse.down();
			await this.#tab.mouse.move(x, y, { steps: 5 });
			await this.#tab.mouse.up();
		}
	}

	async write(text: string) {
		await this.#field.fill(text);
		await this.#field.press('Enter');
	}

	/** What the workflow has said, a bubble each, as soon as one of them says this. */
	async answers(until: RegExp): Promise<string[]> {
		const bubbles = this.panel.locator('.chat-message-from-bot');
		await bubbles.filter({ hasText: until }).first().waitFor();
		// an empty one shows that somebody is still writing
		return (await bubbles.allInnerTexts()).map((text) => text.trim()).filter(Boolean);
	}

	get #field(): Locator {
		return this.panel.locator('textarea').last();
	}
}

import type { Locator, Page } from 'playwright-core';
import { until } from '../n8n/editor.ts';
import { CredentialForm } from './credentialForm.ts';

/** What is used of the page's own types. */
interface Text {
	clientWidth: number;
	scrollWidth: number;
	textContent: string | null;
	/** of an input */
	value?: string;
}

/** The panel of an opened node: input, parameters, output. */
export class NodePanel {
	readonly #tab: Page;

	constructor(tab: Page) {
		this.#tab = tab;
	}

	/** All of it, with input and output. */
	get ndv(): Locator {
		return this.#get('ndv');
	}

	get parameters(): Locator {
		return this.#get('node-parameters');
	}

	/** The titles of the fields that are visible, from top to bottom. */
	async titles(): Promise<string[]> {
		const titles = this.parameters.locator('label.n8n-input-label:visible, .n8n-notice:visible');
		return (await titles.allInnerTexts()).map((title) => (title.split('\n')[0] ?? '').trim());
	}

	/** Titles and values that the panel cuts off, for want of room. */
	async cutTexts(): Promise<string[]> {
		const texts = this.parameters.locator('label.n8n-input-label span, input');
		return await texts.evaluateAll((all: Text[]) =>
			all
				.filter(({ clientWidth, scrollWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
				.map(({ value, textContent }) => value ?? textContent ?? ''),
		);
	}

	async choose(field: string, option: string) {
		await this.#field(field).locator('input').first().click();
		await this.#tab
			.locator('.el-select-dropdown__item:visible')
			.getByText(option, { exact: true })
			.click();
	}

	async turnOn(field: string) {
		await this.#field(field).locator('.el-switch, [role="switch"]').first().click();
	}

	async write(field: string, text: string) {
		await this.#fill(this.#field(field).locator('textarea, input').first(), text);
	}

	/** Fields are taken a moment after they were written: waits until n8n has saved the workflow with this value. */
	async #fill(input: Locator, text: string) {
		const kept = JSON.stringify(text).slice(1, -1);
		// as a text, as an expression, or as a number
		const forms = [`"${kept}"`, `"=${kept}"`, `:${kept}`];
		const saved = this.#tab.waitForResponse((response) => {
			const request = response.request();
			const body = request.postData() ?? '';
			const isWorkflow = /\/rest\/workflows\b/.test(new URL(request.url()).pathname);
			return isWorkflow && forms.some((form) => body.includes(form));
		});
		await input.fill(text);
		// a number is taken when its field is left
		await this.#tab.evaluate('document.activeElement?.blur()');
		await saved;
	}

	/**
	 * Opens a resource locator's list, searches it unless the search is empty, and takes the entry.
	 *
	 * @param index Which of the fields of this name.
	 * @returns the entries that the search found
	 */
	async pick(field: string, search: string, entry: string, index = 0): Promise<string[]> {
		await this.openList(field, index);
		const entries = this.#entries;
		const all = await entries.count();
		if (search) {
			await this.#tab.fill('[data-test-id="rlc-search"]:visible', search);
			await until('the list shows what was searched', async () => {
				const count = await entries.count();
				return count > 0 && count < all;
			});
		}
		return await this.take(entry);
	}

	/** Opens a resource locator's list. */
	async openList(field: string, index = 0) {
		await this.#field(field, index).locator('[data-test-id="rlc-input"]').click();
		await this.#entries.first().waitFor();
	}

	/** Takes an entry of the list that is open. @returns all of its entries */
	async take(entry: string): Promise<string[]> {
		const found = await this.#entries.allInnerTexts();
		await this.#entries.filter({ hasText: entry }).first().click();
		return found;
	}

	/** Adds an option to the collection with this button. */
	async addOption(button: string, option: string) {
		await this.parameters.getByPlaceholder(button).or(this.parameters.getByText(button)).click();
		const options = this.#tab.locator(
			'.el-select-dropdown__item:visible, [role="menuitem"]:visible',
		);
		await options.getByText(option, { exact: true }).click();
	}

	/** The other way of a resource locator: a text that is typed in. */
	async typeId(field: string, mode: string, id: string) {
		await this.#field(field).locator('[data-test-id="rlc-mode-selector"]').click();
		await this.#tab
			.locator('.el-select-dropdown__item:visible')
			.getByText(mode, { exact: true })
			.click();
		await this.#fill(this.#field(field).locator('[data-test-id="rlc-input"]'), id);
	}

	/** By its id: those of other test files may have the same name. */
	async useCredential(id: string) {
		await this.#get('node-credentials-select').click();
		await this.#get(`node-credentials-select-item-${id}`).click();
	}

	/** "Create new credential" of the list. @param kind Which of the node's, if there are several; chosen at the top right of the form. */
	async createCredential(kind?: string): Promise<CredentialForm> {
		const list = this.#get('node-credentials-select');
		const empty = this.#get('node-credentials-empty-state').locator('button');
		const first = empty.or(list).first();
		await first.click();
		if (await list.isVisible()) await this.#get('node-credentials-select-item-new').click();
		const form = new CredentialForm(this.#tab);
		await form.dialog.waitFor();
		if (kind !== undefined) await form.chooseKind(kind);
		return form;
	}

	/** "Execute step", and waits until the run has ended in any way. */
	async execute() {
		const started = this.#tab.waitForResponse((response) =>
			/\/workflows\/[^/]+\/run$/.test(new URL(response.url()).pathname),
		);
		await this.#get('node-execute-button').click();
		await (await started).finished();
		await this.#get('node-run-status-success')
			.or(this.#get('node-error-message'))
			.or(this.#get('node-run-status-danger'))
			.first()
			.waitFor();
	}

	/** Waits until the output side says this. */
	async showsOutput(text: RegExp) {
		await this.#get('output-panel').filter({ hasText: text }).waitFor();
	}

	/** Scrolls the output, shown as a schema, to a field with this value. */
	async showsField(name: string, value: string) {
		const field = this.#get('output-panel')
			.locator('[data-test-id="run-data-schema-item"]')
			.filter({ hasText: new RegExp(`^${name}\\s*${value}`) })
			.first();
		await field.scrollIntoViewIfNeeded();
	}

	/** "View" of the file in the output. */
	async viewFile() {
		await this.#get('output-panel')
			.locator('[data-test-id="ndv-view-binary-data"]')
			.first()
			.click();
		await this.#get('output-panel')
			.locator('img[src*="binary"], img[src^="data:"]')
			.first()
			.waitFor();
	}

	/** Drags a field of the input, which n8n shows although the node before has not run, into "Fields to Set". */
	async dragField(name: string) {
		const field = this.#get('ndv-input-panel')
			.or(this.#tab.locator('[data-test-id="input-panel"]'))
			.locator('[data-test-id="run-data-schema-item"]')
			.getByText(name, { exact: true })
			.first();
		const target = this.#tab.locator('[data-test-id="assignment-collection-drop-area"]');
		await field.hover();
		await this.#tab.mouse.down();
		const box = await target.boundingBox();
		if (!box) throw new Error('There is nothing to drop it on');
		const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
		// n8n notices a drag by its first movement
		await this.#tab.mouse.move(x, y - 40, { steps: 5 });
		await this.#tab.mouse.move(x, y, { steps: 5 });
		await this.#tab.mouse.up();
	}

	/** "Add Field" of Edit Fields. */
	async addField(name: string, value: string) {
		await this.#get('assignment-collection-drop-area').click();
		await this.#get('assignment-name').locator('input').fill(name);
		const input = this.#get('assignment-value').locator('textarea, input').first();
		await this.#fill(input, value);
	}

	/** Waits until a field has this expression. */
	async showsValue(expression: string) {
		await this.parameters.getByText(expression).first().waitFor();
	}

	/** Shows the output in a form that is never wider than the panel, as a table may be. */
	async showOutputAs(form: 'json' | 'schema') {
		await this.#get('output-panel').locator(`[data-test-id="radio-button-${form}"]`).click();
	}

	async error(): Promise<{ title: string; description: string }> {
		await this.#get('node-error-message').waitFor();
		return {
			title: await this.#get('node-error-message').innerText(),
			description: (await this.#get('node-error-description').allInnerTexts()).join('\n'),
		};
	}

	async close() {
		await this.#get('ndv-close-button').click();
		await this.#get('ndv').waitFor({ state: 'detached' });
	}

	get #entries(): Locator {
		return this.#tab.locator('[data-test-id="rlc-item"]:visible');
	}

	#field(name: string, index = 0): Locator {
		return this.#get(`parameter-input-${name}`).nth(index);
	}

	#get(id: string): Locator {
		return this.#tab.locator(`[data-test-id="${id}"]`);
	}
}

import type { Locator, Page, Response } from 'playwright-core';
import { until } from '../n8n/editor.ts';

/** What is used of the page's own types. */
interface Scrolled {
	scrollIntoView(how: { block: 'start' }): void;
}

/** The form in which a credential is made and changed. */
export class CredentialForm {
	readonly #tab: Page;
	/** What was entered since it was last saved: n8n takes it a moment later, and until then saves what was there before. */
	#entered: Record<string, string> = {};

	constructor(tab: Page) {
		this.#tab = tab;
	}

	get dialog(): Locator {
		return this.#get('editCredential-modal');
	}

	/** Gives it another name than the one that n8n proposes. */
	async rename(name: string) {
		await this.#get('credential-name').click();
		const input = this.#get('credential-name').locator('input');
		await input.fill(name);
		await input.press('Enter');
	}

	/** @param index Which of the fields of this name. */
	async fill(field: string, value: string, index = 0) {
		const input = this.#get(`parameter-input-${field}`).nth(index);
		await input.locator('input, textarea').fill(value);
		if (index === 0) this.#entered[field] = value;
	}

	/** @param index Which of the fields of this name. */
	async choose(field: string, option: string, index = 0) {
		await this.#get(`parameter-input-${field}`).nth(index).locator('input').click();
		await this.#tab
			.locator('.el-select-dropdown__item:visible')
			.getByText(option, { exact: true })
			.click();
	}

	/** Of a node with several types: the list at the top right. */
	async chooseKind(kind: string) {
		await this.#get('credential-mode-dropdown-trigger').click();
		await this.#tab.locator('[role="menuitem"]:visible').getByText(kind, { exact: true }).click();
	}

	/** Adds a row to the collection with this button. */
	async addRow(button: string) {
		await this.dialog.getByText(button, { exact: true }).click();
	}

	/** Scrolls the form until the field with this title is at its top. */
	async scrollTo(title: string) {
		await this.dialog
			.getByText(title, { exact: true })
			.first()
			.evaluate((label: Scrolled) => label.scrollIntoView({ block: 'start' }));
	}

	/** Turns a switch on or off. */
	async toggle(field: string) {
		await this.#get(`parameter-input-${field}`)
			.locator('.el-switch, [role="switch"]')
			.first()
			.click();
	}

	/** Saves it, and waits for the outcome of the test that n8n then runs. @returns what the form says about it */
	async save(): Promise<{ succeeded: boolean; text: string }> {
		const { status } = await this.#savedAndTested();
		if (status === 'OK') {
			const success = '[data-test-id="credentials-config-container-test-success"]:visible';
			return { succeeded: true, text: await this.dialog.locator(success).innerText() };
		}
		await this.dialog.getByText('connect with these settings').waitFor();
		const details = this.dialog.getByText('More details');
		if (await details.isVisible()) {
			await details.click();
			await details.waitFor({ state: 'detached' });
		}
		return { succeeded: false, text: await this.dialog.innerText() };
	}

	/** Saves a form that was opened in a node: n8n closes it if the test succeeds. */
	async saveInNode() {
		expect(await this.#savedAndTested()).toMatchObject({ status: 'OK' });
		const isClosed = await this.dialog.waitFor({ state: 'detached', timeout: 10_000 }).then(
			() => true,
			() => false,
		);
		if (!isClosed) await this.close();
	}

	/** The outcome of the test of what was entered. */
	async #savedAndTested(): Promise<{ status: string }> {
		let tested = await this.#saveAndTest();
		while (!this.#hasEntered(tested)) tested = await this.#saveAndTest();
		this.#entered = {};
		const { data } = (await tested.json()) as { data: { status: string } };
		return data;
	}

	/** Whether a test was one of what was entered. */
	#hasEntered(tested: Response): boolean {
		const { credentials } = tested.request().postDataJSON() as { credentials: { data: object } };
		const sent = new Map<string, unknown>(Object.entries(credentials.data));
		return Object.entries(this.#entered).every(
			([field, value]) => typeof sent.get(field) !== 'string' || sent.get(field) === value,
		);
	}

	/** Saves it, and waits for the test that n8n then runs. */
	async #saveAndTest(): Promise<Response> {
		const tested = this.#tab.waitForResponse((response) =>
			new URL(response.url()).pathname.endsWith('/credentials/test'),
		);
		let isTested = false;
		const settled = tested.then(
			() => (isTested = true),
			() => (isTested = true),
		);
		const button = this.#get('credential-save-button');
		const keep = this.#tab.getByRole('button', { name: 'Keep Editing', exact: true });
		while (!isTested) {
			// in a node, n8n closes what it has saved, and asks where it has taken a value only since
			if (await keep.isVisible()) await keep.click({ timeout: 2000 }).catch(() => undefined);
			// n8n draws the button anew after a change, and a click in that moment is lost
			await button.click({ timeout: 2000 }).catch(() => undefined);
			await Promise.race([settled, this.#tab.waitForTimeout(3000)]);
		}
		return await tested;
	}

	async close() {
		await this.#tab.keyboard.press('Escape');
		// n8n may take a value once more after it has saved it, and then asks: what is saved is what was entered
		const question = this.#tab.locator('.is-message-box:visible');
		const discard = question.getByRole('button', { name: 'Close', exact: true });
		await until('the form is closed', async () => {
			if (await discard.isVisible()) await discard.click({ timeout: 2000 }).catch(() => undefined);
			return !(await this.dialog.isVisible());
		});
	}

	#get(id: string): Locator {
		return this.#tab.locator(`[data-test-id="${id}"]`);
	}
}

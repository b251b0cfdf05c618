import type { Locator, Page } from 'playwright-core';

/** The form in which a credential is made and changed. */
export class CredentialForm {
	readonly #tab: Page;

	constructor(tab: Page) {
		this.#tab = tab;
	}

	get dialog(): Locator {
		return this.#get('editCredential-modal');
	}

	async fill(field: string, value: string): Promise<void> {
		await this.#get(`parameter-input-${field}`).locator('input').fill(value);
	}

	/** Saves it, and waits for the outcome of the test that n8n then runs. @returns what the form says about it */
	async save(): Promise<{ succeeded: boolean; text: string }> {
		const tested = this.#tab.waitForResponse((response) =>
			new URL(response.url()).pathname.endsWith('/credentials/test'),
		);
		await this.#get('credential-save-button').click();
		await (await tested).finished();
		const succeeded = this.dialog.locator(
			'[data-test-id="credentials-config-container-test-success"]:visible',
		);
		const details = this.dialog.getByText('More details');
		await succeeded.or(details).first().waitFor();
		if (await succeeded.isVisible()) return { succeeded: true, text: await succeeded.innerText() };
		await details.click();
		await details.waitFor({ state: 'detached' });
		return { succeeded: false, text: await this.dialog.innerText() };
	}

	async close(): Promise<void> {
		await this.#tab.keyboard.press('Escape');
		await this.dialog.waitFor({ state: 'detached' });
	}

	#get(id: string): Locator {
		return this.#tab.locator(`[data-test-id="${id}"]`);
	}
}

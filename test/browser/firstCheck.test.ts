import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';

import { packageName } from '../n8n/bridge.ts';
import { owner, until } from '../n8n/editor.ts';
import { freePort } from '../n8n/freePort.ts';
import { Instance } from '../n8n/instance.ts';
import { quiet } from '../n8n/n8nProcess.ts';
import { OwnedProcess } from '../n8n/ownedProcess.ts';
import { tarball } from '../n8n/shared.ts';
import { Browser } from './browser.ts';
import { CredentialForm } from './credentialForm.ts';
import { NodePanel } from './nodePanel.ts';
import { PackageSource } from './packageSource.ts';
import { takePicture } from './pictures.ts';

// "A first check in five minutes" of docs/quickstart.md, done to the letter by somebody who has nothing yet. What it has downloaded
// is here: n8n, the package, and what the reference service needs.
const quickstart = readFileSync('docs/quickstart.md', 'utf8');
const partOf = (title: string) =>
	quickstart.split(new RegExp(`^##+ ${title}$`, 'm'))[1]?.split(/^##+ /m)[0] ?? '';
const install = partOf('1. Install the package');
const steps = partOf('A first check in five minutes');

/** Words that the quickstart has the reader look for, choose or enter. */
function told(words: string, part = steps): string {
	if (!part.includes(words)) throw new Error(`The quickstart does not say "${words}" there`);
	return words;
}

/** The reference service, started with the quickstart's command. */
class PrintingService extends OwnedProcess {
	async start(port: number): Promise<void> {
		const [command = '', ...args] = told('npm run service -- --personas --port=18080')
			.replace('18080', String(port))
			.split(' ');
		const isReady = () => this.log().includes('End: ');
		await this.launch({ command, args, cwd: process.cwd(), isReady, seconds: 60 });
	}

	/** The address and the key of the router, as it has printed them. */
	router(): { address: string; key: string } {
		const [, printed = ''] = this.log().split(told('C. Model router'));
		const [address = ''] = /http\S+/.exec(printed) ?? [];
		const [, key = ''] = /^\s+main\s+(\S+)$/m.exec(printed) ?? [];
		return { address, key };
	}

	async stop(): Promise<void> {
		await this.end('SIGTERM', 10_000);
	}
}

let folder: string;
let source: PackageSource;
let n8n: Instance;
let service: PrintingService;
let browser: Browser;
// a second try begins in a new n8n, too
beforeEach(async () => {
	folder = mkdtempSync(join(tmpdir(), 'first-check-'));
	source = await PackageSource.start(tarball!, folder);
	const [port, brokerPort] = [await freePort(), await freePort()];
	const environment = quiet(join(folder, 'user'), port, brokerPort);
	n8n = new Instance({
		folder: join(folder, 'user'),
		port,
		temporary: true,
		environment: {
			...environment,
			...source.env,
			PATH: `${source.programs}:${environment['PATH']}`,
			[told('N8N_UNVERIFIED_PACKAGES_ENABLED')]: 'true',
		},
	});
	service = new PrintingService('the reference service', join(folder, 'service'));
	browser = await Browser.open();
});
afterEach(async () => {
	await browser?.close();
	await service?.stop();
	await n8n?.remove();
	source?.stop();
	rmSync(folder, { recursive: true, force: true });
});

const get = (id: string): Locator => browser.tab.locator(`[data-test-id="${id}"]`);
const button = (name: string, part = steps): Locator =>
	browser.tab.getByRole('button', { name: told(name, part), exact: true });
const entry = (name: string): Locator =>
	browser.tab.getByRole('menuitem', { name: told(name), exact: true });
const inList = (name: string): Locator =>
	get('node-creator-item-name').getByText(told(name), { exact: true });

/** Each step is done in the page that the step before has left. */
const doSteps = async () => {
	const { tab } = browser;
	// 1
	await n8n.start();
	await tab.goto(n8n.url);
	for (const [field, value] of Object.entries(owner)) await tab.fill(`input[name=${field}]`, value);
	await get('form-submit-button').click();
	await button('Set up later in Settings').click();

	// 2
	const [settings, community] = told('Settings > Community nodes', install).split(' > ');
	const isOpen = () => new URL(tab.url()).pathname.startsWith('/settings');
	await until('the settings are open', async () => {
		// the menu closes when the page that follows the assistant's has loaded
		for (const part of [get('main-sidebar-settings'), tab.getByText(community!, { exact: true })])
			if (!isOpen()) await part.click({ timeout: 3000 }).catch(() => undefined);
		return isOpen();
	});
	await button('Install a community node', install).click();
	await tab.getByRole('dialog').locator('input:not([type=checkbox])').fill(packageName);
	await tab.getByText('I understand the risks').click();
	await button('Install', install).click();
	await get('community-package-card').getByText(told(packageName)).waitFor();
	await tab.getByText(settings!, { exact: true }).click();

	// 3
	const port = await freePort();
	await service.start(port);
	const { address, key } = service.router();
	expect(address.replace(String(port), '18080')).toBe(told('http://127.0.0.1:18080/v1'));

	// 4
	await get('universal-add').click();
	await entry('New credential').click();
	const search = get('new-credential-type-select').locator('input');
	await search.click();
	await search.pressSequentially(told('Model Router API'));
	await get('new-credential-type-select-option')
		.getByText('Model Router API', { exact: true })
		.click();
	await button('Continue').click();

	// 5
	const form = new CredentialForm(tab);
	await form.fill('baseUrl', address);
	await form.fill('apiKey', key);
	const { text } = await form.save();
	expect(text).toContain(told('Connection tested successfully'));
	await takePicture('credential Model Router API', form.dialog);
	await form.close();

	// 6
	await get('universal-add').click();
	await entry('New workflow').click();
	await tab.getByText(told('Add first step…')).waitFor();
	await get('canvas-plus-button').click();
	await inList('Trigger manually').click();
	await get('canvas-handle-plus').click();
	await get('node-creator-search-bar').and(tab.locator('input')).fill(told('Model Router'));
	await inList('Model Router').click();
	await inList('Message text model').click();

	// 7
	const panel = new NodePanel(tab);
	await panel.pick('model', told('Quill 2.5'), 'Quill 2.5');
	await panel.write('prompt', told('What is a model router?'));
	told('Execute step');
	await panel.execute();
	told('`output`');
	await panel.showsOutput(
		new RegExp(told('A model router is one address in front of the models of many vendors')),
	);
	await panel.showsOutput(new RegExp(told('costUsd')));
};

it('leads from an empty folder to a first answer', async () => {
	await browser.watched(doSteps)();
}, 900_000);

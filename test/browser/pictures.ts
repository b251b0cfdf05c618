import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';

const folder = 'docs/pictures';
const mostBytes = 150_000;

/** Takes a picture for the documentation, where `npm run test:browser -- --pictures` asks for them. */
export async function takePicture(name: string, of: Page | Locator): Promise<void> {
	if (!process.env['AGENT_BRIDGE_PICTURES']) return;
	mkdirSync(folder, { recursive: true });
	const path = join(folder, `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.png`);
	await of.screenshot({ path, animations: 'disabled', caret: 'hide', scale: 'css' });
	const { size } = statSync(path);
	if (size > mostBytes) throw new Error(`${path} has ${size} bytes`);
}

import { readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { Editor } from './editor.ts';

/** The n8n that all test files of this folder share; `bootShared.ts` has started it. Signed in as its owner. */
export async function sharedEditor(): Promise<Editor> {
	const url = process.env['AGENT_BRIDGE_N8N'];
	if (!url) throw new Error('no shared n8n: these tests run by "npm run test:n8n"');
	const editor = new Editor(url);
	await editor.signIn();
	return editor;
}

/** The tarball that this run's tests install. */
export const tarball = process.env['AGENT_BRIDGE_TARBALL'];

/** The https address of a service whose authority the shared n8n trusts. */
export const trustedService = (): string => process.env['AGENT_BRIDGE_TRUSTED'] ?? '';

/** Everything that the processes of the shared n8n have written. */
export const sharedLog = (): string =>
	(process.env['AGENT_BRIDGE_N8N_LOGS'] ?? '')
		.split(delimiter)
		.map((file) => readFileSync(file, 'utf8'))
		.join('\n');

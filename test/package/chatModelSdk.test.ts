import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { build, copyOfPackage } from './copyOfPackage';

// n8n's SDK for chat models: older versions of n8n do not have it, and the others need not load it before a chat model is used
const NAME = 'n8n-nodes-agent-bridge';
const SDK = '@n8n/ai-node-sdk';
const installed = join(__dirname, '..', 'host', 'node_modules');
const folders: string[] = [];
let built: string;

beforeAll(async () => {
	built = copyOfPackage();
	folders.push(built);
	await build(built);
});
afterAll(() => {
	for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** What the package finds beside itself. @returns the folder of all of them. */
function installBeside(...packages: string[]) {
	const folder = mkdtempSync(join(tmpdir(), 'installed-'));
	folders.push(folder);
	const modules = join(folder, 'node_modules');
	for (const part of ['dist', 'package.json'])
		cpSync(join(built, part), join(modules, NAME, part), { recursive: true });
	for (const name of packages) {
		mkdirSync(dirname(join(modules, name)), { recursive: true });
		symlinkSync(join(installed, name), join(modules, name));
	}
	return folder;
}

/** Loads all that n8n loads, and then asks for a model. */
const LOAD = `
	const { basename } = require('node:path');
	const { n8n } = require('${NAME}/package.json');
	const sdkFiles = () => Object.keys(require.cache).filter((file) => /ai-node-sdk|ai-utilities|langchain|openai/.test(file)).length;
	const made = [...n8n.nodes, ...n8n.credentials].map((file) => {
		const name = basename(file).split('.')[0];
		return [name, new (require('${NAME}/' + file)[name])()];
	});
	const loaded = made.map(([name]) => name);
	const before = sdkFiles();
	const { LmChatModelRouter } = Object.fromEntries(made);
	const context = { getNode: () => ({ name: 'Model', type: 'lmChatModelRouter' }), logger: { debug() {} } };
	LmChatModelRouter.supplyData.call(context, 0).catch(({ message }) =>
		console.log(JSON.stringify({ loaded, before, message, after: sdkFiles() })),
	);
`;

/** How many files of the SDK are loaded before and after a chat model is asked for, and what it says, which has no n8n here. */
async function loadIn(folder: string) {
	const { stdout } = await promisify(execFile)(process.execPath, ['-e', LOAD], {
		cwd: folder,
		// nothing is found elsewhere
		env: { ...process.env, NODE_PATH: '' },
	});
	return JSON.parse(stdout) as { loaded: string[]; before: number; message: string; after: number };
}

it('without it everything is loaded, and the chat model says which n8n it needs', async () => {
	const { loaded, before, message, after } = await loadIn(installBeside('n8n-workflow'));
	expect(loaded).toEqual(expect.arrayContaining(['AgentConversation', 'LmChatModelRouter']));
	expect(message).toBe('This node needs n8n 2.22.6 or newer');
	expect([before, after]).toEqual([0, 0]);
});

it('with it nothing of it is loaded before a chat model is used', async () => {
	const { before, message, after } = await loadIn(installBeside('n8n-workflow', SDK));
	expect(before).toBe(0);
	// it is there, and n8n itself is missing
	expect(message).not.toMatch(/^This node needs n8n/);
	expect(after).toBeGreaterThan(100);
});

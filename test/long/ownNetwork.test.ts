import { resolve } from 'node:path';

import { messages, model, nodesFor } from '../n8n/bridge.ts';
import { itemsOf } from '../n8n/execution.ts';
import { workflow } from '../n8n/workflow.ts';
import { rowOf } from '../service/modelServices/rows.ts';
import { standIn, type Standing } from '../service/modelServices/stand.ts';
import { ownOfFile } from './ownN8n.ts';

// n8n's own protection against requests into its network decides after ours
const ALLOWED = 'model-server';
const own = ownOfFile({
	NODE_OPTIONS: `--require ${resolve('test/n8n/containerNames.cjs')}`,
	N8N_SSRF_PROTECTION_ENABLED: 'true',
	N8N_SSRF_ALLOWED_HOSTNAMES: ALLOWED,
});
const OLLAMA = rowOf('Ollama');
let ollama: Standing;
beforeAll(async () => (ollama = await standIn(OLLAMA)));
afterAll(async () => await ollama.stop());

/** What Message a Model returns by a credential for the server under a name. */
async function askAt(name: string) {
	const [asked] = OLLAMA.answering;
	const baseUrl = ollama.baseUrl.replace('127.0.0.1', name);
	const data = { baseUrl, keyIn: 'none', apiKey: '', ownPrices: `${asked} 0 0` };
	const router = await own.editor.createCredential({ ...own.accounts.router, data });
	const node = nodesFor({ ...own.accounts, router }).router('Ask', ['text', 'message'], {
		model: model(asked),
		...messages('Hello'),
	});
	const execution = await own.editor.runOnce(workflow('ask', [{}], node));
	return { ...execution, json: itemsOf(execution, 'Ask')[0]?.json };
}

it('a model server that n8n allows is asked, and of another one it is told that n8n does not', async () => {
	const { json, error } = await askAt(ALLOWED);
	expect(json ?? error).toMatchObject({ output: 'Hello from Ollama', costUsd: 0 });
	const before = ollama.asked.length;
	const refused = await askAt(`${ALLOWED}-2`);
	expect(refused.error?.message).toMatch(/n8n does not allow requests to this address/);
	expect(refused.error?.description).toContain('N8N_SSRF_ALLOWED_HOSTNAMES');
	expect(ollama.asked).toHaveLength(before);
});

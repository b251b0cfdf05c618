import { readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import type { Worker } from '../queue/worker.ts';
import { Editor } from './editor.ts';
import type { Instance } from './instance.ts';

/** The n8n that all test files of this folder share; `bootShared.ts` has started it. Signed in as its owner. */
export async function sharedEditor(): Promise<Editor> {
	const url = process.env['AGENT_BRIDGE_N8N'];
	if (!url) throw new Error('no shared n8n: these tests run by "npm run test:n8n"');
	const editor = new Editor(url);
	await editor.signIn();
	return editor;
}

/** Names the n8n that tests share, for the functions of this file. @param workers Those that execute everything, if any do. */
export function tellTests(n8n: Instance, workers: readonly Worker[] = []) {
	process.env['AGENT_BRIDGE_N8N'] = n8n.url;
	process.env['AGENT_BRIDGE_N8N_PID'] = String(n8n.pid);
	const logs = [n8n, ...workers].map(({ logFile }) => logFile);
	process.env['AGENT_BRIDGE_N8N_LOGS'] = logs.join(delimiter);
	if (workers.length) process.env['AGENT_BRIDGE_ON_WORKERS'] = 'true';
}

/** The process of the shared n8n; in queue mode the one of main. */
export const sharedPid = (): number => Number(process.env['AGENT_BRIDGE_N8N_PID']);

/** The tarball that this run's tests install. */
export const tarball = process.env['AGENT_BRIDGE_TARBALL'];

/** The https address of a service whose authority the shared n8n trusts. */
export const trustedService = (): string => process.env['AGENT_BRIDGE_TRUSTED'] ?? '';

/**
 * Whether workers execute everything. What n8n 2.41.1 then stores of an execution after Stop depends on whether main or the
 * worker is the last to write (`enqueueExecution` in n8n/dist/workflow-runner.js): only the worker knows the custom data.
 */
export const onWorkers = (): boolean => Boolean(process.env['AGENT_BRIDGE_ON_WORKERS']);

/**
 * Whether a chat's next message finds what n8n's Simple Memory keeps: that is in one process, and the message may run on another
 * worker. The memories that docs/scale.md names in its place need packages that the n8n of the tests is without (`overrides` of
 * test/host/package.json).
 */
export const hasSimpleMemory = (): boolean => !onWorkers();

/** Everything that the processes of the shared n8n have written. */
export const sharedLog = (): string =>
	(process.env['AGENT_BRIDGE_N8N_LOGS'] ?? '')
		.split(delimiter)
		.map((file) => readFileSync(file, 'utf8'))
		.join('\n');

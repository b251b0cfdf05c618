import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { request } from 'undici';
import type { Counts } from './leanService.ts';

export interface LeanService {
	url: string;
	pid: number;
	/** What happened since the last call. */
	counts(): Promise<Counts>;
	stop(): Promise<void>;
}

/** Starts the lean service in a process of its own; it ends with this process, however this one ends. */
export async function startLeanService(deltas: number): Promise<LeanService> {
	const program = join(import.meta.dirname, 'leanService.ts');
	const flags = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];
	const child = spawn(process.execPath, [...flags, program, String(deltas)], {
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	const exit = once(child, 'exit');
	const [port] = (await Promise.race([
		once(child.stdout, 'data'),
		exit.then(() => Promise.reject(new Error('the lean service ended at once'))),
	])) as [Buffer];
	const url = `http://127.0.0.1:${String(port).trim()}`;
	return {
		url,
		pid: child.pid ?? 0,
		counts: async () => (await (await request(`${url}/_counts`)).body.json()) as Counts,
		async stop() {
			child.stdin.end();
			await exit;
		},
	};
}

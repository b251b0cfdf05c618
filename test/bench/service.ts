import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { request } from 'undici';
import type { HeldCounts } from './heldJobs.ts';
import type { Counts } from './leanService.ts';
import type { WatchedCounts } from './watchedJobs.ts';

export interface LeanService {
	url: string;
	pid: number;
	/** What happened since the last call. */
	counts(): Promise<Counts>;
	/** Media jobs, which are unfinished until they are released. */
	heldJobs(command?: 'hold' | 'release'): Promise<HeldCounts>;
	/** Media jobs that run until they are told to end; those of before are forgotten when it is told how many there are. */
	watchedJobs(anew?: { jobs: number; latency: number } | 'end'): Promise<WatchedCounts>;
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
	const ask = async (path: string) => await (await request(`${url}${path}`)).body.json();
	return {
		url,
		pid: child.pid ?? 0,
		counts: async () => (await ask('/_counts')) as Counts,
		heldJobs: async (command = undefined) =>
			(await ask(`/_jobs${command ? `?${command}` : ''}`)) as HeldCounts,
		async watchedJobs(anew = undefined) {
			const query =
				anew === 'end' ? '?end' : anew ? `?jobs=${anew.jobs}&latency=${anew.latency}` : '';
			return (await ask(`/_watched${query}`)) as WatchedCounts;
		},
		async stop() {
			child.stdin.end();
			await exit;
		},
	};
}

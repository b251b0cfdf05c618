// Polls of the trigger in a process of their own, so that what they take can be told from what n8n takes.
import { buildSync } from 'esbuild';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PollAnswer, PollOrder } from './polling.ts';

export interface PollProcess {
	pid: number;
	/** One poll. */
	poll(): Promise<PollAnswer>;
	stop(): Promise<void>;
}

/** Starts a trigger that is polled when it is told to; it ends with this process, however this one ends. */
export async function startPollProcess(order: PollOrder): Promise<PollProcess> {
	// beside the sources, where n8n's engine is found
	const folder = join(import.meta.dirname, '../../.bench');
	mkdirSync(folder, { recursive: true });
	const outfile = join(folder, 'polling.cjs');
	buildSync({
		entryPoints: [join(import.meta.dirname, 'polling.ts')],
		...{ outfile, bundle: true, format: 'cjs', platform: 'node', packages: 'external' },
	});
	const child = fork(outfile, {
		env: {
			PATH: process.env['PATH'],
			NODE_ENV: 'production',
			N8N_USER_FOLDER: mkdtempSync(join(tmpdir(), 'poll-')),
			N8N_LOG_LEVEL: 'silent',
			N8N_ENCRYPTION_KEY: 'the key of the benchmark',
		},
		execArgv: [],
	});
	const exit = once(child, 'exit');
	const ask = async (message: PollOrder | 'poll'): Promise<PollAnswer> => {
		child.send(message);
		const [answer] = (await Promise.race([
			once(child, 'message'),
			exit.then(() => Promise.reject(new Error('the process of the polls ended'))),
		])) as [PollAnswer];
		if (answer.error) throw new Error(`a poll failed: ${answer.error}`);
		return answer;
	};
	await ask(order);
	return {
		pid: child.pid ?? 0,
		poll: async () => await ask('poll'),
		async stop() {
			child.disconnect();
			await exit;
		},
	};
}

import { writeFileSync } from 'node:fs';
import { until } from '../n8n/editor.ts';
import type { Instance } from '../n8n/instance.ts';

/** MB of n8n's heap that are in use after a garbage collection. */
export async function usedHeap(instance: Instance): Promise<number> {
	return await inspected(instance, async (ask) => {
		await ask('HeapProfiler.collectGarbage');
		return (await ask<{ usedSize: number }>('Runtime.getHeapUsage')).usedSize / 1024 / 1024;
	});
}

/** Profiles n8n while `run` runs, for the developer tools of a browser. */
export async function profile(
	instance: Instance,
	file: string,
	run: () => Promise<unknown>,
): Promise<void> {
	await inspected(instance, async (ask) => {
		await ask('Profiler.enable');
		await ask('Profiler.setSamplingInterval', { interval: 200 });
		await ask('Profiler.start');
		await run();
		const { profile } = await ask<{ profile: object }>('Profiler.stop');
		writeFileSync(file, JSON.stringify(profile));
	});
}

type Ask = <Answer>(method: string, params?: object) => Promise<Answer>;

/** Opens the inspector, which would be part of what is measured, for `work` only. */
async function inspected<Result>(
	instance: Instance,
	work: (ask: Ask) => Promise<Result>,
): Promise<Result> {
	const address = () => instance.log().match(/Debugger listening on (ws:\S+)/)?.[1];
	if (!address() && instance.pid) process.kill(instance.pid, 'SIGUSR1');
	await until('the inspector listens', () => address() !== undefined, 10);
	const socket = new WebSocket(address() ?? '');
	await new Promise((resolve, reject) => {
		socket.onopen = resolve;
		socket.onerror = reject;
	});
	const waiting = new Map<number, (result: unknown) => void>();
	socket.onmessage = ({ data }) => {
		const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
		waiting.get(id)?.(result);
	};
	let last = 0;
	const ask: Ask = async <Answer>(method: string, params: object = {}) => {
		const id = ++last;
		socket.send(JSON.stringify({ id, method, params }));
		return (await new Promise<unknown>((resolve) => waiting.set(id, resolve))) as Answer;
	};
	try {
		return await work(ask);
	} finally {
		socket.close();
	}
}

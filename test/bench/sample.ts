import type { Host } from './hosts.ts';
import type { Sample } from './row.ts';
import { cpuOf, cpuOfMachine, mostMemory, startMemory } from './usage.ts';

/**
 * Measures `run`, several times where it is short: /proc counts CPU in ticks of 10 ms.
 *
 * @param worker The process that does the work.
 * @param run Returns what else it has measured.
 */
export async function sampled(
	{ service, pid }: Host,
	{ worker, times = 1 }: { worker: number; times?: number },
	run: () => Promise<Sample | void>,
): Promise<Sample> {
	const own = [...new Set([worker, pid, service.pid, process.pid])];
	const held = startMemory(worker);
	const [machine, ...used] = [cpuOfMachine(), ...own.map(cpuOf)];
	const started = performance.now();
	let more: Sample | void = undefined;
	for (let time = 0; time < times; time++) more = await run();
	const wall = performance.now() - started;
	const cpu = own.map((each, index) => minus(cpuOf(each), used[index]));
	const all = minus(cpuOfMachine(), machine);
	const growth = minus(mostMemory(worker), held);
	const ofWorker = cpu[0];
	const others = minus(
		all,
		cpu.reduce<number>((sum, each) => sum + (each ?? 0), 0),
	);
	return {
		'wall ms': wall / times,
		'CPU ms': ofWorker === undefined ? undefined : (ofWorker * 1000) / times,
		'RSS + MB': growth,
		'others busy': others === undefined ? undefined : (Math.max(0, others) * 1000) / wall,
		...more,
	};
}

/** What was not measured stays unknown. */
export const minus = (one: number | undefined, other: number | undefined) =>
	one === undefined || other === undefined ? undefined : one - other;

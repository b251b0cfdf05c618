import type { Reading } from './live.ts';
import type { Row } from './row.ts';
import type { LeanService } from './service.ts';
import { cpuOf, cpuOfMachine, mostMemory, startMemory } from './usage.ts';

/** One measurement, per run of the row. CPU and memory are known on Linux only. */
export interface Sample {
	/** Milliseconds. */
	wall: number;
	/** CPU seconds of the process that does the work. */
	cpu: number | undefined;
	/** Processors that everybody else has kept busy meanwhile. */
	others: number | undefined;
	/** MB at most above what it held before. */
	growth: number | undefined;
	/** Milliseconds to the first piece of a live answer. */
	first: number | undefined;
	/** Milliseconds from the writing of a piece to its arrival: the median, 95 % and the longest. */
	lag: number | undefined;
	lag95: number | undefined;
	longestLag: number | undefined;
	/** Of a conversation: milliseconds of a turn, the same without the speakers, and kB of stored data. */
	turn: number | undefined;
	engine: number | undefined;
	stored: number | undefined;
	mostInFlight: number;
	requests: number;
	connections: number;
}

export async function takeSample(row: Row, n8n: number, service: LeanService): Promise<Sample> {
	const worker = row.of === 'n8n' ? n8n : process.pid;
	const own = [...new Set([n8n, service.pid, process.pid])];
	await service.counts();
	const before = startMemory(worker);
	const [machine, ...used] = [cpuOfMachine(), ...own.map(cpuOf)];
	const workerBefore = cpuOf(worker);
	const started = performance.now();
	let reading: Reading | void = undefined;
	for (let time = 0; time < row.times; time++) reading = await row.run();
	const seconds = (performance.now() - started) / 1000;
	const cpu = minus(cpuOf(worker), workerBefore);
	const ours = own.map((pid, index) => minus(cpuOf(pid), used[index]) ?? 0);
	const all = minus(cpuOfMachine(), machine);
	const most = mostMemory(worker);
	const { requests, ...counts } = await service.counts();
	return {
		wall: (seconds * 1000) / row.times,
		cpu: cpu === undefined ? undefined : cpu / row.times,
		others: all === undefined ? undefined : Math.max(0, all - sum(ours)) / seconds,
		growth: minus(most, before),
		requests: requests / row.times,
		...readingOf(reading),
		...NO_TURNS,
		...(await row.inspect?.()),
		...counts,
	};
}

const NO_TURNS = { turn: undefined, engine: undefined, stored: undefined };

function readingOf(reading: Reading | void) {
	const lags = (reading?.lags ?? []).sort((one, other) => one - other);
	const at = (share: number) => lags[Math.min(Math.floor(lags.length * share), lags.length - 1)];
	return { first: reading?.first, lag: at(0.5), lag95: at(0.95), longestLag: at(1) };
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

const minus = (after: number | undefined, before: number | undefined) =>
	after === undefined || before === undefined ? undefined : after - before;

import { request } from 'undici';
import type { Queue } from '../queue/queue.ts';
import { minus } from './numbers.ts';
import type { Nodes } from './nodesUnderTest.ts';
import type { Figure } from './goals.ts';
import { aligned } from './table.ts';
import { cpuWithChildren } from './usage.ts';
import { benchWorkflow, bodyOf } from './workflows.ts';

/** Whose CPU time is counted apart. */
const parts = ['workers', 'main', 'PostgreSQL', 'Redis'] as const;
type Part = (typeof parts)[number];

/** One burst of webhook executions. */
interface Burst {
	/** Executions per second, of those whose caller got an answer. */
	rate: number;
	/** Callers without an answer after `PATIENCE`: n8n loses some with several workers. */
	unanswered: number;
	/** CPU milliseconds per execution. */
	cpu: Record<Part, number | undefined>;
}

export interface QueueExecutions {
	name: string;
	workers: number;
	bursts: Burst[];
}

/** Most workers at once. */
export const MOST_WORKERS = 3;
/** Callers that call at the same time. */
const CALLERS = 10;
/** Milliseconds. */
const PATIENCE = 20_000;

const [empty, httpRequest, ours] = ['empty workflow', 'HTTP Request', 'ours: agent, send'];

/**
 * Executions that are started and answered at main's webhook and run on workers. Every round takes all numbers of workers, and
 * each of them all workflows, the round after it in another order.
 *
 * @param queue Has `MOST_WORKERS` workers. All of them run in the end.
 */
export async function measureQueueExecutions(
	queue: Queue,
	nodes: Nodes,
	{ executions, rounds }: { executions: number; rounds: number },
): Promise<QueueExecutions[]> {
	const workflows = [
		{ name: empty, tested: nodes.noOperation() },
		{ name: httpRequest, tested: nodes.httpRequestSend() },
		{ name: ours, tested: nodes.oursSend() },
	].map(({ name, tested }) => ({ name, tested, path: `queue-${name}`.replace(/\W+/g, '-') }));
	for (const { path, tested } of workflows)
		await queue.editor.activate(await queue.editor.importWorkflow(benchWorkflow(path, tested)));
	const found = Array.from({ length: MOST_WORKERS }, (_, index) => index + 1).flatMap((workers) =>
		workflows.map(({ name }): QueueExecutions => ({ name, workers, bursts: [] })),
	);
	for (let round = 0; round < rounds; round++) {
		for (const workers of rotated([1, 2, 3], round)) {
			await runWorkers(queue, workers);
			// a worker that has just been started compiles
			for (const { path } of workflows) await burst(queue, path, 10 * workers);
			for (const { name, path } of rotated(workflows, round))
				found
					.find((one) => one.name === name && one.workers === workers)
					?.bursts.push(await burst(queue, path, executions));
		}
	}
	await runWorkers(queue, MOST_WORKERS);
	return found;
}

const rotated = <Value>(values: Value[], by: number) => {
	const at = by % values.length;
	return [...values.slice(at), ...values.slice(0, at)];
};

async function runWorkers({ workers }: Queue, count: number): Promise<void> {
	for (const [index, worker] of workers.entries()) {
		if (index < count && !worker.isRunning) await worker.boot();
		if (index >= count && worker.isRunning) await worker.stop();
	}
}

async function burst(queue: Queue, path: string, executions: number): Promise<Burst> {
	const before = usedBy(queue);
	const started = performance.now();
	let [sent, answered, lastAnswer] = [0, 0, started];
	const caller = async () => {
		while (sent++ < executions) {
			if (!(await answers(`${queue.main.url}/webhook/${path}`))) continue;
			answered++;
			lastAnswer = performance.now();
		}
	};
	await Promise.all(Array.from({ length: CALLERS }, caller));
	const after = usedBy(queue);
	const perExecution = (part: Part) => {
		const used = minus(after[part], before[part]);
		return used === undefined ? undefined : (1000 * used) / executions;
	};
	return {
		rate: answered / ((lastAnswer - started) / 1000),
		unanswered: executions - answered,
		cpu: Object.fromEntries(parts.map((part) => [part, perExecution(part)])) as Burst['cpu'],
	};
}

async function answers(url: string): Promise<boolean> {
	const headers = { 'content-type': 'application/json' };
	const signal = AbortSignal.timeout(PATIENCE);
	try {
		const answer = await request(url, { method: 'POST', headers, body: bodyOf(1), signal });
		const text = await answer.body.text();
		if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${text}`);
		return true;
	} catch (error) {
		if (signal.aborted) return false;
		throw error;
	}
}

/** CPU seconds. */
function usedBy({ workers, main, postgres, redis }: Queue): Record<Part, number | undefined> {
	const of = ({ pid, isRunning }: { pid: number | undefined; isRunning: boolean }) =>
		pid && isRunning ? cpuWithChildren(pid) : undefined;
	const used = workers.filter(({ isRunning }) => isRunning).map(of);
	return {
		workers: used.reduce((sum, one) => (sum ?? 0) + (one ?? 0), 0),
		main: of(main),
		PostgreSQL: postgres && of(postgres),
		Redis: of(redis),
	};
}

const medianOf = (values: Array<number | undefined>) => {
	const all = values.filter((value) => value !== undefined).sort((one, other) => one - other);
	return all[Math.floor(all.length / 2)];
};

/** CPU milliseconds per execution of all processes together. */
const wholeCpu = ({ cpu }: Burst) => parts.reduce((sum, part) => sum + (cpu[part] ?? 0), 0);

export function queueExecutionsTable(found: QueueExecutions[], executions: number): string {
	const cell = (value: number | undefined) => (value === undefined ? '-' : value.toFixed(1));
	return `${executions} executions at a webhook in queue mode, answered by the last node, ${CALLERS} callers; medians, CPU in ms per execution\n${aligned(
		[
			['', 'workers', 'rounds', 'per s', 'least', 'most', ...parts, 'all', 'least', 'most', 'lost'],
			...found.map(({ name, workers, bursts }) => {
				const rates = bursts.map(({ rate }) => rate);
				const cpu = bursts.map(wholeCpu);
				return [
					name,
					String(workers),
					String(bursts.length),
					...[medianOf(rates), Math.min(...rates), Math.max(...rates)].map(cell),
					...parts.map((part) => cell(medianOf(bursts.map((one) => one.cpu[part])))),
					...[medianOf(cpu), Math.min(...cpu), Math.max(...cpu)].map(cell),
					String(bursts.reduce((sum, { unanswered }) => sum + unanswered, 0)),
				];
			}),
		],
	)}`;
}

/** What our node costs a worker more than the HTTP Request node, with one worker: with more of them they contend. */
export function queueExecutionsGoals(found: QueueExecutions[]): Figure[] {
	const cpuOf = (wanted: string) =>
		medianOf(
			(found.find(({ name, workers }) => name === wanted && workers === 1)?.bursts ?? []).map(
				({ cpu }) => cpu.workers,
			),
		);
	const more = minus(cpuOf(ours), cpuOf(httpRequest));
	return [['Q', 'queue: CPU of a worker, ms more than HTTP Request', more, 1]];
}

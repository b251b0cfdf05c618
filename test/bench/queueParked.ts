import { until, type Editor } from '../n8n/editor.ts';
import type { Queue } from '../queue/queue.ts';
import type { Figure } from './goals.ts';
import { minus, over } from './numbers.ts';
import type { Nodes } from './nodesUnderTest.ts';
import { call } from './row.ts';
import type { LeanService } from './service.ts';
import { aligned } from './table.ts';
import { heldMemory } from './usage.ts';
import { bodyWith } from './workflows.ts';
import { parkingWorkflow, waitingIn } from './waiting.ts';

/** Executions that wait for a media job, parked in n8n's database. */
export interface QueueParked {
	count: number;
	/** Seconds until all of them were parked. */
	seconds: number;
	/** MB of main and of the workers, before the first one was started and when all were parked. */
	main: Span;
	workers: Span;
}

interface Span {
	before: number | undefined;
	after: number | undefined;
}

/** Callers that start executions at the same time. */
const CALLERS = 10;
/** So many are started before the memory is read: what a process takes for its first executions is not the parked ones'. */
const WARM_UP = 200;

export async function measureQueueParked(
	queue: Queue,
	service: LeanService,
	nodes: Nodes,
	count: number,
): Promise<QueueParked> {
	const { editor, main } = queue;
	const path = 'queue-parked';
	await editor.activate(await editor.importWorkflow(parkingWorkflow(path, nodes, 24 * 3600)));
	await service.heldJobs('hold');
	await park(editor, `${main.url}/webhook/${path}`, 0, Math.min(WARM_UP, count));
	const parkedBefore = await waitingIn({ editor });
	const before = memoryOf(queue);
	const started = performance.now();
	await park(editor, `${main.url}/webhook/${path}`, parkedBefore, count);
	const seconds = (performance.now() - started) / 1000;
	const after = memoryOf(queue);
	return {
		...{ count, seconds },
		main: { before: before.main, after: after.main },
		workers: { before: before.workers, after: after.workers },
	};
}

/** Starts executions, and waits until all of them are parked. */
async function park(editor: Editor, url: string, parked: number, count: number): Promise<void> {
	let sent = 0;
	const caller = async () => {
		for (let one = sent++; one < count; one = sent++) await call(url, bodyWith([`picture-${one}`]));
	};
	await Promise.all(Array.from({ length: CALLERS }, caller));
	const all = async () => (await waitingIn({ editor })) >= parked + count;
	await until('all are parked', all, 1800);
}

function memoryOf({ main, workers }: Queue) {
	return {
		main: heldMemory(main.pid ?? 0),
		workers: workers
			.filter(({ isRunning }) => isRunning)
			.reduce((sum, { pid }) => sum + (heldMemory(pid ?? 0) ?? 0), 0),
	};
}

export function queueParkedTable({ count, seconds, main, workers }: QueueParked): string {
	const whole = (value: number | undefined) =>
		value === undefined ? '-' : String(Math.round(value));
	const line = (name: string, { before, after }: Span) => [
		name,
		whole(before),
		whole(after),
		whole(minus(after, before)),
		perWait({ before, after }, count)?.toFixed(2) ?? '-',
	];
	return `${count} executions that wait for a media job, parked in n8n's database after ${Math.round(seconds)} s (RSS)\n${aligned(
		[
			['', 'MB before', 'MB after', '+ MB', 'kB per wait'],
			line('main', main),
			line('workers', workers),
		],
	)}`;
}

const perWait = ({ before, after }: Span, count: number) => {
	const more = minus(after, before);
	return over(more === undefined ? undefined : more * 1024, count);
};

export const queueParkedGoals = (found: QueueParked | undefined): Figure[] => [
	['W', 'queue: parked, MB more in main', minus(found?.main.after, found?.main.before), 50],
];

import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../n8n/editor.ts';
import { node } from '../n8n/workflow.ts';
import type { Queue } from '../queue/queue.ts';
import type { Figure } from './goals.ts';
import { minus } from './numbers.ts';
import { ledgerOf } from './polls.ts';
import { usedHeap } from './profile.ts';
import type { LeanService } from './service.ts';
import { aligned } from './table.ts';
import { heldMemory, mostMemory, startMemory } from './usage.ts';

/** Jobs that main's trigger watches, and whose files two workers bring. */
export interface QueueWatched {
	jobs: number;
	/** Seconds from the end of the jobs until the last one was delivered. */
	seconds: number;
	delivered: number;
	/** Files that were fetched more than once. */
	twice: number;
	/** MB of main: RSS at most above what it held before, the first time that all jobs are asked for, and the second time. */
	first: number | undefined;
	again: number | undefined;
	/** MB of RSS that main holds more than before the first time, when it is idle again. */
	kept: number | undefined;
	/** The same while all are delivered. */
	delivering: number | undefined;
	/** MB of main's heap in use after a garbage collection, before the trigger was active and after it has asked for all jobs twice. */
	heapBefore: number;
	heapAfter: number;
}

/** n8n refuses an expression that polls more often than every minute, but not several of them. */
const everyTenSeconds = [0, 10, 20, 30, 40, 50].map((second) => ({
	mode: 'custom',
	cronExpression: `${second} * * * * *`,
}));

export async function measureQueueWatched(
	queue: Queue,
	service: LeanService,
	jobs: number,
): Promise<QueueWatched> {
	const { main, editor } = queue;
	const pid = main.pid ?? 0;
	// the ledger's account is the ID of the credential, which has the ledger's address
	const account = await editor.createCredential({
		...{ name: 'watching', type: 'modelRouterApi' },
		data: { baseUrl: service.url, apiKey: 'a-key-of-the-benchmark' },
	});
	const ledger = await ledgerOf(main, 'the queue', jobs, account.id);
	await editor.call('PATCH', `/rest/credentials/${account.id}`, {
		...{ name: account.name, type: account.type },
		data: { baseUrl: service.url, apiKey: 'a-key-of-the-benchmark', ...ledger },
	});
	await service.watchedJobs({ jobs, latency: 0 });
	const heapBefore = await usedHeap(main);
	const cold = startMemory(pid);
	const saved = await editor.importWorkflow(watchingWorkflow(account));
	await editor.activate(saved);
	const asked = async (times: number) =>
		await until(
			'all jobs are asked for',
			async () => (await service.watchedJobs()).reads >= times * jobs,
			900,
		);
	await asked(1);
	const first = minus(mostMemory(pid), cold);
	const warm = startMemory(pid);
	await asked(2);
	const again = minus(mostMemory(pid), warm);
	const kept = minus(await leastMemory(pid), cold);
	const heapAfter = await usedHeap(main);
	const watching = startMemory(pid);
	await service.watchedJobs('end');
	const started = performance.now();
	await until(
		'all jobs are delivered',
		async () => (await service.watchedJobs()).delivered === jobs,
		1800,
	);
	const seconds = (performance.now() - started) / 1000;
	const delivering = minus(mostMemory(pid), watching);
	await editor.call('POST', `/rest/workflows/${saved.id}/deactivate`);
	const { delivered, twice } = await service.watchedJobs();
	const memory = { first, kept, again, delivering, heapBefore, heapAfter };
	return { jobs, seconds, delivered, twice, ...memory };
}

/** MB that a process holds at least within half a minute: V8 gives memory back some seconds after the process has become idle. */
async function leastMemory(pid: number): Promise<number | undefined> {
	let least = Infinity;
	for (let second = 0; second < 30; second++) {
		least = Math.min(least, heldMemory(pid) ?? Infinity);
		await pause(1000);
	}
	return Number.isFinite(least) ? least : undefined;
}

function watchingWorkflow({ id, name, type }: { id: string; name: string; type: string }) {
	const trigger = node(
		'Trigger',
		'n8n-nodes-agent-bridge.modelRouterTrigger',
		{
			pollTimes: { item: everyTenSeconds },
			options: { maxJobs: 250 },
		},
		{ credentials: { [type]: { id, name } } },
	);
	return {
		name: 'watching',
		nodes: [trigger, node('After', 'n8n-nodes-base.noOp', {})],
		connections: { Trigger: { main: [[{ node: 'After', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1', saveDataSuccessExecution: 'none' },
	};
}

export function queueWatchedTable(found: QueueWatched): string {
	const whole = (value: number | undefined) =>
		value === undefined ? '-' : String(Math.round(value));
	const { jobs, seconds, delivered, twice, heapBefore, heapAfter } = found;
	return `a trigger in main that watches ${jobs} jobs every 10 s, 250 a poll at most, while two workers deliver them with their files\n${aligned(
		[
			[
				'delivered',
				'twice',
				's',
				'RSS + MB, first',
				'again',
				'idle',
				'delivering',
				'heap before',
				'after',
			],
			[
				...[delivered, twice, seconds, found.first, found.again, found.kept, found.delivering].map(
					whole,
				),
				...[heapBefore, heapAfter].map(whole),
			],
		],
	)}`;
}

export const queueWatchedGoals = (found: QueueWatched | undefined): Figure[] => [
	// not the first time: V8 takes what it is given before it collects garbage, of bare requests too (`requestMemory.ts`)
	['G11', 'queue: RSS growth of main by a poll, MB', found?.again, 50],
	['G11', 'queue: RSS growth of main after all polls, MB', found?.kept, 50],
	['P', 'queue: files fetched twice', found?.twice, 0],
	['P', 'queue: jobs not delivered', minus(found?.jobs, found?.delivered), 0],
];

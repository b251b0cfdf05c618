import { startQueue, type Queue } from '../queue/queue.ts';
import { createAccounts } from './accounts.ts';
import type { Figure } from './goals.ts';
import { nodesUnderTest } from './nodesUnderTest.ts';
import {
	measureQueueExecutions,
	MOST_WORKERS,
	queueExecutionsGoals,
	queueExecutionsTable,
	type QueueExecutions,
} from './queueExecutions.ts';
import {
	measureQueueParked,
	queueParkedGoals,
	queueParkedTable,
	type QueueParked,
} from './queueParked.ts';
import {
	measureQueueWatched,
	queueWatchedGoals,
	queueWatchedTable,
	type QueueWatched,
} from './queueWatched.ts';
import type { LeanService } from './service.ts';

export interface QueueSizes {
	/** Executions of one burst. */
	executions: number;
	rounds: number;
	watched: number;
	parked: number;
}

export interface QueueFigures {
	executions: QueueExecutions[];
	watched: QueueWatched | undefined;
	parked: QueueParked | undefined;
}

const [executions, watched, parked] = ['queue: executions', 'queue: watched jobs', 'queue: parked'];

/** The rows of queue mode; each has an n8n of its own, so that none pays for another one's memory. */
export async function measureQueue(
	service: LeanService,
	sizes: QueueSizes,
	{ only, say }: { only: RegExp; say(text: string): void },
): Promise<QueueFigures> {
	const found: QueueFigures = { executions: [], watched: undefined, parked: undefined };
	if (![executions, watched, parked].some((name) => only.test(name))) return found;
	if (!process.env['AGENT_BRIDGE_REDIS']) {
		say('The rows of queue mode are left out: they need redis-server, and none was found.');
		return found;
	}
	const measured = async (
		name: string,
		workers: number,
		measure: (queue: Queue, nodes: ReturnType<typeof nodesUnderTest>) => Promise<void>,
	) => {
		if (!only.test(name)) return;
		say(`Once: ${name}: starting n8n in queue mode with ${workers} workers …`);
		const env = { NODE_ENV: 'production', NODE_OPTIONS: '--inspect-port=127.0.0.1:0' };
		const queue = await startQueue({ workers, env });
		try {
			const accounts = await createAccounts(queue.editor, service);
			await measure(queue, nodesUnderTest(service.url, accounts));
		} finally {
			await queue.stop();
		}
	};
	// each is told at once, since a later one that fails takes all figures with it
	await measured(executions, MOST_WORKERS, async (queue, nodes) => {
		found.executions = await measureQueueExecutions(queue, nodes, sizes);
		say(queueExecutionsTable(found.executions, sizes.executions));
	});
	await measured(watched, 2, async (queue) => {
		found.watched = await measureQueueWatched(queue, service, sizes.watched);
		say(queueWatchedTable(found.watched));
	});
	await measured(parked, 2, async (queue, nodes) => {
		found.parked = await measureQueueParked(queue, service, nodes, sizes.parked);
		say(queueParkedTable(found.parked));
	});
	return found;
}

export const queueTables = (found: QueueFigures, sizes: QueueSizes): string[] => [
	...(found.executions.length ? [queueExecutionsTable(found.executions, sizes.executions)] : []),
	...(found.watched ? [queueWatchedTable(found.watched)] : []),
	...(found.parked ? [queueParkedTable(found.parked)] : []),
];

export const queueGoals = ({ executions: all, ...found }: QueueFigures): Figure[] => [
	...queueExecutionsGoals(all),
	...queueWatchedGoals(found.watched),
	...queueParkedGoals(found.parked),
];

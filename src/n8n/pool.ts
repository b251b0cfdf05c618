import { sleep } from 'n8n-workflow';

/** Milliseconds between the first items of two workers: started in one tick, they would stay in step and queue behind one another. */
const STAGGER = 2;

/**
 * Works on items with a bounded number of workers. Items of one lane follow one another, in item order.
 *
 * @param lanes For every item the lane it belongs to; items without one are free.
 * @param work Resolves when the item is done; when it throws, no further item is begun.
 * @throws what `work` threw first, once every worker has come to rest. A worker that ran on beside n8n's retry of the node
 *   would send its items twice.
 */
export async function workThrough(
	lanes: ReadonlyArray<string | undefined>,
	concurrency: number,
	work: (itemIndex: number) => Promise<void>,
): Promise<void> {
	const queues = queuesOf(lanes);
	const failures: unknown[] = [];
	let next = 0;

	const worker = async (index: number) => {
		if (index) await sleep(index * STAGGER);
		for (let queue = queues[next++]; queue; queue = queues[next++]) {
			for (const itemIndex of queue) {
				if (failures.length) return;
				try {
					await work(itemIndex);
				} catch (cause) {
					failures.push(cause);
				}
			}
		}
	};

	await Promise.all(
		Array.from({ length: Math.min(concurrency, queues.length) }, (_, index) => worker(index)),
	);
	if (failures.length) throw failures[0];
}

function queuesOf(lanes: ReadonlyArray<string | undefined>): number[][] {
	const byLane = new Map<string, number[]>();
	const queues: number[][] = [];
	for (const [itemIndex, lane] of lanes.entries()) {
		const queue = lane === undefined ? undefined : byLane.get(lane);
		if (queue) queue.push(itemIndex);
		else {
			const own = [itemIndex];
			queues.push(own);
			if (lane !== undefined) byLane.set(lane, own);
		}
	}
	return queues;
}

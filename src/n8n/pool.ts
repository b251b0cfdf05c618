import { sleep } from 'n8n-workflow';

import { explained } from '../service/errors';
import { stopped } from './body';

/** Milliseconds between the first items of two places: started in one tick, they would stay in step and queue behind one another. */
const STAGGER = 2;

/** The place of an item among those that are worked on at once. */
export interface Place {
	/**
	 * Gives the place to another item for as long as something is waited for.
	 *
	 * @throws ServiceError `stopped` when another item has failed meanwhile.
	 */
	away<Result>(wait: () => Promise<Result>): Promise<Result>;
}

/**
 * Works on items with a bounded number of places. Items of one lane follow one another, in item order. An item that was away
 * gets a place before one that has not begun.
 *
 * @param lanes For every item the lane it belongs to; items without one are free.
 * @param work Resolves when the item is done; when it throws, no further item is begun.
 * @throws what `work` threw first, once all that were begun have come to rest. One that ran on beside n8n's retry of the node
 *   would send its items twice.
 */
export async function workThrough(
	lanes: ReadonlyArray<string | undefined>,
	concurrency: number,
	work: (itemIndex: number, place: Place) => Promise<void>,
): Promise<void> {
	const queues = queuesOf(lanes);
	const failures: unknown[] = [];
	const backAgain: Array<() => void> = [];
	let [next, free, begun] = [0, concurrency, 0];

	const leave = () => {
		const first = backAgain.shift();
		if (first) return first();
		free++;
		begin();
	};

	const away: Place['away'] = async (wait) => {
		leave();
		const waited = await settled(wait);
		if (free) free--;
		else await new Promise<void>((resolve) => backAgain.push(resolve));
		if ('cause' in waited) throw explained(waited.cause);
		if (failures.length) throw stopped(false);
		return waited.value;
	};

	const workOn = async (queue: number[]) => {
		for (const itemIndex of queue) {
			if (failures.length) return;
			try {
				await work(itemIndex, { away });
			} catch (cause) {
				failures.push(cause);
			}
		}
	};

	let allDone = () => {};
	const done = new Promise<void>((resolve) => (allDone = resolve));
	/** @returns whether there may be more to begin. */
	const begin = () => {
		const queue = failures.length ? undefined : queues[next];
		if (!queue) {
			if (!begun) allDone();
			return false;
		}
		if (!free) return true;
		[next, free, begun] = [next + 1, free - 1, begun + 1];
		void workOn(queue).then(() => {
			begun--;
			leave();
		});
		return next < queues.length;
	};

	for (let place = 0; place < concurrency && begin(); place++) await sleep(STAGGER);
	await done;
	if (failures.length) throw failures[0];
}

async function settled<Value>(
	wait: () => Promise<Value>,
): Promise<{ value: Value } | { cause: unknown }> {
	try {
		return { value: await wait() };
	} catch (cause) {
		return { cause };
	}
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

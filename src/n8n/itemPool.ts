import { sleep } from 'n8n-workflow';

import { cancelledError } from '../core/errors';
import { groupBy } from '../core/grouping';

/** Milliseconds between the first items of two slots: started together, they would stay in step and wait for each other. */
const START_STAGGER = 2;

/** The slot of an item: as many items run at once as there are slots. */
export interface Slot {
	/**
	 * Lets another item use the slot during a wait.
	 *
	 * @throws ServiceError `cancelled` when another item has failed in the meantime.
	 */
	releaseDuring<Result>(wait: () => Promise<Result>): Promise<Result>;
	/**
	 * Waits, and keeps the slot, for requests of others, and then for the end of an item: the one whose request has ended may have failed,
	 * which it tells last.
	 *
	 * @throws ServiceError `cancelled` when another item has failed.
	 */
	afterOthers(othersEnd: () => Promise<void>): Promise<void>;
}

/**
 * Runs items with a bounded number of slots. Items with the same sequence key run one after another, in item order. An item that
 * returns from a wait gets a slot before an item that has not begun.
 *
 * @param sequenceKeys The sequence key of every item; items without one are independent.
 * @param work Resolves when the item is done; when it throws, no further item is begun.
 * @throws what `work` threw first, once all running items have ended. An item that still ran during n8n's retry of the node
 *   would be sent twice.
 */
export async function runPool(
	sequenceKeys: ReadonlyArray<string | undefined>,
	concurrency: number,
	work: (itemIndex: number, slot: Slot) => Promise<void>,
): Promise<void> {
	const keyOf = (itemIndex: number) => sequenceKeys[itemIndex] ?? itemIndex;
	const queues = [...groupBy(sequenceKeys.keys(), keyOf).values()];
	const failures: unknown[] = [];
	const slots = createSlots(concurrency);
	const atWork = createPresence();
	const slot = createSlot(slots, atWork, failures);

	const workOn = async (queue: number[]) => {
		for (const itemIndex of queue) {
			if (failures.length) break;
			atWork.enter();
			try {
				await work(itemIndex, slot);
			} catch (cause) {
				failures.push(cause);
			}
			atWork.leave();
			atWork.ended();
		}
		slots.release();
	};

	const running: Array<Promise<void>> = [];
	for (const queue of queues) {
		await slots.take();
		running.push(workOn(queue));
		if (running.length < Math.min(concurrency, queues.length)) await sleep(START_STAGGER);
	}
	await Promise.all(running);
	if (failures.length) throw failures[0];
}

/** The waits of an item. All items share one: it knows who is at work, and who has failed. */
function createSlot(
	slots: ReturnType<typeof createSlots>,
	atWork: ReturnType<typeof createPresence>,
	failures: readonly unknown[],
): Slot {
	const requireOpen = () => {
		if (failures.length) throw cancelledError(false);
	};
	return {
		async releaseDuring(wait) {
			slots.release();
			atWork.leave();
			let result: Awaited<ReturnType<typeof wait>>;
			try {
				result = await wait();
			} finally {
				await slots.takeAgain();
				atWork.enter();
			}
			requireOpen();
			return result;
		},
		async afterOthers(othersEnd) {
			atWork.leave();
			try {
				await othersEnd();
				await atWork.nextEnd();
			} finally {
				atWork.enter();
			}
			requireOpen();
		},
	};
}

function createSlots(count: number) {
	let free = count;
	/** Items that return from a wait come before those that have not begun. */
	const returning: Array<() => void> = [];
	const beginning: Array<() => void> = [];
	const takeIn = async (line: Array<() => void>) => {
		if (free) free--;
		else await new Promise<void>((resolve) => line.push(resolve));
	};
	return {
		take: async () => await takeIn(beginning),
		takeAgain: async () => await takeIn(returning),
		release(): void {
			const next = returning.shift() ?? beginning.shift();
			if (next) next();
			else free++;
		},
	};
}

/** Who is at work, and who waits for the end of one of them. */
function createPresence() {
	let count = 0;
	const waiting: Array<() => void> = [];
	const ended = () => {
		for (const wake of waiting.splice(0)) wake();
	};
	return {
		enter: () => void count++,
		leave(): void {
			count--;
			if (!count) ended();
		},
		ended,
		/** Resolves at once if nobody is at work: who waits has not failed, and may itself wait for the one that asks. */
		async nextEnd(): Promise<void> {
			if (count) await new Promise<void>((resolve) => waiting.push(resolve));
		},
	};
}

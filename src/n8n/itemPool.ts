import { sleep } from 'n8n-workflow';

import { mapServiceError, cancelledError } from '../core/errors';
import { groupBy } from '../core/json';

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
	const slots = createSlots(concurrency, () => void begin());
	/** The queue to begin next. */
	let next = 0;
	/** Queues that have begun and not ended. */
	let running = 0;

	const releaseDuring: Slot['releaseDuring'] = async (wait) => {
		slots.release();
		const result = await settle(wait);
		await slots.takeNext();
		if ('cause' in result) throw mapServiceError(result.cause);
		if (failures.length) throw cancelledError(false);
		return result.value;
	};

	const workOn = async (queue: number[]) => {
		for (const itemIndex of queue) {
			if (failures.length) return;
			try {
				await work(itemIndex, { releaseDuring });
			} catch (cause) {
				failures.push(cause);
			}
		}
	};

	let allDone = () => {};
	const done = new Promise<void>((resolve) => (allDone = resolve));
	/** @returns whether another queue may be begun. */
	const begin = () => {
		const queue = failures.length ? undefined : queues[next];
		if (!queue) {
			if (!running) allDone();
			return false;
		}
		if (!slots.take()) return true;
		next++;
		running++;
		void workOn(queue).then(() => {
			running--;
			slots.release();
		});
		return next < queues.length;
	};

	for (let slot = 0; slot < concurrency && begin(); slot++) await sleep(START_STAGGER);
	await done;
	if (failures.length) throw failures[0];
}

/** @param onFree Called when a slot is released that no item waits for. */
function createSlots(count: number, onFree: () => void) {
	/** Items that returned from a wait and need a slot. */
	const returning: Array<() => void> = [];
	/** Unused slots. */
	let free = count;
	return {
		/** @returns false when no slot is unused. */
		take(): boolean {
			if (!free) return false;
			free--;
			return true;
		},
		/** Resolves once there is a slot. Those who wait here come before those who `take`. */
		async takeNext(): Promise<void> {
			if (free) free--;
			else await new Promise<void>((resolve) => returning.push(resolve));
		},
		release(): void {
			const first = returning.shift();
			if (first) return first();
			free++;
			onFree();
		},
	};
}

async function settle<Value>(
	wait: () => Promise<Value>,
): Promise<{ value: Value } | { cause: unknown }> {
	try {
		return { value: await wait() };
	} catch (cause) {
		return { cause };
	}
}
